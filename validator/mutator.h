/* Documents made from documents by small random changes. The same seed makes the same ones everywhere. For tests. */
#ifndef ROWLOCK_VALIDATOR_MUTATOR_H
#define ROWLOCK_VALIDATOR_MUTATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rlk_mutator_t {
  uint64_t state;
  char* bytes; /* the document; no NUL follows */
  size_t length, capacity;
} rlk_mutator_t;

/* Aborts when memory is short, like each of the others. */
void rlk_mutator_init(rlk_mutator_t* mutator, uint64_t seed);
void rlk_mutator_deinit(rlk_mutator_t* mutator);

/* A number below `bound`, which is not 0. */
size_t rlk_mutator_below(rlk_mutator_t* mutator, size_t bound);

/* Begins anew from `text`. */
void rlk_mutator_load(rlk_mutator_t* mutator, const char* text, size_t length);

/* Changes bytes without regard to what they mean: flips a bit, inserts, overwrites, removes, repeats, cuts off, or
 * takes over a piece of `other`. */
void rlk_mutator_change_bytes(rlk_mutator_t* mutator, const char* other, size_t other_length);

/* Changes a value, a key or a member for another one of the format's vocabulary or of the document itself; what was
 * JSON mostly stays JSON. */
void rlk_mutator_change_tokens(rlk_mutator_t* mutator);

#endif
