/* What goes to the kernels of compare.cu and comes back: plain C, for both sides. */
#ifndef ROWLOCK_HARNESS_GATE_DEVICE_COMPARE_REQUEST_H
#define ROWLOCK_HARNESS_GATE_DEVICE_COMPARE_REQUEST_H

#include "harness/gate/element.h"

enum { RLK_COMPARE_THREADS = 256 }; /* of a block: the kernels count on it */

typedef struct rlk_compare_request_t {
  uint64_t got, want; /* addresses on the device, aligned as their elements are */
  uint64_t element_count;
  rlk_result_gate_t gate;
} rlk_compare_request_t;

/* What is known of some of the elements. */
typedef struct rlk_compare_summary_t {
  uint64_t seen_count; /* elements looked at: all of them, or the kernel did not do its work */
  uint64_t mismatch_count;
  rlk_verdict_t verdict; /* of the first of the worst; the rest says nothing if that is NONE */
  uint64_t position;
  uint64_t got, want; /* bits */
} rlk_compare_summary_t;

#endif
