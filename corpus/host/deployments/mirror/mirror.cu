/* mirror.c on a device. */
#include "mirror.c"

DEVICE_KERNEL(Scalars original, Scalars image, TRIPLE) { run_body(pack(original, image), base, count, n); }
