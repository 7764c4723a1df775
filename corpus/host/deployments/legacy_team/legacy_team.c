/* A v1 vector body with threads of its own: out += gain * value. */
#include "corpus/host/kernel.h"

ENTRY_V1 {
  const view_t* out = params[0];
  const scalars_t* value = params[1];
  const REAL gain = *(const REAL*)params[2];
#pragma omp parallel for
  for (int32_t i = 0; i < n; ++i) *at(out, 0, i) += gain * value->data[i];
}
