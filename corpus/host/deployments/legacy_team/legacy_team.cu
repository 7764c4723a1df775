/* legacy_team.c on a device. */
#include "legacy_team.c"

DEVICE_KERNEL(View out, Scalars value, REAL gain) { run_body(pack(out, value, gain), (int32_t)out.samples); }
