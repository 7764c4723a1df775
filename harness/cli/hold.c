#define _GNU_SOURCE /* O_DIRECTORY, O_CLOEXEC */
#include "harness/cli/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

int rlk_hold_folder(const char* path) {
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -1;
  int locked;
  do {
    locked = flock(fd, LOCK_EX);
  } while (locked != 0 && errno == EINTR);
  if (locked == 0) return fd;
  close(fd);
  return -1;
}
