/* What OpenMP's workers are left with, and what is made of it. */
#include "loader/exec/workers.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <omp.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4 };

static rlk_fp_mode_t mode; /* of the caller */
static _Atomic uint32_t threads_there, threads_that_differ;

static void set_mxcsr(uint32_t value) { __asm__ volatile("ldmxcsr %0" : : "m"(value) : "memory"); }

static void flush_in_last(void) {
  if (omp_get_thread_num() == THREADS - 1) set_mxcsr(mode.mxcsr | 0x8000);
}

static void occupy_in_last(void) {
  if (omp_get_thread_num() == THREADS - 1) __asm__ volatile("movd %0, %%mm0" : : "r"(1) : "memory");
}

static void look(void) {
  const rlk_fp_mode_t own = rlk_fp_mode_save();
  atomic_fetch_add(&threads_there, 1);
  atomic_fetch_add(&threads_that_differ, rlk_fp_mode_compare(&mode, &own) != 0);
}

/* Through an atomic, which orders it for ThreadSanitizer: that sees neither libgomp nor what the compiler shares. */
static _Atomic(void (*)(void)) body_of_each;

static void each(void (*body)(void)) {
  body_of_each = body;
#pragma omp parallel num_threads(THREADS)
  {
    void (*const own)(void) = atomic_load(&body_of_each);
    own();
  }
}

static void expect_restored(void) {
  threads_there = threads_that_differ = 0;
  each(look);
  cr_expect(eq(u32, threads_there, THREADS));
  cr_expect(zero(u32, threads_that_differ));
}

static void setup(void) {
  omp_set_dynamic(0);
  mode = rlk_fp_mode_save();
}

TestSuite(workers, .init = setup);

static void expect_told_and_restored(int by_default) {
  omp_set_num_threads(by_default);
  each(flush_in_last);
  cr_expect(eq(u32, rlk_workers_set_mode(&mode, getpid()), by_default < THREADS ? 0 : RLK_FP_FLUSH_TO_ZERO), "%d",
            by_default);
  cr_expect(zero(u32, rlk_workers_set_mode(&mode, getpid())));
  expect_restored();
}

Test(workers, that_are_left_flushing_are_told_and_restored) {
  expect_told_and_restored(THREADS);
  expect_told_and_restored(THREADS + 1);
}

Test(workers, beyond_a_region_by_default_end) {
  expect_told_and_restored(2);
  expect_told_and_restored(1);
}

Test(workers, that_leave_the_x87_registers_in_use_are_told_and_restored) {
  omp_set_num_threads(THREADS);
  each(occupy_in_last);
  cr_expect(eq(u32, rlk_workers_set_mode(&mode, getpid()), RLK_FP_X87_REGISTERS));
  expect_restored();
}

Test(workers, are_reached_where_teams_are_dynamic) {
  omp_set_num_threads(THREADS);
  each(flush_in_last);
  omp_set_dynamic(1);
  cr_expect(eq(u32, rlk_workers_set_mode(&mode, getpid()), RLK_FP_FLUSH_TO_ZERO));
  cr_expect(ne(i32, omp_get_dynamic(), 0));
  omp_set_dynamic(0);
  expect_restored();
}

Test(workers, take_the_mode_of_the_caller) {
  each(look); /* they are there now, in the mode of before */
  const rlk_fp_mode_t before = mode;
  mode.mxcsr |= 0x8000;
  rlk_fp_mode_restore(&mode);
  omp_set_num_threads(THREADS);
  cr_expect(eq(u32, rlk_workers_set_mode(&mode, getpid()), RLK_FP_FLUSH_TO_ZERO));
  expect_restored();
  rlk_fp_mode_restore(&before);
}

Test(workers, are_not_waited_for_in_a_child_that_has_none) {
  omp_set_num_threads(THREADS);
  each(look);
  const pid_t owner = getpid(), child = fork();
  if (child == 0) {
    alarm(10);
    _exit((int)rlk_workers_set_mode(&mode, owner));
  }
  int status;
  cr_assert(eq(i32, waitpid(child, &status, 0), child));
  cr_expect(zero(i32, status));
}
