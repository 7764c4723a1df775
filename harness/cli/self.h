/* Where this program is, to start it again. */
#ifndef ROWLOCK_HARNESS_CLI_SELF_H
#define ROWLOCK_HARNESS_CLI_SELF_H

#include "harness/cli/options.h"

/* Puts this program's path into `out`, which has room for PATH_MAX bytes. Returns 0, or the exit status after saying
 * that it cannot be told. */
int rlk_find_self(const rlk_command_t* command, char* out);

#endif
