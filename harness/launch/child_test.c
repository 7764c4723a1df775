#define _GNU_SOURCE /* usleep, F_GETFD, memmem, pread */
/* Programs that end in every way, and what is told of each. Most are lines of shell. */
#include "harness/launch/child.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 };

static const rlk_child_limits_t generous = {
    .time_ms = PATIENCE_MS, .memory_bytes = UINT64_C(1) << 32, .answer_bytes = 1 << 20};

static rlk_child_result_t run_with(const char* script, const char* input, size_t length,
                                   const rlk_child_limits_t* limits) {
  const char* const arguments[] = {"/bin/sh", "-c", script, NULL};
  rlk_child_result_t result;
  rowlock_error_t err = {.message = ""};
  cr_assert_eq(rlk_child_run(arguments, input, length, -1, limits, &result, &err), ROWLOCK_OK, "%s", err.message);
  return result;
}

static rlk_child_result_t run(const char* script) { return run_with(script, "", 0, &generous); }

static void expect_end(rlk_child_result_t* result, rlk_child_end_t end, int status, const char* script) {
  cr_expect_eq(result->end, end, "%s: end %d, due %d", script, result->end, end);
  cr_expect_eq(result->status, status, "%s: status %d, due %d", script, result->status, status);
  rlk_child_result_deinit(result);
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

Test(child, the_exit_status_is_told) {
  static const int statuses[] = {0, 1, 7, 255};
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; ++i) {
    char script[32];
    snprintf(script, sizeof script, "exit %d", statuses[i]);
    rlk_child_result_t result = run(script);
    expect_end(&result, RLK_CHILD_EXITED, statuses[i], script);
  }
}

Test(child, the_signal_is_told) {
  static const int signals[] = {SIGHUP, SIGABRT, SIGFPE, SIGKILL, SIGSEGV, SIGPIPE, SIGTERM};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
    char script[64];
    snprintf(script, sizeof script, "ulimit -c 0; kill -%d $$; sleep 9", signals[i]);
    rlk_child_result_t result = run(script);
    expect_end(&result, RLK_CHILD_SIGNALED, signals[i], script);
  }
}

/* Whatever this process does with its own signals. */
Test(child, a_signal_that_is_ignored_or_blocked_here_is_not_there) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  cr_assert_eq(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
  cr_assert_neq(signal(SIGPIPE, SIG_IGN), SIG_ERR);
  rlk_child_result_t result = run("kill -TERM $$; exit 3");
  expect_end(&result, RLK_CHILD_SIGNALED, SIGTERM, "SIGTERM");
  result = run("kill -PIPE $$; exit 3");
  expect_end(&result, RLK_CHILD_SIGNALED, SIGPIPE, "SIGPIPE");
}

/* --- Limits ------------------------------------------------------------------------------------------------------- */

Test(child, what_takes_too_long_is_stopped) {
  rlk_child_limits_t limits = generous;
  limits.time_ms = 200;
  const int64_t begin = now_ms();
  rlk_child_result_t result = run_with("echo begun; sleep 600", "", 0, &limits);
  const int64_t took = now_ms() - begin;
  cr_expect(took >= 200 && took < PATIENCE_MS, "%lld ms", (long long)took);
  cr_expect_eq(result.output_length, 6);
  expect_end(&result, RLK_CHILD_OUT_OF_TIME, 0, "sleep");
  limits.time_ms = PATIENCE_MS;
  result = run_with("sleep 0.3", "", 0, &limits);
  expect_end(&result, RLK_CHILD_EXITED, 0, "a shorter sleep");
}

/* dd holds a block of the size that it is told, whole. */
Test(child, what_holds_too_much_memory_is_stopped) {
  rlk_child_limits_t limits = generous;
  limits.memory_bytes = UINT64_C(128) << 20;
  static const char much[] = "exec dd if=/dev/zero bs=256M count=1000 of=/dev/null";
  static const char little[] = "exec dd if=/dev/zero bs=16M count=1 of=/dev/null";
  rlk_child_result_t result = run_with(much, "", 0, &limits);
  expect_end(&result, RLK_CHILD_OUT_OF_MEMORY, 0, much);
  result = run_with(little, "", 0, &limits);
  expect_end(&result, RLK_CHILD_EXITED, 0, little);
}

/* Each of the four holds less than the limit. */
Test(child, what_it_started_counts_with_it) {
  rlk_child_limits_t limits = generous;
  limits.memory_bytes = UINT64_C(256) << 20;
  static const char many[] = "for i in 1 2 3 4; do dd if=/dev/zero bs=96M count=1000 of=/dev/null & done; wait";
  static const char one[] = "dd if=/dev/zero bs=96M count=20 of=/dev/null & wait";
  rlk_child_result_t result = run_with(many, "", 0, &limits);
  expect_end(&result, RLK_CHILD_OUT_OF_MEMORY, 0, many);
  result = run_with(one, "", 0, &limits);
  expect_end(&result, RLK_CHILD_EXITED, 0, one);
}

/* It is asked first, and given time to stop what it started. */
Test(child, what_does_not_stop_when_it_is_asked_is_stopped) {
  rlk_child_limits_t limits = generous;
  limits.time_ms = 200;
  const int64_t begin = now_ms();
  rlk_child_result_t result = run_with("trap 'echo asked >&3' TERM; while :; do sleep 0.1; done", "", 0, &limits);
  cr_expect_lt(now_ms() - begin, PATIENCE_MS);
  cr_expect_str_eq(result.answer, "asked\n");
  expect_end(&result, RLK_CHILD_OUT_OF_TIME, 0, "trap");
  result = run_with("trap 'echo asked >&3; exit 0' TERM; while :; do sleep 0.1; done", "", 0, &limits);
  expect_end(&result, RLK_CHILD_OUT_OF_TIME, 0, "trap and exit");
}

Test(child, an_answer_is_kept_up_to_its_limit) {
  rlk_child_limits_t limits = generous;
  for (size_t bytes = 99999; bytes <= 100001; ++bytes) {
    limits.answer_bytes = bytes;
    rlk_child_result_t result = run_with("head -c 100000 /dev/zero | tr '\\0' x >&3", "", 0, &limits);
    const size_t kept = bytes < 100000 ? bytes : 100000;
    cr_expect_eq(result.answer_length, kept, "%zu of %zu", result.answer_length, kept);
    cr_expect_eq(strspn(result.answer, "x"), kept);
    cr_expect_eq(strlen(result.answer), kept);
    cr_expect_eq(result.answer_is_cut, bytes < 100000, "limit %zu", bytes);
    expect_end(&result, RLK_CHILD_EXITED, 0, "head");
  }
}

Test(child, nothing_is_an_answer_too) {
  rlk_child_result_t result = run("exec 3>&-");
  cr_expect_str_eq(result.answer, "");
  cr_expect_eq(result.answer_length, 0);
  cr_expect_not(result.answer_is_cut);
  expect_end(&result, RLK_CHILD_EXITED, 0, "exec");
  cr_expect_null(result.answer);
}

/* --- Streams ------------------------------------------------------------------------------------------------------ */

Test(child, the_answer_is_kept_apart_from_both_outputs) {
  rlk_child_result_t result = run("echo to output; echo the answer >&3; echo to error >&2");
  cr_expect_str_eq(result.answer, "the answer\n");
  const char due[] = "to output\nto error\n";
  cr_expect_eq(result.output_length, sizeof due - 1);
  cr_expect_eq(memcmp(result.output, due, sizeof due - 1), 0, "%.*s", (int)result.output_length, result.output);
  expect_end(&result, RLK_CHILD_EXITED, 0, "echo");
}

Test(child, the_last_of_a_long_output_is_kept) {
  rlk_child_result_t result = run("head -c 3000000 /dev/zero; printf 'the end'");
  cr_expect_eq(result.output_length, sizeof result.output);
  cr_expect_eq(memcmp(result.output + sizeof result.output - 7, "the end", 7), 0);
  cr_expect_eq(result.output[0], '\0');
  expect_end(&result, RLK_CHILD_EXITED, 0, "head");
  result = run("i=0; while [ $i -lt 1030 ]; do printf x; i=$((i + 1)); done; printf yz");
  cr_expect_eq(result.output_length, sizeof result.output);
  cr_expect_eq(memcmp(result.output + sizeof result.output - 3, "xyz", 3), 0);
  expect_end(&result, RLK_CHILD_EXITED, 0, "printf");
}

static char* make_input(size_t length) {
  char* input = malloc(length);
  cr_assert_not_null(input);
  for (size_t i = 0; i < length; ++i) input[i] = (char)('a' + i % 23);
  return input;
}

/* More than a pipe holds, in and out at the same time. */
Test(child, a_long_input_comes_back_whole) {
  enum { LENGTH = 900000 };
  char* input = make_input(LENGTH);
  rlk_child_result_t result = run_with("cat >&3", input, LENGTH, &generous);
  cr_assert_eq(result.answer_length, LENGTH);
  cr_expect_eq(memcmp(result.answer, input, LENGTH), 0);
  expect_end(&result, RLK_CHILD_EXITED, 0, "cat");
  free(input);
}

Test(child, input_that_is_not_read_harms_nobody) {
  enum { LENGTH = 900000 };
  static const char* const scripts[] = {"exit 5", "exec <&-; sleep 0.1; exit 5", "head -c 10 >/dev/null; exit 5"};
  char* input = make_input(LENGTH);
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
    rlk_child_result_t result = run_with(scripts[i], input, LENGTH, &generous);
    expect_end(&result, RLK_CHILD_EXITED, 5, scripts[i]);
    sigset_t pending;
    cr_assert_eq(sigpending(&pending), 0);
    cr_expect_eq(sigismember(&pending, SIGPIPE), 0, "%s", scripts[i]);
  }
  free(input);
}

Test(child, holds_no_descriptor_but_its_own) {
  const int ours = open("/dev/null", O_RDONLY);
  cr_assert_geq(ours, 0);
  rlk_child_result_t result = run("for fd in 0 1 2 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$fd ] || echo $fd >&3; done");
  cr_expect_str_eq(result.answer, "0\n1\n2\n3\n");
  expect_end(&result, RLK_CHILD_EXITED, 0, "for");
  close(ours);
}

Test(child, has_the_file_that_it_is_given) {
  char text[16] = "";
  FILE* file = tmpfile();
  cr_assert_not_null(file);
  const char* const arguments[] = {"/bin/sh", "-c", "echo here >&4; [ -e /proc/$$/fd/5 ] || echo no more >&3", NULL};
  rlk_child_result_t result;
  rowlock_error_t err;
  cr_assert_eq(rlk_child_run(arguments, "", 0, fileno(file), &generous, &result, &err), ROWLOCK_OK);
  cr_expect_str_eq(result.answer, "no more\n");
  expect_end(&result, RLK_CHILD_EXITED, 0, "echo");
  cr_expect_eq(pread(fileno(file), text, sizeof text - 1, 0), 5);
  cr_expect_str_eq(text, "here\n");
  fclose(file);
  cr_expect_eq(rlk_child_run(arguments, "", 0, 255, &generous, &result, &err), ROWLOCK_INTERNAL, "it is not open");
}

/* Or a plugin would read what stands before an answer. */
Test(child, cannot_read_its_own_answer) {
  rlk_child_result_t result = run("echo secret >&3; timeout 1 cat </proc/$$/fd/3; timeout 1 cat <&3; echo $?");
  cr_expect_str_eq(result.answer, "secret\n");
  cr_expect_null(memmem(result.output, result.output_length, "secret", 6));
  expect_end(&result, RLK_CHILD_EXITED, 0, "cat");
}

static int count_descriptors(void) {
  int count = 0;
  for (int fd = 0; fd < 256; ++fd) count += fcntl(fd, F_GETFD) >= 0;
  return count;
}

Test(child, leaves_no_descriptor_open_here) {
  const int before = count_descriptors();
  for (int i = 0; i < 5; ++i) {
    rlk_child_result_t result = run("exit 0");
    expect_end(&result, RLK_CHILD_EXITED, 0, "exit");
  }
  cr_expect_eq(count_descriptors(), before);
}

Test(child, a_program_that_does_not_exist_is_named) {
  static const char* const paths[] = {"/no/such/program", "/dev/null", "/"};
  const int before = count_descriptors();
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    const char* const arguments[] = {paths[i], NULL};
    rlk_child_result_t result;
    rowlock_error_t err;
    char due[64];
    snprintf(due, sizeof due, "cannot start '%s': ", paths[i]);
    cr_expect_eq(rlk_child_run(arguments, "", 0, -1, &generous, &result, &err), ROWLOCK_INTERNAL);
    cr_expect_eq(strncmp(err.message, due, strlen(due)), 0, "%s", err.message);
    cr_expect_null(result.answer);
  }
  cr_expect_eq(count_descriptors(), before);
}

/* --- What it leaves behind ---------------------------------------------------------------------------------------- */

/* Stopped processes that nobody has waited for yet are still there as names. */
static bool is_alive(pid_t pid) {
  char path[64], line[512] = "";
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  FILE* file = fopen(path, "r");
  if (!file) return false;
  const size_t length = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[length] = '\0';
  const char* state = strrchr(line, ')');
  return state && state[1] && state[2] != 'Z' && state[2] != 'X';
}

static void expect_gone(const rlk_child_result_t* result, const char* script) {
  const pid_t left = (pid_t)strtol(result->answer, NULL, 10);
  cr_assert_gt(left, 0, "%s answered '%s'", script, result->answer);
  const int64_t begin = now_ms();
  while (is_alive(left) && now_ms() - begin < PATIENCE_MS) usleep(1000);
  cr_expect_not(is_alive(left), "%s: process %ld goes on", script, (long)left);
  if (is_alive(left)) kill(left, SIGKILL);
}

Test(child, what_it_started_is_stopped_with_it) {
  static const char* const scripts[] = {
      "sleep 600 & echo $! >&3",                                               /* in the background */
      "(sleep 600 & echo $! >&3) & wait",                                      /* and its parent is gone */
      "setsid sh -c 'echo $$ >&3; exec sleep 600' & sleep 0.2",                /* in a session of its own */
      "setsid sh -c 'setsid sleep 600 & echo $! >&3; exit' & wait; sleep 0.2", /* in the session of one that is gone */
      "sleep 600 & echo $! >&3; kill -KILL $$",                                /* by one that crashed */
  };
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
    const int64_t begin = now_ms();
    rlk_child_result_t result = run(scripts[i]);
    cr_expect_lt(now_ms() - begin, PATIENCE_MS, "%s: waited for what it started", scripts[i]);
    expect_gone(&result, scripts[i]);
    rlk_child_result_deinit(&result);
  }
}

Test(child, what_it_started_is_stopped_when_its_time_is_over) {
  static const char* const scripts[] = {"sleep 600 & echo $! >&3; wait",
                                        "setsid sh -c 'echo $$ >&3; exec sleep 600' & wait; sleep 600"};
  rlk_child_limits_t limits = generous;
  limits.time_ms = 500;
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
    rlk_child_result_t result = run_with(scripts[i], "", 0, &limits);
    cr_expect_eq(result.end, RLK_CHILD_OUT_OF_TIME);
    expect_gone(&result, scripts[i]);
    rlk_child_result_deinit(&result);
  }
}

/* --- Several at once ---------------------------------------------------------------------------------------------- */

enum { THREADS = 8, RUNS = 12 };

/* Each of its runs has an input of its own, and gets that back. */
static void* run_some(void* context) {
  const int number = *(const int*)context;
  int* failures = malloc(sizeof *failures);
  *failures = 0;
  for (int i = 0; i < RUNS; ++i) {
    char input[64];
    const int length = snprintf(input, sizeof input, "%d of %d", i, number);
    const char* const arguments[] = {"/bin/sh", "-c", "setsid sleep 600 & cat >&3; exit 9", NULL};
    rlk_child_result_t result;
    rowlock_error_t err;
    const rowlock_code_t code = rlk_child_run(arguments, input, (size_t)length, -1, &generous, &result, &err);
    *failures += code || result.end != RLK_CHILD_EXITED || result.status != 9 || strcmp(result.answer, input) != 0;
    if (!code) rlk_child_result_deinit(&result);
  }
  return failures;
}

Test(child, several_threads_do_not_meet) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    cr_assert_eq(pthread_create(&threads[i], NULL, run_some, &numbers[i]), 0);
  }
  for (int i = 0; i < THREADS; ++i) {
    void* failures;
    cr_assert_eq(pthread_join(threads[i], &failures), 0);
    cr_expect_eq(*(int*)failures, 0, "thread %d: %d runs failed", i, *(int*)failures);
    free(failures);
  }
}
