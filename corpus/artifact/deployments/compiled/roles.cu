/* The twelve roles and every dtype of a mutable, each parameter read. */
#include "abi.h"

EXPORT_LAYOUT

extern "C" __global__ void raptor_kernel(View out, View position, View rotation, Scalars mass, Scalars profile,
                                         Scalars energy, Integers ticks, View state, View gain, Mask done, REAL rate,
                                         int64_t limit, uint32_t n, Scalars rows, Scalars gradient, Scalars total,
                                         TRIPLE) {
  SAMPLE(i);
  if (done.data[i] || i >= n) return;
  out.data[i] = rotation.data[i] * position.data[i] + gain.data[i] * state.data[i];
  energy.data[i] = mass.data[i] * rate + profile.data[i % profile.samples];
  ticks.data[i] += limit;
  gradient.data[i] = rows.data[i];
  atomicAdd(total.data, energy.data[i]);
}
