/* A v1 body, which has its samples from the handle: value + 1. */
#include "corpus/host/kernel.cuh"

DEVICE_KERNEL(Scalars value) {
  const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < value.samples) value.data[i] += 1;
}
