#include "loader/exec/plan.h"

#include <string.h>

#include "loader/exec/partitions.h"
#include "loader/exec/placement.h"
#include "loader/exec/soundness.h"
#include "loader/exec/team.h"
#include "loader/exec/tiles.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

bool rlk_plan_includes(const rowlock_registry_t* registry, const rlk_plugin_t* only, const rlk_plugin_t* plugin) {
  return registry->is_enabled && plugin->is_enabled && (!only || plugin == only);
}

static rowlock_code_t refuse_none(rowlock_error_t* err) {
  return rlk_fail(err, ROWLOCK_UNUSABLE, "there are no options, which say how to run");
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
  if (options->is_part && !options->partitions) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "a part of a run is given by its partitions, and there are none");
  }
  return ROWLOCK_OK;
}

static rowlock_code_t choose(const rowlock_registry_t* registry, const char* id, rlk_plan_t* plan,
                             rowlock_error_t* err) {
  if (!id) return ROWLOCK_OK;
  plan->only = rlk_registry_find(registry, id);
  if (!plan->only) return rlk_registry_refuse_unknown(registry, id, err);
  if (rlk_plan_includes(registry, plan->only, plan->only)) return ROWLOCK_OK;
  char shown[256];
  rlk_text_t text = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&text, id, strlen(id), RLK_SLOT_TEXT_MAX);
  return rlk_fail(err, ROWLOCK_UNUSABLE, "plugin '%s' is asked for, but %s disabled", shown,
                  registry->is_enabled ? "it is" : "its registry is");
}

/* By the word of its partition, which is compared with the run's sample count as soon as that is known. */
static bool is_whole(const rowlock_run_options_t* options) {
  const rowlock_partition_t* first = options->partitions;
  return options->partition_count == 1 && first->base == 0 && first->count == first->sample_count;
}

static rowlock_code_t check_placements(const rowlock_registry_t* registry, const rowlock_run_options_t* options,
                                       rlk_plan_t* plan, rowlock_error_t* err) {
  const rlk_share_t share = {.partition_count = plan->partition_count,
                             .is_part = options->is_part && !is_whole(options)};
  for (size_t i = 0; i < registry->plugin_count; ++i) {
    const rlk_plugin_t* plugin = registry->plugins[i];
    if (!rlk_plan_includes(registry, plan->only, plugin)) continue;
    ++plan->plugin_count;
    const rowlock_code_t code = rlk_placement_check(&plugin->description, plan->structure, share, err);
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

static rowlock_code_t plan_partitions(const rowlock_run_options_t* options, rlk_plan_t* plan, rowlock_error_t* err) {
  if (!options->partitions) {
    plan->whole = (rowlock_partition_t){.count = plan->sample_count, .sample_count = plan->sample_count};
    plan->partitions = &plan->whole;
    return ROWLOCK_OK;
  }
  return (plan->is_part ? rlk_part_check : rlk_partitions_check)(plan->partitions, plan->partition_count,
                                                                 plan->sample_count, err);
}

/* What does not ask for the bindings. */
static rowlock_code_t begin(const rowlock_registry_t* registry, const rowlock_run_options_t* options, rlk_plan_t* plan,
                            rowlock_error_t* err) {
  rowlock_code_t code = check_usage(options, err);
  if (code) return code;
  *plan = (rlk_plan_t){.structure = options->structure,
                       .partitions = options->partitions,
                       .partition_count = options->partitions ? options->partition_count : 1,
                       .is_part = options->is_part,
                       .tile_samples = options->tile_samples,
                       .stream = options->stream};
  code = choose(registry, options->plugin_id, plan, err);
  return code ? code : check_placements(registry, options, plan, err);
}

rowlock_code_t rlk_plan_make(rowlock_registry_t* registry, const rowlock_run_options_t* options, rlk_plan_t* out_plan,
                             rowlock_error_t* err) {
  if (!options) return refuse_none(err);
  rowlock_code_t code = begin(registry, options, out_plan, err);
  if (!code) code = plan_team(registry, options->thread_count, out_plan, err);
  /* A registry that runs nothing has no samples to agree on. */
  if (code || out_plan->plugin_count == 0) return code;
  code = rlk_soundness_check(registry, out_plan->only, options->sample_count, &out_plan->sample_count, err);
  if (!code) code = plan_partitions(options, out_plan, err);
  return code ? code : check_partition_sizes(registry, out_plan, err);
}

rowlock_code_t rlk_plan_make_fold(rowlock_registry_t* registry, const rowlock_run_options_t* options,
                                  rlk_plan_t* out_plan, rowlock_error_t* err) {
  if (!options) return refuse_none(err);
  const rowlock_run_options_t whole = {.structure = options->structure,
                                       .plugin_id = options->plugin_id,
                                       .sample_count = options->sample_count,
                                       .stream = options->stream};
  const rowlock_code_t code = begin(registry, &whole, out_plan, err);
  if (code || out_plan->plugin_count == 0) return code;
  return rlk_soundness_check(registry, out_plan->only, whole.sample_count, &out_plan->sample_count, err);
}
