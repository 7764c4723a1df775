/* threefold.c on a device. */
#include "threefold.c"

DEVICE_KERNEL(Scalars value, Scalars threefold, TRIPLE) { run_body(pack(value, threefold), base, count, n); }
