/* A v1 body: adds 1 to each sample and counts its calls; it exports no layout. */
#include "corpus/host/kernel.h"

ENTRY_V1 {
  const scalars_t *value = params[0], *calls = params[1];
  EACH(i, 0, n) value->data[i] += 1;
  if (IS_FIRST_THREAD) calls->data[0] += 1;
}
