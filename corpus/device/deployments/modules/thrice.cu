/* thrice = 3 * value */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars value, Scalars thrice, TRIPLE) {
  THIS_SAMPLE(i);
  thrice.data[i] = 3 * value.data[i];
}
