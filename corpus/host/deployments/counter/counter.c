/* ticks += step, in int64. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  (void)n;
  const integers_t* ticks = params[0];
  const int64_t step = *(const int64_t*)params[1];
  EACH_SAMPLE(i) ticks->data[i] += step;
}
