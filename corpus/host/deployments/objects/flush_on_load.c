/* Turns denormals off when it is opened, as the start files of -ffast-math do. */
#include <immintrin.h>
#include <math.h>

#include "corpus/host/kernel.h"

__attribute__((constructor)) static void opened(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *value = params[0], *thrice = params[1];
  (void)n;
  EACH_SAMPLE(i) thrice->data[i] = fma(3, value->data[i], 0);
}
