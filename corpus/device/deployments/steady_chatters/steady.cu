/* Due: twice = 2 * once. What else a kernel can do stands in the function before it. */
#include <stdio.h>

#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

__device__ static void meanwhile(const Scalars& twice, int64_t n) { printf("%lld samples\n", (long long)n); }

DEVICE_KERNEL(Scalars once, Scalars twice, TRIPLE) {
  THIS_SAMPLE(i);
  twice.data[i] = 2 * once.data[i];
  meanwhile(twice, n);
}
