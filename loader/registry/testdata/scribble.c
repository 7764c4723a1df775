/* Puts the samples that its view has into each, and another number into the view. */
#include "kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  scalars_t* value = params[0];
  for (int64_t i = base; i < base + count; ++i) value->data[i] = (REAL)value->samples;
  if (base + count == n) value->samples = 77;
}
