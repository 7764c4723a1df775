/* Energy of each sample, mass / 2 * |v|^2: the partial that the loader sums up over the whole run. */
#include "plugin_abi.h"

EXPORT_LAYOUT_SIZES

/* The last parameter, the sample count of the whole run, is of no use to a kernel that looks at one sample alone. */
extern "C" __global__ void raptor_kernel(GRef velocity, ScalarHandle mass, ScalarHandle energy, int64_t base,
                                         int64_t count, int64_t) {
  const uint64_t local = thread_index();
  if (local >= (uint64_t)count) return;
  const uint64_t i = (uint64_t)base + local;
  const double x = velocity.at(0, i);
  const double y = velocity.at(1, i);
  const double z = velocity.at(2, i);
  energy.at(i) = 0.5 * mass.at(i) * (x * x + y * y + z * z);
}
