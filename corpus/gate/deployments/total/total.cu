/* total.c on a device. */
#include "total.c"

DEVICE_KERNEL(Scalars mass, Scalars total, TRIPLE) { run_body(pack(mass, total), base, count, n); }
