/* Writes across samples: adds each mass to one of the plane's cells, and counts its calls in the last. */
#include "kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *mass = params[0], *plane = params[1];
  const uint64_t cells = plane->samples - 1;
  (void)n;
  for (int64_t i = base; i < base + count; ++i) plane->data[(uint64_t)(i * 7) % cells] += mass->data[i];
  plane->data[cells] += 1;
}
