/* Due: quotient = value / divisor. */
#define REAL float
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars value, Scalars divisor, Scalars quotient, TRIPLE) {
  THIS_SAMPLE(i);
  quotient.data[i] = __fdividef(value.data[i], divisor.data[i]);
}
