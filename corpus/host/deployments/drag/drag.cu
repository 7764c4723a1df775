/* out += -coefficient * |velocity| * velocity / mass */
#include "../../kernel.cuh"

EXPORT_LAYOUT

extern "C" __global__ void raptor_kernel(View out, View velocity, Scalars mass, REAL coefficient, TRIPLE) {
  THIS_SAMPLE(i);
  const REAL x = velocity.at(0, i), y = velocity.at(1, i), z = velocity.at(2, i);
  const REAL scale = -coefficient * sqrt(x * x + y * y + z * z) / mass.data[i];
  out.at(0, i) += scale * x;
  out.at(1, i) += scale * y;
  out.at(2, i) += scale * z;
}
