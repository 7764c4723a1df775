/* masked.c on a device. */
#include "masked.c"

DEVICE_KERNEL(Mask done, Integers left, TRIPLE) { run_body(pack(done, left), base, count, n); }
