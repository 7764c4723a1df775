/* fused.c on a device. */
#include "fused.c"

DEVICE_KERNEL(View position, View rotation, Scalars profile, Scalars mass, Scalars rows, Scalars energy, REAL rate,
              TRIPLE) {
  run_body(pack(position, rotation, profile, mass, rows, energy, rate), base, count, n);
}
