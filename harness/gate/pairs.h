/* For tests: two arrays whose elements meet in every way that a gate tells apart, the same ones for the same seed. */
#ifndef ROWLOCK_HARNESS_GATE_PAIRS_H
#define ROWLOCK_HARNESS_GATE_PAIRS_H

#include "harness/gate/gate.h"

/* Bits of `kinds`: which pairs stand among those of the same bits. */
enum {
  RLK_PAIRS_NEAR = 1,      /* a few representable values apart */
  RLK_PAIRS_FAR = 2,       /* anything finite against anything finite */
  RLK_PAIRS_ZEROS = 4,     /* of either sign */
  RLK_PAIRS_DENORMALS = 8, /* against each other, zero, and the smallest normal number */
  RLK_PAIRS_NANS = 16,     /* of any payload, and against numbers */
  RLK_PAIRS_INFINITIES = 32,
  RLK_PAIRS_ALL = 63,
};

/* One pair in `sparsity` is of one of the kinds. Of integers and bools there are only near and far. */
void rlk_pairs_fill(rlk_dtype_t dtype, uint64_t seed, uint32_t kinds, uint64_t sparsity, void* got, void* want,
                    uint64_t count);

/* A gate of any mode, with bounds to either side of what near pairs need. */
rlk_result_gate_t rlk_pairs_gate(uint64_t seed);

#endif
