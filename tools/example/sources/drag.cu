/* Deceleration in thin air: out -= coefficient * density * area_to_mass / 2 * |v| * v. */
#include "plugin_abi.h"

extern "C" __global__ void raptor_kernel(GRef out, GRef velocity, ScalarHandle density, ScalarHandle area_to_mass,
                                         MaskHandle terminated, double drag_coefficient) {
  const uint64_t i = thread_index();
  if (i >= out.samples || terminated.at(i)) return;
  const double x = velocity.at(0, i);
  const double y = velocity.at(1, i);
  const double z = velocity.at(2, i);
  const double speed = sqrt(x * x + y * y + z * z);
  const double factor = 0.5 * drag_coefficient * density.at(i) * area_to_mass.at(i) * speed;
  out.at(0, i) -= factor * x;
  out.at(1, i) -= factor * y;
  out.at(2, i) -= factor * z;
}
