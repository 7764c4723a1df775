/* Due: out = factor * in. */
#include <math.h>

#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const view_t *out = params[0], *in = params[1];
  const REAL factor = *(const REAL*)params[2];
  (void)base, (void)count;
  for (int c = 0; c < 2; ++c) {
    EACH(i, 0, n) {
      const REAL value = factor * *at(in, c, i);
      *at(out, c, i) = value;
    }
  }
}
