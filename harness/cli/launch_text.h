/* The launch that the options of `rowlock launch` ask for, as the JSON that rows have. */
#ifndef ROWLOCK_HARNESS_CLI_LAUNCH_TEXT_H
#define ROWLOCK_HARNESS_CLI_LAUNCH_TEXT_H

#include "harness/cli/options.h"

#define RLK_LAUNCH_NO_SAMPLES UINT64_MAX

typedef struct rlk_launch_wishes_t {
  uint64_t samples; /* RLK_LAUNCH_NO_SAMPLES: as the inputs have */
  uint64_t tile;    /* 0: not said */
  rlk_option_list_t inputs, uniforms, tables, merge, enable, disable, structures, partitions;
} rlk_launch_wishes_t;

/* Writes it into new memory that the caller frees. Returns 0, or the exit status after saying what is malformed. */
int rlk_launch_text(const rlk_command_t* command, const rlk_launch_wishes_t* wishes, char** out_text,
                    size_t* out_length);

#endif
