/* twofold.c on a device. */
#include "twofold.c"

DEVICE_KERNEL(Scalars value, Scalars twofold, TRIPLE) { run_body(pack(value, twofold), base, count, n); }
