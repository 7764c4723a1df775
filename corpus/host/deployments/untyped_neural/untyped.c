/* scaled = rate * value */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  (void)n;
  const scalars_t *value = params[0], *scaled = params[1];
  const REAL rate = *(const REAL*)params[2];
  EACH_SAMPLE(i) scaled->data[i] = rate * value->data[i];
}
