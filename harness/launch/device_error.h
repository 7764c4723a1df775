/* What a device says of a run, which it tells when somebody waits for it. */
#ifndef ROWLOCK_HARNESS_LAUNCH_DEVICE_ERROR_H
#define ROWLOCK_HARNESS_LAUNCH_DEVICE_ERROR_H

#include "loader/rowlock.h"

/* ROWLOCK_NO_MEMORY and ROWLOCK_UNAVAILABLE are the machine's, and stay what they are. Any other code is that of what
 * was run: ROWLOCK_REJECTED by verdict.device-error, with the plugins that may have done it, since a device does not
 * say which. `when` ends the sentence. */
rowlock_code_t rlk_judge_device_error(const rowlock_registry_t* registry, const char* when, rowlock_code_t code,
                                      const rowlock_error_t* problem, rowlock_error_t* err);

#endif
