/* .npy files, read and written strictly: what is not exactly an array of a type that a gate compares is refused. */
#ifndef ROWLOCK_HARNESS_GATE_NPY_H
#define ROWLOCK_HARNESS_GATE_NPY_H

#include "harness/gate/array.h"
#include "loader/rowlock.h"

/* Reads a whole file in memory. The array borrows its data from `bytes`. ROWLOCK_UNUSABLE: the message has the byte's
 * offset and what to do; the array is then empty. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_npy_parse(const char* bytes, size_t length, rlk_array_t* out_array,
                                                rowlock_error_t* err);

/* Reads a file; nothing larger than its header promises. The caller deinits the array, which after a failure is empty.
 * The message does not name the path. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_npy_read(const char* path, rlk_array_t* out_array, rowlock_error_t* err);

/* Writes the bytes that numpy.save writes for the same array to a descriptor: where that leads is the caller's matter.
 * ROWLOCK_UNUSABLE: it cannot be written, and what was is not whole; or, before anything is written, the array is one
 * that could not be read back. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_npy_write(int file, const rlk_array_t* array, rowlock_error_t* err);

#endif
