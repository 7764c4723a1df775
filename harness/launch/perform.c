#define _GNU_SOURCE /* PATH_MAX */
#include "harness/launch/perform.h"

#include <limits.h>
#include <openssl/evp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "harness/json/json.h"
#include "harness/launch/device_error.h"
#include "harness/launch/golden.h"
#include "harness/launch/judge_run.h"
#include "harness/launch/out_bytes.h"
#include "harness/launch/rebuilt.h"
#include "harness/launch/replay.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

enum { WHEN_SIZE = 128 };

static const rlk_result_gate_t bit_exact = {.mode = RLK_GATE_BIT_EXACT};

typedef struct stage_t {
  const rlk_performance_t* performance;
  const rlk_launch_t* launch;
  rowlock_device_t* device; /* NULL: the host */
  rowlock_registry_t* registry;
  rlk_folder_t* folder;
  rlk_operand_source_t source;
  rlk_buffers_t buffers;
  rowlock_partition_t* partitions; /* of the configuration that is being run */
  uint32_t run_number;             /* over all configurations: each has other poison and other red zones */
  rlk_outputs_t first;             /* of the first run of a configuration */
  rlk_outputs_t oracle, whole, golden, rebuilt;
  rlk_outputs_t kept;              /* of the first configuration, to be written */
  char rebuilt_document[PATH_MAX]; /* "" where the launch names none */
  EVP_MD_CTX* digest;
  json_object* runs;
  const char* loose;
  bool is_another; /* what a stage is compared with */
  bool asked_another;
  rowlock_error_t* err;
} stage_t;

static void tell(const stage_t* stage, const char* what) {
  const rlk_performance_t* performance = stage->performance;
  if (performance->tell) performance->tell(performance->context, what, stage->is_another);
}

/* A device runs no code of a plugin in this process: what goes wrong as it ends is the host's. */
static void tell_end(const stage_t* stage) {
  const rlk_performance_t* performance = stage->performance;
  const bool of_another = stage->device && stage->asked_another;
  if (performance->tell) performance->tell(performance->context, "while the process ended", of_another);
}

/* --- Loading ------------------------------------------------------------------------------------------------------ */

/* Of which document the problem is, where it is not the one that everybody has in mind. */
static void tell_of(const stage_t* stage, rowlock_code_t code, const char* name, const rowlock_error_t* problem) {
  rlk_fail(stage->err, code, "'%.200s': %s", name, problem->message);
  stage->err->rule_id = problem->rule_id;
}

static rowlock_code_t merge(stage_t* stage, const rowlock_load_options_t* options) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < stage->launch->merge_count && !code; ++i) {
    char path[PATH_MAX];
    const char* name = stage->launch->merge[i];
    code = rlk_find_beside(stage->folder, "merge", name, path, stage->err);
    if (code) return code;
    rowlock_error_t problem;
    code = rowlock_registry_add_manifest(stage->registry, path, options, NULL, &problem);
    if (code) tell_of(stage, code, name, &problem);
  }
  return code;
}

static rowlock_code_t enable(stage_t* stage, const char* const* ids, size_t count, bool enabled) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < count && !code; ++i) {
    code = rowlock_registry_set_plugin_enabled(stage->registry, ids[i], enabled, stage->err);
  }
  return code;
}

static rowlock_code_t create_registry(stage_t* stage) {
  if (!stage->performance->on_device) return rowlock_registry_create(&stage->registry, stage->err);
  const rowlock_code_t code = rowlock_device_open(stage->performance->device_ordinal, &stage->device, stage->err);
  return code ? code : rowlock_registry_create_on(stage->device, 0, &stage->registry, stage->err);
}

static rowlock_code_t load(stage_t* stage) {
  const rlk_performance_t* performance = stage->performance;
  const rlk_launch_t* launch = stage->launch;
  const rowlock_load_options_t options = {.object_path = performance->object_path,
                                          .object_folder = performance->object_folder};
  tell(stage, "while loading");
  rowlock_code_t code = create_registry(stage);
  if (!code) code = rlk_folder_create(&stage->folder, stage->err);
  if (code) return code;
  rlk_folder_set_document(stage->folder, performance->document, RLK_ARRAY_ELEMENTS_MAX);
  if (!performance->files_anywhere) stage->source.folder = stage->folder;
  if (performance->is_sidecar) {
    code = rowlock_registry_add_plugin(stage->registry, "plugin", performance->document, &options, NULL, stage->err);
  } else {
    code = rowlock_registry_add_manifest(stage->registry, performance->document, &options, NULL, stage->err);
  }
  if (!code) code = merge(stage, &options);
  if (!code) code = enable(stage, launch->enable, launch->enable_count, true);
  if (!code) code = enable(stage, launch->disable, launch->disable_count, false);
  return code;
}

/* --- One configuration: a structure with a partitioning ----------------------------------------------------------- */

static rowlock_code_t make_partitions(stage_t* stage, const rlk_partitioning_t* partitioning, int64_t sample_count,
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

static bool is_whole(const rlk_partitioning_t* partitioning) { return partitioning->shares == 1; }

static rowlock_code_t options_of(stage_t* stage, rowlock_structure_t structure, const rlk_partitioning_t* partitioning,
                                 rowlock_run_options_t* out) {
  *out = (rowlock_run_options_t){.structure = structure,
                                 .thread_count = stage->performance->thread_count,
                                 .sample_count = stage->launch->sample_count,
                                 .tile_samples = stage->launch->tile_samples};
  if (is_whole(partitioning)) return ROWLOCK_OK;
  rowlock_run_report_t plan = {.sample_count = stage->launch->sample_count};
  rowlock_code_t code = ROWLOCK_OK;
  if (plan.sample_count < 0) code = rowlock_registry_plan(stage->registry, out, &plan, stage->err);
  if (!code) code = make_partitions(stage, partitioning, plan.sample_count, &out->partition_count);
  out->partitions = stage->partitions;
  return code;
}

static void put_when(char when[WHEN_SIZE], rowlock_structure_t structure, const rowlock_run_options_t* options) {
  rlk_text_t text = rlk_text_over(when, WHEN_SIZE);
  rlk_text_printf(&text, "under %s", rowlock_structure_name(structure));
  if (options->partition_count > 0) rlk_text_printf(&text, ", %zu partitions", options->partition_count);
}

/* The plugins that the run was of. Without samples none is called. */
static rowlock_code_t count_plugins(const stage_t* stage, const rowlock_run_options_t* options,
                                    const rowlock_run_report_t* report, uint64_t* out_count) {
  *out_count = report->plugin_count;
  if (report->sample_count > 0) return ROWLOCK_OK;
  rowlock_run_report_t plan;
  const rowlock_code_t code = rowlock_registry_plan(stage->registry, options, &plan, stage->err);
  *out_count = plan.plugin_count;
  return code;
}

static rowlock_code_t note_run(stage_t* stage, const rowlock_run_options_t* options,
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
static rowlock_code_t wait_for_device(const stage_t* stage, const char* when) {
  if (!stage->device) return ROWLOCK_OK;
  rowlock_error_t problem;
  const rowlock_code_t code = rowlock_device_synchronize(stage->device, &problem);
  return code ? rlk_judge_device_error(stage->registry, when, code, &problem, stage->err) : ROWLOCK_OK;
}

static rowlock_code_t run_once(stage_t* stage, const rowlock_run_options_t* options, const char* when, bool as_graph,
                               rowlock_run_report_t* out_report) {
  const uint32_t run = stage->run_number++;
  rowlock_code_t code = rlk_buffers_fill(&stage->buffers, run, stage->err);
  if (!code) code = rlk_buffers_upload(&stage->buffers, stage->registry, stage->err);
  tell(stage, when);
  if (!code && as_graph) {
    code = rlk_replay(stage->device, stage->registry, options, when, stage->err);
  } else if (!code) {
    code = rowlock_registry_run(stage->registry, options, out_report, stage->err);
  }
  if (!code) code = wait_for_device(stage, when);
  tell(stage, "after the run");
  if (!code) code = rlk_buffers_download(&stage->buffers, stage->registry, stage->err);
  return code ? code : rlk_judge_conduct(&stage->buffers, run, when, stage->err);
}

static rowlock_code_t repeat(stage_t* stage, const rowlock_run_options_t* options, const char* when, bool as_graph) {
  rowlock_run_report_t report;
  const rowlock_code_t code = run_once(stage, options, when, as_graph, &report);
  return code ? code
              : rlk_judge_outputs(&stage->buffers, &stage->first, &bit_exact, RLK_RULE_VERDICT_RUNS_DIFFER, when, NULL,
                                  stage->err);
}

/* All runs of a configuration, from different poison each, and on a device one more as a graph: they must agree to the
 * bit, so that what the last left in the buffers is what every one computed. */
static rowlock_code_t run_repeatedly(stage_t* stage, const rowlock_run_options_t* options, const char* when) {
  rowlock_run_report_t report;
  rowlock_code_t code = run_once(stage, options, when, false, &report);
  if (!code) code = rlk_outputs_take(&stage->first, &stage->buffers, stage->err);
  for (uint32_t i = 1; i < stage->launch->repeats && !code; ++i) code = repeat(stage, options, when, false);
  if (!code && stage->device) {
    char replayed[WHEN_SIZE + 32];
    rlk_text_t text = rlk_text_over(replayed, sizeof replayed);
    rlk_text_printf(&text, "%s, replayed as a graph", when);
    code = repeat(stage, options, replayed, true);
  }
  return code ? code : note_run(stage, options, &report);
}

static rowlock_code_t run_configuration(stage_t* stage, rowlock_structure_t structure,
                                        const rlk_partitioning_t* partitioning, char when[WHEN_SIZE]) {
  rowlock_run_options_t options;
  rowlock_code_t code = options_of(stage, structure, partitioning, &options);
  put_when(when, structure, &options);
  if (code) return code;
  if (stage->performance->plan_only) return rowlock_registry_plan(stage->registry, &options, NULL, stage->err);
  code = run_repeatedly(stage, &options, when);
  if (!code && EVP_DigestUpdate(stage->digest, stage->first.bytes, stage->first.size) != 1) {
    code = rlk_fail(stage->err, ROWLOCK_INTERNAL, "SHA-256 failed");
  }
  return code;
}

/* --- A stage ------------------------------------------------------------------------------------------------------ */

/* Loads and binds. */
static rowlock_code_t prepare(stage_t* stage) {
  stage->runs = json_object_new_array();
  stage->digest = EVP_MD_CTX_new();
  if (!stage->runs || !stage->digest || EVP_DigestInit_ex(stage->digest, EVP_sha256(), NULL) != 1) {
    return rlk_fail(stage->err, ROWLOCK_NO_MEMORY, "no memory for a launch");
  }
  rowlock_code_t code = load(stage);
  if (code) return code;
  tell(stage, "while binding");
  code = rlk_golden_check_gate(stage->registry, stage->launch, stage->err);
  if (!code) code = rlk_buffers_init(&stage->buffers, stage->registry, stage->launch, &stage->source, stage->err);
  if (!code && stage->device) code = rlk_buffers_move(&stage->buffers, stage->device, stage->registry, stage->err);
  /* A device has tables uploaded when they are bound. */
  if (!code && stage->device) code = rlk_buffers_fill(&stage->buffers, 0, stage->err);
  return code ? code : rlk_buffers_bind(&stage->buffers, stage->launch, stage->registry, stage->err);
}

static void stage_deinit(stage_t* stage) {
  rowlock_registry_destroy(stage->registry);
  rlk_buffers_deinit(&stage->buffers);
  rowlock_device_close(stage->device);
  rlk_folder_destroy(stage->folder);
  rlk_outputs_t* outputs[] = {&stage->first,  &stage->oracle,  &stage->whole,
                              &stage->golden, &stage->rebuilt, &stage->kept};
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; ++i) rlk_outputs_deinit(outputs[i]);
  free(stage->partitions);
  EVP_MD_CTX_free(stage->digest);
  json_object_put(stage->runs);
}

/* --- All configurations ------------------------------------------------------------------------------------------- */

static const rlk_partitioning_t whole_partitioning = {.shares = 1};

/* Runs whole under `structure`, for others to be compared with, and keeps the outputs. */
static rowlock_code_t keep_reference(stage_t* stage, rowlock_structure_t structure, rlk_outputs_t* out) {
  char when[WHEN_SIZE];
  rowlock_code_t code = run_configuration(stage, structure, &whole_partitioning, when);
  if (!code && !stage->performance->plan_only) code = rlk_outputs_take(out, &stage->buffers, stage->err);
  return code;
}

/* A launch that names structures of both is run once on the host and once on a device. */
static bool is_mine(const stage_t* stage, rowlock_structure_t structure) {
  const bool of_device = structure == ROWLOCK_STRUCTURE_DEVICE_KERNEL;
  return stage->device ? of_device : !of_device || stage->launch->structure_count == 1;
}

/* What a whole run computes when it is performed otherwise. What is wrong with that is no verdict on this one. */
static rowlock_code_t ask_other(stage_t* stage, const rlk_performance_t* performance, const char* what,
                                rowlock_structure_t structure, rlk_outputs_t* out) {
  rowlock_error_t problem;
  stage_t other = {.performance = performance, .launch = stage->launch, .is_another = true, .err = &problem};
  stage->asked_another = true;
  rowlock_code_t code = prepare(&other);
  if (!code && performance->document != stage->performance->document)
    code = rlk_rebuilt_check(stage->registry, other.registry, &problem);
  if (!code) code = keep_reference(&other, structure, out);
  stage_deinit(&other);
  if (!code) return ROWLOCK_OK;
  return rlk_fail(stage->err, code == ROWLOCK_REJECTED ? ROWLOCK_UNUSABLE : code, RLK_COMPARED_WITH "%.200s: %s", what,
                  problem.message);
}

/* On the host, for a device to be compared with. */
static rowlock_code_t ask_host(stage_t* stage) {
  rlk_performance_t performance = *stage->performance;
  performance.on_device = false;
  return ask_other(stage, &performance, "the host", ROWLOCK_STRUCTURE_HOST_SERIAL, &stage->oracle);
}

/* From the artifacts of another document. */
static rowlock_code_t ask_rebuilt(stage_t* stage, rowlock_structure_t structure) {
  rlk_performance_t performance = *stage->performance;
  performance.document = stage->rebuilt_document;
  return ask_other(stage, &performance, stage->launch->rebuilt, structure, &stage->rebuilt);
}

/* NULL: the default band between host and device. Parts compute what the whole does, to the bit, whatever band the row
 * has for other comparisons, unless they contribute to a sum in no fixed order. */
static const rlk_result_gate_t* gate_of(const stage_t* stage, rlk_comparison_kind_t kind) {
  if (kind == RLK_COMPARISON_SPLIT && !rlk_golden_accumulates(stage->registry)) return &bit_exact;
  const bool across = kind == RLK_COMPARISON_ORACLE && stage->device && !stage->launch->has_gate;
  return across ? NULL : &stage->launch->gate;
}

/* The others are asked only when they are needed: what this one did wrong is told of it. */
static rowlock_code_t compare_with(stage_t* stage, rlk_comparison_kind_t kind, const char* when) {
  static const struct {
    rlk_rule_t rule;
    size_t outputs; /* where in the stage */
  } due[] = {[RLK_COMPARISON_GOLDEN] = {RLK_RULE_VERDICT_GOLDEN, offsetof(stage_t, golden)},
             [RLK_COMPARISON_ORACLE] = {RLK_RULE_VERDICT_ORACLE, offsetof(stage_t, oracle)},
             [RLK_COMPARISON_SPLIT] = {RLK_RULE_VERDICT_SPLIT, offsetof(stage_t, whole)},
             [RLK_COMPARISON_REBUILT] = {RLK_RULE_VERDICT_REBUILT, offsetof(stage_t, rebuilt)}};
  const rlk_outputs_t* want = (const rlk_outputs_t*)((const char*)stage + due[kind].outputs);
  return rlk_judge_outputs(&stage->buffers, want, gate_of(stage, kind), due[kind].rule, when, &stage->loose,
                           stage->err);
}

static rowlock_code_t compare_configuration(stage_t* stage, rowlock_structure_t structure,
                                            const rlk_partitioning_t* partitioning, const char* when) {
  rowlock_code_t code = ROWLOCK_OK;
  for (int i = 0; i < RLK_COMPARISON_COUNT && !code; ++i) {
    const rlk_comparison_kind_t kind = (rlk_comparison_kind_t)i;
    if (!rlk_launch_compares(stage->launch, kind)) continue;
    if (kind == RLK_COMPARISON_SPLIT && is_whole(partitioning)) continue;
    if (kind == RLK_COMPARISON_ORACLE && stage->device && !stage->oracle.bytes) code = ask_host(stage);
    if (kind == RLK_COMPARISON_REBUILT && !stage->rebuilt.bytes) code = ask_rebuilt(stage, structure);
    if (!code) code = compare_with(stage, kind, when);
  }
  return code;
}

static rowlock_code_t run_structure(stage_t* stage, rowlock_structure_t structure) {
  const rlk_launch_t* launch = stage->launch;
  bool splits = false;
  for (size_t i = 0; i < launch->partitioning_count; ++i) splits |= !is_whole(&launch->partitionings[i]);
  rowlock_code_t code = ROWLOCK_OK;
  if (splits && rlk_launch_compares(launch, RLK_COMPARISON_SPLIT)) {
    code = keep_reference(stage, structure, &stage->whole);
  }
  for (size_t i = 0; i < launch->partitioning_count && !code; ++i) {
    char when[WHEN_SIZE];
    const bool is_first = structure == launch->structures[0] && i == 0;
    code = run_configuration(stage, structure, &launch->partitionings[i], when);
    if (code || stage->performance->plan_only) continue;
    if (is_first && stage->performance->out_file >= 0)
      code = rlk_outputs_take(&stage->kept, &stage->buffers, stage->err);
    if (!code) code = compare_configuration(stage, structure, &launch->partitionings[i], when);
  }
  return code;
}

/* A launch of which nothing is run would pass for one that was. */
static rowlock_code_t check_structures(const stage_t* stage) {
  bool any = false;
  for (size_t i = 0; i < stage->launch->structure_count; ++i) any |= is_mine(stage, stage->launch->structures[i]);
  if (any) return ROWLOCK_OK;
  return rlk_fail(stage->err, ROWLOCK_UNUSABLE, "the launch is on %s, and names none of its structures",
                  stage->device ? "a device" : "the host");
}

static rowlock_code_t run_all(stage_t* stage) {
  const rlk_launch_t* launch = stage->launch;
  rowlock_code_t code = ROWLOCK_OK;
  if (rlk_launch_compares(launch, RLK_COMPARISON_GOLDEN)) {
    code = rlk_golden_take(&stage->golden, &stage->buffers, launch, &stage->source, stage->err);
  }
  if (!code && !stage->device && rlk_launch_compares(launch, RLK_COMPARISON_ORACLE)) {
    code = keep_reference(stage, ROWLOCK_STRUCTURE_HOST_SERIAL, &stage->oracle);
  }
  for (size_t i = 0; i < launch->structure_count && !code; ++i) {
    if (is_mine(stage, launch->structures[i])) code = run_structure(stage, launch->structures[i]);
  }
  return code;
}

/* --- The report --------------------------------------------------------------------------------------------------- */

static json_object* outputs_to_json(const stage_t* stage) {
  json_object* list = json_object_new_array();
  bool complete = list != NULL;
  for (size_t i = 0; i < stage->buffers.count && complete; ++i) {
    const rlk_buffer_t* buffer = &stage->buffers.list[i];
    if (!buffer->is_written) continue;
    const rlk_array_t array = rlk_buffer_array(buffer, NULL);
    json_object* output = json_object_new_object();
    json_object* shape = json_object_new_array();
    for (uint32_t j = 0; j < array.rank; ++j)
      complete &= rlk_json_element(shape, json_object_new_uint64(array.shape[j]));
    complete &= rlk_json_member_text(output, "name", buffer->name) &&
                rlk_json_member_text(output, "as", rowlock_binding_name(buffer->binding)) &&
                rlk_json_member_text(output, "dtype", rlk_dtype_name(buffer->dtype));
    complete &= rlk_json_member(output, "shape", shape);
    complete &= rlk_json_element(list, output);
  }
  if (complete) return list;
  json_object_put(list);
  return NULL;
}

/* The first plugin whose artifact was meant for other devices; NULL if none was. */
static const char* find_fallback(const stage_t* stage) {
  for (size_t i = 0; i < rowlock_registry_plugin_count(stage->registry); ++i) {
    const rowlock_plugin_t plugin = rowlock_registry_plugin_at(stage->registry, i);
    if (plugin.enabled && plugin.is_ptx_fallback) return plugin.id;
  }
  return NULL;
}

/* What is worth saying of a launch that passed. */
static bool add_note(const stage_t* stage, json_object* object) {
  char note[512] = "";
  rlk_text_t text = rlk_text_over(note, sizeof note);
  const char* fallback = find_fallback(stage);
  if (stage->loose) {
    rlk_text_printf(&text, "the band is far too wide for '%.100s': no element used a thousandth of it", stage->loose);
  }
  if (fallback) {
    rlk_text_printf(&text, "%sthe artifact of plugin '%.100s' has no code for this device: the driver compiled its PTX",
                    stage->loose ? "; " : "", fallback);
  }
  return text.length == 0 || rlk_json_member_text(object, "note", note);
}

static rowlock_code_t report(stage_t* stage, json_object** out_report) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (EVP_DigestFinal_ex(stage->digest, digest, &length) != 1) {
    return rlk_fail(stage->err, ROWLOCK_INTERNAL, "SHA-256 failed");
  }
  char hex[2 * EVP_MAX_MD_SIZE + 1];
  rlk_text_t text = rlk_text_over(hex, sizeof hex);
  for (unsigned i = 0; i < length; ++i) rlk_text_printf(&text, "%02x", digest[i]);
  json_object* object = json_object_new_object();
  bool complete = rlk_json_member(object, "runs", json_object_get(stage->runs));
  complete = complete && rlk_json_member(object, "outputs", outputs_to_json(stage)) &&
             rlk_json_member_text(object, "sha256", hex);
  complete = complete && add_note(stage, object);
  if (!complete) {
    json_object_put(object);
    return rlk_fail(stage->err, ROWLOCK_NO_MEMORY, "no memory to report the launch");
  }
  *out_report = object;
  return ROWLOCK_OK;
}

/* What a driver's compiler said when loading failed; NULL if nothing. */
static json_object* report_log(const stage_t* stage) {
  const char* log = stage->registry ? rowlock_registry_compiler_log(stage->registry) : NULL;
  json_object* object = log ? json_object_new_object() : NULL;
  if (object && rlk_json_member_text(object, "log", log)) return object;
  json_object_put(object);
  return NULL;
}

/* --- The launch --------------------------------------------------------------------------------------------------- */

static rowlock_code_t perform(stage_t* stage, json_object** out_report) {
  rowlock_code_t code = prepare(stage);
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
  return code ? code : report(stage, out_report);
}

rowlock_code_t rlk_perform(const rlk_performance_t* performance, json_object** out_report, rowlock_error_t* err) {
  stage_t stage = {.performance = performance, .launch = performance->launch, .err = err};
  *out_report = NULL;
  rlk_error_clear(err);
  const rowlock_code_t code = perform(&stage, out_report);
  if (code) *out_report = report_log(&stage);
  stage_deinit(&stage);
  return code;
}
