/* thrice = 3 * value, for a host */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *value = params[0], *thrice = params[1];
  (void)n;
  EACH_SAMPLE(i) thrice->data[i] = 3 * value->data[i];
}
