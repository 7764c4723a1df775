/* SHA-256 of a buffer, taken before and after a launch: a kernel that edits its input is found out. */
#ifndef ROWLOCK_HARNESS_GATE_DIGEST_H
#define ROWLOCK_HARNESS_GATE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/rowlock.h"

typedef struct rlk_digest_t {
  unsigned char bytes[32];
} rlk_digest_t;

/* ROWLOCK_INTERNAL if the library has no SHA-256 to give. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_digest(const void* data, size_t size_bytes, rlk_digest_t* out_digest,
                                             rowlock_error_t* err);
bool rlk_digest_equal(const rlk_digest_t* a, const rlk_digest_t* b);

#endif
