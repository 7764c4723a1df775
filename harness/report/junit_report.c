/* JUnit XML, as Bazel and CI servers read it. The counts stand in the first tag, so the cases are held back until the
 * end. */
#define _GNU_SOURCE /* open_memstream */
#include <stdlib.h>
#include <string.h>

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

/* Text as XML 1.0 can carry it: what it cannot, control characters and bad UTF-8, is shown as an escape. */
static void print_escaped(FILE* out, const char* text, size_t length) {
  for (size_t at = 0; at < length;) {
    const size_t character = rlk_utf8_length(text + at, length - at);
    const unsigned char byte = (unsigned char)text[at];
    const bool noncharacter =
        character == 3 && memcmp(text + at, "\xEF\xBF", 2) == 0 && (unsigned char)text[at + 2] > 0xBD;
    if (byte == '<') {
      fputs("&lt;", out);
    } else if (byte == '>') {
      fputs("&gt;", out);
    } else if (byte == '&') {
      fputs("&amp;", out);
    } else if (byte == '"') {
      fputs("&quot;", out);
    } else if (character == 0 || byte < 0x20 || byte == 0x7F || noncharacter) {
      fprintf(out, "\\x%02X", byte);
    } else {
      fwrite(text + at, 1, character, out);
    }
    at += character && !noncharacter ? character : 1;
  }
}

static void print_attribute(FILE* out, const char* name, const char* text, size_t length) {
  fprintf(out, " %s=\"", name);
  print_escaped(out, text, length);
  fputc('"', out);
}

static void print_body(FILE* out, const rlk_record_t* record) {
  char* text = NULL;
  size_t length = 0;
  FILE* body = open_memstream(&text, &length);
  if (!body) return;
  if (record->expected) {
    fputs("expected ", body);
    rlk_report_print_expected(body, record);
    fputs(" | got ", body);
    rlk_report_print_got(body, record);
    fputs(" | ", body);
  }
  rlk_report_print_reproduction(body, record);
  if (fclose(body) == 0) print_escaped(out, text, length);
  free(text);
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
  static const char* const tags[] = {"", "failure", "skipped", "error"};
  const char* tag = tags[record->result];
  report->failures += record->result == RLK_RESULT_FAIL;
  report->errors += record->result == RLK_RESULT_ERROR;
  fprintf(cases, ">\n    <%s", tag);
  print_attribute(cases, "message", record->reason, strlen(record->reason));
  fputc('>', cases);
  if (record->result != RLK_RESULT_SKIP) print_body(cases, record);
  fprintf(cases, "</%s>\n  </testcase>\n", tag);
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
