/* The entry is not exported. */
#include <math.h>

#include "corpus/host/kernel.h"

EXPORT_LAYOUT
void raptor_kernel_host(void* const* params, int64_t base, int64_t count, int64_t n);
void raptor_kernel_host(void* const* params, int64_t base, int64_t count, int64_t n) {
  const scalars_t *value = params[0], *thrice = params[1];
  (void)n;
  EACH_SAMPLE(i) thrice->data[i] = fma(3, value->data[i], 0);
}

EXPORTED uintptr_t other(void);
uintptr_t other(void) { return (uintptr_t)raptor_kernel_host; }
