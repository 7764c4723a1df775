/* A counter turned into bits without pattern, the same on every machine (the finaliser of SplitMix64). */
#ifndef ROWLOCK_HARNESS_GATE_MIX_H
#define ROWLOCK_HARNESS_GATE_MIX_H

#include <stdint.h>

static inline uint64_t rlk_mix(uint64_t counter) {
  uint64_t bits = (counter + 1) * UINT64_C(0x9E3779B97F4A7C15);
  bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
  return bits ^ bits >> 31;
}

#endif
