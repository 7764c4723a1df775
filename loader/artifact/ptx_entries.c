#include "loader/artifact/ptx_entries.h"

#include <string.h>

enum { FIRST_CAPACITY = 8 };

static uint64_t hash_of(const char* name) {
  uint64_t hash = 0xCBF29CE484222325;
  for (; *name; ++name) hash = (hash ^ (unsigned char)*name) * 0x100000001B3;
  return hash ^ hash >> 32;
}

/* The slot of the name, or the free one where it belongs. */
static uint32_t* find_slot(const rlk_ptx_entries_t* entries, const rlk_module_t* module, const char* name,
                           uint64_t hash) {
  const size_t mask = 2 * entries->capacity - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    uint32_t* slot = &entries->slots[at];
    if (*slot == 0) return slot;
    if (entries->hashes[*slot - 1] == hash && strcmp(module->entries[*slot - 1].name, name) == 0) return slot;
  }
}

static bool grow(rlk_ptx_entries_t* entries, rlk_arena_t* arena, rlk_module_t* module) {
  const size_t count = module->entry_count, capacity = count ? 2 * count : FIRST_CAPACITY;
  rlk_artifact_entry_t* larger = rlk_arena_alloc(arena, capacity * sizeof *larger);
  uint64_t* hashes = rlk_arena_alloc(arena, capacity * sizeof *hashes);
  uint32_t* slots = rlk_arena_alloc(arena, 2 * capacity * sizeof *slots);
  if (!larger || !hashes || !slots) return false;
  memset(slots, 0, 2 * capacity * sizeof *slots);
  if (count > 0) {
    memcpy(larger, module->entries, count * sizeof *larger);
    memcpy(hashes, entries->hashes, count * sizeof *hashes);
  }
  module->entries = larger;
  *entries = (rlk_ptx_entries_t){.hashes = hashes, .slots = slots, .capacity = capacity};
  for (size_t i = 0; i < count; ++i) {
    *find_slot(entries, module, larger[i].name, hashes[i]) = (uint32_t)i + 1;
  }
  return true;
}

rlk_ptx_added_t rlk_ptx_add_entry(rlk_ptx_entries_t* entries, rlk_arena_t* arena, rlk_module_t* module,
                                  const rlk_artifact_entry_t* entry) {
  if (entries->capacity == 0 && !grow(entries, arena, module)) return RLK_PTX_NO_MEMORY;
  const uint64_t hash = hash_of(entry->name);
  uint32_t* slot = find_slot(entries, module, entry->name, hash);
  if (*slot > 0) {
    rlk_artifact_entry_t* other = &module->entries[*slot - 1];
    if (other->is_defined && entry->is_defined) return RLK_PTX_DEFINED_TWICE;
    if (entry->is_defined) *other = *entry;
    return RLK_PTX_ADDED;
  }
  if (module->entry_count == RLK_ARTIFACT_ENTRIES_MAX) return RLK_PTX_TOO_MANY;
  if (module->entry_count == entries->capacity) {
    if (!grow(entries, arena, module)) return RLK_PTX_NO_MEMORY;
    slot = find_slot(entries, module, entry->name, hash);
  }
  entries->hashes[module->entry_count] = hash;
  module->entries[module->entry_count++] = *entry;
  *slot = (uint32_t)module->entry_count;
  return RLK_PTX_ADDED;
}
