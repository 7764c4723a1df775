#define _GNU_SOURCE /* PATH_MAX */
#include <stdlib.h>

#include "harness/json/json.h"
#include "harness/launch/device_error.h"
#include "harness/launch/replay.h"
#include "harness/launch/share.h"
#include "harness/launch/stage.h"
#include "validator/rules/text.h"

static rowlock_code_t make_partitions(rlk_stage_t* stage, const rlk_partitioning_t* partitioning, int64_t sample_count,
                                      size_t* out_count) {
  const bool shares = partitioning->shares > 0;
  const size_t count = shares ? (size_t)partitioning->shares : partitioning->partition_count;
  rowlock_partition_t* partitions = realloc(stage->partitions, count * sizeof *partitions);
  if (!partitions) return rlk_fail(stage->err, ROWLOCK_NO_MEMORY, "no memory for %zu partitions", count);
  stage->partitions = partitions;
  *out_count = count;
  const int64_t quotient = sample_count / (int64_t)count, remainder = sample_count % (int64_t)count;
  for (size_t i = 0; i < count; ++i) {
    const int64_t index = (int64_t)i, larger = index < remainder ? index : remainder;
    if (shares) {
      partitions[i] =
          (rowlock_partition_t){index * quotient + larger, quotient + (index < remainder ? 1 : 0), sample_count};
      continue;
    }
    partitions[i] = partitioning->partitions[i];
    if (partitions[i].sample_count < 0) partitions[i].sample_count = sample_count;
  }
  return ROWLOCK_OK;
}

bool rlk_is_whole(const rlk_partitioning_t* partitioning) { return partitioning->shares == 1; }

rowlock_code_t rlk_stage_options(rlk_stage_t* stage, rowlock_structure_t structure,
                                 const rlk_partitioning_t* partitioning, rowlock_run_options_t* out) {
  *out = (rowlock_run_options_t){.structure = structure,
                                 .thread_count = stage->performance->thread_count,
                                 .sample_count = stage->launch->sample_count,
                                 .tile_samples = stage->launch->tile_samples};
  if (rlk_is_whole(partitioning)) return ROWLOCK_OK;
  rowlock_run_report_t plan = {.sample_count = stage->launch->sample_count};
  rowlock_code_t code = ROWLOCK_OK;
  if (plan.sample_count < 0) code = rowlock_registry_plan(stage->registry, out, &plan, stage->err);
  if (!code) code = make_partitions(stage, partitioning, plan.sample_count, &out->partition_count);
  out->partitions = stage->partitions;
  return code;
}

void rlk_put_when(char when[RLK_WHEN_SIZE], rowlock_structure_t structure, const rowlock_run_options_t* options) {
  rlk_text_t text = rlk_text_over(when, RLK_WHEN_SIZE);
  rlk_text_printf(&text, "under %s", rowlock_structure_name(structure));
  if (options->partition_count > 0) rlk_text_printf(&text, ", %zu partitions", options->partition_count);
}

/* The plugins that the run was of. Without samples none is called. */
static rowlock_code_t count_plugins(const rlk_stage_t* stage, const rowlock_run_options_t* options,
                                    const rowlock_run_report_t* report, uint64_t* out_count) {
  *out_count = report->plugin_count;
  if (report->sample_count > 0) return ROWLOCK_OK;
  rowlock_run_report_t plan;
  const rowlock_code_t code = rowlock_registry_plan(stage->registry, options, &plan, stage->err);
  *out_count = plan.plugin_count;
  return code;
}

static rowlock_code_t note_run(rlk_stage_t* stage, const rowlock_run_options_t* options,
                               const rowlock_run_report_t* report) {
  uint64_t plugins;
  const rowlock_code_t code = count_plugins(stage, options, report, &plugins);
  if (code) return code;
  json_object* run = json_object_new_object();
  bool complete = rlk_json_member_text(run, "structure", rowlock_structure_name(options->structure)) &&
                  rlk_json_member_number(run, "partitions", options->partition_count ? options->partition_count : 1) &&
                  rlk_json_member_number(run, "samples", (uint64_t)report->sample_count) &&
                  rlk_json_member_number(run, "plugins", plugins) &&
                  rlk_json_member_number(run, "calls", report->call_count) &&
                  rlk_json_member_number(run, "threads", report->thread_count);
  complete &= rlk_json_element(stage->runs, run);
  return complete ? ROWLOCK_OK : rlk_fail(stage->err, ROWLOCK_NO_MEMORY, "no memory to report the run");
}

/* What a kernel did wrong on a device is told when it is waited for. */
static rowlock_code_t wait_for_device(const rlk_stage_t* stage, const char* when) {
  if (!stage->device) return ROWLOCK_OK;
  rowlock_error_t problem;
  const rowlock_code_t code = rowlock_device_synchronize(stage->device, &problem);
  return code ? rlk_judge_device_error(stage->registry, when, code, &problem, stage->err) : ROWLOCK_OK;
}

rowlock_code_t rlk_run_once(rlk_stage_t* stage, const rowlock_run_options_t* options, const char* when, bool as_graph,
                            rowlock_run_report_t* out_report) {
  const uint32_t run = stage->run_number++;
  rowlock_code_t code = rlk_buffers_fill(&stage->buffers, run, stage->err);
  if (!code) code = rlk_buffers_upload(&stage->buffers, stage->err);
  rlk_stage_tell(stage, when);
  if (!code && as_graph) {
    code = rlk_replay(stage->device, stage->registry, options, when, stage->err);
  } else if (!code) {
    code = rowlock_registry_run(stage->registry, options, out_report, stage->err);
  }
  if (!code) code = wait_for_device(stage, when);
  rlk_stage_tell(stage, "after the run");
  if (!code) code = rlk_buffers_download(&stage->buffers, stage->err);
  return code ? code : rlk_judge_conduct(&stage->buffers, run, when, stage->err);
}

static rowlock_code_t repeat(rlk_stage_t* stage, const rowlock_run_options_t* options, const char* when,
                             bool as_graph) {
  rowlock_run_report_t report;
  const rowlock_code_t code = rlk_run_once(stage, options, when, as_graph, &report);
  return code ? code
              : rlk_judge_outputs(&stage->buffers, &stage->first, &rlk_gate_bit_exact, RLK_RULE_VERDICT_RUNS_DIFFER,
                                  when, NULL, stage->err);
}

/* All runs of a configuration, from different poison each, and on a device one more as a graph: they must agree to the
 * bit, so that what the last left in the buffers is what every one computed. */
static rowlock_code_t run_repeatedly(rlk_stage_t* stage, const rowlock_run_options_t* options, const char* when) {
  rowlock_run_report_t report;
  rowlock_code_t code = rlk_run_once(stage, options, when, false, &report);
  if (!code) code = rlk_outputs_take(&stage->first, &stage->buffers, stage->err);
  for (uint32_t i = 1; i < stage->launch->repeats && !code; ++i) code = repeat(stage, options, when, false);
  if (!code && stage->device) {
    char replayed[RLK_WHEN_SIZE + 32];
    rlk_text_t text = rlk_text_over(replayed, sizeof replayed);
    rlk_text_printf(&text, "%s, replayed as a graph", when);
    code = repeat(stage, options, replayed, true);
  }
  return code ? code : note_run(stage, options, &report);
}

rowlock_code_t rlk_run_configuration(rlk_stage_t* stage, rowlock_structure_t structure,
                                     const rlk_partitioning_t* partitioning, char when[RLK_WHEN_SIZE]) {
  rowlock_run_options_t options;
  rowlock_code_t code = rlk_stage_options(stage, structure, partitioning, &options);
  rlk_put_when(when, structure, &options);
  if (code) return code;
  if (stage->performance->plan_only) return rowlock_registry_plan(stage->registry, &options, NULL, stage->err);
  code = run_repeatedly(stage, &options, when);
  if (!code && EVP_DigestUpdate(stage->digest, stage->first.bytes, stage->first.size) != 1) {
    code = rlk_fail(stage->err, ROWLOCK_INTERNAL, "SHA-256 failed");
  }
  return code;
}

/* --- A part alone ------------------------------------------------------------------------------------------------- */

static rowlock_code_t run_part(rlk_stage_t* stage, const rowlock_run_options_t* options, size_t plugin_index,
                               const char* when) {
  const uint32_t run = stage->run_number++;
  rowlock_code_t code =
      rlk_share_begin(&stage->buffers, stage->registry, plugin_index, run, &stage->before, stage->err);
  if (!code) code = rlk_buffers_upload(&stage->buffers, stage->err);
  rlk_stage_tell(stage, when);
  if (!code) code = rowlock_registry_run(stage->registry, options, NULL, stage->err);
  if (!code) code = wait_for_device(stage, when);
  rlk_stage_tell(stage, "after the run");
  if (!code) code = rlk_buffers_download(&stage->buffers, stage->err);
  return code ? code
              : rlk_judge_share(&stage->buffers, stage->registry, plugin_index, options->partitions, run,
                                &stage->before, when, stage->err);
}

rowlock_code_t rlk_run_parts(rlk_stage_t* stage, rowlock_structure_t structure,
                             const rlk_partitioning_t* partitioning) {
  rowlock_run_options_t options;
  rowlock_code_t code = rlk_stage_options(stage, structure, partitioning, &options);
  const size_t count = options.partition_count, chosen[] = {0, count / 2, count - 1};
  options.is_part = true;
  options.partition_count = 1;
  for (size_t i = 0; i < rowlock_registry_plugin_count(stage->registry) && !code; ++i) {
    const rowlock_plugin_t plugin = rowlock_registry_plugin_at(stage->registry, i);
    options.plugin_id = plugin.id;
    for (size_t j = 0; j < sizeof chosen / sizeof *chosen && !code && rlk_has_shares(&plugin); ++j) {
      if (j > 0 && chosen[j] == chosen[j - 1]) continue;
      const rowlock_partition_t part = stage->partitions[chosen[j]];
      options.partitions = &part;
      char when[2 * RLK_WHEN_SIZE];
      rlk_text_t text = rlk_text_over(when, sizeof when);
      rlk_text_printf(&text, "under %s, samples %lld to %lld alone", rowlock_structure_name(structure),
                      (long long)part.base, (long long)(part.base + part.count - 1));
      code = run_part(stage, &options, i, when);
    }
  }
  return code;
}
