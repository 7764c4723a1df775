#define _GNU_SOURCE /* PATH_MAX */
#include "harness/launch/stage.h"

#include <stdlib.h>

#include "harness/launch/golden.h"
#include "harness/launch/rebuilt.h"
#include "validator/rules/text.h"

void rlk_stage_tell(const rlk_stage_t* stage, const char* what) {
  const rlk_performance_t* performance = stage->performance;
  if (performance->tell) performance->tell(performance->context, what, stage->is_another);
}

/* --- Loading ------------------------------------------------------------------------------------------------------ */

/* Of which document the problem is, where it is not the one that everybody has in mind. */
static void tell_of(const rlk_stage_t* stage, rowlock_code_t code, const char* name, const rowlock_error_t* problem) {
  rlk_fail(stage->err, code, "'%.200s': %s", name, problem->message);
  stage->err->rule_id = problem->rule_id;
}

static rowlock_code_t merge(rlk_stage_t* stage, const rowlock_load_options_t* options) {
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

static rowlock_code_t enable(rlk_stage_t* stage, const char* const* ids, size_t count, bool enabled) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < count && !code; ++i) {
    code = rowlock_registry_set_plugin_enabled(stage->registry, ids[i], enabled, stage->err);
  }
  return code;
}

static rowlock_code_t create_registry(rlk_stage_t* stage) {
  if (!stage->performance->on_device) return rowlock_registry_create(&stage->registry, stage->err);
  const rowlock_code_t code = rowlock_device_open(stage->performance->device_ordinal, &stage->device, stage->err);
  return code ? code : rowlock_registry_create_on(stage->device, 0, &stage->registry, stage->err);
}

static rowlock_code_t load(rlk_stage_t* stage) {
  const rlk_performance_t* performance = stage->performance;
  const rlk_launch_t* launch = stage->launch;
  const rowlock_load_options_t options = {.object_path = performance->object_path,
                                          .object_folder = performance->object_folder};
  rlk_stage_tell(stage, "while loading");
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

/* --- Making and ending one ---------------------------------------------------------------------------------------- */

rowlock_code_t rlk_stage_prepare(rlk_stage_t* stage) {
  stage->runs = json_object_new_array();
  stage->digest = EVP_MD_CTX_new();
  if (!stage->runs || !stage->digest || EVP_DigestInit_ex(stage->digest, EVP_sha256(), NULL) != 1) {
    return rlk_fail(stage->err, ROWLOCK_NO_MEMORY, "no memory for a launch");
  }
  rowlock_code_t code = load(stage);
  if (code) return code;
  rlk_stage_tell(stage, "while binding");
  code = rlk_golden_check_gate(stage->registry, stage->launch, stage->err);
  if (!code) code = rlk_buffers_init(&stage->buffers, stage->registry, stage->launch, &stage->source, stage->err);
  if (!code && stage->device) code = rlk_buffers_move(&stage->buffers, stage->device, stage->registry, stage->err);
  /* A device has tables uploaded when they are bound. */
  if (!code && stage->device) code = rlk_buffers_fill(&stage->buffers, 0, stage->err);
  if (!code) code = rlk_buffers_bind(&stage->buffers, stage->launch, stage->registry, stage->err);
  if (!code && stage->device) rlk_buffers_find_tables(&stage->buffers, stage->registry);
  return code;
}

void rlk_stage_deinit(rlk_stage_t* stage) {
  rowlock_registry_destroy(stage->registry);
  rlk_buffers_deinit(&stage->buffers);
  rowlock_device_close(stage->device);
  rlk_folder_destroy(stage->folder);
  rlk_outputs_t* outputs[] = {&stage->first,   &stage->oracle, &stage->whole,  &stage->golden,
                              &stage->rebuilt, &stage->kept,   &stage->before, &stage->early};
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; ++i) rlk_outputs_deinit(outputs[i]);
  free(stage->partitions);
  EVP_MD_CTX_free(stage->digest);
  json_object_put(stage->runs);
}
