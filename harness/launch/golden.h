/* Golden arrays: what a launch says that its outputs are. */
#ifndef ROWLOCK_HARNESS_LAUNCH_GOLDEN_H
#define ROWLOCK_HARNESS_LAUNCH_GOLDEN_H

#include "harness/launch/judge_run.h"

/* Whether the launch's gate may be asked of these plugins: where the order of contributions is left open (mapreduce,
 * accum_out) bit_exact would lock an accident. ROWLOCK_UNUSABLE. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_golden_check_gate(const rowlock_registry_t* registry, const rlk_launch_t* launch,
                                                        rowlock_error_t* err);

/* Whether samples contribute to one buffer in an order that is left open (accum_out): partitions change it. */
bool rlk_golden_accumulates(const rowlock_registry_t* registry);

/* Makes the outputs that are due. Every output must be given, folded ones in `results`, and nothing else:
 * ROWLOCK_UNUSABLE names the one that is not. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_golden_take(rlk_outputs_t* outputs, const rlk_buffers_t* buffers,
                                                  const rlk_launch_t* launch, const rlk_operand_source_t* source,
                                                  rowlock_error_t* err);

#endif
