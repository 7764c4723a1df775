/* Due: out = rotation * in. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const view_t *out = params[0], *rotation = params[1], *in = params[2];
  (void)n;
  for (int r = 0; r < 2; ++r) {
    EACH_SAMPLE(i) {
      const REAL first = *at(rotation, 2 * r, i), second = *at(rotation, 2 * r + 1, i);
      *at(out, r, i) = first * *at(in, 0, i) + second * *at(in, 1, i);
    }
  }
}
