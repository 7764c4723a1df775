/* fold.c on a device. */
#include "fold.c"

DEVICE_KERNEL(Scalars value, Scalars same, Integers sign, View pair, TRIPLE) {
  run_body(pack(value, same, sign, pair), base, count, n);
}
