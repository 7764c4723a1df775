/* Partials of every dtype: the value, its sign, the value and its double. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  (void)n;
  const scalars_t *value = params[0], *same = params[1];
  const integers_t* sign = params[2];
  const view_t* pair = params[3];
  EACH_SAMPLE(i) {
    const REAL x = value->data[i];
    same->data[i] = x;
    sign->data[i] = x > 0 ? 1 : x < 0 ? -1 : 0;
    *at(pair, 0, i) = x;
    *at(pair, 1, i) = 2 * x;
  }
}
