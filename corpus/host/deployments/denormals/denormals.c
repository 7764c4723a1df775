/* half = value / 2; `mode` is put into the control word of the vector unit and left there. */
#include <immintrin.h>

#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  const scalars_t *value = params[0], *half = params[1];
  (void)n;
  EACH_SAMPLE(i) half->data[i] = value->data[i] / 2;
  _mm_setcsr(_mm_getcsr() | (unsigned)*(const int64_t*)params[2]);
}
