/* scatter.c on a device. */
#include "scatter.c"

DEVICE_KERNEL(Scalars mass, Scalars plane, TRIPLE) { run_body(pack(mass, plane), base, count, n); }
