/* out = -coefficient * density * velocity, of one component. */
#include "abi.h"

EXPORT_LAYOUT

extern "C" __global__ void raptor_kernel(View out, View velocity, Scalars density, double coefficient, uint32_t n,
                                         TRIPLE) {
  SAMPLE(i);
  if (i < n) out.data[i] = -coefficient * density.data[i] * velocity.data[i];
}
