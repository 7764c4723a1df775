/* A v1 vector body with threads of its own: out += gain * value. */
#include "corpus/host/kernel.h"

ENTRY_V1 {
  const view_t* out = params[0];
  const scalars_t* value = params[1];
  const REAL gain = *(const REAL*)params[2];
#pragma omp parallel for
  EACH(i, 0, n) * at(out, 0, i) += gain * value->data[i];
}
