#define _GNU_SOURCE /* environ, strnlen, usleep */
#include "harness/launch/strays.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of an environment; and how often all processes are looked at: one may start others as fast as they are stopped. */
enum { LOOKED_AT = 65536, PASSES_MAX = 100 };

void rlk_mark_make(char out_mark[RLK_MARK_SIZE]) {
  static atomic_ulong made;
  snprintf(out_mark, RLK_MARK_SIZE, "ROWLOCK_CHILD=%ld.%lu", (long)getpid(), atomic_fetch_add(&made, 1) + 1);
}

char** rlk_mark_environment(char* mark) {
  size_t count = 0;
  while (environ[count]) ++count;
  char** marked = malloc((count + 2) * sizeof *marked);
  if (!marked) return NULL;
  marked[0] = mark;
  memcpy(marked + 1, environ, (count + 1) * sizeof *marked);
  return marked;
}

/* Whether the mark is one of the NUL-terminated variables. A shell passes them on in an order of its own. */
static bool has_mark(pid_t pid, const char* mark) {
  char path[64], bytes[LOOKED_AT];
  snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  size_t length = 0;
  for (ssize_t more = 1; more > 0 && length<sizeof bytes; length += more> 0 ? (size_t)more : 0) {
    more = read(fd, bytes + length, sizeof bytes - length);
  }
  close(fd);
  const size_t size = strlen(mark) + 1;
  for (size_t at = 0; at + size <= length; at += strnlen(bytes + at, length - at) + 1) {
    if (memcmp(bytes + at, mark, size) == 0) return true;
  }
  return false;
}

/* One that has ended and waits for its parent to notice has no environment left. */
static bool stop_some(const char* mark, pid_t since) {
  DIR* processes = opendir("/proc");
  if (!processes) return false;
  bool any = false;
  for (const struct dirent* entry; (entry = readdir(processes));) {
    const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    if (pid > since && has_mark(pid, mark)) any |= kill(pid, SIGKILL) == 0;
  }
  closedir(processes);
  return any;
}

void rlk_strays_stop(const char* mark, pid_t since) {
  for (int pass = 0; pass < PASSES_MAX && stop_some(mark, since); ++pass) usleep(1000);
}
