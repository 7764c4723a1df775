/* The entries of PTX while it is read: of declarations of one name the definition counts, wherever it stands. */
#ifndef ROWLOCK_LOADER_ARTIFACT_PTX_ENTRIES_H
#define ROWLOCK_LOADER_ARTIFACT_PTX_ENTRIES_H

#include "loader/artifact/artifact.h"

/* The module's entries by the hash of their names. Zeroed, it is one of a module without entries. */
typedef struct rlk_ptx_entries_t {
  uint64_t* hashes; /* of each entry */
  uint32_t* slots;  /* twice as many as there may be entries: 0, or one more than an entry's index */
  size_t capacity;  /* zero, or a power of two */
} rlk_ptx_entries_t;

typedef enum rlk_ptx_added_t {
  RLK_PTX_ADDED,
  RLK_PTX_DEFINED_TWICE,
  RLK_PTX_TOO_MANY, /* RLK_ARTIFACT_ENTRIES_MAX are there already */
  RLK_PTX_NO_MEMORY,
} rlk_ptx_added_t;

/* Adds a declaration to the module's entries. */
rlk_ptx_added_t rlk_ptx_add_entry(rlk_ptx_entries_t* entries, rlk_arena_t* arena, rlk_module_t* module,
                                  const rlk_artifact_entry_t* entry);

#endif
