/* sidecar.c on a device. */
#include "sidecar.c"

DEVICE_KERNEL(Scalars value, Scalars twice, TRIPLE) { run_body(pack(value, twice), base, count, n); }
