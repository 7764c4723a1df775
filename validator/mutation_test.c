/* Millions of bytes of documents that nobody would write, through the reader, every door and the contract checks. Which
 * invariants must hold is in trial.h. The documents are the same in every run: a failure prints its number and text. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "validator/mutator.h"
#include "validator/rules/text.h"
#include "validator/trial.h"

/* Of each suite; the three are 12 million bytes. ThreadSanitizer is slow, and has nothing to see in one thread. */
#ifdef __SANITIZE_THREAD__
static const uint64_t suite_bytes = 1000000;
#else
static const uint64_t suite_bytes = 4000000;
#endif

static rlk_trial_t trial;
static rlk_mutator_t mutator;
static char* samples[RLK_SAMPLE_COUNT];

static void setup(void) {
  cr_assert(rlk_trial_init(&trial));
  cr_assert(eq(i32, (int)rlk_judging_put_sample_files(&trial.judging), ROWLOCK_OK));
  for (rlk_sample_t sample = 0; sample < RLK_SAMPLE_COUNT; ++sample) {
    samples[sample] = rlk_sample_text(sample, NULL, 0);
    cr_assert(not(zero(ptr, samples[sample])));
  }
}

static void teardown(void) {
  for (rlk_sample_t sample = 0; sample < RLK_SAMPLE_COUNT; ++sample) free(samples[sample]);
  rlk_mutator_deinit(&mutator);
  rlk_trial_deinit(&trial);
}

TestSuite(mutation, .init = setup, .fini = teardown, .timeout = 300);

static const char* any_sample(void) { return samples[rlk_mutator_below(&mutator, RLK_SAMPLE_COUNT)]; }

/* Makes a document from `text`: mostly one that is still JSON, with a few values changed. */
static void mutate(const char* text) {
  rlk_mutator_load(&mutator, text, strlen(text));
  const size_t steps = 1 + rlk_mutator_below(&mutator, 4);
  const bool wild = rlk_mutator_below(&mutator, 3) == 0;
  for (size_t step = 0; step < steps; ++step) {
    const char* other = any_sample();
    if (wild) rlk_mutator_change_bytes(&mutator, other, strlen(other));
    if (!wild) rlk_mutator_change_tokens(&mutator);
  }
}

static void try_mutated(void) {
  if (rlk_trial_holds(&trial, mutator.bytes, mutator.length)) return;
  static char shown[1 << 17];
  rlk_text_t out = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&out, mutator.bytes, mutator.length, mutator.length);
  cr_fatal("document %llu: %s\n%s", (unsigned long long)trial.texts, trial.problem, shown);
}

/* The documents were neither all sound nor all broken, and broke many rules. */
static void expect_variety(unsigned read_percent, unsigned accepted_percent, size_t rules) {
  size_t fired = 0;
  for (rlk_rule_t rule = 0; rule < RLK_RULE_COUNT; ++rule) fired += trial.fired[rule] > 0;
  const uint64_t doors = trial.read * RLK_DOOR_COUNT;
  cr_log_info("%llu bytes in %llu documents, %llu read, %llu of %llu judgements accept, %zu rules fired",
              (unsigned long long)trial.bytes, (unsigned long long)trial.texts, (unsigned long long)trial.read,
              (unsigned long long)trial.accepted, (unsigned long long)doors, fired);
  cr_expect(ge(u64, trial.bytes, suite_bytes));
  cr_expect(ge(u64, trial.read * 100, trial.texts * read_percent), "%u%% of %llu", read_percent,
            (unsigned long long)trial.texts);
  cr_expect(ge(u64, trial.accepted * 100, doors * accepted_percent), "%u%% of %llu", accepted_percent,
            (unsigned long long)doors);
  cr_expect(ge(sz, fired, rules), "different rules");
}

Test(mutation, of_sidecars_keeps_every_invariant) {
  rlk_mutator_init(&mutator, 1);
  while (trial.bytes < suite_bytes) {
    mutate(samples[rlk_mutator_below(&mutator, 3)]);
    try_mutated();
  }
  expect_variety(45, 20, 100);
}

Test(mutation, of_manifests_and_of_the_sidecars_beside_them_keeps_every_invariant) {
  static const char* const paths[] = {"gravity.json", "drag.json", "bump.json", "forward.json", "backward.json"};
  rlk_mutator_init(&mutator, 2);
  while (trial.bytes < suite_bytes) {
    const char* path = paths[rlk_mutator_below(&mutator, sizeof paths / sizeof *paths)];
    mutate(samples[strcmp(path, "gravity.json") == 0 || strcmp(path, "drag.json") == 0 ? RLK_SAMPLE_VECTOR
                                                                                       : RLK_SAMPLE_PURE]);
    cr_assert(eq(i32, (int)rlk_judging_put_file(&trial.judging, path, mutator.bytes, mutator.length), ROWLOCK_OK));
    mutate(samples[RLK_SAMPLE_MANIFEST_V1 + rlk_mutator_below(&mutator, 3)]);
    try_mutated();
  }
  expect_variety(45, 3, 120);
}

Test(mutation, of_any_document_under_tight_limits_keeps_every_invariant) {
  rlk_mutator_init(&mutator, 3);
  trial.judging.limits = (rowlock_limits_t){.depth = 4, .size_bytes = 3000, .values = 90, .entries = 3};
  while (trial.bytes < suite_bytes) {
    mutate(any_sample());
    try_mutated();
  }
  expect_variety(35, 10, 105);
}
