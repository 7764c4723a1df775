/* Writes across samples: adds each mass to one of the plane's cells. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  (void)n;
  const scalars_t *mass = params[0], *plane = params[1];
  EACH_SAMPLE(i) plane->data[(uint64_t)i % plane->samples] += mass->data[i];
}
