/* half = value / 2; `device` is written into the view of `value`, where 0 stands already. */
#include "corpus/host/kernel.h"

EXPORT_LAYOUT
ENTRY_V2 {
  scalars_t* value = params[0];
  const scalars_t* half = params[1];
  (void)n;
  EACH_SAMPLE(i) half->data[i] = value->data[i] / 2;
  const int32_t device = (int32_t) * (const int64_t*)params[2];
  if (base == 0) value->device_id = device;
}
