/* Uses a function that nothing defines. */
#include "corpus/host/kernel.h"

extern double drag_coefficient(double);

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *value = params[0], *thrice = params[1];
  (void)n;
  EACH_SAMPLE(i) thrice->data[i] = drag_coefficient(value->data[i]);
}
