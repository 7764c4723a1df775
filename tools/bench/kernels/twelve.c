/* Twelve arguments, next to no work: what is left is the call. */
#include "kernel.h"

void raptor_kernel_host(void* const* params, int64_t base, int64_t count, int64_t n) {
  const handle_t* sum = params[11];
  double total = (double)(base + count - n);
  for (int i = 8; i < 11; ++i) total += *(const double*)params[i];
  sum->data[0] = total;
}
