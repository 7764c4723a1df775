/* Two lists of parameters side by side: those that a sidecar implies, and those that an artifact has. */
#ifndef ROWLOCK_LOADER_ARTIFACT_TABLES_H
#define ROWLOCK_LOADER_ARTIFACT_TABLES_H

#include "loader/artifact/artifact.h"

typedef struct rlk_parameter_list_t {
  const rlk_artifact_parameter_t* parameters;
  size_t count;
  uint32_t bytes; /* of the whole block */
} rlk_parameter_list_t;

typedef struct rlk_tables_t {
  rlk_parameter_list_t due, found;
} rlk_tables_t;

/* Whether both lists have a parameter there, of the same size at the same offset. */
bool rlk_tables_agree(const rlk_tables_t* tables, size_t ordinal);

/* Bytes of the tables of one document that are kept; a finding whose tables would pass it has its message alone. */
enum { RLK_TABLES_BYTES_MAX = 16 << 20 };

typedef struct rlk_kept_tables_t rlk_kept_tables_t;

/* The tables of findings, by the findings' index. Zeroed is empty; rlk_arena_deinit takes its arena. */
typedef struct rlk_tables_keeper_t {
  rlk_arena_t arena;
  rlk_kept_tables_t *first, *last;
  size_t bytes;
} rlk_tables_keeper_t;

void rlk_tables_clear(rlk_tables_keeper_t* keeper);

/* Keeps a copy for the finding, whose index must be above those before it. ROWLOCK_NO_MEMORY or ROWLOCK_OK, also when
 * there are too many. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_tables_keep(rlk_tables_keeper_t* keeper, size_t finding,
                                                  const rlk_tables_t* tables);

/* The tables of the finding, or NULL. */
const rlk_tables_t* rlk_tables_find(const rlk_tables_keeper_t* keeper, size_t finding);

#endif
