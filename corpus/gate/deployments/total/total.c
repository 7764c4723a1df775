/* Due: every total is the sum of all masses, added in ascending order. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *mass = params[0], *total = params[1];
  (void)n;
  EACH_SAMPLE(i) {
    REAL sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      const int64_t next = j;
      sum += mass->data[next];
    }
    total->data[i] = sum;
  }
}
