/* Executes an instruction that no processor has when it is opened. */
#include <math.h>

#include "corpus/host/kernel.h"

__attribute__((constructor)) static void opened(void) { __builtin_trap(); }

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *value = params[0], *thrice = params[1];
  (void)n;
  EACH_SAMPLE(i) thrice->data[i] = fma(3, value->data[i], 0);
}
