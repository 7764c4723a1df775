/* Loading a corpus and comparing it with its lock when memory is short: the nth allocation fails, for every n until
 * none does. Each failure is NO_MEMORY, leaks nothing, and leaves what is needed to do the same again and succeed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "harness/rows/corpus.h"
#include "harness/rows/lock.h"
#include "harness/rows/scratch.h"
#include "validator/rules/fault.h"

static rlk_scratch_t scratch;

static void set_up(void) { rlk_scratch_create(&scratch); }

static void tear_down(void) { rlk_scratch_remove(&scratch); }

TestSuite(allocation, .init = set_up, .fini = tear_down);

/* What one load and comparison ends with. */
typedef struct outcome_t {
  rowlock_code_t code;
  size_t rows, entries, defects, divergences;
} outcome_t;

static void count(void* context, rlk_divergence_t divergence, const rlk_row_t* row, const rlk_lock_entry_t* entry) {
  (void)divergence, (void)row, (void)entry;
  ++*(size_t*)context;
}

/* As the commands do it: a corpus with defects is not compared. */
static outcome_t load_and_compare(void) {
  rlk_corpus_t corpus = {0};
  rlk_lock_t lock = {0};
  rlk_defects_t defects = {0};
  rowlock_error_t err;
  char* const paths[] = {scratch.path};
  outcome_t outcome = {.code = rlk_corpus_load(&corpus, paths, 1, &defects)};
  if (!outcome.code && corpus.lock_path) {
    outcome.code = rlk_lock_read(corpus.lock_path, &corpus.arena, &lock, &defects);
  }
  if (!outcome.code && !rlk_defects_any(&defects)) {
    outcome.code = rlk_lock_compare(&corpus, &lock, &defects, count, &outcome.divergences, &err);
  }
  if (!outcome.code) outcome.code = defects.code;
  outcome.rows = corpus.count;
  outcome.entries = lock.count;
  outcome.defects = defects.count;
  rlk_lock_deinit(&lock);
  rlk_corpus_deinit(&corpus);
  rlk_defects_deinit(&defects);
  return outcome;
}

static void expect_same(outcome_t got, outcome_t due, uint64_t nth) {
  cr_expect_str_eq(rowlock_code_name(got.code), rowlock_code_name(due.code), "after allocation %llu",
                   (unsigned long long)nth);
  cr_expect_eq(got.rows, due.rows, "after allocation %llu", (unsigned long long)nth);
  cr_expect_eq(got.entries, due.entries, "after allocation %llu", (unsigned long long)nth);
  cr_expect_eq(got.defects, due.defects, "after allocation %llu", (unsigned long long)nth);
  cr_expect_eq(got.divergences, due.divergences, "after allocation %llu", (unsigned long long)nth);
}

/* Refuses the nth allocation, and all later ones if `lasting`; returns whether there was an nth. */
static bool survives(uint64_t nth, bool lasting, outcome_t due) {
  rlk_fault_arm(nth, lasting);
  const outcome_t disturbed = load_and_compare();
  const bool refused = rlk_fault_relent();
  const outcome_t again = load_and_compare();
  cr_expect_eq(rlk_fault_disarm().live, 0, "leaks after allocation %llu", (unsigned long long)nth);
  expect_same(again, due, nth);
  if (!refused) {
    expect_same(disturbed, due, nth);
    return false;
  }
  cr_expect_str_eq(rowlock_code_name(disturbed.code), "NO_MEMORY", "at allocation %llu", (unsigned long long)nth);
  return true;
}

static void expect_survival(outcome_t due) {
  expect_same(load_and_compare(), due, 0);
  for (int lasting = 0; lasting < 2; ++lasting) {
    uint64_t nth = 1;
    while (survives(nth, lasting, due)) ++nth;
    cr_expect_gt(nth, 10);
  }
}

static void write_row(unsigned number, const char* rest) {
  char name[64], row[512];
  snprintf(name, sizeof name, "family/row%u_x.expect.json", number);
  snprintf(row, sizeof row,
           "{\"row\":%u,\"title\":\"t\",\"level\":\"sidecar\",\"loaders\":[\"shared_validator\",\"loaded_vector\"],"
           "\"why\":[\"\\u0061\"],%s}",
           number, rest);
  rlk_scratch_write(&scratch, name, row);
  snprintf(name, sizeof name, "family/row%u_x.sidecar.json", number);
  rlk_scratch_write(&scratch, name, "{}");
}

static void write_lock(void) {
  rlk_corpus_t corpus = {0};
  rlk_defects_t defects = {0};
  rowlock_error_t err;
  char path[512];
  char* const paths[] = {scratch.path};
  snprintf(path, sizeof path, "%s/" RLK_LOCK_NAME, scratch.path);
  cr_assert_eq(rlk_corpus_load(&corpus, paths, 1, &defects), ROWLOCK_OK);
  cr_assert_eq(rlk_lock_write(&corpus, &(rlk_lock_t){0}, path, &err), ROWLOCK_OK, "%s", err.message);
  rlk_corpus_deinit(&corpus);
  rlk_defects_deinit(&defects);
}

#define ACCEPT "\"expect\":\"accept\""
#define REJECT                                                                                          \
  "\"expect\":\"reject\",\"error_substring\":\"x\",\"rule\":\"json.utf8\",\"twin\":\"row1_x\","         \
  "\"order\":[\"json.utf8\",\"json.depth\"],\"limits\":{\"depth\":9},\"overrides\":{\"loaded_vector\":" \
  "{\"error_substring\":\"another\"}}"

Test(allocation, a_sound_corpus_survives_every_failure) {
  write_row(1, ACCEPT);
  write_row(2, REJECT);
  write_lock();
  expect_survival((outcome_t){.code = ROWLOCK_OK, .rows = 2, .entries = 2});
}

/* More rows than the lists of rows, files and entries have room for at first. */
Test(allocation, a_corpus_that_grows_survives_every_failure) {
  for (unsigned i = 1; i <= 70; ++i) write_row(i, ACCEPT);
  write_lock();
  expect_survival((outcome_t){.code = ROWLOCK_OK, .rows = 70, .entries = 70});
}

Test(allocation, a_corpus_that_diverges_survives_every_failure) {
  write_row(1, ACCEPT);
  write_row(2, REJECT);
  write_lock();
  write_row(3, ACCEPT);
  rlk_scratch_write(&scratch, "family/row1_x.sidecar.json", "{ }");
  rlk_scratch_delete(&scratch, "family/row2_x.expect.json");
  rlk_scratch_delete(&scratch, "family/row2_x.sidecar.json");
  expect_survival((outcome_t){.code = ROWLOCK_OK, .rows = 2, .entries = 2, .divergences = 3});
}

Test(allocation, a_malformed_corpus_survives_every_failure) {
  write_row(1, ACCEPT ",\"expct\":1,\"twin\":2");
  write_row(2, "\"expect\":\"maybe\"");
  write_row(3, ACCEPT ",");
  rlk_scratch_write(&scratch, "family/row4_x.sidecar.json", "{}");
  rlk_scratch_write(&scratch, RLK_LOCK_NAME, "1 family/row1_x 00\nx\n");
  const outcome_t due = load_and_compare();
  cr_assert_eq(due.code, ROWLOCK_OK);
  cr_assert_geq(due.defects, 7);
  expect_survival(due);
}
