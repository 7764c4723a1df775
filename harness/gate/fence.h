/* For tests: bytes that end where memory ends, so that reading one too many is a fault. */
#ifndef ROWLOCK_HARNESS_GATE_FENCE_H
#define ROWLOCK_HARNESS_GATE_FENCE_H

#include <stddef.h>

typedef struct rlk_fence_t {
  void* pages;
  size_t pages_size;
  unsigned char* bytes;
} rlk_fence_t;

/* `size` writable bytes right before a page that nobody may touch. Each ends the test when the system refuses. */
rlk_fence_t rlk_fence_create(size_t size);
void rlk_fence_destroy(rlk_fence_t* fence);

#endif
