/* add.c on a device. */
#include "add.c"

DEVICE_KERNEL(View out, REAL amount, TRIPLE) { run_body(pack(out, amount), base, count, n); }
