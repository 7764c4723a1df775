#include "harness/cli/machine_option.h"

int rlk_machine_read(const rlk_command_t* command, const char* driver, uint64_t sm, rlk_target_machine_t* out_machine) {
  *out_machine = (rlk_target_machine_t){.sm = (uint32_t)sm};
  if (!driver) return 0;
  if (rlk_cuda_version_read(driver, &out_machine->driver)) return 0;
  return rlk_complain(command, ROWLOCK_UNUSABLE, "--driver takes a CUDA version such as 12.4, not '%s'", driver);
}
