/* Answers that are taken and answers that are not, of a script in the place of the program that performs. */
#include "harness/launch/isolate.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "harness/rows/scratch.h"

static rlk_scratch_t scratch;

static void set_up(void) { rlk_scratch_create(&scratch); }

static void tear_down(void) { rlk_scratch_remove(&scratch); }

TestSuite(isolate, .init = set_up, .fini = tear_down);

/* What came of a launch whose process is the script: `say` writes a line behind the secret, `forge` without. */
typedef struct outcome_t {
  rowlock_code_t code;
  rlk_rule_t rule;
  rowlock_error_t err;
  bool has_report;
} outcome_t;

static outcome_t ask(const char* script) {
  char path[512], text[2048];
  snprintf(path, sizeof path, "%s/program", scratch.path);
  snprintf(text, sizeof text,
           "#!/bin/sh\nread -r secret; cat >/dev/null\n"
           "say() { printf '%%s %%s\\n' \"$secret\" \"$1\" >&3; }\nforge() { printf '%%s\\n' \"$1\" >&3; }\n%s\n",
           script);
  rlk_scratch_write(&scratch, "program", text);
  cr_assert_eq(chmod(path, 0700), 0);
  const rlk_request_t request = {.document = "manifest.json", .launch = "{}", .launch_length = 2};
  const rlk_isolation_t isolation = {.program = path, .time_ms = 20000};
  outcome_t outcome = {.err = {.message = ""}};
  json_object* report;
  outcome.code = rlk_isolate(&request, &isolation, &report, &outcome.rule, &outcome.err);
  outcome.has_report = report != NULL;
  json_object_put(report);
  return outcome;
}

#define OK_ "'{\"code\":\"OK\",\"report\":{\"runs\":[]}}'"

Test(isolate, what_stands_behind_the_secret_is_taken) {
  static const char* const scripts[] = {
      "say " OK_,
      "forge 5; say " OK_ "; forge 5",
      "say " OK_ "; forge '{\"code\":\"REJECTED\",\"message\":\"no\"}'; forge '{\"stage\":\"at the end\"}'",
      "say 5; say '[]'; say null; say '{'; say " OK_,
      "printf '\\000\\n' >&3; say " OK_,
      "say '{\"stage\":\"while loading\"}'; say " OK_,
  };
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
    const outcome_t outcome = ask(scripts[i]);
    cr_expect_eq(outcome.code, ROWLOCK_OK, "%s: %s", scripts[i], outcome.err.message);
    cr_expect(outcome.has_report, "%s", scripts[i]);
    cr_expect_eq(outcome.rule, RLK_RULE_NONE, "%s", scripts[i]);
  }
}

Test(isolate, a_refusal_has_its_rule_and_words) {
  outcome_t outcome = ask("say '{\"code\":\"REJECTED\",\"rule\":\"verdict.golden\",\"message\":\"it is not\"}'");
  cr_expect_eq(outcome.code, ROWLOCK_REJECTED);
  cr_expect_eq(outcome.rule, RLK_RULE_VERDICT_GOLDEN);
  cr_expect_str_eq(outcome.err.message, "it is not");
  outcome = ask("say '{\"code\":\"UNAVAILABLE\",\"message\":\"no device\"}'");
  cr_expect_eq(outcome.code, ROWLOCK_UNAVAILABLE);
  cr_expect_eq(outcome.rule, RLK_RULE_NONE);
  cr_expect_not(outcome.has_report);
}

Test(isolate, whatever_else_ends_without_an_answer) {
  static const char* const scripts[] = {
      "exit 0",
      "forge " OK_,
      "forge 0000000000000000000000000000000000000000000000000000000000000000' '" OK_,
      "forge $(printf '%s' \"$secret\" | tr 0123456789abcdef 123456789abcdef0)' '" OK_,
      "forge \" $secret \"" OK_,
      "forge \"$secret\"",
      "printf '%s %s' \"$secret\" " OK_ " >&3", /* and no end of the line */
      "printf x >&3; say " OK_,
      "say '{\"stage\":\"at the end\"}'",
      "say '{\"code\":\"OK\"}'",
      "say '{\"code\":\"OK\",\"report\":null}'",
      "say '{\"code\":\"OK\",\"report\":5}'",
      "say '{\"code\":\"OK\",\"report\":[]}'",
      "say '{\"code\":5,\"report\":{}}'",
      "say '{\"code\":\"ROWLOCK_OK\",\"report\":{}}'",
      "say '{\"code\":\"WELL\",\"message\":\"it is\"}'",
      "say '{\"code\":\"REJECTED\"}'",
      "say '{\"code\":\"REJECTED\",\"rule\":\"no.such\",\"message\":\"it is not\"}'",
      "yes 5 | head -c 20000000 >&3; say " OK_,
  };
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
    const time_t begin = time(NULL);
    const outcome_t outcome = ask(scripts[i]);
    cr_expect_eq(outcome.code, ROWLOCK_REJECTED, "%s: %s", scripts[i], outcome.err.message);
    cr_expect_eq(outcome.rule, RLK_RULE_PROCESS_EXIT, "%s: %s", scripts[i], outcome.err.message);
    cr_expect_not(outcome.has_report, "%s", scripts[i]);
    cr_expect_not_null(strstr(outcome.err.message, "status 0"), "%s", outcome.err.message);
    cr_expect_lt(time(NULL) - begin, 10, "%s", scripts[i]);
  }
}

/* What is done after the answer counts. */
Test(isolate, an_answer_does_not_outweigh_the_end) {
  static const struct {
    const char* script;
    rlk_rule_t rule;
  } ends[] = {{"say " OK_ "; exit 3", RLK_RULE_PROCESS_EXIT}, {"say " OK_ "; kill -ABRT $$", RLK_RULE_PROCESS_SIGNAL}};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    const outcome_t outcome = ask(ends[i].script);
    cr_expect_eq(outcome.rule, ends[i].rule, "%s", outcome.err.message);
    cr_expect_not(outcome.has_report);
  }
}

Test(isolate, the_stage_is_the_last_that_was_told_behind_the_secret) {
  const outcome_t outcome = ask(
      "say '{\"stage\":\"while loading\"}'; say '{\"stage\":\"under host_team\"}'; forge '{\"stage\":\"nowhere\"}'; "
      "exit 7");
  cr_expect_not_null(strstr(outcome.err.message, "status 7 under host_team"), "%s", outcome.err.message);
  cr_expect_not_null(strstr(ask("exit 7").err.message, "before it began"));
}

Test(isolate, no_two_processes_have_the_same_secret) {
  char seen[2][128];
  for (int i = 0; i < 2; ++i) {
    const outcome_t outcome = ask("echo $secret; exit 1");
    const char* at = strstr(outcome.err.message, "it wrote: ");
    cr_assert_not_null(at, "%s", outcome.err.message);
    snprintf(seen[i], sizeof seen[i], "%s", at + strlen("it wrote: "));
    cr_expect_eq(strlen(seen[i]), 64, "%s", seen[i]);
  }
  cr_expect_str_neq(seen[0], seen[1]);
}

Test(isolate, the_secret_is_in_no_argument_and_no_variable) {
  const outcome_t outcome =
      ask("tr '\\000' '\\n' </proc/$$/cmdline | grep -c $secret; env | grep -c $secret; env >/dev/null; exit 1");
  cr_expect_not_null(strstr(outcome.err.message, "it wrote: 0"), "%s", outcome.err.message);
}
