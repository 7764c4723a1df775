#define _GNU_SOURCE /* open_memstream */
#include "harness/cli/launch_text.h"

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

static bool is_json(const char* text, bool* out_no_memory) {
  const rlk_read_options_t options = {
      .path = "", .limits = rlk_limits_effective(NULL), .door = -1, .switched_off = RLK_RULE_NONE};
  rlk_arena_t arena = {0};
  rlk_document_t document;
  rowlock_findings_t* findings = rowlock_findings_create();
  const rowlock_code_t code =
      findings ? rlk_read(text, strlen(text), &options, &arena, findings, &document) : ROWLOCK_NO_MEMORY;
  *out_no_memory |= code == ROWLOCK_NO_MEMORY;
  rowlock_findings_destroy(findings);
  rlk_arena_deinit(&arena);
  return code == ROWLOCK_OK;
}

/* NAME=VALUE: VALUE as JSON if it is that, else as a string. What looks like an object and is none is no path. */
static int put_pair(writing_t* writing, const char* option, const char* pair, bool first) {
  const char* equals = strchr(pair, '=');
  if (!equals || equals == pair || !equals[1]) {
    return rlk_complain(writing->command, ROWLOCK_UNUSABLE, "--%s takes NAME=VALUE, not '%s'", option, pair);
  }
  bool no_memory = false;
  const bool json = is_json(equals + 1, &no_memory);
  writing->complete &= !no_memory;
  if (!json && equals[1] == '{') {
    return rlk_complain(writing->command, ROWLOCK_UNUSABLE, "--%s %.*s: what follows the '=' is not JSON", option,
                        (int)(equals - pair), pair);
  }
  if (!first) fputc(',', writing->out);
  put_string(writing, pair, (size_t)(equals - pair));
  fputc(':', writing->out);
  if (json) {
    fputs(equals + 1, writing->out);
  } else {
    put_string(writing, equals + 1, strlen(equals + 1));
  }
  return 0;
}

static int put_pairs(writing_t* writing, const char* key, const char* option, const rlk_option_list_t* pairs) {
  if (pairs->count == 0) return 0;
  begin_member(writing, key);
  fputc('{', writing->out);
  int status = 0;
  for (size_t i = 0; i < pairs->count && !status; ++i) status = put_pair(writing, option, pairs->values[i], i == 0);
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

static int put_partitions(writing_t* writing, const rlk_option_list_t* partitions) {
  if (partitions->count == 0) return 0;
  begin_member(writing, "partitionings");
  for (size_t i = 0; i < partitions->count; ++i) {
    int64_t base, count;
    int end = 0;
    const char* text = partitions->values[i];
    const bool read = sscanf(text, "%" SCNd64 ":%" SCNd64 "%n", &base, &count, &end) == 2;
    if (!read || text[end] || strlen(text) > 40) {
      return rlk_complain(writing->command, ROWLOCK_UNUSABLE, "--partition takes BASE:COUNT, not '%s'", text);
    }
    fprintf(writing->out, "%s[%" PRId64 ",%" PRId64 "]", i == 0 ? "[[" : ",", base, count);
  }
  fputs("]]", writing->out);
  return 0;
}

static int put_launch(writing_t* writing, const rlk_launch_wishes_t* wishes) {
  static const rlk_option_list_t team = {.values = {"host_team"}, .count = 1};
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
  put_strings(writing, "structures", wishes->structures.count > 0 ? &wishes->structures : &team);
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
