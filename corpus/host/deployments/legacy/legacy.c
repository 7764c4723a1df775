/* A v1 body: adds 1 to each sample and counts its calls; it exports no layout. */
#include "corpus/host/kernel.h"

ENTRY_V1 {
  const scalars_t *value = params[0], *calls = params[1];
  for (int32_t i = 0; i < n; ++i) value->data[i] += 1;
  calls->data[0] += 1;
}
