/* half = value / 2; unless `leave` is 0, MMX code has the last word, without an emms behind it. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *value = params[0], *half = params[1];
  (void)n;
  EACH_SAMPLE(i) half->data[i] = value->data[i] / 2;
  if (*(const int64_t*)params[2]) __asm__ volatile("movd %0, %%mm0" : : "r"(1) : "memory");
}
