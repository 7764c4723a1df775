/* Due: the mean of a sample and the next one; the last has itself for its next one. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *rough = params[0], *smooth = params[1];
  (void)n;
  EACH_SAMPLE(i) {
    const int64_t next = i + 1 < base + count ? i + 1 : i;
    smooth->data[i] = (rough->data[i] + rough->data[next]) / 2;
  }
}
