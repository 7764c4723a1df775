/* Due: velocity squared, which the run sums up. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *velocity = params[0], *energy = params[1];
  (void)n;
  EACH_SAMPLE(i) {
    const REAL square = velocity->data[i] * velocity->data[i];
    energy->data[i] = square;
  }
}
