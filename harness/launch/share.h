/* Whether a part of a run, alone, writes its own samples and no others: comparing results afterwards cannot tell, since
 * other parts may have made up for it. */
#ifndef ROWLOCK_HARNESS_LAUNCH_SHARE_H
#define ROWLOCK_HARNESS_LAUNCH_SHARE_H

#include "harness/launch/judge_run.h"

/* Whether the plugin may be run in parts at all: others are called once, whole. */
bool rlk_has_shares(const rowlock_plugin_t* plugin);

/* Before a part of that plugin alone: its outputs are poisoned, those that have a first value are left as they are, and
 * `before` gets what every output then holds. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_share_begin(rlk_buffers_t* buffers, const rowlock_registry_t* registry,
                                                  size_t plugin_index, uint32_t run, rlk_outputs_t* before,
                                                  rowlock_error_t* err);

/* After it: red zones and inputs as ever; of the plugin's arrays of samples, every element of the part that was
 * poisoned is written, and none outside it; what other plugins write is as it was. ROWLOCK_REJECTED by a rule of the
 * tier VERDICT. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judge_share(const rlk_buffers_t* buffers, const rowlock_registry_t* registry,
                                                  size_t plugin_index, const rowlock_partition_t* part, uint32_t run,
                                                  const rlk_outputs_t* before, const char* when, rowlock_error_t* err);

#endif
