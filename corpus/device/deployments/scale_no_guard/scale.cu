/* Due: scaled = factor * value. */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars value, Scalars scaled, REAL factor, TRIPLE) {
  const int64_t local = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (count == 0) return;
  const int64_t i = base + local;
  scaled.data[i] = factor * value.data[i];
}
