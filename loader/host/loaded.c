#define _GNU_SOURCE /* dlinfo, dl_iterate_phdr */
#include "loader/host/loaded.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

enum { BREAKPOINT = 0xCC }; /* int3, which a debugger writes into code */

typedef struct search_t {
  const struct link_map* map;
  const rlk_elf_t* elf;
  bool found, same;
} search_t;

/* By hand, because a sanitizer that the object was built with forbids its own gaps between variables. */
__attribute__((no_sanitize("address", "thread"))) static bool same_bytes(const uint8_t* memory, const uint8_t* file,
                                                                         uint64_t length, bool code) {
  for (uint64_t i = 0; i < length; ++i) {
    if (memory[i] != file[i] && !(code && memory[i] == BREAKPOINT)) return false;
  }
  return true;
}

static bool same_place(const ElfW(Phdr) * mapped, const rlk_elf_segment_t* segment) {
  return mapped->p_vaddr == segment->address && mapped->p_filesz == segment->file_bytes &&
         mapped->p_memsz == segment->memory_bytes && ((mapped->p_flags & PF_R) != 0) == segment->readable &&
         ((mapped->p_flags & PF_W) != 0) == segment->writable && ((mapped->p_flags & PF_X) != 0) == segment->executable;
}

/* Places first: only where the mapped segments are as large as the file's may their bytes be read. */
static bool same_places(const struct dl_phdr_info* library, const rlk_elf_t* elf) {
  size_t cursor = 0;
  rlk_elf_segment_t segment;
  for (size_t i = 0; i < library->dlpi_phnum; ++i) {
    if (library->dlpi_phdr[i].p_type != PT_LOAD) continue;
    if (!rlk_elf_next_segment(elf, &cursor, &segment) || !same_place(&library->dlpi_phdr[i], &segment)) return false;
  }
  return !rlk_elf_next_segment(elf, &cursor, &segment);
}

static bool same_content(const struct dl_phdr_info* library, const rlk_elf_t* elf) {
  if (rlk_elf_relocates_text(elf)) return true; /* any of it may have changed */
  rlk_elf_segment_t segment;
  for (size_t cursor = 0; rlk_elf_next_segment(elf, &cursor, &segment);) {
    if (segment.writable || !segment.readable) continue;
    const uint8_t* memory = (const uint8_t*)(uintptr_t)(library->dlpi_addr + segment.address);
    if (!same_bytes(memory, segment.content, segment.file_bytes, segment.executable)) return false;
  }
  return true;
}

static int compare(struct dl_phdr_info* library, size_t size, void* context) {
  (void)size;
  search_t* search = context;
  if (library->dlpi_addr != search->map->l_addr || strcmp(library->dlpi_name, search->map->l_name) != 0) return 0;
  search->found = true;
  search->same = same_places(library, search->elf) && same_content(library, search->elf);
  return 1;
}

bool rlk_loaded_is(void* library, const rlk_elf_t* elf) {
  struct link_map* map = NULL;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return false;
  search_t search = {.map = map, .elf = elf};
  dl_iterate_phdr(compare, &search);
  return search.found && search.same;
}
