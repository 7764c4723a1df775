/* JUnit XML, as Bazel and CI servers read it. The counts stand in the first tag, so the cases are held back until the
 * end. */
#define _GNU_SOURCE /* open_memstream */
#include <stdlib.h>
#include <string.h>

#include "harness/check/shown.h"
#include "harness/report/report.h"
#include "validator/rules/text.h"

typedef struct junit_report_t {
  FILE* cases;
  char* text;
  size_t length;
  uint64_t failures, errors;
  uint64_t duration_us;
} junit_report_t;

static void* junit_open(FILE* out) {
  (void)out;
  junit_report_t* report = calloc(1, sizeof *report);
  if (report) report->cases = open_memstream(&report->text, &report->length);
  if (report && report->cases) return report;
  free(report);
  return NULL;
}

/* Text as XML 1.0 can carry it: what it cannot, control characters, noncharacters and bad UTF-8, is shown as an escape.
 */
static void print_escaped(FILE* out, const char* text, size_t length) {
  char shown[RLK_SHOWN_SIZE];
  rlk_text_t escaped = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&escaped, text, length, RLK_SHOWN_MAX);
  for (const char* at = shown; *at; ++at) {
    const bool noncharacter = strncmp(at, "\xEF\xBF", 2) == 0 && (unsigned char)at[2] > 0xBD;
    if (*at == '<') {
      fputs("&lt;", out);
    } else if (*at == '>') {
      fputs("&gt;", out);
    } else if (*at == '&') {
      fputs("&amp;", out);
    } else if (*at == '"') {
      fputs("&quot;", out);
    } else if (noncharacter) {
      fprintf(out, "\\u%04X", rlk_utf8_decode(at, 3));
      at += 2;
    } else {
      fputc(*at, out);
    }
  }
}

static void print_attribute(FILE* out, const char* name, const char* text, size_t length) {
  fprintf(out, " %s=\"", name);
  print_escaped(out, text, length);
  fputc('"', out);
}

/* What `print` makes of the record. */
static void print_part(FILE* out, const rlk_record_t* record, void (*print)(FILE*, const rlk_record_t*)) {
  char* text = NULL;
  size_t length = 0;
  FILE* part = open_memstream(&text, &length);
  if (!part) return;
  print(part, record);
  if (fclose(part) == 0) print_escaped(out, text, length);
  free(text);
}

/* As the text report has it: the last line is the command that repeats the failure. */
static void print_body(FILE* out, const rlk_record_t* record) {
  if (record->expected) {
    fputs("expected ", out);
    print_part(out, record, rlk_report_print_expected);
    fputs("\ngot ", out);
    print_part(out, record, rlk_report_print_got);
    fputc('\n', out);
  }
  print_part(out, record, rlk_report_print_reproduction);
}

/* Whatever its length, in pieces that split no character. */
static void print_whole(FILE* out, const char* text, size_t length) {
  while (length > 0) {
    size_t piece = length;
    if (piece > RLK_SHOWN_MAX) {
      piece = RLK_SHOWN_MAX;
      for (int i = 0; i < 3 && ((unsigned char)text[piece] & 0xC0) == 0x80; ++i) --piece;
    }
    print_escaped(out, text, piece);
    text += piece;
    length -= piece;
  }
}

/* What a driver's compiler said, behind the failure: that ends in the command. */
static void print_log(FILE* out, const char* log) {
  size_t length;
  fputs("    <system-out>", out);
  for (const char* line; rlk_report_next_line(&log, &line, &length);) {
    print_whole(out, line, length);
    if (*log) fputc('\n', out);
  }
  fputs("</system-out>\n", out);
}

static void junit_record(void* data, FILE* out, const rlk_record_t* record) {
  (void)out;
  junit_report_t* report = data;
  FILE* cases = report->cases;
  const char* family;
  size_t family_length;
  rlk_report_family(record, &family, &family_length);
  report->duration_us += record->duration_us;
  fputs("  <testcase", cases);
  print_attribute(cases, "classname", family, family_length);
  fputs(" name=\"", cases);
  print_escaped(cases, record->stem, strlen(record->stem));
  fputc(' ', cases);
  print_escaped(cases, record->loader, strlen(record->loader));
  fprintf(cases, " (%s)\" time=\"%.6f\"", record->implementation, (double)record->duration_us / 1e6);
  if (record->result == RLK_RESULT_PASS) {
    fputs("/>\n", cases);
    return;
  }
  static const char* const tags[] = {
      [RLK_RESULT_FAIL] = "failure", [RLK_RESULT_SKIP] = "skipped", [RLK_RESULT_ERROR] = "error"};
  const char* tag = tags[record->result];
  report->failures += record->result == RLK_RESULT_FAIL;
  report->errors += record->result == RLK_RESULT_ERROR;
  fprintf(cases, ">\n    <%s", tag);
  print_attribute(cases, "message", record->reason, strlen(record->reason));
  fputc('>', cases);
  if (record->result != RLK_RESULT_SKIP) print_body(cases, record);
  fprintf(cases, "</%s>\n", tag);
  if (record->result != RLK_RESULT_SKIP && record->log) print_log(cases, record->log);
  fputs("  </testcase>\n", cases);
}

static bool junit_close(void* data, FILE* out, const rlk_totals_t* totals) {
  junit_report_t* report = data;
  const bool complete = fclose(report->cases) == 0;
  const uint64_t tests = totals->passed + totals->failed + totals->skipped;
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
  fprintf(out,
          "<testsuites>\n<testsuite name=\"rowlock\" tests=\"%llu\" failures=\"%llu\" errors=\"%llu\" "
          "skipped=\"%llu\" time=\"%.6f\">\n",
          (unsigned long long)tests, (unsigned long long)report->failures, (unsigned long long)report->errors,
          (unsigned long long)totals->skipped, (double)report->duration_us / 1e6);
  if (complete) fwrite(report->text, 1, report->length, out);
  fputs("</testsuite>\n</testsuites>\n", out);
  free(report->text);
  free(report);
  return complete;
}

static void junit_discard(void* data) {
  junit_report_t* report = data;
  fclose(report->cases);
  free(report->text);
  free(report);
}

const rlk_report_format_t rlk_report_format_junit = {"junit", junit_open, junit_record, junit_close, junit_discard};
