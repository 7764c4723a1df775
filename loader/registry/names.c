#include "loader/registry/names.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 32, LOAD_FACTOR = 2 };

void rlk_names_deinit(rlk_names_t* names) {
  free(names->entries);
  free(names->index);
  *names = (rlk_names_t){0};
}

static size_t hash_of(const char* text, rowlock_binding_t binding) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325) ^ (uint64_t)binding; /* FNV-1a */
  for (; *text; ++text) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
  return (size_t)(hash ^ hash >> 32);
}

/* Where the name is, or the free place where it belongs. */
static uint32_t* place_of(const rlk_names_t* names, const char* text, rowlock_binding_t binding) {
  const size_t mask = LOAD_FACTOR * names->capacity - 1;
  size_t at = hash_of(text, binding) & mask;
  for (; names->index[at]; at = (at + 1) & mask) {
    const rlk_name_t* entry = &names->entries[names->index[at] - 1];
    if (entry->binding == binding && strcmp(entry->text, text) == 0) break;
  }
  return &names->index[at];
}

rlk_name_t* rlk_names_find(const rlk_names_t* names, const char* text, rowlock_binding_t binding) {
  const uint32_t position = names->capacity ? *place_of(names, text, binding) : 0;
  return position ? &names->entries[position - 1] : NULL;
}

/* Makes room for `capacity` names, a power of two. */
static rowlock_code_t reserve(rlk_names_t* names, size_t capacity) {
  assert(names->entries || names->count == 0);
  if (capacity > UINT32_MAX / LOAD_FACTOR) return ROWLOCK_NO_MEMORY;
  uint32_t* index = calloc(LOAD_FACTOR * capacity, sizeof *index);
  rlk_name_t* entries = index ? realloc(names->entries, capacity * sizeof *entries) : NULL;
  if (!entries) {
    free(index);
    return ROWLOCK_NO_MEMORY;
  }
  free(names->index);
  names->entries = entries;
  names->index = index;
  names->capacity = capacity;
  for (size_t i = 0; i < names->count; ++i) *place_of(names, entries[i].text, entries[i].binding) = (uint32_t)(i + 1);
  return ROWLOCK_OK;
}

rowlock_code_t rlk_names_copy(const rlk_names_t* names, rlk_names_t* out_copy) {
  if (!names->capacity) return ROWLOCK_OK;
  const size_t entries_size = names->capacity * sizeof *names->entries;
  const size_t index_size = LOAD_FACTOR * names->capacity * sizeof *names->index;
  *out_copy = (rlk_names_t){.entries = malloc(entries_size), .index = malloc(index_size)};
  if (!out_copy->entries || !out_copy->index) {
    rlk_names_deinit(out_copy);
    return ROWLOCK_NO_MEMORY;
  }
  memcpy(out_copy->entries, names->entries, names->count * sizeof *names->entries);
  memcpy(out_copy->index, names->index, index_size);
  out_copy->count = names->count;
  out_copy->capacity = names->capacity;
  return ROWLOCK_OK;
}

rlk_name_t* rlk_names_add(rlk_names_t* names, const char* text, rowlock_binding_t binding) {
  rlk_name_t* found = rlk_names_find(names, text, binding);
  if (found) return found;
  if (names->count == names->capacity &&
      reserve(names, names->capacity ? 2 * names->capacity : FIRST_CAPACITY) != ROWLOCK_OK) {
    return NULL;
  }
  assert(names->entries);
  rlk_name_t* entry = &names->entries[names->count++];
  *entry = (rlk_name_t){.text = text, .binding = binding};
  *place_of(names, text, binding) = (uint32_t)names->count;
  return entry;
}

rlk_name_t* rlk_names_next_of(const rlk_names_t* names, const char* text, const rlk_name_t* previous) {
  for (int binding = previous ? (int)previous->binding + 1 : 0; binding < RLK_BINDING_COUNT; ++binding) {
    rlk_name_t* found = rlk_names_find(names, text, (rowlock_binding_t)binding);
    if (found) return found;
  }
  return NULL;
}
