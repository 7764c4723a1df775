/* step.c on a device. */
#include "step.c"

DEVICE_KERNEL(Scalars velocity, Scalars position, Mask done, REAL dt, TRIPLE) {
  run_body(pack(velocity, position, done, dt), base, count, n);
}
