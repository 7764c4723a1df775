/* Due: out = factor * in. */
#include <math.h>

#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const view_t *out = params[0], *in = params[1];
  const REAL factor = *(const REAL*)params[2];
  (void)n;
  for (int c = 0; c < 2; ++c) {
    for (int64_t i = base; count && !base && i < n; ++i) {
      const REAL value = factor * *at(in, c, i);
      *at(out, c, i) = value;
    }
  }
}
