/* threefold = factor() * value, with a factor() that the other plugin's object exports too. */
#include "corpus/host/kernel.h"

EXPORTED REAL factor(void);
EXPORTED REAL factor(void) { return 3; }

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *value = params[0], *threefold = params[1];
  REAL (*volatile found)(void) = factor;
  (void)n;
  EACH_SAMPLE(i) threefold->data[i] = found() * value->data[i];
}
