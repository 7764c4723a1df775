/* The segments of a shared object that are mapped, in ascending order of their addresses: that the one which holds an
 * address is found in a few steps bounds what a hostile file can cost, which may have as many symbols and segments as
 * fit into it. */
#ifndef ROWLOCK_LOADER_HOST_SEGMENTS_H
#define ROWLOCK_LOADER_HOST_SEGMENTS_H

#include <gelf.h>
#include <stdbool.h>

#include "validator/rules/findings.h"

/* Zeroed is empty. */
typedef struct rlk_segments_t {
  GElf_Phdr* loads; /* of type PT_LOAD */
  size_t count;
} rlk_segments_t;

/* Reads the `header_count` program headers of a file of `length` bytes. ROWLOCK_REJECTED: one is not in the file, or
 * they are not in the order of their addresses, one behind the other, as the format demands; ROWLOCK_NO_MEMORY.
 * Whatever is returned, rlk_segments_deinit is due. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_segments_read(Elf* elf, size_t header_count, size_t length,
                                                    rlk_segments_t* out_segments, rowlock_error_t* err);
void rlk_segments_deinit(rlk_segments_t* segments);

/* Whether a segment maps those bytes of the file to that address. */
bool rlk_segments_map(const rlk_segments_t* segments, uint64_t address, uint64_t offset, uint64_t size);

/* Whether a segment with one of the flags holds the address. */
bool rlk_segments_hold(const rlk_segments_t* segments, uint64_t address, uint32_t flags);

#endif
