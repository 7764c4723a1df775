/* counter.c on a device. */
#include "counter.c"

DEVICE_KERNEL(Integers ticks, int64_t step, TRIPLE) { run_body(pack(ticks, step), base, count, n); }
