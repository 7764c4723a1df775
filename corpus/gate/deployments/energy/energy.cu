/* energy.c on a device. */
#include "energy.c"

DEVICE_KERNEL(Scalars velocity, Scalars energy, TRIPLE) { run_body(pack(velocity, energy), base, count, n); }
