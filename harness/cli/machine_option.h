/* --driver and --sm: the machine that an artifact is to go to. */
#ifndef ROWLOCK_HARNESS_CLI_MACHINE_OPTION_H
#define ROWLOCK_HARNESS_CLI_MACHINE_OPTION_H

#include "harness/cli/options.h"
#include "loader/artifact/proof.h"

#define RLK_MACHINE_OPTIONS(driver, sm)                                                                  \
  RLK_TEXT("driver", driver, "M.m", "also say what a driver for that CUDA version does not take: 12.4"), \
      RLK_NUMBER("sm", sm, "N", 1, RLK_SM_MAX, "also say whether there is code for that SM: 90")

/* Reads both; `driver` may be NULL. Returns 0, or the exit status after saying what is malformed. */
int rlk_machine_read(const rlk_command_t* command, const char* driver, uint64_t sm, rlk_target_machine_t* out_machine);

#endif
