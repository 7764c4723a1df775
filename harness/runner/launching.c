#define _GNU_SOURCE /* strdup, PATH_MAX */
#include "harness/runner/launching.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/launch/built.h"
#include "harness/launch/isolate.h"
#include "validator/rules/text.h"

void rlk_launched_deinit(rlk_launched_t* launched) {
  free(launched->digest);
  free(launched->note);
  free(launched->log);
  launched->digest = launched->note = launched->log = NULL;
}

/* A copy of the member's text; NULL where there is none, with false where memory is short. */
static bool copy_member(json_object* report, const char* key, char** out) {
  json_object* value;
  if (!json_object_object_get_ex(report, key, &value) || !json_object_is_type(value, json_type_string)) return true;
  *out = strdup(json_object_get_string(value));
  return *out != NULL;
}

rowlock_code_t rlk_launch_row(const rlk_row_t* row, rlk_launcher_t launcher, const rlk_launching_t* launching,
                              rlk_launched_t* out_launched) {
  *out_launched = (rlk_launched_t){.rule = RLK_RULE_NONE};
  char object_folder[PATH_MAX];
  const bool has_folder = rlk_built_folder(row->fixture_path, launching->built, object_folder);
  const rlk_request_t request = {.document = row->fixture_path,
                                 .is_sidecar = row->is_sidecar,
                                 .object_folder = has_folder ? object_folder : NULL,
                                 .plan_only = row->level == RLK_ROW_LEVEL_PLACEMENT,
                                 .on_device = launcher == RLK_LAUNCHER_DEVICE,
                                 .device_ordinal = launching->device_ordinal,
                                 .thread_count = launching->thread_count,
                                 .launch = row->launch,
                                 .launch_length = row->launch_length};
  const rlk_isolation_t isolation = {.program = launching->program,
                                     .time_ms = row->time_ms ? row->time_ms : launching->time_ms,
                                     .memory_mib = row->memory_mib};
  json_object* report;
  rowlock_code_t code = rlk_isolate(&request, &isolation, &report, &out_launched->rule, &out_launched->err);
  if (!copy_member(report, "sha256", &out_launched->digest) || !copy_member(report, "note", &out_launched->note) ||
      !copy_member(report, "log", &out_launched->log)) {
    code = rlk_fail(&out_launched->err, ROWLOCK_NO_MEMORY, "no memory for a launch's report");
  }
  json_object_put(report);
  return code;
}
