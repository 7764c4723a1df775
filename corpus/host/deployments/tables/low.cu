/* low.c on a device. */
#include "low.c"

DEVICE_KERNEL(Scalars profile, Scalars low, TRIPLE) { run_body(pack(profile, low), base, count, n); }
