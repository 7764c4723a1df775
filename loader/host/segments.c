#include "loader/host/segments.h"

#include <stdlib.h>

#include "loader/host/identity.h"
#include "validator/rules/text.h"

static rowlock_code_t check_bounds(const GElf_Phdr* segment, size_t index, size_t length, rowlock_error_t* err) {
  if (segment->p_filesz > segment->p_memsz || segment->p_memsz > UINT64_MAX - segment->p_vaddr) {
    return rlk_refuse_malformed(err, "segment %zu is larger in the file than in memory, or wraps around", index);
  }
  return rlk_require_bytes(length, "a segment", segment->p_offset, segment->p_filesz, err);
}

static rowlock_code_t add(rlk_segments_t* segments, const GElf_Phdr* segment, size_t index, rowlock_error_t* err) {
  if (segments->count > 0) {
    const GElf_Phdr* before = &segments->loads[segments->count - 1];
    if (segment->p_vaddr < before->p_vaddr + before->p_memsz) {
      return rlk_refuse_malformed(err, "segment %zu does not lie behind the one before it in memory", index);
    }
  }
  segments->loads[segments->count++] = *segment;
  return ROWLOCK_OK;
}

rowlock_code_t rlk_segments_read(Elf* elf, size_t header_count, size_t length, rlk_segments_t* out_segments,
                                 rowlock_error_t* err) {
  *out_segments = (rlk_segments_t){.loads = malloc(header_count * sizeof *out_segments->loads)};
  if (!out_segments->loads) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory to read the artifact");
  for (size_t i = 0; i < header_count; ++i) {
    GElf_Phdr segment;
    if (!gelf_getphdr(elf, (int)i, &segment)) return rlk_refuse_malformed(err, "segment %zu cannot be read", i);
    if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
    rowlock_code_t code = check_bounds(&segment, i, length, err);
    if (!code && segment.p_type == PT_LOAD) code = add(out_segments, &segment, i, err);
    if (code) return code;
  }
  return ROWLOCK_OK;
}

void rlk_segments_deinit(rlk_segments_t* segments) {
  free(segments->loads);
  *segments = (rlk_segments_t){0};
}

/* The last segment that begins at the address or before it; NULL if there is none. */
static const GElf_Phdr* last_from(const rlk_segments_t* segments, uint64_t address) {
  size_t low = 0, high = segments->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (segments->loads[middle].p_vaddr <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 ? &segments->loads[low - 1] : NULL;
}

bool rlk_segments_map(const rlk_segments_t* segments, uint64_t address, uint64_t offset, uint64_t size) {
  const GElf_Phdr* segment = last_from(segments, address);
  if (!segment) return false;
  const uint64_t into = address - segment->p_vaddr;
  return into <= segment->p_filesz && size <= segment->p_filesz - into && offset == segment->p_offset + into;
}

bool rlk_segments_hold(const rlk_segments_t* segments, uint64_t address, uint32_t flags) {
  const GElf_Phdr* segment = last_from(segments, address);
  return segment && (segment->p_flags & flags) != 0 && address - segment->p_vaddr < segment->p_memsz;
}
