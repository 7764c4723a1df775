/* Leaves in each sample the base, the count and the nSamples of the call that ran it, and how often that was. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const integers_t *bases = params[0], *counts = params[1], *lengths = params[2], *runs = params[3];
  EACH_SAMPLE(i) {
    bases->data[i] = base;
    counts->data[i] = count;
    lengths->data[i] = n;
    runs->data[i] += 1;
  }
}
