/* TAP version 14: https://testanything.org. The plan stands at the end, since records come as they are made. */
#define _GNU_SOURCE /* open_memstream */
#include <stdlib.h>
#include <string.h>

#include "harness/check/shown.h"
#include "harness/json/json.h"
#include "harness/report/report.h"
#include "validator/rules/text.h"

static void* tap_open(FILE* out) {
  uint64_t* count = calloc(1, sizeof *count);
  if (count) fputs("TAP version 14\n", out);
  return count;
}

/* A diagnostic's value on one line: a YAML string in double quotes, which takes JSON's escapes. */
static void print_value(FILE* out, const char* key, const char* text) {
  fprintf(out, "  %s: ", key);
  rlk_json_write_text(out, text);
  fputc('\n', out);
}

static void print_reproduction(FILE* out, const rlk_record_t* record) {
  char* command = NULL;
  size_t length = 0;
  FILE* memory = open_memstream(&command, &length);
  if (!memory) return;
  rlk_report_print_reproduction(memory, record);
  if (fclose(memory) == 0) print_value(out, "reproduce", command);
  free(command);
}

/* A description on its line, where '#' would begin a directive. */
static void print_description(FILE* out, const char* text) {
  char shown[RLK_SHOWN_SIZE];
  rlk_text_t escaped = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&escaped, text, strlen(text), RLK_SHOWN_MAX);
  for (const char* at = shown; *at; ++at) {
    if (*at == '#' || *at == '\\') fputc('\\', out);
    fputc(*at, out);
  }
}

static void tap_record(void* data, FILE* out, const rlk_record_t* record) {
  uint64_t* count = data;
  ++*count;
  const bool ok = record->result == RLK_RESULT_PASS || record->result == RLK_RESULT_SKIP;
  fprintf(out, "%s %llu - %s ", ok ? "ok" : "not ok", (unsigned long long)*count, record->stem);
  print_description(out, record->loader);
  fprintf(out, " %s", record->implementation);
  if (record->result == RLK_RESULT_SKIP) {
    fputs(" # SKIP ", out);
    print_description(out, record->reason);
  }
  fputc('\n', out);
  if (ok) return;
  fputs("  ---\n", out);
  print_value(out, "result", rlk_result_name(record->result));
  print_value(out, "reason", record->reason);
  if (record->message) print_value(out, "message", record->message);
  if (record->got == RLK_GOT_REJECT && record->rule != RLK_RULE_NONE) {
    print_value(out, "rule", rlk_rule_info(record->rule)->id);
  }
  if (record->log) print_value(out, "log", record->log);
  print_value(out, "path", record->path);
  print_reproduction(out, record);
  fputs("  ...\n", out);
}

static bool tap_close(void* data, FILE* out, const rlk_totals_t* totals) {
  const uint64_t* count = data;
  fprintf(out, "1..%llu\n", (unsigned long long)*count);
  fprintf(out, "# %llu passed, %llu failed, %llu skipped\n", (unsigned long long)totals->passed,
          (unsigned long long)totals->failed, (unsigned long long)totals->skipped);
  free(data);
  return true;
}

const rlk_report_format_t rlk_report_format_tap = {"tap", tap_open, tap_record, tap_close, free};
