/* The entry has the name that C++ gives it. */
#include <math.h>

#include "corpus/host/kernel.h"

EXPORT_LAYOUT
EXPORTED void _Z18raptor_kernel_hostPKPvlll(void* const* params, int64_t base, int64_t count, int64_t n);
void _Z18raptor_kernel_hostPKPvlll(void* const* params, int64_t base, int64_t count, int64_t n) {
  const scalars_t *value = params[0], *thrice = params[1];
  (void)n;
  EACH_SAMPLE(i) thrice->data[i] = fma(3, value->data[i], 0);
}
