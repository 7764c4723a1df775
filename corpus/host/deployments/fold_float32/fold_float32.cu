/* fold_float32.c on a device. */
#include "fold_float32.c"

DEVICE_KERNEL(Scalars value, Scalars same, TRIPLE) { run_body(pack(value, same), base, count, n); }
