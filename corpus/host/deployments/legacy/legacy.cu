/* legacy.c on a device. */
#include "legacy.c"

DEVICE_KERNEL(Scalars value, Scalars calls) { run_body(pack(value, calls), (int32_t)value.samples); }
