/* out += amount, in both components */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  (void)n;
  const view_t* out = params[0];
  const REAL amount = *(const REAL*)params[1];
  EACH_SAMPLE(i) {
    *at(out, 0, i) += amount;
    *at(out, 1, i) += 2 * amount;
  }
}
