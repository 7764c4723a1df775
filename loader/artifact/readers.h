/* The readers of the containers, one file each, and what they share. */
#ifndef ROWLOCK_LOADER_ARTIFACT_READERS_H
#define ROWLOCK_LOADER_ARTIFACT_READERS_H

#include "loader/artifact/artifact.h"

/* RLK_ALLOWANCE(ID, limit, what): what all modules of one artifact may have together. A fatbin of a few bytes unpacks
 * to many modules, each within its own bounds. */
#define RLK_ALLOWANCES(RLK_ALLOWANCE)                                              \
  RLK_ALLOWANCE(DECLARATIONS, 1 << 20, "declarations in PTX")                      \
  RLK_ALLOWANCE(ENTRIES, 1 << 15, "entries of all modules, declared again or not") \
  RLK_ALLOWANCE(PARAMETERS, 1 << 19, "parameters of all entries")                  \
  RLK_ALLOWANCE(NAME_BYTES, 1 << 25, "bytes of names")                             \
  RLK_ALLOWANCE(KERNEL_SYMBOLS, RLK_ARTIFACT_SECTIONS_MAX, "symbols of kernels")   \
  RLK_ALLOWANCE(INFO_SECTIONS, RLK_ARTIFACT_SECTIONS_MAX, "sections .nv.info of kernels")

enum { RLK_ARTIFACT_SECTIONS_MAX = 0xFEFF /* of a cubin: SHN_LORESERVE - 1 */ };

typedef enum rlk_allowance_t {
#define RLK_ALLOWANCE(ID, limit, what) RLK_ALLOWANCE_##ID,
  RLK_ALLOWANCES(RLK_ALLOWANCE)
#undef RLK_ALLOWANCE
      RLK_ALLOWANCE_COUNT
} rlk_allowance_t;

/* Where an artifact is read into. Zeroed but for the arena, nothing is taken of its allowances. */
typedef struct rlk_store_t {
  rlk_arena_t* arena;
  uint64_t taken[RLK_ALLOWANCE_COUNT];
} rlk_store_t;

/* Takes `count` more of an allowance. ROWLOCK_REJECTED: that is more than the limit. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_store_take(rlk_store_t* store, rlk_allowance_t allowance, uint64_t count,
                                                 rowlock_error_t* err);

/* Each fills the module's target, entries and layout. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_ptx_read(const char* text, size_t length, rlk_store_t* store,
                                               rlk_module_t* module, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rlk_cubin_read(const uint8_t* bytes, size_t length, rlk_store_t* store,
                                                 rlk_module_t* module, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rlk_host_read(const uint8_t* bytes, size_t length, rlk_arena_t* arena,
                                                rlk_module_t* module, rowlock_error_t* err);

/* Fills the artifact with the fatbin's modules. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_fatbin_read(const uint8_t* bytes, size_t length, rlk_store_t* store,
                                                  rlk_artifact_t* artifact, rowlock_error_t* err);

rowlock_code_t rlk_artifact_no_memory(rowlock_error_t* err);
rowlock_code_t rlk_artifact_refuse_limit(const char* what, uint64_t limit, rowlock_error_t* err);

/* Copies a name that the file holds as a C string, which ends before the file does. Names of tables may overlap, so
 * that only their bound keeps the copies in proportion to the file. ROWLOCK_REJECTED: it is longer. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_artifact_copy_name(rlk_arena_t* arena, const char* name, const char** out_copy,
                                                         rowlock_error_t* err);

/* A copy as a C string; NULL when memory is short. */
const char* rlk_artifact_copy(rlk_arena_t* arena, const char* text, size_t length);

/* Takes over the layout array: `bytes` NULL are zeros. False: memory is short. */
bool rlk_artifact_take_layout(rlk_arena_t* arena, const uint8_t* bytes, uint64_t length, rlk_artifact_layout_t* out);

/* Makes the entries findable by name, once they are all there. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_module_index(rlk_module_t* module, rlk_arena_t* arena, rowlock_error_t* err);

/* A name that two entries have, or NULL; the module is indexed. */
const char* rlk_module_find_twin(const rlk_module_t* module);

#endif
