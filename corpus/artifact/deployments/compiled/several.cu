/* Several kernels, one with a name that C++ makes, beside functions that are called and not launched. */
#include "abi.h"

EXPORT_LAYOUT

__device__ __noinline__ double softened(double x) { return x / (1 + x * x); }
extern "C" __device__ __noinline__ double damped(double x) { return softened(x) * 0.5; }

extern "C" __global__ void soften(Scalars value, TRIPLE) {
  SAMPLE(i);
  value.data[i] = softened(value.data[i]);
}

extern "C" __global__ void damp(Scalars value, double rate, TRIPLE) {
  SAMPLE(i);
  value.data[i] -= rate * damped(value.data[i]);
}

__global__ void lift(Scalars value, TRIPLE) {
  SAMPLE(i);
  value.data[i] += nSamples;
}
