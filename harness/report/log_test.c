/* What a driver's compiler said of a module, in each format. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/made.h"
#include "validator/rules/text.h"

/* A failure with a log of so many lines, "line 1" and on. */
static char* report_lines(const char* name, int count) {
  char log[1024] = "";
  rlk_text_t text = rlk_text_over(log, sizeof log);
  for (int i = 1; i <= count; ++i) rlk_text_printf(&text, "line %d\n", i);
  rlk_record_t record = rlk_failed();
  record.log = log;
  return rlk_report_of(name, &record, 1);
}

Test(compiler_log, is_shown_before_the_command) {
  char* text = report_lines("text", 2);
  rlk_expect_contains(text,
                      "  got       reject: unknown key 'x' [json.empty]\n"
                      "  compiler  line 1\n"
                      "            line 2\n"
                      "  rowlock run corpus/manifest/row2_b.expect.json --loader shared_validator\n"
                      "\n");
  free(text);
}

Test(compiler_log, is_shown_up_to_twenty_lines) {
  static const struct {
    int lines;
    const char* end;
  } cases[] = {{20, "            line 20\n  rowlock run "},
               {21, "            line 20\n            ... 1 more line, in --report json\n  rowlock run "},
               {42, "            line 20\n            ... 22 more lines, in --report json\n  rowlock run "}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char* text = report_lines("text", cases[i].lines);
    rlk_expect_contains(text, cases[i].end);
    free(text);
  }
}

Test(compiler_log, of_odd_lines_is_shown_on_its_own) {
  static const char head[] = "\r\n\n a\r\n\nb\rc\r\n";
  const size_t behind = strlen(head);
  char log[1024], due[1024];
  memset(log, 'x', sizeof log);
  memcpy(log, head, behind);
  log[behind + 401] = '\0';
  rlk_record_t record = rlk_failed();
  record.log = log;
  char* text = rlk_report_of("text", &record, 1);
  snprintf(due, sizeof due, "  compiler   a\n            b\\u000Dc\n            %.400s...\n  rowlock run ",
           log + behind);
  rlk_expect_contains(text, due);
  free(text);
}

Test(compiler_log, of_what_passed_is_in_json_alone) {
  rlk_record_t record = rlk_passed();
  record.log = "said";
  static const char* const names[] = {"text", "tap", "junit"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    char* text = rlk_report_of(names[i], &record, 1);
    cr_expect_null(strstr(text, "said"), "%s", text);
    free(text);
  }
  char* text = rlk_report_of("json", &record, 1);
  rlk_expect_contains(text, "\"log\":\"said\"");
  free(text);
}

Test(compiler_log, is_one_value_of_tap) {
  rlk_record_t record = rlk_failed();
  record.log = "line 1\n...\nok 2\x1B\n";
  char* text = rlk_report_of("tap", &record, 1);
  rlk_expect_contains(text, "  rule: \"json.empty\"\n  log: \"line 1\\u000a...\\u000aok 2\\u001b\\u000a\"\n  path: ");
  free(text);
}

Test(compiler_log, stands_behind_the_failure_of_junit) {
  rlk_record_t record = rlk_failed();
  record.log = "a<b> & \"c\"\r\n\n]]>\x1B[0m\xFF\t\xEF\xBF\xBF\n";
  char* text = rlk_report_of("junit", &record, 1);
  rlk_expect_contains(text,
                      " --loader shared_validator</failure>\n"
                      "    <system-out>a&lt;b&gt; &amp; &quot;c&quot;\n"
                      "\n"
                      "]]&gt;\\u001B[0m\\xFF\\u0009\\uFFFF</system-out>\n"
                      "  </testcase>\n");
  free(text);
}

/* Longer than what is escaped in one go, with a character over each of its places. */
Test(compiler_log, is_whole_in_junit) {
  static const char euro[] = "\xE2\x82\xAC";
  enum { EUROS = 6000 };
  static char log[4 + 3 * EUROS + 1];
  for (size_t shift = 0; shift < 4; ++shift) {
    memset(log, '-', shift);
    for (size_t i = 0; i < EUROS; ++i) memcpy(log + shift + 3 * i, euro, 3);
    log[shift + (size_t)3 * EUROS] = '\0';
    rlk_record_t record = rlk_failed();
    record.log = log;
    char* text = rlk_report_of("junit", &record, 1);
    rlk_expect_contains(text, log);
    free(text);
  }
}
