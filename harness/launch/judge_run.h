/* What a run left in its buffers: whether it kept to them, did its work, and computed what is due. */
#ifndef ROWLOCK_HARNESS_LAUNCH_JUDGE_RUN_H
#define ROWLOCK_HARNESS_LAUNCH_JUDGE_RUN_H

#include "harness/launch/buffers.h"
#include "validator/rules/rules.h"

/* The outputs of a run, copied. Zeroed is empty. */
typedef struct rlk_outputs_t {
  unsigned char* bytes; /* of every written buffer, one after the other */
  size_t size;
} rlk_outputs_t;

void rlk_outputs_deinit(rlk_outputs_t* outputs);

/* Copies the written buffers; memory of an earlier copy is used again. ROWLOCK_NO_MEMORY. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_outputs_take(rlk_outputs_t* outputs, const rlk_buffers_t* buffers,
                                                   rowlock_error_t* err);

/* The array of buffer `index`, which must be a written one, in the copy; borrowed. */
rlk_array_t rlk_outputs_array(const rlk_outputs_t* outputs, const rlk_buffers_t* buffers, size_t index);

/* `when` says which run, as the end of a sentence: "under host_team, 3 partitions". */

/* After any run: red zones, and inputs. ROWLOCK_REJECTED by a rule of the tier VERDICT. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judge_untouched(const rlk_buffers_t* buffers, const char* when,
                                                      rowlock_error_t* err);

/* By verdict.not-written: of `total` elements `left` still hold their poison. */
rowlock_code_t rlk_refuse_not_written(const rlk_buffer_t* buffer, uint64_t left, uint64_t total, uint64_t first,
                                      const char* when, rowlock_error_t* err);

/* After run number `run`: red zones, inputs, and whether every element of every poisoned output was written.
 * ROWLOCK_REJECTED by a rule of the tier VERDICT. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judge_conduct(const rlk_buffers_t* buffers, uint32_t run, const char* when,
                                                    rowlock_error_t* err);

/* Whether what the last run left is, under the gate (NULL: the default band between host and device), what is due;
 * `rule` is broken if not, and has the slots name, when and difference. What is on a device is compared there.
 * `out_loose` (may be NULL) is set to the name of an output whose band is far too wide. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judge_outputs(const rlk_buffers_t* buffers, const rlk_outputs_t* want,
                                                    const rlk_result_gate_t* gate, rlk_rule_t rule, const char* when,
                                                    const char** out_loose, rowlock_error_t* err);

#endif
