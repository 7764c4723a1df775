/* peak.c on a device. */
#include "peak.c"

DEVICE_KERNEL(Scalars left, Scalars right, Scalars peak, TRIPLE) { run_body(pack(left, right, peak), base, count, n); }
