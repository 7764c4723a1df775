/* row729c_sidecar_by_name.c on a device. */
#include "row729c_sidecar_by_name.c"

DEVICE_KERNEL(Scalars value, Scalars twice, TRIPLE) { run_body(pack(value, twice), base, count, n); }
