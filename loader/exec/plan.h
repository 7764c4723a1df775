/* A run before anything is called: everything that could be refused has been looked at. */
#ifndef ROWLOCK_LOADER_EXEC_PLAN_H
#define ROWLOCK_LOADER_EXEC_PLAN_H

#include "loader/registry/registry.h"

typedef struct rlk_plan_t {
  rowlock_structure_t structure;
  rlk_plugin_t* only; /* NULL: all enabled ones */
  int64_t sample_count;
  const rowlock_partition_t* partitions; /* may be `&whole`: a plan is not copied */
  size_t partition_count;
  rowlock_partition_t whole;
  bool is_part;          /* nothing is folded */
  uint32_t thread_count; /* of a team */
  int64_t tile_samples;  /* of a team; 0: to be found for each plugin */
  void* stream;          /* of a device */
  uint64_t plugin_count; /* that are run */
} rlk_plan_t;

ROWLOCK_MUST_CHECK rowlock_code_t rlk_plan_make(rowlock_registry_t* registry, const rowlock_run_options_t* options,
                                                rlk_plan_t* out_plan, rowlock_error_t* err);

/* The plan of folding what parts have written: no partitions, no team. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_plan_make_fold(rowlock_registry_t* registry, const rowlock_run_options_t* options,
                                                     rlk_plan_t* out_plan, rowlock_error_t* err);

/* Whether a run of `only`, or of all where that is NULL, runs the plugin. */
bool rlk_plan_includes(const rowlock_registry_t* registry, const rlk_plugin_t* only, const rlk_plugin_t* plugin);

#endif
