/* The outputs of a launch as files. */
#ifndef ROWLOCK_HARNESS_LAUNCH_OUT_FILES_H
#define ROWLOCK_HARNESS_LAUNCH_OUT_FILES_H

#include "harness/launch/judge_run.h"

/* Writes each output to NAME.npy in the folder, and what a mapreduce output is folded to to NAME.result.npy. Under
 * other names first, so that a file is whole or as it was; where one cannot be written, all are as they were.
 * ROWLOCK_UNUSABLE with the name. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_out_files_write(const char* folder, const rlk_buffers_t* buffers,
                                                      const rlk_outputs_t* outputs, rowlock_error_t* err);

#endif
