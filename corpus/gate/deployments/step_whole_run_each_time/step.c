/* Due: position += dt * velocity, for the samples that are not done. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *velocity = params[0], *position = params[1];
  const mask_t* done = params[2];
  const REAL dt = *(const REAL*)params[3];
  (void)base, (void)count;
  EACH(i, 0, n) {
    if (done->data[i]) continue;
    position->data[i] += dt * velocity->data[i];
  }
}
