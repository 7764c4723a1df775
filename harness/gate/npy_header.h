/* The header of a .npy file: magic, version, and a dict in the spelling of Python. */
#ifndef ROWLOCK_HARNESS_GATE_NPY_HEADER_H
#define ROWLOCK_HARNESS_GATE_NPY_HEADER_H

#include "harness/gate/array.h"
#include "loader/rowlock.h"

enum {
  RLK_NPY_HEADER_MAX = 64 * 1024,              /* bytes of the dict with its padding */
  RLK_NPY_OFFSET_MAX = RLK_NPY_HEADER_MAX + 12 /* so that the data begins here at the latest */
};

/* Reads the header that a file begins with into everything of `out_array` but its data; `*out_offset` is where that
 * begins. ROWLOCK_UNUSABLE: the message has the byte's offset and what to do. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_npy_header_parse(const char* bytes, size_t length, rlk_array_t* out_array,
                                                       size_t* out_offset, rowlock_error_t* err);

/* Room for every header that is written, a multiple of the alignment of the data. */
enum { RLK_NPY_WRITTEN_MAX = 256 };

/* Writes the header that numpy writes for such an array (version 1.0, data aligned to 64 bytes) and returns its length.
 */
size_t rlk_npy_header_format(const rlk_array_t* array, char out[RLK_NPY_WRITTEN_MAX]);

#endif
