/* turn.c on a device. */
#include "turn.c"

DEVICE_KERNEL(View out, View rotation, View in, TRIPLE) { run_body(pack(out, rotation, in), base, count, n); }
