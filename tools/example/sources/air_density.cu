/* Density of the air at an altitude, by linear interpolation in a table of two rows: altitudes in ascending order, and
 * the density at each. Outside the table the nearest end holds. */
#include "plugin_abi.h"

constexpr uint64_t kKnots = 32; /* columns of the table's shape in the sidecar */

extern "C" __global__ void raptor_kernel(SampleCount samples, ScalarHandle altitude, ScalarHandle atmosphere,
                                         double scale, ScalarHandle density) {
  const uint64_t i = thread_index();
  if (i >= samples) return;
  const double height = altitude.at(i);
  /* The knot that closes the interval of the height, or the nearest interval outside the table. */
  uint64_t above = 1;
#pragma unroll 1
  while (above < kKnots - 1 && atmosphere.at(above) <= height) ++above;
  const double low = atmosphere.at(above - 1);
  const double share = (height - low) / (atmosphere.at(above) - low);
  const double clamped = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share; /* NaN stays NaN */
  const double below = atmosphere.at(kKnots + above - 1);
  density.at(i) = scale * (below + clamped * (atmosphere.at(kKnots + above) - below));
}
