/* Running the plugins of a registry, one after the other, and folding what they leave. */
#include <string.h>

#include "loader/exec/fold.h"
#include "loader/exec/placement.h"
#include "loader/exec/plan.h"
#include "loader/exec/team.h"
#include "loader/exec/tiles.h"
#include "loader/exec/workers.h"
#include "loader/host/fp_mode.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

static rowlock_code_t refuse_mode(const rlk_plugin_t* plugin, uint32_t parts, rowlock_error_t* err) {
  char change[160];
  rlk_text_t text = rlk_text_over(change, sizeof change);
  rlk_fp_mode_put_parts(&text, parts);
  const char* id = plugin->description.id;
  return rlk_refuse(err, RLK_RULE_EXEC_FLOATING_POINT_MODE,
                    RLK_SLOTS(rlk_slot_text("id", id, strlen(id)), rlk_slot_prose("change", change)));
}

/* The parts of the calling thread's mode that changed; they are restored. */
static uint32_t mend_mode(const rlk_fp_mode_t* before) {
  const rlk_fp_mode_t after = rlk_fp_mode_save();
  const uint32_t parts = rlk_fp_mode_compare(before, &after);
  if (parts) rlk_fp_mode_restore(before);
  return parts;
}

/* Calls a body that threads itself. Its workers start in the caller's mode, whatever they were left in by others, so
 * that what they end in is its own. */
static uint32_t call_v1(const rlk_plugin_t* plugin, int32_t sample_count, pid_t owner) {
  const rlk_fp_mode_t before = rlk_fp_mode_save();
  rlk_workers_set_mode(&before, owner);
  ((rowlock_host_entry_v1_t)plugin->object.entry)(plugin->packing.params, sample_count);
  const uint32_t parts = mend_mode(&before);
  return parts | rlk_workers_set_mode(&before, owner);
}

static uint32_t call_v2(const rlk_plugin_t* plugin, const rowlock_partition_t* partition) {
  const rlk_fp_mode_t before = rlk_fp_mode_save();
  ((rowlock_host_entry_v2_t)plugin->object.entry)(plugin->packing.params, partition->base, partition->count,
                                                  partition->sample_count);
  return mend_mode(&before);
}

/* Calls the entry once, on this thread. Returns the parts of the floating-point mode that it changed; they are
 * restored.
 */
static uint32_t call(const rowlock_registry_t* registry, const rlk_plugin_t* plugin,
                     const rowlock_partition_t* partition) {
  return plugin->description.tag == RLK_WORD_ABI_2 ? call_v2(plugin, partition)
                                                   : call_v1(plugin, (int32_t)partition->count, registry->owner);
}

static uint32_t run_team(const rowlock_registry_t* registry, const rlk_plugin_t* plugin, const rlk_plan_t* plan,
                         const rowlock_partition_t* partition, rowlock_run_report_t* report) {
  rlk_team_t team = {.entry = (rowlock_host_entry_v2_t)plugin->object.entry,
                     .params = plugin->packing.params,
                     .partition = *partition,
                     .tile_samples = plan->tile_samples,
                     .thread_count = plan->thread_count};
  if (!team.tile_samples) {
    team.tile_samples = rlk_tile_samples(registry->level2_bytes, plugin->packing.bytes_per_sample, partition->count,
                                         plan->thread_count);
  }
  const rlk_team_outcome_t outcome = rlk_team_run(&team);
  report->call_count += (uint64_t)outcome.call_count;
  if (outcome.thread_count > report->thread_count) report->thread_count = outcome.thread_count;
  return outcome.changed_parts;
}

static uint32_t run_body(const rowlock_registry_t* registry, const rlk_plugin_t* plugin, const rlk_plan_t* plan,
                         rowlock_run_report_t* report) {
  const bool in_tiles = plan->structure == ROWLOCK_STRUCTURE_HOST_TEAM && !rlk_runs_whole(&plugin->description);
  uint32_t changed = 0;
  for (size_t i = 0; i < plan->partition_count && !changed; ++i) {
    if (in_tiles) {
      changed = run_team(registry, plugin, plan, &plan->partitions[i], report);
    } else {
      changed = call(registry, plugin, &plan->partitions[i]);
      ++report->call_count;
    }
  }
  return changed;
}

/* Counted from 0, as in arg_spec. */
static rowlock_code_t refuse_changed(const rlk_description_t* plugin, size_t argument, rowlock_error_t* err) {
  const char* name = plugin->parameters[argument].name;
  return rlk_refuse(
      err, RLK_RULE_EXEC_ARGUMENTS_CHANGED,
      RLK_SLOTS(rlk_slot_text("id", plugin->id, strlen(plugin->id)), rlk_slot_integer("ordinal", (int64_t)argument),
                rlk_slot_text("name", name, strlen(name))));
}

static rowlock_code_t run_on_host(const rowlock_registry_t* registry, rlk_plugin_t* plugin, const rlk_plan_t* plan,
                                  rowlock_run_report_t* report, rowlock_error_t* err) {
  const rlk_description_t* description = &plugin->description;
  const uint32_t changed = run_body(registry, plugin, plan, report);
  const size_t scribbled = rlk_packing_mend(&plugin->packing, description->parameter_count);
  if (changed) return refuse_mode(plugin, changed, err);
  if (scribbled < description->parameter_count) return refuse_changed(description, scribbled, err);
  ++report->plugin_count;
  return ROWLOCK_OK;
}

static rowlock_code_t run_on_device(const rowlock_registry_t* registry, rlk_plugin_t* plugin, const rlk_plan_t* plan,
                                    rowlock_run_report_t* report, rowlock_error_t* err) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < plan->partition_count && !code; ++i) {
    code = registry->backend->launch(registry->context, plugin, &plan->partitions[i], plan->stream, err);
    report->call_count += !code;
  }
  ++report->plugin_count;
  return code;
}

/* --- Folding ------------------------------------------------------------------------------------------------------ */

static rowlock_code_t fold_output(const rowlock_registry_t* registry, const rlk_plugin_t* plugin,
                                  const rlk_parameter_t* parameter, const rlk_plan_t* plan, rowlock_error_t* err) {
  const rlk_bound_t* bound = rlk_registry_bound(registry, parameter);
  const rlk_bound_t* result = rlk_registry_result(registry, parameter);
  if (registry->backend) {
    return registry->backend->fold(registry->context, plugin, bound, plan->sample_count, result, plan->stream, err);
  }
  const rlk_partials_t partials = {
      .data = bound->data, .element = bound->element, .width = bound->width, .sample_count = plan->sample_count};
  rlk_fold(&partials, plugin->description.op, result->data);
  return ROWLOCK_OK;
}

static rowlock_code_t fold_plugin(const rowlock_registry_t* registry, const rlk_plugin_t* plugin,
                                  const rlk_plan_t* plan, rowlock_error_t* err) {
  const rlk_description_t* description = &plugin->description;
  if (description->access != RLK_WORD_MAPREDUCE) return ROWLOCK_OK;
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < description->parameter_count && !code; ++i) {
    const rlk_parameter_t* parameter = &description->parameters[i];
    if (parameter->is_folded) code = fold_output(registry, plugin, parameter, plan, err);
  }
  return code;
}

rowlock_code_t rowlock_registry_fold(rowlock_registry_t* registry, const rowlock_run_options_t* options,
                                     rowlock_error_t* err) {
  rlk_error_clear(err);
  rlk_plan_t plan;
  rowlock_code_t code = rlk_plan_make_fold(registry, options, &plan, err);
  for (size_t i = 0; i < registry->plugin_count && !code; ++i) {
    const rlk_plugin_t* plugin = registry->plugins[i];
    if (rlk_plan_includes(registry, plan.only, plugin)) code = fold_plugin(registry, plugin, &plan, err);
  }
  return code;
}

/* --- The run ------------------------------------------------------------------------------------------------------ */

static rowlock_code_t run_plugin(const rowlock_registry_t* registry, rlk_plugin_t* plugin, const rlk_plan_t* plan,
                                 rowlock_run_report_t* report, rowlock_error_t* err) {
  if (plan->sample_count > 0) {
    rlk_packing_update(&plugin->packing, &plugin->description, &registry->names, registry->generation,
                       plan->sample_count);
    const rowlock_code_t code = registry->backend ? run_on_device(registry, plugin, plan, report, err)
                                                  : run_on_host(registry, plugin, plan, report, err);
    if (code) return code;
  }
  return plan->is_part ? ROWLOCK_OK : fold_plugin(registry, plugin, plan, err);
}

rowlock_code_t rowlock_registry_run(rowlock_registry_t* registry, const rowlock_run_options_t* options,
                                    rowlock_run_report_t* out_report, rowlock_error_t* err) {
  rlk_error_clear(err);
  rowlock_run_report_t report = {0};
  rlk_plan_t plan;
  rowlock_code_t code = rlk_plan_make(registry, options, &plan, err);
  if (!code) {
    report.sample_count = plan.sample_count;
    report.thread_count = 1;
  }
  for (size_t i = 0; i < registry->plugin_count && !code; ++i) {
    rlk_plugin_t* plugin = registry->plugins[i];
    if (rlk_plan_includes(registry, plan.only, plugin)) code = run_plugin(registry, plugin, &plan, &report, err);
  }
  if (out_report) *out_report = report;
  return code;
}

rowlock_code_t rowlock_registry_plan(rowlock_registry_t* registry, const rowlock_run_options_t* options,
                                     rowlock_run_report_t* out_report, rowlock_error_t* err) {
  rlk_error_clear(err);
  rlk_plan_t plan = {0};
  const rowlock_code_t code = rlk_plan_make(registry, options, &plan, err);
  if (out_report) {
    *out_report = (rowlock_run_report_t){0};
    if (!code)
      *out_report = (rowlock_run_report_t){.sample_count = plan.sample_count, .plugin_count = plan.plugin_count};
  }
  return code;
}
