/* Counts the samples that are not done; the mask is only read. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  (void)n;
  const mask_t* done = params[0];
  const integers_t* left = params[1];
  EACH_SAMPLE(i) left->data[i] = done->data[i] ? 0 : 1;
}
