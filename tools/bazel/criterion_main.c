/* The main function of every Criterion test: Criterion's own, with two faults mended.
 *
 * A run without tests is a failure: Criterion passes it, and a linker that drops its section makes every test such a
 * run. And two tests that Bazel starts side by side may have the same process id, each in its sandbox; Criterion names
 * its socket below the shared /tmp after it, and the second would not start. A lock of the same name tells: who finds
 * it taken goes on in a child, which has another id. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

/* The lock is held until the process ends. False: another has this id now. */
static bool lock_process_id(void) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/criterion_%ld.lock", (long)getpid());
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return true; /* without a lock it may fail to start; nothing worse */
  close(fd);
  return false;
}

static int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void take_process_id(void) {
  while (!lock_process_id()) {
    const pid_t child = fork();
    if (child > 0) _exit(wait_for(child));
    if (child < 0) return;
  }
}

int main(int argc, char** argv) {
  take_process_id();
  struct criterion_test_set* tests = criterion_initialize();
  int status = 0;
  if (tests->tests == 0) {
    fprintf(stderr, "%s holds no test: was Criterion's section dropped at link time?\n", argv[0]);
    status = 1;
  } else if (criterion_handle_args(argc, argv, true)) {
    status = criterion_run_all_tests(tests) ? 0 : 1;
  }
  criterion_finalize(tests);
  return status;
}
