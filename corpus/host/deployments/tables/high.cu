/* high.c on a device. */
#include "high.c"

DEVICE_KERNEL(Scalars profile, Scalars high, TRIPLE) { run_body(pack(profile, high), base, count, n); }
