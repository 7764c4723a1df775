/* A run captured into a graph, and the graph run: what a program does that launches the same work again and again. */
#ifndef ROWLOCK_HARNESS_LAUNCH_REPLAY_H
#define ROWLOCK_HARNESS_LAUNCH_REPLAY_H

#include "loader/rowlock.h"

/* Captures a run of the registry, which is on the device, and runs the graph once; returns when that has ended.
 * ROWLOCK_REJECTED by the registry's rule, or by verdict.device-error where capturing or running failed: a run that
 * allocates or waits cannot be captured. ROWLOCK_NO_MEMORY, ROWLOCK_UNAVAILABLE: the device's. `when` ends the
 * sentence. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_replay(const rowlock_device_t* device, rowlock_registry_t* registry,
                                             const rowlock_run_options_t* options, const char* when,
                                             rowlock_error_t* err);

#endif
