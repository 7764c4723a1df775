/* What a run makes of rows of a scratch corpus. */
#include "harness/runner/runner.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/rows/scratch.h"

enum { KEPT_MAX = 512, TEXT_BYTES = 320 };

/* A record whose texts outlive the callback. */
typedef struct seen_t {
  rlk_result_t result;
  rlk_got_t got;
  rlk_rule_t rule;
  uint32_t number;
  char loader[32], message[TEXT_BYTES], reason[TEXT_BYTES];
} seen_t;

static rlk_scratch_t scratch;
static rlk_corpus_t corpus;
static rlk_defects_t defects;
static seen_t seen[KEPT_MAX];
static size_t seen_count;
static rlk_totals_t totals;

static void set_up(void) { rlk_scratch_create(&scratch); }

static void tear_down(void) {
  rlk_corpus_deinit(&corpus);
  rlk_defects_deinit(&defects);
  rlk_scratch_remove(&scratch);
}

TestSuite(runner, .init = set_up, .fini = tear_down);

/* A sidecar without any key: refused by every door. */
static const char refused[] = "{}";

static const char sound[] =
    "{\"schema_version\":1,\"format\":\"ptx\",\"kernel\":\"drag\",\"pattern\":\"vector\",\"scalar_type\":\"float64\","
    "\"aether_abi\":\"aether-abi/1\",\"arg_spec\":[[\"out\",\"force\"],[\"vec_in\",\"velocity\"],[\"uniform\","
    "\"density\"],[\"nsamples\",\"n\"]],\"vector_inputs\":[\"velocity\"],\"vec_widths\":{\"force\":3,\"velocity\":3},"
    "\"params\":[\"density\"],\"per_sample\":[],\"buffers\":[],\"accumulate\":false,\"sink\":\"force\"}";

static void write_row(unsigned number, const char* level, const char* loaders, const char* outcome,
                      const char* fixture) {
  char name[64], row[1024];
  snprintf(name, sizeof name, "row%u_x.expect.json", number);
  snprintf(row, sizeof row, "{\"row\":%u,\"title\":\"t\",\"level\":\"%s\",\"loaders\":%s,%s,\"why\":[\"w\"]}", number,
           level, loaders, outcome);
  rlk_scratch_write(&scratch, name, row);
  snprintf(name, sizeof name, "row%u_x.sidecar.json", number);
  if (fixture) rlk_scratch_write(&scratch, name, fixture);
}

#define ONE "[\"shared_validator\"]"
#define ACCEPTED "\"expect\":\"accept\""
#define REJECTED(rest) "\"expect\":\"reject\",\"error_substring\":" rest

static void keep(void* context, const rlk_record_t* record) {
  cr_assert_eq(context, &totals);
  cr_assert_lt(seen_count, KEPT_MAX);
  rlk_totals_add(context, record);
  seen_t* kept = &seen[seen_count++];
  *kept = (seen_t){.result = record->result, .got = record->got, .rule = record->rule, .number = record->number};
  snprintf(kept->loader, sizeof kept->loader, "%s", record->loader);
  snprintf(kept->message, sizeof kept->message, "%s", record->message ? record->message : "");
  snprintf(kept->reason, sizeof kept->reason, "%s", record->reason ? record->reason : "");
  cr_expect_str_eq(record->implementation, RLK_REFERENCE_NAME);
  cr_expect_not_null(record->expected);
  cr_expect_eq(record->result == RLK_RESULT_PASS, record->reason == NULL);
  cr_expect_eq(record->got == RLK_GOT_REJECT, record->message != NULL);
}

static void load(void) {
  char* const paths[] = {scratch.path};
  cr_assert_eq(rlk_corpus_load(&corpus, paths, 1, &defects), ROWLOCK_OK);
  cr_assert_not(rlk_defects_any(&defects), "%s", defects.count ? defects.records[0].text : "no memory");
}

static void run_with(const rlk_run_options_t* options) {
  const rlk_row_t* rows[KEPT_MAX];
  cr_assert_leq(corpus.count, KEPT_MAX);
  for (size_t i = 0; i < corpus.count; ++i) rows[i] = &corpus.rows[i];
  seen_count = 0;
  totals = (rlk_totals_t){0};
  rowlock_error_t err;
  cr_assert_eq(rlk_run(rows, corpus.count, options, keep, &totals, &err), ROWLOCK_OK, "%s", err.message);
}

static void run(unsigned jobs, unsigned repeat) {
  run_with(&(rlk_run_options_t){.jobs = jobs, .repeat = repeat, .switched_off = RLK_RULE_NONE});
}

/* The only record of a corpus of one row. */
static const seen_t* run_one(const char* outcome, const char* fixture) {
  write_row(1, "sidecar", ONE, outcome, fixture);
  load();
  run(1, 1);
  cr_assert_eq(seen_count, 1);
  return &seen[0];
}

static void expect_failure(const seen_t* record, const char* reason) {
  cr_expect_eq(record->result, RLK_RESULT_FAIL);
  cr_expect_str_eq(record->reason, reason);
  cr_expect_eq(totals.failed, 1);
}

Test(runner, a_fixture_that_is_accepted_as_due_passes) {
  const seen_t* record = run_one(ACCEPTED, sound);
  cr_expect_eq(record->result, RLK_RESULT_PASS, "%s", record->reason);
  cr_expect_eq(record->got, RLK_GOT_ACCEPT);
  cr_expect_eq(record->rule, RLK_RULE_NONE);
  cr_expect_eq(totals.passed, 1);
}

Test(runner, a_fixture_that_is_refused_as_due_passes) {
  const seen_t* record = run_one(REJECTED("\"duplicate key\",\"rule\":\"json.duplicate-key\""), "{\"a\":1,\"a\":1}");
  cr_expect_eq(record->result, RLK_RESULT_PASS, "%s", record->reason);
  cr_expect_eq(record->got, RLK_GOT_REJECT);
  cr_expect_eq(record->rule, rlk_rule_find("json.duplicate-key"));
  cr_expect_not_null(strstr(record->message, "duplicate key"));
}

Test(runner, a_refused_fixture_fails_where_it_is_to_be_accepted) {
  const seen_t* record = run_one(ACCEPTED, refused);
  expect_failure(record, "expected accept, got reject");
  cr_expect_eq(record->got, RLK_GOT_REJECT);
}

Test(runner, an_accepted_fixture_fails_where_it_is_to_be_refused) {
  const seen_t* record = run_one(REJECTED("\"x\""), sound);
  expect_failure(record, "expected reject, got accept");
  cr_expect_eq(record->got, RLK_GOT_ACCEPT);
}

Test(runner, another_message_fails) {
  expect_failure(run_one(REJECTED("\"no 'such\\\" words\""), refused),
                 "the message does not contain \"no 'such\" words\"");
}

Test(runner, another_rule_with_the_same_words_fails) {
  expect_failure(run_one(REJECTED("\"duplicate key\",\"rule\":\"json.empty\""), "{\"a\":1,\"a\":1}"),
                 "expected rule json.empty, got json.duplicate-key");
}

Test(runner, a_rule_that_is_switched_off_finds_nothing) {
  run_one(REJECTED("\"duplicate key\""), "{\"a\":1,\"a\":1}");
  cr_assert_eq(seen[0].result, RLK_RESULT_PASS);
  run_with(&(rlk_run_options_t){.jobs = 1, .repeat = 1, .switched_off = rlk_rule_find("json.duplicate-key")});
  cr_expect_eq(seen[0].result, RLK_RESULT_FAIL);
}

Test(runner, an_override_is_what_that_loader_owes) {
  write_row(1, "sidecar", "[\"shared_validator\",\"loaded_vector\"]",
            REJECTED("\"duplicate key\",\"overrides\":{\"loaded_vector\":{\"expect\":\"accept\"}}"),
            "{\"a\":1,\"a\":1}");
  load();
  run(1, 1);
  cr_assert_eq(seen_count, 2);
  cr_expect_eq(seen[0].result, RLK_RESULT_PASS);
  cr_expect_eq(seen[1].result, RLK_RESULT_FAIL);
}

Test(runner, the_rows_limits_hold) {
  const seen_t* record = run_one(REJECTED("\"\\u0020\",\"rule\":\"json.depth\",\"limits\":{\"depth\":1}"), sound);
  cr_expect_eq(record->result, RLK_RESULT_PASS, "%s", record->reason);
}

Test(runner, a_loader_that_nobody_offers_is_skipped) {
  write_row(1, "sidecar", "[\"of_another\",\"shared_validator\"]", ACCEPTED, sound);
  load();
  run(1, 1);
  cr_assert_eq(seen_count, 2);
  cr_expect_eq(seen[0].result, RLK_RESULT_SKIP);
  cr_expect_eq(seen[0].got, RLK_GOT_NOTHING);
  cr_expect_str_eq(seen[0].reason, "no implementation in this run offers this loader");
  cr_expect_eq(seen[1].result, RLK_RESULT_PASS);
  cr_expect_eq(totals.skipped, 1);
}

Test(runner, a_level_that_is_not_judged_is_skipped) {
  write_row(1, "bundle", ONE, ACCEPTED, NULL);
  load();
  run(1, 1);
  cr_assert_eq(seen_count, 1);
  cr_expect_eq(seen[0].result, RLK_RESULT_SKIP);
  cr_expect_str_eq(seen[0].reason, "this version does not judge rows of this level");
}

Test(runner, a_fixture_that_cannot_be_read_is_an_error_and_the_run_goes_on) {
  write_row(1, "sidecar", ONE, ACCEPTED, sound);
  write_row(2, "sidecar", ONE, REJECTED("\"x\""), sound);
  write_row(3, "sidecar", ONE, ACCEPTED, sound);
  load();
  rlk_scratch_delete(&scratch, "row1_x.sidecar.json");
  rlk_scratch_delete(&scratch, "row2_x.sidecar.json");
  run(1, 3);
  cr_assert_eq(seen_count, 3);
  for (int i = 0; i < 2; ++i) {
    cr_expect_eq(seen[i].result, RLK_RESULT_ERROR);
    cr_expect_eq(seen[i].got, RLK_GOT_NOTHING);
    cr_expect_not_null(strstr(seen[i].reason, "No such file"), "%s", seen[i].reason);
  }
  cr_expect_eq(seen[2].result, RLK_RESULT_PASS);
  cr_expect_eq(totals.failed, 2);
}

/* --- Many rows ---------------------------------------------------------------------------------------------------- */

enum { MANY = 60 };

static void write_many(void) {
  static const char* const fixtures[] = {sound, refused, "{\"a\":1,\"a\":1}", "", "[1,2"};
  for (unsigned i = MANY; i > 0; --i) {
    write_row(i, "sidecar", "[\"shared_validator\",\"of_another\",\"loaded_vector\"]", ACCEPTED, fixtures[i % 5]);
  }
  load();
}

static void expect_same_as(const seen_t* due, size_t due_count) {
  cr_assert_eq(seen_count, due_count);
  for (size_t i = 0; i < due_count; ++i) {
    cr_expect_eq(seen[i].number, due[i].number);
    cr_expect_eq(seen[i].result, due[i].result);
    cr_expect_eq(seen[i].rule, due[i].rule);
    cr_expect_str_eq(seen[i].loader, due[i].loader);
    cr_expect_str_eq(seen[i].message, due[i].message);
    cr_expect_str_eq(seen[i].reason, due[i].reason);
  }
}

Test(runner, records_come_in_the_rows_order_whatever_the_threads_and_the_repeats) {
  static const char* const loaders[] = {"shared_validator", "of_another", "loaded_vector"};
  static seen_t due[KEPT_MAX];
  write_many();
  run(1, 1);
  cr_assert_eq(seen_count, 3UL * MANY);
  for (size_t i = 0; i < seen_count; ++i) {
    cr_expect_eq(seen[i].number, i / 3 + 1);
    cr_expect_str_eq(seen[i].loader, loaders[i % 3]);
  }
  cr_expect_eq(totals.skipped, MANY);
  cr_expect_eq(totals.passed, 2 * MANY / 5);
  memcpy(due, seen, sizeof due);
  for (int i = 0; i < 5; ++i) {
    run(7, 1);
    expect_same_as(due, 3UL * MANY);
  }
  run(2 * MANY, 4);
  expect_same_as(due, 3UL * MANY);
}

Test(runner, only_the_loaders_asked_for_run) {
  static const char* const wanted[] = {"loaded_vector", "never_named"};
  write_many();
  run_with(&(rlk_run_options_t){
      .loaders = wanted, .loader_count = 2, .jobs = 7, .repeat = 1, .switched_off = RLK_RULE_NONE});
  cr_assert_eq(seen_count, MANY);
  for (size_t i = 0; i < seen_count; ++i) cr_expect_str_eq(seen[i].loader, "loaded_vector");
}

Test(runner, no_rows_make_no_records) {
  run(7, 1);
  cr_expect_eq(seen_count, 0);
}
