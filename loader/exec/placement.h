/* Which body may run under which structure, in how many partitions (plugin facts, section 6). */
#ifndef ROWLOCK_LOADER_EXEC_PLACEMENT_H
#define ROWLOCK_LOADER_EXEC_PLACEMENT_H

#include "loader/registry/plugin.h"

/* How much of a run one call runs. */
typedef struct rlk_share_t {
  size_t partition_count;
  bool is_part; /* and not the whole run */
} rlk_share_t;

/* ROWLOCK_REJECTED by the format's own rules, whether or not this loader implements the structure. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_placement_check(const rlk_description_t* plugin, rowlock_structure_t structure,
                                                      rlk_share_t share, rowlock_error_t* err);

/* ROWLOCK_UNAVAILABLE, by a rule, for a structure that is known and not implemented. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_structure_check(rowlock_structure_t structure, bool on_device,
                                                      rowlock_error_t* err);

/* Whether the body is called once, over the whole run: a v1 body threads itself, and samples that one body writes
 * across must not be cut apart. */
bool rlk_runs_whole(const rlk_description_t* plugin);

#endif
