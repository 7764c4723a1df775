#define _GNU_SOURCE /* PATH_MAX */
#include "harness/launch/perform.h"

#include <stddef.h>

#include "harness/launch/golden.h"
#include "harness/launch/out_bytes.h"
#include "harness/launch/rebuilt.h"
#include "harness/launch/stage.h"
#include "validator/rules/text.h"

/* A device runs no code of a plugin in this process: what goes wrong as it ends is the host's. */
static void tell_end(const rlk_stage_t* stage) {
  const rlk_performance_t* performance = stage->performance;
  const bool of_another = stage->device && stage->asked_another;
  if (performance->tell) performance->tell(performance->context, "while the process ended", of_another);
}

/* --- All configurations ------------------------------------------------------------------------------------------- */

static const rlk_partitioning_t whole_partitioning = {.shares = 1};

/* Runs whole under `structure`, for others to be compared with, and keeps the outputs. */
static rowlock_code_t keep_reference(rlk_stage_t* stage, rowlock_structure_t structure, rlk_outputs_t* out) {
  char when[RLK_WHEN_SIZE];
  rowlock_code_t code = rlk_run_configuration(stage, structure, &whole_partitioning, when);
  if (!code && !stage->performance->plan_only) code = rlk_outputs_take(out, &stage->buffers, stage->err);
  return code;
}

/* A launch that names structures of both is run once on the host and once on a device. */
static bool is_mine(const rlk_stage_t* stage, rowlock_structure_t structure) {
  const bool of_device = structure == ROWLOCK_STRUCTURE_DEVICE_KERNEL;
  return stage->device ? of_device : !of_device || stage->launch->structure_count == 1;
}

/* What a whole run computes when it is performed otherwise. What is wrong with that is no verdict on this one. */
static rowlock_code_t ask_other(rlk_stage_t* stage, const rlk_performance_t* performance, const char* what,
                                rowlock_structure_t structure, rlk_outputs_t* out) {
  rowlock_error_t problem;
  rlk_stage_t other = {.performance = performance, .launch = stage->launch, .is_another = true, .err = &problem};
  stage->asked_another = true;
  rowlock_code_t code = rlk_stage_prepare(&other);
  if (!code && performance->document != stage->performance->document)
    code = rlk_rebuilt_check(stage->registry, other.registry, &problem);
  if (!code) code = keep_reference(&other, structure, out);
  rlk_stage_deinit(&other);
  if (!code) return ROWLOCK_OK;
  return rlk_fail(stage->err, code == ROWLOCK_REJECTED ? ROWLOCK_UNUSABLE : code, RLK_COMPARED_WITH "%.200s: %s", what,
                  problem.message);
}

/* On the host, for a device to be compared with. */
static rowlock_code_t ask_host(rlk_stage_t* stage) {
  rlk_performance_t performance = *stage->performance;
  performance.on_device = false;
  return ask_other(stage, &performance, "the host", ROWLOCK_STRUCTURE_HOST_SERIAL, &stage->oracle);
}

/* From the artifacts of another document. */
static rowlock_code_t ask_rebuilt(rlk_stage_t* stage, rowlock_structure_t structure) {
  rlk_performance_t performance = *stage->performance;
  performance.document = stage->rebuilt_document;
  return ask_other(stage, &performance, stage->launch->rebuilt, structure, &stage->rebuilt);
}

/* NULL: the default band between host and device. Parts compute what the whole does, to the bit, whatever band the row
 * has for other comparisons, unless they contribute to a sum in no fixed order. */
static const rlk_result_gate_t* gate_of(const rlk_stage_t* stage, rlk_comparison_kind_t kind) {
  if (kind == RLK_COMPARISON_SPLIT && !rlk_golden_accumulates(stage->registry)) return &rlk_gate_bit_exact;
  const bool across = kind == RLK_COMPARISON_ORACLE && stage->device && !stage->launch->has_gate;
  return across ? NULL : &stage->launch->gate;
}

/* The others are asked only when they are needed: what this one did wrong is told of it. */
static rowlock_code_t compare_with(rlk_stage_t* stage, rlk_comparison_kind_t kind, const char* when) {
  static const struct {
    rlk_rule_t rule;
    size_t outputs; /* where in the stage */
  } due[] = {[RLK_COMPARISON_GOLDEN] = {RLK_RULE_VERDICT_GOLDEN, offsetof(rlk_stage_t, golden)},
             [RLK_COMPARISON_ORACLE] = {RLK_RULE_VERDICT_ORACLE, offsetof(rlk_stage_t, oracle)},
             [RLK_COMPARISON_SPLIT] = {RLK_RULE_VERDICT_SPLIT, offsetof(rlk_stage_t, whole)},
             [RLK_COMPARISON_REBUILT] = {RLK_RULE_VERDICT_REBUILT, offsetof(rlk_stage_t, rebuilt)}};
  const rlk_outputs_t* want = (const rlk_outputs_t*)((const char*)stage + due[kind].outputs);
  return rlk_judge_outputs(&stage->buffers, want, gate_of(stage, kind), due[kind].rule, when, &stage->loose,
                           stage->err);
}

static rowlock_code_t compare_configuration(rlk_stage_t* stage, rowlock_structure_t structure,
                                            const rlk_partitioning_t* partitioning, const char* when) {
  rowlock_code_t code = ROWLOCK_OK;
  for (int i = 0; i < RLK_COMPARISON_COUNT && !code; ++i) {
    const rlk_comparison_kind_t kind = (rlk_comparison_kind_t)i;
    if (!rlk_launch_compares(stage->launch, kind)) continue;
    if (kind == RLK_COMPARISON_SPLIT && rlk_is_whole(partitioning)) continue;
    if (kind == RLK_COMPARISON_ORACLE && stage->device && !stage->oracle.bytes) code = ask_host(stage);
    if (kind == RLK_COMPARISON_REBUILT && !stage->rebuilt.bytes) code = ask_rebuilt(stage, structure);
    if (!code) code = compare_with(stage, kind, when);
  }
  return code;
}

static const rlk_partitioning_t* find_split(const rlk_launch_t* launch) {
  for (size_t i = 0; i < launch->partitioning_count; ++i) {
    if (!rlk_is_whole(&launch->partitionings[i])) return &launch->partitionings[i];
  }
  return NULL;
}

/* The first run of all is one in parts, where the launch has any: a kernel that keeps what a whole run computed, to
 * copy its parts from, has nothing yet. */
static rowlock_code_t run_early(rlk_stage_t* stage, rowlock_structure_t structure) {
  const rlk_partitioning_t* split = find_split(stage->launch);
  if (stage->early_split || !split || stage->performance->plan_only) return ROWLOCK_OK;
  char when[RLK_WHEN_SIZE];
  rowlock_run_options_t options;
  rowlock_run_report_t report;
  rowlock_code_t code = rlk_stage_options(stage, structure, split, &options);
  rlk_put_when(when, structure, &options);
  if (!code) code = rlk_run_once(stage, &options, when, false, &report);
  if (!code) code = rlk_outputs_take(&stage->early, &stage->buffers, stage->err);
  stage->early_split = split;
  stage->early_structure = structure;
  return code;
}

/* Whether the configuration computes now what it computed then. */
static rowlock_code_t compare_early(rlk_stage_t* stage, rowlock_structure_t structure, const rlk_partitioning_t* split,
                                    const char* when) {
  if (stage->early_split != split || stage->early_structure != structure) return ROWLOCK_OK;
  return rlk_judge_outputs(&stage->buffers, &stage->early, &rlk_gate_bit_exact, RLK_RULE_VERDICT_RUNS_DIFFER, when,
                           NULL, stage->err);
}

static rowlock_code_t run_structure(rlk_stage_t* stage, rowlock_structure_t structure) {
  const rlk_launch_t* launch = stage->launch;
  rowlock_code_t code = ROWLOCK_OK;
  if (find_split(launch) && rlk_launch_compares(launch, RLK_COMPARISON_SPLIT)) {
    code = keep_reference(stage, structure, &stage->whole);
  }
  for (size_t i = 0; i < launch->partitioning_count && !code; ++i) {
    const rlk_partitioning_t* partitioning = &launch->partitionings[i];
    char when[RLK_WHEN_SIZE];
    const bool is_first = structure == launch->structures[0] && i == 0;
    code = rlk_run_configuration(stage, structure, partitioning, when);
    if (code || stage->performance->plan_only) continue;
    if (is_first && stage->performance->out_file >= 0)
      code = rlk_outputs_take(&stage->kept, &stage->buffers, stage->err);
    if (!code) code = compare_configuration(stage, structure, partitioning, when);
    if (!code) code = compare_early(stage, structure, partitioning, when);
    if (!code && !rlk_is_whole(partitioning)) code = rlk_run_parts(stage, structure, partitioning);
  }
  return code;
}

/* A launch of which nothing is run would pass for one that was. */
static rowlock_code_t check_structures(const rlk_stage_t* stage) {
  bool any = false;
  for (size_t i = 0; i < stage->launch->structure_count; ++i) any |= is_mine(stage, stage->launch->structures[i]);
  if (any) return ROWLOCK_OK;
  return rlk_fail(stage->err, ROWLOCK_UNUSABLE, "the launch is on %s, and names none of its structures",
                  stage->device ? "a device" : "the host");
}

static rowlock_code_t run_all(rlk_stage_t* stage) {
  const rlk_launch_t* launch = stage->launch;
  rowlock_code_t code = ROWLOCK_OK;
  if (rlk_launch_compares(launch, RLK_COMPARISON_GOLDEN)) {
    code = rlk_golden_take(&stage->golden, &stage->buffers, launch, &stage->source, stage->err);
  }
  for (size_t i = 0; i < launch->structure_count && !code; ++i) {
    if (is_mine(stage, launch->structures[i])) code = run_early(stage, launch->structures[i]);
  }
  if (!code && !stage->device && rlk_launch_compares(launch, RLK_COMPARISON_ORACLE)) {
    code = keep_reference(stage, ROWLOCK_STRUCTURE_HOST_SERIAL, &stage->oracle);
  }
  for (size_t i = 0; i < launch->structure_count && !code; ++i) {
    if (is_mine(stage, launch->structures[i])) code = run_structure(stage, launch->structures[i]);
  }
  return code;
}

/* --- The launch --------------------------------------------------------------------------------------------------- */

static rowlock_code_t perform(rlk_stage_t* stage, json_object** out_report) {
  rowlock_code_t code = rlk_stage_prepare(stage);
  if (!code) code = check_structures(stage);
  if (!code && stage->launch->rebuilt) {
    code = rlk_rebuilt_find(stage->folder, stage->performance->document, stage->launch->rebuilt,
                            stage->rebuilt_document, stage->err);
  }
  if (!code) code = run_all(stage);
  if (!code && stage->performance->out_file >= 0 && !stage->performance->plan_only) {
    code = rlk_out_bytes_write(stage->performance->out_file, &stage->buffers, &stage->kept, stage->err);
  }
  tell_end(stage);
  return code ? code : rlk_stage_report(stage, out_report);
}

rowlock_code_t rlk_perform(const rlk_performance_t* performance, json_object** out_report, rowlock_error_t* err) {
  rlk_stage_t stage = {.performance = performance, .launch = performance->launch, .err = err};
  *out_report = NULL;
  rlk_error_clear(err);
  const rowlock_code_t code = perform(&stage, out_report);
  if (code) *out_report = rlk_stage_log(&stage);
  rlk_stage_deinit(&stage);
  return code;
}
