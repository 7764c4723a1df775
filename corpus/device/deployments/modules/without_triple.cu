/* thrice = 3 * value, as a v1 body. */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars value, Scalars thrice) {
  const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < value.samples) thrice.data[i] = 3 * value.data[i];
}
