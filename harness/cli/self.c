#define _GNU_SOURCE /* readlink, PATH_MAX */
#include "harness/cli/self.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

int rlk_find_self(const rlk_command_t* command, char* out) {
  const ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
  if (length <= 0) {
    return rlk_complain(command, ROWLOCK_INTERNAL, "cannot tell where this program is: %s", strerror(errno));
  }
  out[length] = '\0';
  return 0;
}
