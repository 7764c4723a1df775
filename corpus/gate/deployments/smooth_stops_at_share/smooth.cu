/* smooth.c on a device. */
#include "smooth.c"

DEVICE_KERNEL(Scalars rough, Scalars smooth, TRIPLE) { run_body(pack(rough, smooth), base, count, n); }
