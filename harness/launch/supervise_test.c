#define _GNU_SOURCE /* usleep, kill */
/* Work that ends in every way under a process that watches, and what it leaves behind. */
#include "harness/launch/supervise.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_US = 20000000, STEP_US = 1000 };

typedef void (*work_fn)(int out);

/* The watching process, which a test is the parent of; what it does with signals is what a program has. */
static pid_t start(work_fn work, int out) {
  const pid_t pid = fork();
  cr_assert_geq(pid, 0);
  if (pid > 0) return pid;
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (!rlk_supervise()) _exit(99);
  work(out);
  _exit(0);
}

static int end_of(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0) cr_assert_eq(errno, EINTR);
  return status;
}

static void ends_well(int out) { (void)out; }
static void ends_with_7(int out) { (void)out, _exit(7); }
static void aborts(int out) { (void)out, signal(SIGABRT, SIG_DFL), kill(getpid(), SIGABRT); }
static void is_killed(int out) { (void)out, kill(getpid(), SIGKILL); }

Test(supervise, ends_as_the_work_does) {
  int status = end_of(start(ends_well, -1));
  cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%#x", status);
  status = end_of(start(ends_with_7, -1));
  cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7, "%#x", status);
  status = end_of(start(aborts, -1));
  cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%#x", status);
  status = end_of(start(is_killed, -1));
  cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "%#x", status);
}

static void say_pid(int out) {
  const pid_t self = getpid();
  if (write(out, &self, sizeof self) != sizeof self) abort();
}

/* A process that nothing connects with the one that started it, and that has no use for a signal. */
static void leaves_an_orphan(int out) {
  if (fork() > 0) {
    usleep(200000);
    return;
  }
  setsid();
  if (fork() > 0) _exit(0);
  prctl(PR_SET_PDEATHSIG, 0);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_IGN);
  say_pid(out);
  for (;;) pause();
}

static void leaves_an_orphan_and_waits(int out) {
  leaves_an_orphan(out);
  prctl(PR_SET_PDEATHSIG, 0);
  for (;;) pause();
}

/* One that starts another before it is stopped, again and again. */
static void leaves_a_chain(int out) {
  if (fork() > 0) {
    usleep(100000);
    return;
  }
  setsid();
  say_pid(out);
  for (int i = 0; i < 2000; ++i) {
    if (fork() > 0) _exit(0);
    usleep(100);
  }
  for (;;) pause();
}

static bool is_gone(pid_t pid) {
  for (int waited = 0; waited < PATIENCE_US; waited += STEP_US, usleep(STEP_US)) {
    if (kill(pid, 0) != 0) return true;
  }
  return false;
}

static pid_t hear_pid(int in) {
  pid_t pid = -1;
  cr_assert_eq(read(in, &pid, sizeof pid), sizeof pid);
  return pid;
}

Test(supervise, what_the_work_leaves_is_stopped_before_the_end) {
  static const work_fn works[] = {leaves_an_orphan, leaves_a_chain};
  for (size_t i = 0; i < sizeof works / sizeof *works; ++i) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    const pid_t watcher = start(works[i], ends[1]);
    const pid_t orphan = hear_pid(ends[0]);
    const int status = end_of(watcher);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%#x", status);
    cr_expect(kill(orphan, 0) != 0, "%ld goes on", (long)orphan);
    close(ends[1]);
    char byte;
    cr_expect_eq(read(ends[0], &byte, 1), 0, "somebody holds the pipe");
    close(ends[0]);
  }
}

Test(supervise, a_signal_that_asks_to_stop_stops_all) {
  static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    const pid_t watcher = start(leaves_an_orphan_and_waits, ends[1]);
    const pid_t orphan = hear_pid(ends[0]);
    cr_assert_eq(kill(watcher, SIGUSR1), 0); /* nothing comes of this */
    cr_assert_eq(kill(watcher, signals[i]), 0);
    const int status = end_of(watcher);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == signals[i], "%#x", status);
    cr_expect(is_gone(orphan));
    close(ends[0]);
    close(ends[1]);
  }
}

/* The watching process is a child of one that ends, as a program does that is killed. */
Test(supervise, the_end_of_the_parent_stops_all) {
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    start(leaves_an_orphan_and_waits, ends[1]);
    for (;;) pause();
  }
  const pid_t orphan = hear_pid(ends[0]);
  cr_assert_eq(kill(parent, SIGKILL), 0);
  end_of(parent);
  cr_expect(is_gone(orphan));
  close(ends[1]);
  char byte;
  cr_expect_eq(read(ends[0], &byte, 1), 0, "somebody holds the pipe");
  close(ends[0]);
}
