/* The outputs of a launch on their way to the process that asked for it; out_files.h is the other side. */
#ifndef ROWLOCK_HARNESS_LAUNCH_OUT_BYTES_H
#define ROWLOCK_HARNESS_LAUNCH_OUT_BYTES_H

#include "harness/launch/judge_run.h"

/* Writes the elements of each output to the descriptor's file, from its beginning, one after the other in the order of
 * the report. ROWLOCK_UNUSABLE with the name. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_out_bytes_write(int file, const rlk_buffers_t* buffers,
                                                      const rlk_outputs_t* outputs, rowlock_error_t* err);

#endif
