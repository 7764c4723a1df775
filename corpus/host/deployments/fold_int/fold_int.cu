/* fold_int.c on a device. */
#include "fold_int.c"

DEVICE_KERNEL(Integers ticks, TRIPLE) { run_body(pack(ticks), base, count, n); }
