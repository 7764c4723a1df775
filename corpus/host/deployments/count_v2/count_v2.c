/* Notes the nsamples and the count that it is told. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t* told = params[1];
  if (base > 0 || !IS_FIRST_THREAD) return;
  told->data[0] = *(const uint32_t*)params[0];
  told->data[1] = (REAL)count;
  told->data[2] = (REAL)n;
}
