/* a = b + scale * c: two reads and a write for two operations, so that memory is what it waits for. */
#include "kernel.h"

void raptor_kernel_host(void* const* params, int64_t base, int64_t count, int64_t n) {
  double* restrict a = ((const handle_t*)params[0])->data;
  const double* restrict b = ((const handle_t*)params[1])->data;
  const double* restrict c = ((const handle_t*)params[2])->data;
  const double scale = *(const double*)params[3];
  (void)n;
  for (int64_t i = base; i < base + count; ++i) a[i] = b[i] + scale * c[i];
}
