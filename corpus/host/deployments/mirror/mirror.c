/* Reads across samples: image(i) = original(n - 1 - i). */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *original = params[0], *image = params[1];
  EACH_SAMPLE(i) image->data[i] = original->data[n - 1 - i];
}
