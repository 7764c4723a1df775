/* out += -mu * position / |position|^3 */
#include <math.h>

#include "kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const view_t *out = params[0], *position = params[1];
  const REAL mu = *(const REAL*)params[2];
  (void)n;
  for (int64_t i = base; i < base + count; ++i) {
    const REAL x = *at(position, 0, i), y = *at(position, 1, i), z = *at(position, 2, i);
    const REAL square = x * x + y * y + z * z;
    const REAL scale = -mu / (square * sqrt(square));
    *at(out, 0, i) += scale * x;
    *at(out, 1, i) += scale * y;
    *at(out, 2, i) += scale * z;
  }
}
