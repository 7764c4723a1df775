/* "Did you mean": the names closest to a misspelt one. */
#ifndef ROWLOCK_VALIDATOR_RULES_NEAREST_H
#define ROWLOCK_VALIDATOR_RULES_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

enum { RLK_NEAREST_MAX = 3 };

typedef struct rlk_nearest_t {
  const char* text; /* what was asked for; the other members start as zeros */
  const char* names[RLK_NEAREST_MAX];
  size_t distances[RLK_NEAREST_MAX];
  size_t count;
} rlk_nearest_t;

/* Keeps `name` (borrowed) if `spelling`, a way to write it, is close to the text: one letter in six may be missing,
 * added or another, and one beyond that. A name that is offered twice is kept once, at its better distance. */
void rlk_nearest_offer(rlk_nearest_t* nearest, const char* name, const char* spelling);

/* "a, b, c", nearest first, cut to the capacity; false if nothing was close. */
bool rlk_nearest_list(const rlk_nearest_t* nearest, char* out, size_t capacity);

/* The number of letters to add, take away or change to get from one to the other. SIZE_MAX, unmeasured, if one is
 * longer than 64 letters. */
size_t rlk_edit_distance(const char* a, const char* b);

#endif
