/* The command that repeats a failure. */
#define _GNU_SOURCE /* open_memstream */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "harness/report/made.h"

static void expect_reproduction_of(const rlk_record_t* record, const char* due) {
  char* text = NULL;
  size_t length = 0;
  FILE* out = open_memstream(&text, &length);
  cr_assert_not_null(out);
  rlk_report_print_reproduction(out, record);
  cr_assert_eq(fclose(out), 0);
  cr_expect_str_eq(text, due);
  free(text);
}

static void expect_reproduction(const char* path, const char* loader, const char* due) {
  rlk_record_t record = rlk_failed();
  record.path = path;
  record.loader = loader;
  expect_reproduction_of(&record, due);
}

Test(reproduction, is_safe_for_shell_parser_and_terminal) {
  expect_reproduction("a b/r.json", "x", "rowlock run 'a b/r.json' --loader x");
  expect_reproduction("-rf/r.json", "-x", "rowlock run ./-rf/r.json --loader -x");
  expect_reproduction("-- a", "x", "rowlock run ./'-- a' --loader x");
  expect_reproduction("a\n\x1B'\\", "x", "rowlock run $'a\\012\\033\\'\\\\' --loader x");
  expect_reproduction(
      "\xE2\x80\xAE\xFF"
      "1",
      "\xC3\xA9", "rowlock run $'\\342\\200\\256\\3771' --loader '\xC3\xA9'");
  expect_reproduction("", "", "rowlock run '' --loader ''");
}

Test(reproduction, has_what_the_run_was_told) {
  rlk_record_t record = rlk_failed();
  record.path = "r.json";
  record.loader = "host_launch";
  record.built = "-out of/b";
  record.thread_count = 7;
  record.time_ms = 5000;
  record.repeat = 3;
  char* text = rlk_report_of("text", &record, 1);
  rlk_expect_contains(
      text, "\n  rowlock run r.json --loader host_launch --built '-out of/b' --threads 7 --timeout 5 --repeat 3\n");
  free(text);
}

/* Whichever device the run took, on another one the row may fail in another way, or pass. */
Test(reproduction, is_on_the_device_that_the_row_was_launched_on) {
  rlk_record_t record = rlk_failed();
  record.path = "r.json";
  record.loader = "device_launch";
  record.on_device = true;
  record.built = "b";
  expect_reproduction_of(&record, "rowlock run r.json --loader device_launch --device 0 --built b");
  record.device_ordinal = 3;
  record.requires_device = true;
  expect_reproduction_of(&record, "rowlock run r.json --loader device_launch --device 3 --require-device --built b");
  record.on_device = false;
  expect_reproduction_of(&record, "rowlock run r.json --loader device_launch --built b");
}

Test(reproduction, of_the_lock_takes_a_path_that_looks_like_an_option) {
  rlk_record_t record = rlk_divergent();
  record.path = "-corpus";
  char* text = rlk_report_of("text", &record, 1);
  rlk_expect_contains(text, "\n  rowlock lock ./-corpus\n");
  free(text);
}
