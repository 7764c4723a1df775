/* Whether a file claims to be a shared object for this machine; what it is else. Reads the ELF header alone. */
#ifndef ROWLOCK_LOADER_HOST_IDENTITY_H
#define ROWLOCK_LOADER_HOST_IDENTITY_H

#include "validator/rules/findings.h"

/* ROWLOCK_OK: the bytes hold a whole ELF header of a 64-bit shared object for this machine. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_identity_check(const void* bytes, size_t length, rowlock_error_t* err);

/* Whether the `size` bytes from `offset` on lie in a file of `length` bytes; `part` is what they are. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_require_bytes(size_t length, const char* part, uint64_t offset, uint64_t size,
                                                    rowlock_error_t* err);

/* Each returns ROWLOCK_REJECTED. */
rowlock_code_t rlk_refuse_malformed(rowlock_error_t* err, const char* format, ...) ROWLOCK_PRINTF(2, 3);
rowlock_code_t rlk_refuse_not_shared(const char* kind, rowlock_error_t* err);

#endif
