/* The kernel of a bare aether-abi/1 artifact: no triple, no layout array. */
#include "../compiled/abi.h"

extern "C" __global__ void raptor_kernel(View out, View velocity, Scalars density, double coefficient) {
  const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < out.samples) out.data[i] = -coefficient * density.data[i] * velocity.data[i];
}
