/* Due: value + 1. */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars value, TRIPLE) {
  const int64_t local = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  const int64_t i = base + local;
  if (i >= n) return;
  value.data[i] += 1;
}
