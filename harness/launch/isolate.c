#define _GNU_SOURCE /* sigabbrev_np, sigdescr_np */
#include "harness/launch/isolate.h"

#include <stdlib.h>
#include <string.h>

#include "harness/json/json.h"
#include "harness/launch/request.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

enum { ANSWER_BYTES_MAX = 16 * 1024 * 1024, OUTPUT_SHOWN = 200 };

/* --- The answer --------------------------------------------------------------------------------------------------- */

/* What a process wrote: the last stage that it told of, and its final word if it came to that. */
typedef struct answer_t {
  char stage[128];
  json_object* last;
} answer_t;

static const char* text_of(json_object* object, const char* key) {
  json_object* value;
  return json_object_object_get_ex(object, key, &value) && json_object_is_type(value, json_type_string)
             ? json_object_get_string(value)
             : NULL;
}

/* A line that is not whole is what a process that died was writing: it says nothing. */
static void read_line(answer_t* answer, const char* line, size_t length) {
  struct json_tokener* tokener = json_tokener_new();
  json_object* object = tokener ? json_tokener_parse_ex(tokener, line, (int)length) : NULL;
  if (tokener) json_tokener_free(tokener);
  if (!object) return;
  const char* stage = text_of(object, "stage");
  if (!stage) {
    json_object_put(answer->last);
    answer->last = object;
    return;
  }
  snprintf(answer->stage, sizeof answer->stage, "%s", stage);
  json_object_put(object);
}

static void read_answer(const rlk_child_result_t* result, answer_t* out) {
  *out = (answer_t){.stage = "before it began"};
  for (const char* line = result->answer; *line;) {
    const char* end = strchr(line, '\n');
    if (!end) return;
    read_line(out, line, (size_t)(end - line));
    line = end + 1;
  }
}

/* --- What became of the process ----------------------------------------------------------------------------------- */

/* "; it wrote: ..." with the last line of what it wrote, or nothing. */
static void put_output(rlk_text_t* text, const rlk_child_result_t* result) {
  const char* output = result->output;
  size_t end = result->output_length;
  while (end > 0 && (output[end - 1] == '\n' || output[end - 1] == ' ')) --end;
  size_t begin = end;
  while (begin > 0 && output[begin - 1] != '\n') --begin;
  if (end == begin) return;
  rlk_text_printf(text, "; it wrote: ");
  rlk_text_put_shown(text, output + begin, end - begin, OUTPUT_SHOWN);
}

static rowlock_code_t refuse_end(const rlk_child_result_t* result, const rlk_isolation_t* isolation,
                                 const answer_t* answer, rlk_rule_t* out_rule, rowlock_error_t* err) {
  char output[6 * OUTPUT_SHOWN + 32] = "", signal_name[96] = "";
  rlk_text_t text = rlk_text_over(output, sizeof output);
  put_output(&text, result);
  int64_t limit = isolation->time_ms;
  switch (result->end) {
    case RLK_CHILD_SIGNALED: {
      const char* name = sigabbrev_np(result->status);
      const char* words = sigdescr_np(result->status);
      snprintf(signal_name, sizeof signal_name, "SIG%s (%s)", name ? name : "?", words ? words : "unknown signal");
      *out_rule = RLK_RULE_PROCESS_SIGNAL;
      break;
    }
    case RLK_CHILD_OUT_OF_TIME:
      *out_rule = RLK_RULE_PROCESS_TIME;
      break;
    case RLK_CHILD_OUT_OF_MEMORY:
      *out_rule = RLK_RULE_PROCESS_MEMORY;
      limit = isolation->memory_mib;
      break;
    default:
      *out_rule = RLK_RULE_PROCESS_EXIT;
  }
  return rlk_refuse(err, *out_rule,
                    RLK_SLOTS(rlk_slot_prose("signal", signal_name), rlk_slot_integer("status", result->status),
                              rlk_slot_integer("limit", limit), rlk_slot_prose("when", answer->stage),
                              rlk_slot_prose("output", output)));
}

static rowlock_code_t find_code(const char* name) {
  static const char* const names[] = {
#define ROWLOCK_CODE(name, exit_status, meaning) #name,
      ROWLOCK_CODES(ROWLOCK_CODE)
#undef ROWLOCK_CODE
  };
  for (size_t i = 0; name && i < sizeof names / sizeof *names; ++i) {
    if (strcmp(names[i], name) == 0) return (rowlock_code_t)i;
  }
  return ROWLOCK_INTERNAL;
}

/* Takes the process's last word for what it is. */
static rowlock_code_t take(const answer_t* answer, json_object** out_report, rlk_rule_t* out_rule,
                           rowlock_error_t* err) {
  const rowlock_code_t code = find_code(text_of(answer->last, "code"));
  const char* rule = text_of(answer->last, "rule");
  const char* message = text_of(answer->last, "message");
  if (code == ROWLOCK_OK) {
    json_object* report;
    if (json_object_object_get_ex(answer->last, "report", &report)) *out_report = json_object_get(report);
    return ROWLOCK_OK;
  }
  rlk_fail(err, code, "%s", message ? message : "the process gave no reason");
  *out_rule = rule ? rlk_rule_find(rule) : RLK_RULE_NONE;
  if (err && *out_rule != RLK_RULE_NONE) err->rule_id = rlk_rule_info(*out_rule)->id;
  return code;
}

/* --- Both sides --------------------------------------------------------------------------------------------------- */

rowlock_code_t rlk_isolate(const rlk_request_t* request, const rlk_isolation_t* isolation, json_object** out_report,
                           rlk_rule_t* out_rule, rowlock_error_t* err) {
  *out_report = NULL;
  *out_rule = RLK_RULE_NONE;
  rlk_isolation_t bounds = *isolation;
  if (bounds.time_ms == 0) bounds.time_ms = RLK_LAUNCH_TIME_MS;
  if (bounds.memory_mib == 0) bounds.memory_mib = RLK_LAUNCH_MEMORY_MIB;
  const rlk_child_limits_t limits = {
      .time_ms = bounds.time_ms, .memory_bytes = (uint64_t)bounds.memory_mib << 20, .answer_bytes = ANSWER_BYTES_MAX};
  char* input = NULL;
  size_t length = 0;
  rowlock_code_t code = rlk_request_write(request, &input, &length, err);
  if (code) return code;
  const char* const arguments[] = {bounds.program, RLK_PERFORM_COMMAND, NULL};
  rlk_child_result_t result;
  code = rlk_child_run(arguments, input, length, &limits, &result, err);
  free(input);
  if (code) return code;
  answer_t answer;
  read_answer(&result, &answer);
  const bool whole = result.end == RLK_CHILD_EXITED && result.status == 0 && answer.last && !result.answer_is_cut;
  code = whole ? take(&answer, out_report, out_rule, err) : refuse_end(&result, &bounds, &answer, out_rule, err);
  json_object_put(answer.last);
  rlk_child_result_deinit(&result);
  return code;
}

static void tell(void* context, const char* stage) {
  json_object* object = json_object_new_object();
  if (rlk_json_member_text(object, "stage", stage)) {
    rlk_json_write(context, object);
    fputc('\n', context);
    fflush(context);
  }
  json_object_put(object);
}

int rlk_answer(FILE* request, FILE* answer) {
  json_object* report = NULL;
  rowlock_error_t err = {.message = ""};
  const rowlock_code_t code = rlk_request_perform(request, tell, answer, &report, &err);
  json_object* last = json_object_new_object();
  bool complete = rlk_json_member_text(last, "code", rowlock_code_name(code));
  if (code) complete = complete && rlk_json_member_text(last, "message", err.message);
  if (err.rule_id) complete = complete && rlk_json_member_text(last, "rule", err.rule_id);
  if (report) complete = rlk_json_member(last, "report", report) && complete;
  if (complete) {
    rlk_json_write(answer, last);
    fputc('\n', answer);
  }
  json_object_put(last);
  complete = fflush(answer) == 0 && complete;
  return rowlock_code_exit_status(complete ? ROWLOCK_OK : ROWLOCK_INTERNAL);
}
