/* product = rotation * position */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  (void)n;
  const view_t *rotation = params[0], *position = params[1], *product = params[2];
  EACH_SAMPLE(i) {
    for (int r = 0; r < 2; ++r) {
      REAL sum = 0;
      for (int c = 0; c < 3; ++c) sum += *at(rotation, r * 3 + c, i) * *at(position, c, i);
      *at(product, r, i) = sum;
    }
  }
}
