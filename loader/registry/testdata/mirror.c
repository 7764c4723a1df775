/* Reads across samples: image(i) = original(n - 1 - i). */
#include "kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *original = params[0], *image = params[1];
  for (int64_t i = base; i < base + count; ++i) image->data[i] = original->data[n - 1 - i];
}
