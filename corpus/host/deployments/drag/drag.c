/* out += -coefficient * |velocity| * velocity / mass */
#include <math.h>

#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const view_t *out = params[0], *velocity = params[1];
  const scalars_t* mass = params[2];
  const REAL coefficient = *(const REAL*)params[3];
  (void)n;
  EACH_SAMPLE(i) {
    const REAL x = *at(velocity, 0, i), y = *at(velocity, 1, i), z = *at(velocity, 2, i);
    const REAL scale = -coefficient * sqrt(x * x + y * y + z * z) / mass->data[i];
    *at(out, 0, i) += scale * x;
    *at(out, 1, i) += scale * y;
    *at(out, 2, i) += scale * z;
  }
}
