/* roles_float32.c on a device. */
#include "roles_float32.c"

DEVICE_KERNEL(View out, View position, View rotation, Scalars mass, Scalars profile, Scalars energy, Integers ticks,
              View state, View gain, Mask done, REAL rate, int64_t limit, uint32_t samples, Scalars rows,
              Scalars gradient, TRIPLE) {
  run_body(pack(out, position, rotation, mass, profile, energy, ticks, state, gain, done, rate, limit, samples, rows,
                gradient),
           base, count, n);
}
