/* The team by itself, with entries that are no plugin's: what each call is given, and in which floating-point mode. */
#include "loader/exec/team.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <limits.h>
#include <omp.h>
#include <stdatomic.h>

#include "loader/host/fp_mode.h"

enum { N = 1000 };

static _Atomic int64_t calls, samples, odd_calls;
static rlk_fp_mode_t mode; /* of the caller */

/* The arguments and the mode are what the test set. */
static void count_entry(void* const* params, int64_t base, int64_t count, int64_t n) {
  const rlk_fp_mode_t here = rlk_fp_mode_save();
  const bool right =
      count > 0 && base >= 0 && n == N && *(const int*)params[0] == 7 && !rlk_fp_mode_compare(&here, &mode);
  atomic_fetch_add(&calls, 1);
  atomic_fetch_add(&samples, count);
  atomic_fetch_add(&odd_calls, !right);
}

static rlk_team_outcome_t run(rowlock_host_entry_v2_t entry, int64_t base, int64_t count, int64_t tile,
                              uint32_t threads) {
  static int argument = 7;
  static void* const params[] = {&argument};
  const rlk_team_t team = {.entry = entry,
                           .params = params,
                           .partition = {.base = base, .count = count, .sample_count = N},
                           .tile_samples = tile,
                           .thread_count = threads};
  calls = samples = odd_calls = 0;
  mode = rlk_fp_mode_save();
  return rlk_team_run(&team);
}

static void expect_calls(int64_t base, int64_t count, int64_t tile, uint32_t threads, int64_t due) {
  const rlk_team_outcome_t outcome = run(count_entry, base, count, tile, threads);
  cr_expect(eq(i64, calls, due), "%lld samples in tiles of %lld", (long long)count, (long long)tile);
  cr_expect(eq(i64, outcome.call_count, due));
  cr_expect(eq(i64, samples, count));
  cr_expect(eq(i64, odd_calls, 0));
  cr_expect(eq(u32, outcome.changed_parts, 0));
  cr_expect(le(u32, outcome.thread_count, threads));
}

Test(team, calls_once_a_tile) {
  expect_calls(0, N, 100, 2, 10);
  expect_calls(0, N, 99, 2, 11);
  expect_calls(0, N, N, 2, 1);
  expect_calls(0, N, 2000, 2, 1);
  expect_calls(900, 100, 1, 7, 100);
  expect_calls(0, N, 100, 1, 10);
}

Test(team, computes_in_the_mode_of_its_caller_on_every_thread) {
  const rlk_fp_mode_t before = rlk_fp_mode_save();
  expect_calls(0, N, 10, 4, 100); /* the threads are there now, in the mode of before */
  rlk_fp_mode_t flushing = before;
  flushing.mxcsr |= 0x8000;
  rlk_fp_mode_restore(&flushing);
  expect_calls(0, N, 1, 4, N);
  rlk_fp_mode_restore(&before);
  expect_calls(0, N, 1, 4, N);
}

static void flush_entry(void* const* params, int64_t base, int64_t count, int64_t n) {
  (void)params, (void)count, (void)n;
  rlk_fp_mode_t flushing = rlk_fp_mode_save();
  flushing.mxcsr |= 0x8000;
  if (base == 990) rlk_fp_mode_restore(&flushing);
}

Test(team, tells_the_mode_that_one_tile_changed_and_restores_it) {
  const rlk_team_outcome_t outcome = run(flush_entry, 0, N, 10, 4);
  cr_expect(eq(u32, outcome.changed_parts, RLK_FP_FLUSH_TO_ZERO));
  expect_calls(0, N, 1, 4, N);
}

Test(team, has_a_thread_by_default) { cr_expect(le(u32, 1, rlk_team_default_threads())); }

Test(team, has_as_many_threads_by_default_as_may_be_asked_for) {
  static const int asked[] = {ROWLOCK_THREADS_MAX - 1, ROWLOCK_THREADS_MAX, ROWLOCK_THREADS_MAX + 1, INT_MAX};
  for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
    omp_set_num_threads(asked[i]); /* as OMP_NUM_THREADS does */
    const uint32_t due = asked[i] < ROWLOCK_THREADS_MAX ? (uint32_t)asked[i] : ROWLOCK_THREADS_MAX;
    cr_expect(eq(u32, rlk_team_default_threads(), due));
  }
}
