#define _GNU_SOURCE /* sigabbrev_np, sigdescr_np, fdopen */
#include "harness/launch/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "harness/json/json.h"
#include "harness/launch/processes.h"
#include "harness/launch/request.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

#define PEAK "peak_bytes" /* of the last word: the most memory that the process held */

enum { ANSWER_BYTES_MAX = 16 * 1024 * 1024, OUTPUT_SHOWN = 200 };

/* --- The secret --------------------------------------------------------------------------------------------------- */

/* In hexadecimal, and a character that ends it. */
enum { SECRET_BYTES = 32, SECRET_LENGTH = 2 * SECRET_BYTES, SECRET_SIZE = SECRET_LENGTH + 1 };

static bool make_secret(char out[SECRET_SIZE]) {
  unsigned char bytes[SECRET_BYTES];
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return false;
  for (size_t i = 0; i < sizeof bytes; ++i) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

/* Not through a stream, which would keep it. */
static bool read_secret(int fd, char out[SECRET_SIZE]) {
  for (size_t done = 0; done < SECRET_SIZE;) {
    const ssize_t length = read(fd, out + done, SECRET_SIZE - done);
    if (length == 0 || (length < 0 && errno != EINTR)) return false;
    if (length > 0) done += (size_t)length;
  }
  const bool ends = out[SECRET_LENGTH] == '\n';
  out[SECRET_LENGTH] = '\0';
  return ends;
}

/* --- The answer --------------------------------------------------------------------------------------------------- */

/* What a process wrote: the last stage that it told of, and its final word if it came to that. */
typedef struct answer_t {
  char stage[128];
  bool of_another; /* the stage is of the run that this one is compared with */
  json_object* last;
  rowlock_code_t code; /* of the last */
  rlk_rule_t rule;
} answer_t;

static bool find_code(const char* name, rowlock_code_t* out) {
  static const char* const names[] = {
#define ROWLOCK_CODE(name, exit_status, meaning) #name,
      ROWLOCK_CODES(ROWLOCK_CODE)
#undef ROWLOCK_CODE
  };
  for (size_t i = 0; name && i < sizeof names / sizeof *names; ++i) {
    *out = (rowlock_code_t)i;
    if (strcmp(names[i], name) == 0) return true;
  }
  return false;
}

static const char* text_of(json_object* object, const char* key) {
  json_object* value;
  return json_object_object_get_ex(object, key, &value) && json_object_is_type(value, json_type_string)
             ? json_object_get_string(value)
             : NULL;
}

/* A last word says all that is made of it: a code that there is, and with it a report, or words. */
static bool is_last(json_object* object, answer_t* out) {
  json_object* report;
  const char* rule = text_of(object, "rule");
  out->rule = rule ? rlk_rule_find(rule) : RLK_RULE_NONE;
  if (!find_code(text_of(object, "code"), &out->code)) return false;
  if (out->code) return text_of(object, "message") && (!rule || out->rule != RLK_RULE_NONE);
  return json_object_object_get_ex(object, "report", &report) && json_object_is_type(report, json_type_object);
}

/* A line that is not whole is what a process that died was writing: it says nothing. */
static void read_line(answer_t* answer, const char* line, size_t length) {
  struct json_tokener* tokener = json_tokener_new();
  json_object* object = tokener ? json_tokener_parse_ex(tokener, line, (int)length) : NULL;
  if (tokener) json_tokener_free(tokener);
  const char* stage = text_of(object, "stage");
  if (stage) {
    snprintf(answer->stage, sizeof answer->stage, "%s", stage);
    answer->of_another = json_object_object_get_ex(object, "of_another", NULL);
  }
  if (stage || !is_last(object, answer)) {
    json_object_put(object);
    return;
  }
  json_object_put(answer->last);
  answer->last = object;
}

/* Only what the secret stands before is looked into: the rest is a plugin's, and as much as it likes. */
static void read_answer(const rlk_child_result_t* result, const char* secret, answer_t* out) {
  *out = (answer_t){.stage = "before it began"};
  const char *line = result->answer, *behind = result->answer + result->answer_length;
  for (const char* end; (end = memchr(line, '\n', (size_t)(behind - line))); line = end + 1) {
    const size_t length = (size_t)(end - line);
    if (length <= SECRET_SIZE || memcmp(line, secret, SECRET_LENGTH) != 0) continue;
    read_line(out, line + SECRET_SIZE, length - SECRET_SIZE);
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

/* What became of the run that this one is compared with is no verdict on this one. */
static rowlock_code_t judge_end(const rlk_child_result_t* result, const rlk_isolation_t* isolation,
                                const answer_t* answer, rlk_rule_t* out_rule, rowlock_error_t* err) {
  rowlock_error_t problem;
  const rowlock_code_t code = refuse_end(result, isolation, answer, out_rule, answer->of_another ? &problem : err);
  if (!answer->of_another) return code;
  *out_rule = RLK_RULE_NONE;
  return rlk_fail(err, ROWLOCK_UNUSABLE, RLK_COMPARED_WITH "%s", problem.message);
}

/* Takes the process's last word for what it is. */
static rowlock_code_t take(const answer_t* answer, json_object** out_report, rlk_rule_t* out_rule,
                           rowlock_error_t* err) {
  json_object* report;
  const bool has_report = json_object_object_get_ex(answer->last, "report", &report);
  if (has_report && json_object_is_type(report, json_type_object)) *out_report = json_object_get(report);
  if (answer->code == ROWLOCK_OK) return ROWLOCK_OK;
  rlk_fail(err, answer->code, "%s", text_of(answer->last, "message"));
  *out_rule = answer->rule;
  if (err && *out_rule != RLK_RULE_NONE) err->rule_id = rlk_rule_info(*out_rule)->id;
  return answer->code;
}

/* Whether the process held more than it may, for a moment in which nobody looked. */
static bool held_more(const answer_t* answer, uint64_t limit) {
  json_object* peak;
  return json_object_object_get_ex(answer->last, PEAK, &peak) && (uint64_t)json_object_get_int64(peak) > limit;
}

/* --- The side that asks ------------------------------------------------------------------------------------------- */

/* The secret on a line of its own, and the request. The caller frees it. */
static rowlock_code_t write_input(const rlk_request_t* request, const char* secret, char** out_input,
                                  size_t* out_length, rowlock_error_t* err) {
  char* text;
  size_t length;
  const rowlock_code_t code = rlk_request_write(request, &text, &length, err);
  if (code) return code;
  char* input = malloc(SECRET_SIZE + length);
  if (input) {
    memcpy(input, secret, SECRET_LENGTH);
    input[SECRET_LENGTH] = '\n';
    memcpy(input + SECRET_SIZE, text, length);
  }
  free(text);
  *out_input = input;
  *out_length = SECRET_SIZE + length;
  return input ? ROWLOCK_OK : rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a request");
}

static rlk_isolation_t bounds_of(const rlk_isolation_t* isolation) {
  rlk_isolation_t bounds = *isolation;
  if (bounds.time_ms == 0) bounds.time_ms = RLK_LAUNCH_TIME_MS;
  if (bounds.memory_mib == 0) bounds.memory_mib = RLK_LAUNCH_MEMORY_MIB;
  return bounds;
}

rowlock_code_t rlk_isolate(const rlk_request_t* request, const rlk_isolation_t* isolation, json_object** out_report,
                           rlk_rule_t* out_rule, rowlock_error_t* err) {
  *out_report = NULL;
  *out_rule = RLK_RULE_NONE;
  const rlk_isolation_t bounds = bounds_of(isolation);
  const rlk_child_limits_t limits = {
      .time_ms = bounds.time_ms, .memory_bytes = (uint64_t)bounds.memory_mib << 20, .answer_bytes = ANSWER_BYTES_MAX};
  char secret[SECRET_SIZE], *input;
  size_t length;
  if (!make_secret(secret)) return rlk_fail(err, ROWLOCK_INTERNAL, "no random bytes: %s", strerror(errno));
  rowlock_code_t code = write_input(request, secret, &input, &length, err);
  if (code) return code;
  const char* const arguments[] = {bounds.program, RLK_PERFORM_COMMAND, bounds.out_file ? RLK_PERFORM_WITH_FILE : NULL,
                                   NULL};
  rlk_child_result_t result;
  code = rlk_child_run(arguments, input, length, bounds.out_file ? *bounds.out_file : -1, &limits, &result, err);
  free(input);
  if (code) return code;
  answer_t answer;
  read_answer(&result, secret, &answer);
  const bool whole = result.end == RLK_CHILD_EXITED && result.status == 0 && answer.last && !result.answer_is_cut;
  if (whole) code = take(&answer, out_report, out_rule, err);
  const bool held = whole && !code && held_more(&answer, limits.memory_bytes);
  if (held) {
    result.end = RLK_CHILD_OUT_OF_MEMORY;
    json_object_put(*out_report);
    *out_report = NULL;
  }
  if (!whole || held) code = judge_end(&result, &bounds, &answer, out_rule, err);
  json_object_put(answer.last);
  rlk_child_result_deinit(&result);
  return code;
}

/* --- The side that answers ---------------------------------------------------------------------------------------- */

typedef struct answering_t {
  char secret[SECRET_SIZE];
  FILE* out;
  pid_t pid; /* a plugin may divide the process: one of the two answers */
} answering_t;

/* The descriptor under another number, which is not the next one that is free. What a plugin starts does not have it.
 */
static int hide(int fd) {
  enum { FIRST = 256, CHOICE = 512 };
  uint16_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return -1;
  int hidden = fcntl(fd, F_DUPFD_CLOEXEC, FIRST + number % CHOICE);
  if (hidden < 0) hidden = fcntl(fd, F_DUPFD_CLOEXEC, fd + 1); /* fewer are allowed here */
  if (hidden >= 0) close(fd);
  return hidden;
}

static bool write_line(const answering_t* answering, json_object* object) {
  fprintf(answering->out, "%s ", answering->secret);
  rlk_json_write(answering->out, object);
  fputc('\n', answering->out);
  return fflush(answering->out) == 0;
}

static void tell(void* context, const char* stage, bool of_another) {
  const answering_t* answering = context;
  if (getpid() != answering->pid) _exit(EXIT_FAILURE);
  json_object* object = json_object_new_object();
  bool complete = rlk_json_member_text(object, "stage", stage);
  if (of_another) complete = complete && rlk_json_member(object, "of_another", json_object_new_boolean(true));
  if (complete) write_line(answering, object);
  json_object_put(object);
}

static bool answer_with(const answering_t* answering, rowlock_code_t code, const rowlock_error_t* err,
                        json_object* report) {
  json_object* last = json_object_new_object();
  bool complete = rlk_json_member_text(last, "code", rowlock_code_name(code));
  if (code) complete = complete && rlk_json_member_text(last, "message", err->message);
  if (err->rule_id) complete = complete && rlk_json_member_text(last, "rule", err->rule_id);
  if (report) complete = rlk_json_member(last, "report", report) && complete;
  complete = complete && rlk_json_member_number(last, PEAK, rlk_process_peak());
  complete = complete && write_line(answering, last);
  json_object_put(last);
  return complete;
}

int rlk_answer(int request, int answer, int out_file) {
  answering_t answering = {.pid = getpid()};
  const int hidden = read_secret(request, answering.secret) ? hide(answer) : -1;
  const int hidden_file = out_file < 0 ? -1 : hide(out_file);
  FILE* in = fdopen(request, "r");
  answering.out = hidden < 0 ? NULL : fdopen(hidden, "w");
  if (!in || !answering.out || (out_file >= 0 && hidden_file < 0)) {
    return rowlock_code_exit_status(ROWLOCK_UNUSABLE);
  }
  json_object* report = NULL;
  rowlock_error_t err = {.message = ""};
  const rowlock_code_t code = rlk_request_perform(in, hidden_file, tell, &answering, &report, &err);
  if (getpid() != answering.pid) _exit(EXIT_FAILURE);
  const bool complete = answer_with(&answering, code, &err, report);
  return rowlock_code_exit_status(fclose(answering.out) == 0 && complete ? ROWLOCK_OK : ROWLOCK_INTERNAL);
}
