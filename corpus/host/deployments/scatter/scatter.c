/* Writes across samples: adds each mass to one of the plane's cells, and counts its calls in the last. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  (void)n;
  const scalars_t *mass = params[0], *plane = params[1];
  const uint64_t cells = plane->samples - 1;
  EACH_SAMPLE_IN_TURN(i) plane->data[(uint64_t)i % cells] += mass->data[i];
  if (IS_FIRST_THREAD) plane->data[cells] += 1;
}
