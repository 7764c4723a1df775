/* thrice = 3 * value; nothing is said of the layout. */
#include "corpus/host/kernel.cuh"

DEVICE_KERNEL(Scalars value, Scalars thrice, TRIPLE) {
  THIS_SAMPLE(i);
  thrice.data[i] = 3 * value.data[i];
}
