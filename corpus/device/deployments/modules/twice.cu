/* twice = 2 * value */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars value, Scalars twice, TRIPLE) {
  THIS_SAMPLE(i);
  twice.data[i] = 2 * value.data[i];
}
