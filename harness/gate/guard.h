/* A buffer between two red zones: what a kernel may write, and what it must not touch. */
#ifndef ROWLOCK_HARNESS_GATE_GUARD_H
#define ROWLOCK_HARNESS_GATE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/rowlock.h"
#include "validator/rules/text.h"

enum { RLK_GUARD_ALIGNMENT = 64, RLK_GUARD_ZONE_MIN = 64, RLK_GUARD_REACH = 1 << 20 };

typedef struct rlk_guard_t {
  void* data; /* aligned to RLK_GUARD_ALIGNMENT; the second zone begins right behind the last byte */
  size_t size_bytes, zone_bytes;
  uint64_t seed;
  void* block;
  size_t block_bytes;
} rlk_guard_t;

/* Allocates `size_bytes`, zeroed, between zones of at least `zone_bytes` each, and arms them with seed 0. Beyond them
 * are RLK_GUARD_REACH bytes that cannot be touched: whoever does ends the process. On failure, ROWLOCK_NO_MEMORY, the
 * guard is empty; deinit takes that, and a zeroed one. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_guard_init(rlk_guard_t* guard, size_t size_bytes, size_t zone_bytes,
                                                 rowlock_error_t* err);
void rlk_guard_deinit(rlk_guard_t* guard);

/* Fills both zones anew. Another seed for another run: what was read beyond an end then shows as a difference between
 * the two, the next seed at the latest: its numbers are huge and of the other sign. No byte of a zone is 0, 1 or 255.
 */
void rlk_guard_arm(rlk_guard_t* guard, uint64_t seed);

typedef enum rlk_guard_side_t { RLK_GUARD_BEFORE, RLK_GUARD_BEHIND } rlk_guard_side_t;

typedef struct rlk_damage_t {
  rlk_guard_side_t side; /* of the first damaged byte; the zone before is looked at first */
  size_t offset;         /* of that byte: how far before the first byte of the buffer, how far behind its last: 1 up */
  size_t byte_count;     /* damaged on that side */
} rlk_damage_t;

/* Whether both zones are as they were armed. */
ROWLOCK_MUST_CHECK bool rlk_guard_check(const rlk_guard_t* guard, rlk_damage_t* out_damage);

/* "16 bytes behind the buffer overwritten, from byte 1 behind it on" */
void rlk_damage_put(rlk_text_t* text, const rlk_damage_t* damage);

#endif
