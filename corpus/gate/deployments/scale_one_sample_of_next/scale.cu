/* scale.c on a device. */
#include "scale.c"

DEVICE_KERNEL(View out, View in, REAL factor, TRIPLE) { run_body(pack(out, in, factor), base, count, n); }
