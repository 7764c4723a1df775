#include "loader/exec/plan.h"

#include "loader/exec/partitions.h"
#include "loader/exec/placement.h"
#include "loader/exec/soundness.h"
#include "loader/exec/team.h"
#include "loader/exec/tiles.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

bool rlk_plan_includes(const rowlock_registry_t* registry, const rlk_plugin_t* plugin) {
  return registry->is_enabled && plugin->is_enabled;
}

static rowlock_code_t check_usage(const rowlock_run_options_t* options, rowlock_error_t* err) {
  if ((unsigned)options->structure >= ROWLOCK_STRUCTURE_COUNT) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "there is no execution structure of number %d", (int)options->structure);
  }
  if (options->sample_count < ROWLOCK_SAMPLES_OF_BINDINGS || options->tile_samples < 0) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "a count of samples is negative");
  }
  if (!options->partitions != !options->partition_count) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "partitions and their count go together");
  }
  return ROWLOCK_OK;
}

static rowlock_code_t check_placements(const rowlock_registry_t* registry, rlk_plan_t* plan, rowlock_error_t* err) {
  for (size_t i = 0; i < registry->plugin_count; ++i) {
    const rlk_plugin_t* plugin = registry->plugins[i];
    if (!rlk_plan_includes(registry, plugin)) continue;
    ++plan->plugin_count;
    const rowlock_code_t code = rlk_placement_check(&plugin->description, plan->structure, plan->partition_count, err);
    if (code) return code;
  }
  return rlk_structure_check(plan->structure, registry->backend != NULL, err);
}

static rowlock_code_t plan_team(rowlock_registry_t* registry, uint32_t asked, rlk_plan_t* plan, rowlock_error_t* err) {
  plan->thread_count = 1;
  if (plan->structure != ROWLOCK_STRUCTURE_HOST_TEAM) return ROWLOCK_OK;
  if (!registry->level2_bytes) registry->level2_bytes = rlk_level2_bytes();
  plan->thread_count = asked ? asked : rlk_team_default_threads();
  if (plan->thread_count <= ROWLOCK_THREADS_MAX) return ROWLOCK_OK;
  return rlk_refuse(
      err, RLK_RULE_EXEC_THREAD_COUNT,
      RLK_SLOTS(rlk_slot_integer("value", plan->thread_count), rlk_slot_integer("limit", ROWLOCK_THREADS_MAX)));
}

/* A device takes no more than so many samples in one launch. */
static rowlock_code_t check_partition_sizes(const rowlock_registry_t* registry, const rlk_plan_t* plan,
                                            rowlock_error_t* err) {
  const int64_t most = registry->backend ? registry->backend->partition_samples_max : INT64_MAX;
  if (plan->sample_count <= most) return ROWLOCK_OK; /* and so is each share of them */
  for (size_t i = 0; i < plan->partition_count; ++i) {
    const int64_t count = plan->partitions[i].count;
    if (count <= most) continue;
    return rlk_fail(err, ROWLOCK_UNUSABLE, "a partition of %lld samples is more than the %lld of one launch: cut it",
                    (long long)count, (long long)most);
  }
  return ROWLOCK_OK;
}

rowlock_code_t rlk_plan_make(rowlock_registry_t* registry, const rowlock_run_options_t* options, rlk_plan_t* out_plan,
                             rowlock_error_t* err) {
  rowlock_code_t code = check_usage(options, err);
  if (code) return code;
  *out_plan = (rlk_plan_t){.structure = options->structure,
                           .partitions = options->partitions,
                           .partition_count = options->partitions ? options->partition_count : 1,
                           .tile_samples = options->tile_samples,
                           .stream = options->stream};
  code = check_placements(registry, out_plan, err);
  if (!code) code = plan_team(registry, options->thread_count, out_plan, err);
  /* A registry that runs nothing has no samples to agree on. */
  if (code || out_plan->plugin_count == 0) return code;
  code = rlk_soundness_check(registry, options->sample_count, &out_plan->sample_count, err);
  if (code) return code;
  if (options->partitions) {
    code = rlk_partitions_check(options->partitions, options->partition_count, out_plan->sample_count, err);
  } else {
    out_plan->whole = (rowlock_partition_t){.count = out_plan->sample_count, .sample_count = out_plan->sample_count};
    out_plan->partitions = &out_plan->whole;
  }
  return code ? code : check_partition_sizes(registry, out_plan, err);
}
