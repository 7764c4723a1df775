/* Philox4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011):
 * the numbers of a counter do not depend on those before it, nor on the machine. */
#ifndef ROWLOCK_HARNESS_LAUNCH_PHILOX_H
#define ROWLOCK_HARNESS_LAUNCH_PHILOX_H

#include <stdint.h>

#define RLK_PHILOX_NAME "philox4x32-10"

typedef struct rlk_philox_t {
  uint32_t words[4];
} rlk_philox_t;

/* The four words of a counter (four words, the lowest first) under a key. */
static inline rlk_philox_t rlk_philox(rlk_philox_t counter, uint64_t key) {
  uint32_t key_low = (uint32_t)key, key_high = (uint32_t)(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint32_t* c = counter.words;
    const uint64_t even = UINT64_C(0xD2511F53) * c[0], odd = UINT64_C(0xCD9E8D57) * c[2];
    counter = (rlk_philox_t){{(uint32_t)(odd >> 32) ^ c[1] ^ key_low, (uint32_t)odd,
                              (uint32_t)(even >> 32) ^ c[3] ^ key_high, (uint32_t)even}};
    key_low += UINT32_C(0x9E3779B9);
    key_high += UINT32_C(0xBB67AE85);
  }
  return counter;
}

#endif
