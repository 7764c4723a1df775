/* Each format, fed with records made by hand: what it prints, byte by byte where a reader would trip over it. */
#define _GNU_SOURCE /* open_memstream, mkstemp */
#include "harness/report/report.h"

#include <criterion/criterion.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/made.h"
#include "validator/rules/text.h"

/* --- Names and streams -------------------------------------------------------------------------------------------- */

Test(report, formats_are_found_by_their_whole_name) {
  cr_expect_eq(rlk_report_format_find("tap=file", 3), &rlk_report_format_tap);
  cr_expect_null(rlk_report_format_find("ta", 2));
  cr_expect_null(rlk_report_format_find("taps", 4));
  cr_expect_null(rlk_report_format_find("", 0));
}

Test(report, nothing_is_closed_without_complaint) {
  rowlock_error_t err;
  cr_expect_eq(rlk_report_close(NULL, &(rlk_totals_t){0}, &err), ROWLOCK_OK);
}

Test(report, a_report_that_does_not_reach_its_file_is_unusable) {
#define RLK_REPORT_FORMAT(name) &rlk_report_format_##name,
  const rlk_report_format_t* const formats[] = {RLK_REPORT_FORMATS(RLK_REPORT_FORMAT)};
#undef RLK_REPORT_FORMAT
  const rlk_record_t record = rlk_failed();
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
    rowlock_error_t err;
    rlk_report_t* made = NULL;
    cr_expect_eq(rlk_report_open_file(formats[i], "/no/such/folder", &made, &err), ROWLOCK_UNUSABLE);
    cr_expect_null(made);
    cr_assert_eq(rlk_report_open_file(formats[i], "/dev/full", &made, &err), ROWLOCK_OK);
    rlk_report_record(made, &record);
    cr_expect_eq(rlk_report_close(made, &(rlk_totals_t){.rows = 1, .failed = 1}, &err), ROWLOCK_UNUSABLE);
    rlk_expect_contains(err.message, "/dev/full");
  }
}

static void expect_file(const char* path, const char* due) {
  char text[64] = "";
  FILE* file = fopen(path, "r");
  cr_assert_eq(file != NULL, due != NULL);
  if (!file) return;
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  cr_expect_str_eq(text, due);
}

/* run_cli_test has the file systems, links and modes. */
Test(report, a_file_has_the_whole_report_or_what_it_had) {
  char path[] = "report_test_XXXXXX";
  const int file = mkstemp(path);
  cr_assert_geq(file, 0);
  cr_assert_eq(write(file, "earlier", 7), 7);
  close(file);
  const char* before = "earlier";
  for (int there = 1; there >= 0; --there) {
    rowlock_error_t err;
    rlk_report_t* made = NULL;
    cr_assert_eq(rlk_report_open_file(&rlk_report_format_text, path, &made, &err), ROWLOCK_OK, "%s", err.message);
    rlk_report_discard(made);
    expect_file(path, before);
    cr_assert_eq(rlk_report_open_file(&rlk_report_format_text, path, &made, &err), ROWLOCK_OK, "%s", err.message);
    expect_file(path, before);
    cr_expect_eq(rlk_report_close(made, &(rlk_totals_t){0}, &err), ROWLOCK_OK, "%s", err.message);
    expect_file(path, "0 passed, 0 failed, 0 skipped\n");
    cr_assert_eq(unlink(path), 0);
    before = NULL;
  }
}

Test(report, a_run_that_broke_off_leaves_nothing_that_looks_complete) {
  static const char* const ends[][2] = {
      {"text", " passed, "}, {"json", "\"trailer\""}, {"tap", "\n1.."}, {"junit", "</testsuites>"}};
  const rlk_record_t record = rlk_failed();
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    char* text = NULL;
    size_t length = 0;
    FILE* out = open_memstream(&text, &length);
    cr_assert_not_null(out);
    rowlock_error_t err;
    rlk_report_t* made = NULL;
    cr_assert_eq(rlk_report_open_stream(rlk_report_format_find(ends[i][0], strlen(ends[i][0])), out, &made, &err),
                 ROWLOCK_OK);
    rlk_report_record(made, &record);
    rlk_report_discard(made);
    cr_assert_eq(fclose(out), 0);
    cr_expect_null(strstr(text, ends[i][1]), "%s: %s", ends[i][0], text);
    free(text);
  }
}

/* --- Text --------------------------------------------------------------------------------------------------------- */

Test(text_report, is_this) {
  char* text = rlk_report_of_all("text");
  cr_expect_str_eq(text,
                   "fail: row2_b at shared_validator: the message does not contain it\n"
                   "  expected  reject: unknown role [sidecar.role-unknown]\n"
                   "  got       reject: unknown key 'x' [json.empty]\n"
                   "  rowlock run corpus/manifest/row2_b.expect.json --loader shared_validator\n"
                   "\n"
                   "error: row4_d at shared_validator: cannot read it\n"
                   "  expected  accept\n"
                   "  got       nothing\n"
                   "  rowlock run 'it'\\''s here/row4_d.expect.json' --loader shared_validator\n"
                   "\n"
                   "fail: row5_e at rows.lock: it is not there\n"
                   "  rowlock lock corpus\n"
                   "\n"
                   "family                  rows  passed  failed skipped\n"
                   "sidecar                    1       1       0       0\n"
                   "manifest                   1       0       1       0\n"
                   ".                          1       0       0       1\n"
                   "it's here                  1       0       1       0\n"
                   "rows.lock                  1       0       1       0\n"
                   "all                        5       1       3       1\n"
                   "\n"
                   "loader                  rows  passed  failed skipped\n"
                   "shared_validator           3       1       2       0\n"
                   "of_another                 1       0       0       1\n"
                   "rows.lock                  1       0       1       0\n"
                   "\n"
                   "skipped 1: nobody offers it\n"
                   "1 passed, 3 failed, 1 skipped\n");
  free(text);
}

Test(text_report, notes_stand_together) {
  rlk_record_t records[] = {rlk_passed(), rlk_passed(), rlk_failed(), rlk_passed()};
  records[0].note = records[1].note = records[3].note = "wide";
  char* text = rlk_report_of("text", records, 4);
  static const char note[] = "note: row1_a at shared_validator: wide\n";
  char begin[512];
  snprintf(begin, sizeof begin, "%s%s\nfail: row2_b", note, note);
  cr_expect_eq(strncmp(text, begin, strlen(begin)), 0, "%s", text);
  snprintf(begin, sizeof begin, "\n\n%s\nfamily ", note);
  rlk_expect_contains(text, begin);
  free(text);
}

Test(text_report, of_nothing_is_its_last_line) {
  char* text = rlk_report_of("text", NULL, 0);
  cr_expect_str_eq(text, "0 passed, 0 failed, 0 skipped\n");
  free(text);
}

Test(text_report, more_loaders_than_the_table_holds_are_counted_together) {
  rlk_record_t records[80];
  char names[80][32];
  for (int i = 0; i < 80; ++i) {
    snprintf(names[i], sizeof names[i], "loader_%d", i);
    records[i] = rlk_passed();
    records[i].loader = names[i];
  }
  char* text = rlk_report_of("text", records, 80);
  rlk_expect_contains(text, "\nloader_62                  1       1       0       0\n");
  rlk_expect_contains(text, "\nothers                     1      17       0       0\n");
  rlk_expect_contains(text, "\n80 passed, 0 failed, 0 skipped\n");
  free(text);
}

Test(text_report, a_row_counts_once_however_many_loaders_judge_it) {
  rlk_record_t records[] = {rlk_passed(), rlk_passed(), rlk_passed()};
  records[1].loader = "loaded_vector";
  records[2].stem = "row2_b";
  char* text = rlk_report_of("text", records, 3);
  rlk_expect_contains(text, "\nloader ");
  rlk_expect_contains(text, "sidecar                    2       3       0       0\n");
  rlk_expect_contains(text, "shared_validator           2       2       0       0\n");
  rlk_expect_contains(text, "loaded_vector              1       1       0       0\n");
  free(text);
}

Test(text_report, more_reasons_to_skip_than_are_listed_are_counted_together) {
  rlk_record_t records[12];
  char reasons[12][32];
  for (int i = 0; i < 12; ++i) {
    snprintf(reasons[i], sizeof reasons[i], "reason %d", i);
    records[i] = rlk_skipped();
    records[i].reason = reasons[i];
  }
  char* text = rlk_report_of("text", records, 12);
  cr_expect_eq(rlk_count_of(text, "\nskipped 1: reason "), 7);
  rlk_expect_contains(text, "\nskipped 5: other reasons\n");
  free(text);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

Test(json_report, has_one_object_a_record) {
  char* text = rlk_report_of_all("json");
  cr_expect_eq(rlk_count_of(text, "\n"), 6);
  rlk_expect_contains(text, "\"stem\":\"row1_a\"");
  rlk_expect_contains(text,
                      "\"expected\":{\"outcome\":\"accept\"},\"got\":{\"outcome\":\"accept\"},\"duration_us\":1500}\n");
  rlk_expect_contains(
      text,
      "\"expected\":{\"outcome\":\"reject\",\"error_substring\":\"unknown role\","
      "\"rule\":\"sidecar.role-unknown\"},\"got\":{\"outcome\":\"reject\",\"message\":\"unknown key 'x'\","
      "\"rule\":\"json.empty\"},\"reason\":\"the message does not contain it\",\"duration_us\":2000000,"
      "\"reproduce\":\"rowlock run corpus/manifest/row2_b.expect.json --loader shared_validator\"}\n");
  cr_expect_eq(rlk_count_of(text, "\"reproduce\":"), 3);
  cr_expect_eq(rlk_count_of(text, "\"got\":"), 2);
  cr_expect_eq(rlk_count_of(text, "\"level\":"), 4);
  cr_expect_eq(rlk_count_of(text, "\"outcome\":\"error\""), 1);
  free(text);
}

Test(json_report, tells_the_device_that_a_row_was_launched_on) {
  rlk_record_t records[] = {rlk_passed(), rlk_failed(), rlk_skipped()};
  for (int i = 0; i < 3; ++i) {
    records[i].on_device = true;
    records[i].device_ordinal = (uint32_t)i;
  }
  char* text = rlk_report_of("json", records, 3);
  rlk_expect_contains(text, ",\"implementation\":\"rowlock-c\",\"device\":0,\"outcome\":\"pass\",");
  rlk_expect_contains(text, ",\"implementation\":\"rowlock-c\",\"device\":1,\"outcome\":\"fail\",");
  cr_expect_eq(rlk_count_of(text, "\"device\":"), 2, "a row that was skipped was on none: %s", text);
  free(text);
}

Test(json_report, ends_in_a_trailer_that_holds) {
  char* text = rlk_report_of_all("json");
  char* trailer = strstr(text, "{\"trailer\":");
  cr_assert_not_null(trailer);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  cr_assert_eq(EVP_Digest(text, (size_t)(trailer - text), digest, &length, EVP_sha256(), NULL), 1);
  char due[256];
  int at = snprintf(due, sizeof due,
                    "{\"trailer\":{\"rows\":5,\"records\":5,\"passed\":1,\"failed\":3,\"skipped\":1,\"sha256\":\"");
  for (unsigned i = 0; i < length; ++i) at += snprintf(due + at, sizeof due - (size_t)at, "%02x", digest[i]);
  snprintf(due + at, sizeof due - (size_t)at, "\"}}\n");
  cr_expect_str_eq(trailer, due);
  free(text);
}

Test(json_report, escapes_quotes_and_control_characters) {
  rlk_record_t record = rlk_failed();
  record.message = "a \"quoted\\\" \n \x01 word";
  char* text = rlk_report_of("json", &record, 1);
  rlk_expect_contains(text, "\"message\":\"a \\\"quoted\\\\\\\" \\u000a \\u0001 word\"");
  cr_expect_eq(rlk_count_of(text, "\n"), 2);
  free(text);
}

/* --- TAP ---------------------------------------------------------------------------------------------------------- */

Test(tap_report, is_this) {
  char* text = rlk_report_of_all("tap");
  cr_expect_str_eq(text,
                   "TAP version 14\n"
                   "ok 1 - row1_a shared_validator rowlock-c\n"
                   "not ok 2 - row2_b shared_validator rowlock-c\n"
                   "  ---\n"
                   "  result: \"fail\"\n"
                   "  reason: \"the message does not contain it\"\n"
                   "  message: \"unknown key 'x'\"\n"
                   "  rule: \"json.empty\"\n"
                   "  path: \"corpus/manifest/row2_b.expect.json\"\n"
                   "  reproduce: \"rowlock run corpus/manifest/row2_b.expect.json --loader shared_validator\"\n"
                   "  ...\n"
                   "ok 3 - row3_c of_another rowlock-c # SKIP nobody offers it\n"
                   "not ok 4 - row4_d shared_validator rowlock-c\n"
                   "  ---\n"
                   "  result: \"error\"\n"
                   "  reason: \"cannot read it\"\n"
                   "  path: \"it's here/row4_d.expect.json\"\n"
                   "  reproduce: \"rowlock run 'it'\\\\''s here/row4_d.expect.json' --loader shared_validator\"\n"
                   "  ...\n"
                   "not ok 5 - row5_e rows.lock rowlock-c\n"
                   "  ---\n"
                   "  result: \"fail\"\n"
                   "  reason: \"it is not there\"\n"
                   "  path: \"corpus\"\n"
                   "  reproduce: \"rowlock lock corpus\"\n"
                   "  ...\n"
                   "1..5\n"
                   "# 1 passed, 3 failed, 1 skipped\n");
  free(text);
}

Test(tap_report, of_nothing_plans_nothing) {
  char* text = rlk_report_of("tap", NULL, 0);
  cr_expect_str_eq(text, "TAP version 14\n1..0\n# 0 passed, 0 failed, 0 skipped\n");
  free(text);
}

Test(tap_report, keeps_a_diagnostic_on_its_line) {
  rlk_record_t record = rlk_failed();
  record.message = "a \"quoted\\\" \n...\nok 9\t\x01 word";
  char* text = rlk_report_of("tap", &record, 1);
  rlk_expect_contains(text, "  message: \"a \\\"quoted\\\\\\\" \\u000a...\\u000aok 9\\u0009\\u0001 word\"\n");
  cr_expect_eq(rlk_count_of(text, "\n"), 12);
  free(text);
}

Test(tap_report, a_loaders_name_is_no_directive_and_no_line) {
  rlk_record_t record = rlk_passed();
  record.loader = "x\nnot ok 9 - y # TODO \\";
  char* text = rlk_report_of("tap", &record, 1);
  rlk_expect_contains(text, "\nok 1 - row1_a x\\\\u000Anot ok 9 - y \\# TODO \\\\ rowlock-c\n1..1\n");
  free(text);
}

/* --- JUnit -------------------------------------------------------------------------------------------------------- */

Test(junit_report, is_this) {
  char* text = rlk_report_of_all("junit");
  cr_expect_str_eq(
      text,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites>\n"
      "<testsuite name=\"rowlock\" tests=\"5\" failures=\"2\" errors=\"1\" skipped=\"1\" time=\"2.003000\">\n"
      "  <testcase classname=\"sidecar\" name=\"row1_a shared_validator (rowlock-c)\" time=\"0.001500\"/>\n"
      "  <testcase classname=\"manifest\" name=\"row2_b shared_validator (rowlock-c)\" time=\"2.000000\">\n"
      "    <failure message=\"the message does not contain it\">expected reject: unknown role "
      "[sidecar.role-unknown]\n"
      "got reject: unknown key 'x' [json.empty]\n"
      "rowlock run corpus/manifest/row2_b.expect.json --loader "
      "shared_validator</failure>\n"
      "  </testcase>\n"
      "  <testcase classname=\".\" name=\"row3_c of_another (rowlock-c)\" time=\"0.000000\">\n"
      "    <skipped message=\"nobody offers it\"></skipped>\n"
      "  </testcase>\n"
      "  <testcase classname=\"it's here\" name=\"row4_d shared_validator (rowlock-c)\" time=\"0.001500\">\n"
      "    <error message=\"cannot read it\">expected accept\n"
      "got nothing\n"
      "rowlock run 'it'\\''s "
      "here/row4_d.expect.json' --loader shared_validator</error>\n"
      "  </testcase>\n"
      "  <testcase classname=\"rows.lock\" name=\"row5_e rows.lock (rowlock-c)\" time=\"0.000000\">\n"
      "    <failure message=\"it is not there\">rowlock lock corpus</failure>\n"
      "  </testcase>\n"
      "</testsuite>\n"
      "</testsuites>\n");
  free(text);
}

typedef struct escape_t {
  const char *raw, *due;
} escape_t;

static const escape_t escapes[] = {
    {"a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c'"},
    {"]]>", "]]&gt;"},
    {"\x01\t\n\r\x1B[0m\x7F", "\\u0001\\u0009\\u000A\\u000D\\u001B[0m\\u007F"},
    {"\x80 \xC3( \xC0\xAF \xFF", "\\x80 \\xC3( \\xC0\\xAF \\xFF"},
    {"cut \xE2\x82", "cut \\xE2\\x82"},
    {"surrogate \xED\xA0\x80", "surrogate \\xED\\xA0\\x80"},
    {"\xEF\xBF\xBE and \xEF\xBF\xBF", "\\uFFFE and \\uFFFF"},
    {"\xEF\xBF\xBD \xE2\x82\xAC \xF0\x9F\x98\x80", "\xEF\xBF\xBD \xE2\x82\xAC \xF0\x9F\x98\x80"},
};

Test(junit_report, escapes_what_xml_cannot_carry) {
  for (size_t i = 0; i < sizeof escapes / sizeof *escapes; ++i) {
    rlk_record_t record = rlk_failed();
    record.reason = record.message = record.loader = escapes[i].raw;
    char* text = rlk_report_of("junit", &record, 1);
    char due[256];
    snprintf(due, sizeof due, "<failure message=\"%s\">", escapes[i].due);
    rlk_expect_contains(text, due);
    snprintf(due, sizeof due, "\ngot reject: %s [json.empty]\n", escapes[i].due);
    rlk_expect_contains(text, due);
    snprintf(due, sizeof due, " name=\"row2_b %s (rowlock-c)\"", escapes[i].due);
    rlk_expect_contains(text, due);
    free(text);
  }
}

/* --- Text from outside, in every format --------------------------------------------------------------------------- */

/* What no report may hold as it is: controls but for line ends, the controls of writing direction, bytes that are no
 * UTF-8. */
static void expect_harmless(const char* name, const char* text) {
  for (size_t length; *text; text += length) {
    length = rlk_utf8_length(text, strlen(text));
    cr_assert_gt(length, 0, "%s: a byte that is not UTF-8: %02X", name, (unsigned char)*text);
    cr_assert(*text == '\n' || !rlk_utf8_is_unseen(text, length), "%s: a control: %.20s", name, text);
  }
}

Test(report, text_from_outside_is_harmless_in_every_format) {
  static const char* const hostile[] = {"\x1B[2J\x1B]0;owned\x07",
                                        "\r\b\t\x7F",
                                        "\xC2\x9B"
                                        "31m\xC2\x85",
                                        "a\x9B\xFF\xC3",
                                        "\xE2\x80\xAE"
                                        "fdp.exe\xE2\x81\xA6",
                                        "\xE2\x80\xA8line",
                                        "\xD8\x9C"};
  static const char* const names[] = {"text", "json", "tap", "junit"};
  for (size_t h = 0; h < sizeof hostile / sizeof *hostile; ++h) {
    char folder[64];
    snprintf(folder, sizeof folder, "corpus/%s/row2_b.expect.json", hostile[h]);
    const rlk_outcome_t outcome = {.reject = true, .substring = hostile[h], .rule = RLK_RULE_NONE};
    rlk_record_t bad = rlk_failed(), skip = rlk_skipped(), lock = rlk_divergent();
    bad.expected = &outcome;
    bad.reason = bad.message = bad.loader = bad.log = hostile[h];
    bad.path = skip.path = lock.path = folder;
    skip.reason = skip.loader = hostile[h];
    const rlk_record_t records[] = {bad, skip, lock};
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
      char* text = rlk_report_of(names[n], records, 3);
      expect_harmless(names[n], text);
      free(text);
    }
  }
}
