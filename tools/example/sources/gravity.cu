/* Acceleration towards a central body: out -= mu * r / (|r|^2 + softening^2)^(3/2). */
#include "plugin_abi.h"

extern "C" __global__ void raptor_kernel(GRef out, GRef position, MaskHandle terminated, double mu, double softening) {
  const uint64_t i = thread_index();
  if (i >= out.samples || terminated.at(i)) return;
  const double x = position.at(0, i);
  const double y = position.at(1, i);
  const double z = position.at(2, i);
  const double distance_squared = x * x + y * y + z * z + softening * softening;
  const double factor = mu / (distance_squared * sqrt(distance_squared));
  out.at(0, i) -= factor * x;
  out.at(1, i) -= factor * y;
  out.at(2, i) -= factor * z;
}
