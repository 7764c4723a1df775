#include "harness/cli/machine_option.h"

#include <stdio.h>

int rlk_machine_read(const rlk_command_t* command, const char* driver, uint64_t sm, rlk_target_machine_t* out_machine) {
  unsigned major = 0, minor = 0;
  int end = 0;
  *out_machine = (rlk_target_machine_t){.sm = (uint32_t)sm};
  if (!driver) return 0;
  const bool sound = sscanf(driver, "%3u.%1u%n", &major, &minor, &end) == 2 && driver[end] == '\0' && driver[0] >= '1';
  if (!sound)
    return rlk_complain(command, ROWLOCK_UNUSABLE, "--driver takes a CUDA version such as 12.4, not '%s'", driver);
  out_machine->driver = 10 * major + minor;
  return 0;
}
