/* Due: y = slope * x + intercept, rounded twice. */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars x, Scalars y, REAL slope, REAL intercept, TRIPLE) {
  THIS_SAMPLE(i);
  y.data[i] = slope * x.data[i] + intercept;
}
