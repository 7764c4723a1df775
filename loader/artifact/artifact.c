#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "loader/artifact/artifact.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "loader/artifact/readers.h"
#include "loader/host/container.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

static const struct {
  const char *format, *name;
} kinds[] = {
#define RLK_ARTIFACT_KIND(ID, format, name) {format, name},
    RLK_ARTIFACT_KINDS(RLK_ARTIFACT_KIND)
#undef RLK_ARTIFACT_KIND
};

const char* rlk_artifact_kind_name(rlk_artifact_kind_t kind) { return kinds[kind].name; }
const char* rlk_artifact_kind_format(rlk_artifact_kind_t kind) { return kinds[kind].format; }

const char* rlk_artifact_kind_word(rlk_artifact_kind_t kind) {
  return kinds[kind].format ? kinds[kind].format : "host";
}

static const struct {
  const char* name;
  uint32_t driver;
} compressions[] = {
#define RLK_COMPRESSION(ID, name, driver) {name, driver},
    RLK_COMPRESSIONS(RLK_COMPRESSION)
#undef RLK_COMPRESSION
};

const char* rlk_compression_name(rlk_compression_t compression) { return compressions[compression].name; }
uint32_t rlk_compression_driver(rlk_compression_t compression) { return compressions[compression].driver; }

/* PTX versions and the CUDA version that brought each (PTX ISA, 'Release notes'). */
static const struct {
  uint32_t ptx, driver;
} ptx_drivers[] = {{32, 55},  {40, 60},  {41, 65},  {42, 70},  {43, 75},  {50, 80},  {60, 90},  {61, 91},  {62, 92},
                   {63, 100}, {64, 101}, {65, 102}, {70, 110}, {71, 111}, {72, 112}, {73, 113}, {74, 114}, {75, 115},
                   {76, 116}, {77, 117}, {78, 118}, {80, 120}, {81, 121}, {82, 122}, {83, 123}, {84, 124}, {85, 125},
                   {86, 127}, {87, 128}, {88, 129}, {90, 130}, {91, 131}, {92, 132}, {93, 133}, {94, 134}};

uint32_t rlk_ptx_driver(uint32_t ptx_version) {
  for (size_t i = 0; i < sizeof ptx_drivers / sizeof *ptx_drivers; ++i) {
    if (ptx_drivers[i].ptx == ptx_version) return ptx_drivers[i].driver;
  }
  return 0;
}

bool rlk_module_runs_on(const rlk_module_t* module, uint32_t sm) {
  const rlk_target_t* target = &module->target;
  if (module->kind == RLK_ARTIFACT_HOST) return false;
  if (target->suffix == 'a') return sm == target->sm;
  const bool same_major = sm / 10 == target->sm / 10;
  const bool needs_major = module->kind == RLK_ARTIFACT_CUBIN || target->suffix == 'f';
  return sm >= target->sm && (same_major || !needs_major);
}

/* --- Entries by name ---------------------------------------------------------------------------------------------- */

static int compare_entries(const void* a, const void* b) {
  const rlk_artifact_entry_t *left = *(const rlk_artifact_entry_t*const*)a,
                             *right = *(const rlk_artifact_entry_t*const*)b;
  return strcmp(left->name, right->name);
}

static int compare_name(const void* name, const void* entry) {
  return strcmp(name, (*(const rlk_artifact_entry_t* const*)entry)->name);
}

rowlock_code_t rlk_module_index(rlk_module_t* module, rlk_arena_t* arena, rowlock_error_t* err) {
  module->by_name = rlk_arena_alloc(arena, (module->entry_count + 1) * sizeof *module->by_name);
  if (!module->by_name) return rlk_artifact_no_memory(err);
  for (size_t i = 0; i < module->entry_count; ++i) module->by_name[i] = &module->entries[i];
  qsort(module->by_name, module->entry_count, sizeof *module->by_name, compare_entries);
  return ROWLOCK_OK;
}

const char* rlk_module_find_twin(const rlk_module_t* module) {
  for (size_t i = 1; i < module->entry_count; ++i) {
    if (compare_entries(&module->by_name[i - 1], &module->by_name[i]) == 0) return module->by_name[i]->name;
  }
  return NULL;
}

const rlk_artifact_entry_t* rlk_module_find(const rlk_module_t* module, const char* name) {
  if (module->entry_count == 0) return NULL;
  const rlk_artifact_entry_t** found =
      bsearch(name, module->by_name, module->entry_count, sizeof *module->by_name, compare_name);
  return found ? *found : NULL;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

rowlock_code_t rlk_artifact_no_memory(rowlock_error_t* err) {
  return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for the artifact");
}

const char* rlk_artifact_copy(rlk_arena_t* arena, const char* text, size_t length) {
  char* copy = rlk_arena_alloc(arena, length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

rowlock_code_t rlk_artifact_copy_name(rlk_arena_t* arena, const char* name, const char** out_copy,
                                      rowlock_error_t* err) {
  const size_t length = strnlen(name, RLK_ARTIFACT_NAME_MAX + 1);
  if (length > RLK_ARTIFACT_NAME_MAX) {
    return rlk_artifact_refuse_limit("bytes of an entry's name", RLK_ARTIFACT_NAME_MAX, err);
  }
  *out_copy = rlk_artifact_copy(arena, name, length);
  return *out_copy ? ROWLOCK_OK : rlk_artifact_no_memory(err);
}

bool rlk_artifact_take_layout(rlk_arena_t* arena, const uint8_t* bytes, uint64_t length, rlk_artifact_layout_t* out) {
  *out = (rlk_artifact_layout_t){.is_there = true, .length = length};
  if (!bytes) return true;
  const size_t kept = length < RLK_ARTIFACT_LAYOUT_MAX ? (size_t)length : RLK_ARTIFACT_LAYOUT_MAX;
  uint8_t* copy = rlk_arena_alloc(arena, kept > 0 ? kept : 1);
  if (!copy) return false;
  memcpy(copy, bytes, kept);
  out->bytes = copy;
  return true;
}

rowlock_code_t rlk_artifact_refuse_limit(const char* what, uint64_t limit, rowlock_error_t* err) {
  return rlk_refuse(err, RLK_RULE_ARTIFACT_LIMIT,
                    RLK_SLOTS(rlk_slot_prose("what", what), rlk_slot_integer("limit", (int64_t)limit)));
}

static const struct {
  uint64_t limit;
  const char* what;
} allowances[] = {
#define RLK_ALLOWANCE(ID, limit, what) {limit, what},
    RLK_ALLOWANCES(RLK_ALLOWANCE)
#undef RLK_ALLOWANCE
};

rowlock_code_t rlk_store_take(rlk_store_t* store, rlk_allowance_t allowance, uint64_t count, rowlock_error_t* err) {
  const uint64_t limit = allowances[allowance].limit;
  if (count > limit - store->taken[allowance]) return rlk_artifact_refuse_limit(allowances[allowance].what, limit, err);
  store->taken[allowance] += count;
  return ROWLOCK_OK;
}

static bool is_cubin(const uint8_t* bytes, size_t length) {
  enum { EM_CUDA_NUMBER = 190 };
  Elf64_Half machine; /* at the same place in files of 32 and of 64 bits */
  if (length < offsetof(Elf64_Ehdr, e_machine) + sizeof machine) return false;
  memcpy(&machine, bytes + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
  return machine == EM_CUDA_NUMBER;
}

/* A file that is one module. */
static rowlock_code_t read_single(rlk_artifact_kind_t kind, const uint8_t* bytes, size_t length, rlk_store_t* store,
                                  rlk_artifact_t* out, rowlock_error_t* err) {
  rlk_module_t* module = rlk_arena_alloc(store->arena, sizeof *module);
  if (!module) return rlk_artifact_no_memory(err);
  *module = (rlk_module_t){.kind = kind, .packed_bytes = length, .bytes = length};
  *out = (rlk_artifact_t){.kind = kind, .bytes = length, .modules = module, .module_count = 1};
  switch (kind) {
    case RLK_ARTIFACT_PTX:
      return rlk_ptx_read((const char*)bytes, length, store, module, err);
    case RLK_ARTIFACT_CUBIN:
      return rlk_cubin_read(bytes, length, store, module, err);
    default:
      return rlk_host_read(bytes, length, store->arena, module, err);
  }
}

/* What is no artifact, by what it is instead. */
static rowlock_code_t refuse_container(rlk_container_t container, const uint8_t* bytes, size_t length,
                                       rowlock_error_t* err) {
  switch (container) {
    case RLK_CONTAINER_EMPTY:
      return rlk_refuse(err, RLK_RULE_HOST_FILE_EMPTY, NULL, 0);
    case RLK_CONTAINER_LFS_POINTER:
      return rlk_refuse(err, RLK_RULE_HOST_LFS_POINTER, NULL, 0);
    case RLK_CONTAINER_PATH_TEXT:
      return rlk_refuse(err, RLK_RULE_HOST_PATH_TEXT, RLK_SLOTS(rlk_slot_quoted("value", (const char*)bytes, length)));
    case RLK_CONTAINER_FATBIN_WRAPPED:
      return rlk_refuse(err, RLK_RULE_ARTIFACT_WRAPPED_FATBIN, NULL, 0);
    default:
      return rlk_refuse(err, RLK_RULE_ARTIFACT_UNKNOWN,
                        RLK_SLOTS(rlk_slot_prose("kind", rlk_container_name(container))));
  }
}

static rowlock_code_t read_any(const void* bytes, size_t length, rlk_store_t* store, rlk_artifact_t* out_artifact,
                               rowlock_error_t* err) {
  if (length > RLK_ARTIFACT_BYTES_MAX) {
    return rlk_refuse(err, RLK_RULE_HOST_FILE_TOO_LARGE,
                      RLK_SLOTS(rlk_slot_integer("limit", (int64_t)RLK_ARTIFACT_BYTES_MAX)));
  }
  const rlk_container_t container = rlk_container_of(bytes, length);
  switch (container) {
    case RLK_CONTAINER_PTX:
      return read_single(RLK_ARTIFACT_PTX, bytes, length, store, out_artifact, err);
    case RLK_CONTAINER_ELF:
      return read_single(is_cubin(bytes, length) ? RLK_ARTIFACT_CUBIN : RLK_ARTIFACT_HOST, bytes, length, store,
                         out_artifact, err);
    case RLK_CONTAINER_FATBIN:
      return rlk_fatbin_read(bytes, length, store, out_artifact, err);
    default:
      return refuse_container(container, bytes, length, err);
  }
}

rowlock_code_t rlk_artifact_read(const void* bytes, size_t length, rlk_arena_t* arena, rlk_artifact_t* out_artifact,
                                 rowlock_error_t* err) {
  rlk_error_clear(err);
  *out_artifact = (rlk_artifact_t){0};
  rlk_store_t store = {.arena = arena};
  const rowlock_code_t code = read_any(bytes, length, &store, out_artifact, err);
  /* What was read up to a defect is half a truth. */
  if (code) *out_artifact = (rlk_artifact_t){.bytes = length, .unpacked_bytes = out_artifact->unpacked_bytes};
  return code;
}
