/* The comparison of compare.h, by a kernel where the arrays are. */
#ifndef ROWLOCK_HARNESS_GATE_DEVICE_DEVICE_COMPARE_H
#define ROWLOCK_HARNESS_GATE_DEVICE_DEVICE_COMPARE_H

#include "harness/gate/compare.h"
#include "loader/rowlock.h"

typedef struct rlk_device_gate_t rlk_device_gate_t;

/* Loads the kernels on the device, which is borrowed until destroy. For one thread at a time. ROWLOCK_NO_MEMORY,
 * or as the driver fails. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_device_gate_create(rowlock_device_t* device, rlk_device_gate_t** out_gate,
                                                         rowlock_error_t* err);
void rlk_device_gate_destroy(rlk_device_gate_t* device_gate);

/* As rlk_compare, of two arrays whose data is on the device, each element aligned to its size, and in the same memory
 * order: ROWLOCK_UNUSABLE otherwise. ROWLOCK_INTERNAL if the kernel did not look at every element. Waits for what runs
 * on the device before, and for the answer. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_device_compare(rlk_device_gate_t* device_gate, const rlk_array_t* got,
                                                     const rlk_array_t* want, const rlk_result_gate_t* gate,
                                                     rlk_comparison_t* out_comparison, rowlock_error_t* err);

/* The same with `want` on the host: it is uploaded to memory that the gate keeps for the next. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_device_compare_with_host(rlk_device_gate_t* device_gate, const rlk_array_t* got,
                                                               const rlk_array_t* want, const rlk_result_gate_t* gate,
                                                               rlk_comparison_t* out_comparison, rowlock_error_t* err);

#endif
