/* untyped.c on a device. */
#include "untyped.c"

DEVICE_KERNEL(Scalars value, Scalars scaled, REAL rate, TRIPLE) { run_body(pack(value, scaled, rate), base, count, n); }
