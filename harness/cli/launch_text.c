#define _GNU_SOURCE /* open_memstream */
#include "harness/cli/launch_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/json/json.h"
#include "validator/rules/text.h"
#include "validator/wire/reader.h"

typedef struct writing_t {
  const rlk_command_t* command;
  FILE* out;
  bool any; /* a member has been written */
  bool complete;
} writing_t;

static void put_string(writing_t* writing, const char* text, size_t length) {
  json_object* string = json_object_new_string_len(text, (int)length);
  if (string) {
    rlk_json_write(writing->out, string);
  } else {
    writing->complete = false;
  }
  json_object_put(string);
}

static void begin_member(writing_t* writing, const char* key) {
  fprintf(writing->out, "%s\"%s\":", writing->any ? "," : "", key);
  writing->any = true;
}

/* Whether the text is JSON; if not, why, in `out_reason`. */
static bool is_json(const char* text, bool* out_no_memory, rowlock_error_t* out_reason) {
  const rlk_read_options_t options = {
      .path = "", .limits = rlk_limits_effective(NULL), .door = -1, .switched_off = RLK_RULE_NONE};
  rlk_arena_t arena = {0};
  rlk_document_t document;
  rowlock_findings_t* findings = rowlock_findings_create();
  const rowlock_code_t code =
      findings ? rlk_read(text, strlen(text), &options, &arena, findings, &document) : ROWLOCK_NO_MEMORY;
  *out_no_memory |= code == ROWLOCK_NO_MEMORY;
  if (code == ROWLOCK_REJECTED) rlk_fail(out_reason, code, "%s", rowlock_findings_at(findings, 0)->message);
  rowlock_findings_destroy(findings);
  rlk_arena_deinit(&arena);
  return code == ROWLOCK_OK;
}

/* What C writes as a number and JSON does not: nan, -inf, 0x1.8p+1. */
static bool is_number(const char* text) {
  char* end;
  strtod(text, &end);
  return end != text && !*end && !isspace((unsigned char)text[0]);
}

static size_t name_length(const char* pair) { return strcspn(pair, "="); }

static bool same_name(const char* pair, const char* other) {
  return name_length(pair) == name_length(other) && strncmp(pair, other, name_length(pair)) == 0;
}

/* NAME=VALUE: VALUE as JSON if it is that, as a number if C reads one, else as a string. What looks like an object or a
 * list and is none is no path. */
static int put_pair(writing_t* writing, const char* option, const rlk_option_list_t* pairs, size_t index) {
  const char* pair = pairs->values[index];
  const size_t length = name_length(pair);
  if (length == 0 || !pair[length] || !pair[length + 1]) {
    return rlk_complain(writing->command, ROWLOCK_UNUSABLE, "--%s takes NAME=VALUE, not '%s'", option, pair);
  }
  for (size_t i = 0; i < index; ++i) {
    if (!same_name(pair, pairs->values[i])) continue;
    return rlk_complain(writing->command, ROWLOCK_UNUSABLE, "--%s gives '%.*s' twice", option, (int)length, pair);
  }
  const char* value = pair + length + 1;
  bool no_memory = false;
  rowlock_error_t reason = {.message = ""};
  const bool json = is_json(value, &no_memory, &reason);
  writing->complete &= !no_memory;
  if (!json && strchr("{[\"", value[0])) {
    return rlk_complain(writing->command, ROWLOCK_UNUSABLE, "--%s %.*s: the value is not usable JSON: %s", option,
                        (int)length, pair, reason.message);
  }
  if (index > 0) fputc(',', writing->out);
  put_string(writing, pair, length);
  fputc(':', writing->out);
  const bool constant = !json && strcmp(option, "uniform") != 0 && is_number(value);
  if (constant) fputs("{\"constant\":", writing->out);
  if (json) {
    fputs(value, writing->out);
  } else {
    put_string(writing, value, strlen(value));
  }
  if (constant) fputc('}', writing->out);
  return 0;
}

static int put_pairs(writing_t* writing, const char* key, const char* option, const rlk_option_list_t* pairs) {
  if (pairs->count == 0) return 0;
  begin_member(writing, key);
  fputc('{', writing->out);
  int status = 0;
  for (size_t i = 0; i < pairs->count && !status; ++i) status = put_pair(writing, option, pairs, i);
  fputc('}', writing->out);
  return status;
}

static void put_strings(writing_t* writing, const char* key, const rlk_option_list_t* strings) {
  if (strings->count == 0) return;
  begin_member(writing, key);
  for (size_t i = 0; i < strings->count; ++i) {
    fputc(i == 0 ? '[' : ',', writing->out);
    put_string(writing, strings->values[i], strlen(strings->values[i]));
  }
  fputc(']', writing->out);
}

static int put_structures(writing_t* writing, const rlk_option_list_t* structures) {
  static const rlk_option_list_t team = {.values = {"host_team"}, .count = 1};
  for (size_t i = 0; i < structures->count; ++i) {
    const char* name = structures->values[i];
    if (rowlock_structure_find(name) == ROWLOCK_STRUCTURE_COUNT) {
      char known[256];
      rlk_text_t text = rlk_text_over(known, sizeof known);
      for (int j = 0; j < ROWLOCK_STRUCTURE_COUNT; ++j) {
        rlk_text_printf(&text, "%s%s", j > 0 ? ", " : "", rowlock_structure_name((rowlock_structure_t)j));
      }
      return rlk_complain(writing->command, ROWLOCK_UNUSABLE, "--structure takes one of %s, not '%s'", known, name);
    }
    for (size_t j = 0; j < i; ++j) {
      if (strcmp(name, structures->values[j]) != 0) continue;
      return rlk_complain(writing->command, ROWLOCK_UNUSABLE, "--structure gives '%s' twice", name);
    }
  }
  put_strings(writing, "structures", structures->count > 0 ? structures : &team);
  return 0;
}

/* A decimal integer of 64 bits at `*at`, which is moved behind it. */
static bool read_integer(const char** at, int64_t* out) {
  const char* digits = **at == '-' ? *at + 1 : *at;
  if (!isdigit((unsigned char)digits[0])) return false;
  char* end;
  errno = 0;
  *out = strtoll(*at, &end, 10);
  *at = end;
  return errno == 0;
}

static bool read_partition(const char* text, int64_t* out_base, int64_t* out_count) {
  return read_integer(&text, out_base) && *text++ == ':' && read_integer(&text, out_count) && !*text;
}

static int put_partitions(writing_t* writing, const rlk_option_list_t* partitions) {
  if (partitions->count == 0) return 0;
  begin_member(writing, "partitionings");
  for (size_t i = 0; i < partitions->count; ++i) {
    int64_t base, count;
    if (!read_partition(partitions->values[i], &base, &count)) {
      return rlk_complain(writing->command, ROWLOCK_UNUSABLE, "--partition takes BASE:COUNT, not '%s'",
                          partitions->values[i]);
    }
    fprintf(writing->out, "%s[%" PRId64 ",%" PRId64 "]", i == 0 ? "[[" : ",", base, count);
  }
  fputs("]]", writing->out);
  return 0;
}

static int put_launch(writing_t* writing, const rlk_launch_wishes_t* wishes) {
  fputc('{', writing->out);
  if (wishes->samples != RLK_LAUNCH_NO_SAMPLES) {
    begin_member(writing, "n");
    fprintf(writing->out, "%" PRIu64, wishes->samples);
  }
  if (wishes->tile > 0) {
    begin_member(writing, "tile_samples");
    fprintf(writing->out, "%" PRIu64, wishes->tile);
  }
  int status = put_pairs(writing, "inputs", "in", &wishes->inputs);
  if (!status) status = put_pairs(writing, "uniforms", "uniform", &wishes->uniforms);
  if (!status) status = put_pairs(writing, "tables", "table", &wishes->tables);
  if (!status) status = put_partitions(writing, &wishes->partitions);
  put_strings(writing, "merge", &wishes->merge);
  put_strings(writing, "enable", &wishes->enable);
  put_strings(writing, "disable", &wishes->disable);
  if (!status) status = put_structures(writing, &wishes->structures);
  fputc('}', writing->out);
  return status;
}

int rlk_launch_text(const rlk_command_t* command, const rlk_launch_wishes_t* wishes, char** out_text,
                    size_t* out_length) {
  *out_text = NULL;
  writing_t writing = {.command = command, .out = open_memstream(out_text, out_length), .complete = true};
  if (!writing.out) return rlk_complain(command, ROWLOCK_NO_MEMORY, "no memory");
  int status = put_launch(&writing, wishes);
  const bool written = fclose(writing.out) == 0 && writing.complete;
  if (!status && !written) status = rlk_complain(command, ROWLOCK_NO_MEMORY, "no memory");
  if (!status) return 0;
  free(*out_text);
  *out_text = NULL;
  return status;
}
