/* twice = 2 * value */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  (void)n;
  const scalars_t *value = params[0], *twice = params[1];
  EACH_SAMPLE(i) twice->data[i] = 2 * value->data[i];
}
