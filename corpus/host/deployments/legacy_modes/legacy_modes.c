/* A v1 body with threads of its own: half = value / 2; `mode` is put into the control words of its workers and left
 * there. */
#include <immintrin.h>
#include <omp.h>

#include "corpus/host/kernel.h"

ENTRY_V1 {
  const scalars_t *value = params[0], *half = params[1];
  const unsigned mode = (unsigned)*(const int64_t*)params[2];
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    EACH(i, 0, n) half->data[i] = value->data[i] / 2;
    if (omp_get_thread_num() > 0) _mm_setcsr(_mm_getcsr() | mode);
  }
}
