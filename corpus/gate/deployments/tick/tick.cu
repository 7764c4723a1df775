/* tick.c on a device. */
#include "tick.c"

DEVICE_KERNEL(Integers ticks, TRIPLE) { run_body(pack(ticks), base, count, n); }
