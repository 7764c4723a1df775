/* Runs a command and says what it took. A small program of its own, because a child that a large process starts counts
 * the memory of that process as its own peak.
 *
 *   measure OUTPUT COMMAND [ARGUMENT...]
 *
 * The command's standard output goes to the file OUTPUT. Prints one JSON object: the exit status (128 and the number
 * for a signal), wall clock and processor time in nanoseconds, peak resident memory in KiB. Exits 3 if it cannot start
 * it. */
#define _DEFAULT_SOURCE /* wait4 */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CANNOT_START = 127 };

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t to_ns(struct timeval time) { return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000; }

_Noreturn static void become(const char* output, char** command) {
  const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0 && dup2(file, STDOUT_FILENO) >= 0) execvp(command[0], command);
  fprintf(stderr, "measure: cannot run '%s' into '%s': %s\n", command[0], output, strerror(errno));
  _exit(CANNOT_START);
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: measure OUTPUT COMMAND [ARGUMENT...]\n");
    return 2;
  }
  const int64_t start = now_ns();
  const pid_t child = fork();
  if (child == 0) become(argv[1], argv + 2);
  int status;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
    fprintf(stderr, "measure: %s\n", strerror(errno));
    return 3;
  }
  const long long wall_ns = now_ns() - start;
  const long long cpu_ns = to_ns(usage.ru_utime) + to_ns(usage.ru_stime);
  const int exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (exit_status == CANNOT_START) return 3;
  printf("{\"exit\": %d, \"wall_ns\": %lld, \"cpu_ns\": %lld, \"peak_kib\": %ld}\n", exit_status, wall_ns, cpu_ns,
         usage.ru_maxrss);
  return 0;
}
