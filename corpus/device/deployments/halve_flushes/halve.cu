/* Due: half = value / 2, for the smallest numbers too. */
#define REAL float
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars value, Scalars half, TRIPLE) {
  THIS_SAMPLE(i);
  asm("mul.rn.ftz.f32 %0, %1, 0f3F000000;" : "=f"(half.data[i]) : "f"(value.data[i]));
}
