/* Partials of every dtype, for any reduction: half of mass * |velocity|^2, its sign as an integer, mass * velocity. */
#include "kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const view_t *velocity = params[0], *momentum = params[4];
  const scalars_t *mass = params[1], *energy = params[2];
  const integers_t* sign = params[3];
  (void)n;
  for (int64_t i = base; i < base + count; ++i) {
    REAL square = 0;
    for (int c = 0; c < 2; ++c) {
      square += *at(velocity, c, i) * *at(velocity, c, i);
      *at(momentum, c, i) = mass->data[i] * *at(velocity, c, i);
    }
    energy->data[i] = mass->data[i] * square / 2;
    sign->data[i] = energy->data[i] > 0 ? 1 : energy->data[i] < 0 ? -1 : 0;
  }
}
