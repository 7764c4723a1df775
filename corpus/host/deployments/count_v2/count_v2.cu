/* count_v2.c on a device. */
#include "count_v2.c"

DEVICE_KERNEL(uint32_t samples, Scalars told, TRIPLE) { run_body(pack(samples, told), base, count, n); }
