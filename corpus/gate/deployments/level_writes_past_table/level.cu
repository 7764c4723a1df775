/* level.c on a device. */
#include "level.c"

DEVICE_KERNEL(Scalars step, Scalars curve, Scalars level, TRIPLE) {
  run_body(pack(step, curve, level), base, count, n);
}
