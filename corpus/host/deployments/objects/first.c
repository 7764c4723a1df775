/* twice = 2 * value */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *value = params[0], *twice = params[1];
  (void)n;
  EACH_SAMPLE(i) twice->data[i] = 2 * value->data[i];
}
