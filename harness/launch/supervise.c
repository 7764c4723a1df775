#define _GNU_SOURCE /* closefrom */
#include "harness/launch/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/launch/processes.h"

typedef struct work_t {
  pid_t pid;
  int status; /* as waitpid has it */
  bool has_ended;
} work_t;

/* Takes note of those that have ended; with WNOHANG, of those that already have. False if there is no child left. */
static bool reap(work_t* work, int options) {
  for (;;) {
    int status;
    const pid_t pid = waitpid(-1, &status, options);
    if (pid == work->pid) {
      work->status = status;
      work->has_ended = true;
    }
    if (pid == 0) return true;
    if (pid < 0 && errno != EINTR) return false;
    options |= WNOHANG;
  }
}

static bool is_stop(int number) {
  return number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGQUIT;
}

/* The signal that asks to stop, or 0 once the work has ended. */
static int wait_for_end(work_t* work, const sigset_t* signals) {
  for (;;) {
    const int number = sigwaitinfo(signals, NULL);
    if (is_stop(number)) return number;
    if (number == SIGCHLD) reap(work, WNOHANG);
    if (work->has_ended) return 0;
  }
}

/* The children of what is stopped come here as it ends, so that in the end there are none. */
static void stop_all(work_t* work) {
  while (reap(work, WNOHANG)) {
    rlk_children_stop();
    reap(work, 0);
  }
}

static _Noreturn void end_by(int number, const sigset_t* signals) {
  signal(number, SIG_DFL);
  kill(getpid(), number);
  sigprocmask(SIG_UNBLOCK, signals, NULL);
  _exit(128 + number);
}

static _Noreturn void watch(pid_t pid, const sigset_t* signals) {
  closefrom(0); /* the streams are the work's: whoever waits for their end waits for that alone */
  work_t work = {.pid = pid};
  const int stopped = wait_for_end(&work, signals);
  stop_all(&work);
  if (stopped) end_by(stopped, signals);
  if (WIFSIGNALED(work.status)) end_by(WTERMSIG(work.status), signals);
  _exit(WEXITSTATUS(work.status));
}

bool rlk_supervise(void) {
  sigset_t all, before;
  sigfillset(&all);
  signal(SIGCHLD, SIG_DFL);         /* where it is ignored, nobody is told how a child ended */
  prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans come here */
  prctl(PR_SET_PDEATHSIG, SIGTERM); /* whoever waits for the answer may be stopped first */
  sigprocmask(SIG_BLOCK, &all, &before);
  const pid_t self = getpid();
  const pid_t pid = fork();
  if (pid > 0) watch(pid, &all);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(EXIT_FAILURE); /* it ended before that was said */
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  return pid == 0;
}
