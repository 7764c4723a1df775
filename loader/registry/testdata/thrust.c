/* out += rotation * direction(table) / mass: its host_entry has a name of its own. */
#include "kernel.h"

EXPORT_LAYOUT
EXPORTED void push(arguments_t params, int64_t base, int64_t count, int64_t n);
void push(arguments_t params, int64_t base, int64_t count, int64_t n) {
  const view_t *out = params[0], *rotation = params[1];
  const scalars_t *direction = params[2], *mass = params[3];
  (void)n;
  for (int64_t i = base; i < base + count; ++i) {
    for (int r = 0; r < 3; ++r) {
      REAL sum = 0;
      for (int c = 0; c < 3; ++c) sum += *at(rotation, r * 3 + c, i) * direction->data[c];
      *at(out, r, i) += sum / mass->data[i];
    }
  }
}
