/* Reads one value of each argument, and ends the process where a value is negative: rows bind
 * negative ones in the wrong way, and live. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  (void)n;
  const view_t *position = params[0], *rotation = params[1];
  const scalars_t *profile = params[2], *mass = params[3], *rows = params[4], *energy = params[5];
  const REAL rate = *(const REAL*)params[6];
  EACH_SAMPLE(i) {
    const REAL values[] = {*at(position, 2, i), *at(rotation, 5, i), profile->data[7], mass->data[i], rows->data[0]};
    energy->data[i] = rate;
    for (int v = 0; v < 5; ++v) {
      if (!(values[v] >= 0)) TRAP();
      energy->data[i] += values[v];
    }
  }
}
