#define _GNU_SOURCE /* open_memstream */
#include "harness/report/made.h"

#include <criterion/criterion.h>
#include <string.h>

static const rlk_outcome_t accept = {.rule = RLK_RULE_NONE};
static const rlk_outcome_t reject = {
    .reject = true, .substring = "unknown role", .rule = RLK_RULE_SIDECAR_ROLE_UNKNOWN};

rlk_record_t rlk_passed(void) {
  return (rlk_record_t){.number = 1,
                        .stem = "row1_a",
                        .path = "corpus/sidecar/row1_a.expect.json",
                        .level = "sidecar",
                        .loader = "shared_validator",
                        .implementation = "rowlock-c",
                        .result = RLK_RESULT_PASS,
                        .expected = &accept,
                        .got = RLK_GOT_ACCEPT,
                        .rule = RLK_RULE_NONE,
                        .duration_us = 1500};
}

rlk_record_t rlk_failed(void) {
  rlk_record_t record = rlk_passed();
  record.number = 2;
  record.stem = "row2_b";
  record.path = "corpus/manifest/row2_b.expect.json";
  record.level = "manifest";
  record.result = RLK_RESULT_FAIL;
  record.expected = &reject;
  record.got = RLK_GOT_REJECT;
  record.message = "unknown key 'x'";
  record.rule = RLK_RULE_JSON_EMPTY;
  record.reason = "the message does not contain it";
  record.duration_us = 2000000;
  return record;
}

rlk_record_t rlk_skipped(void) {
  rlk_record_t record = rlk_passed();
  record.number = 3;
  record.stem = "row3_c";
  record.path = "row3_c.expect.json";
  record.loader = "of_another";
  record.result = RLK_RESULT_SKIP;
  record.got = RLK_GOT_NOTHING;
  record.reason = "nobody offers it";
  record.duration_us = 0;
  return record;
}

rlk_record_t rlk_broken(void) {
  rlk_record_t record = rlk_passed();
  record.number = 4;
  record.stem = "row4_d";
  record.path = "it's here/row4_d.expect.json";
  record.result = RLK_RESULT_ERROR;
  record.got = RLK_GOT_NOTHING;
  record.reason = "cannot read it";
  return record;
}

rlk_record_t rlk_divergent(void) {
  return (rlk_record_t){.number = 5,
                        .stem = "row5_e",
                        .path = "corpus",
                        .loader = "rows.lock",
                        .implementation = "rowlock-c",
                        .result = RLK_RESULT_FAIL,
                        .reason = "it is not there",
                        .rule = RLK_RULE_NONE};
}

char* rlk_report_of(const char* name, const rlk_record_t* records, size_t count) {
  const rlk_report_format_t* format = rlk_report_format_find(name, strlen(name));
  cr_assert_not_null(format);
  char* text = NULL;
  size_t length = 0;
  FILE* out = open_memstream(&text, &length);
  cr_assert_not_null(out);
  rowlock_error_t err;
  rlk_report_t* made = NULL;
  cr_assert_eq(rlk_report_open_stream(format, out, &made, &err), ROWLOCK_OK, "%s", err.message);
  rlk_totals_t totals = {.rows = count};
  for (size_t i = 0; i < count; ++i) {
    rlk_totals_add(&totals, &records[i]);
    rlk_report_record(made, &records[i]);
  }
  cr_assert_eq(rlk_report_close(made, &totals, &err), ROWLOCK_OK, "%s", err.message);
  cr_assert_eq(fclose(out), 0);
  cr_assert_eq(strlen(text), length, "%s prints a NUL", name);
  return text;
}

char* rlk_report_of_all(const char* name) {
  const rlk_record_t records[] = {rlk_passed(), rlk_failed(), rlk_skipped(), rlk_broken(), rlk_divergent()};
  return rlk_report_of(name, records, sizeof records / sizeof *records);
}

void rlk_expect_contains(const char* text, const char* part) {
  cr_expect_not_null(strstr(text, part), "\"%s\" is not in:\n%s", part, text);
}

size_t rlk_count_of(const char* text, const char* part) {
  size_t count = 0;
  for (const char* at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) ++count;
  return count;
}
