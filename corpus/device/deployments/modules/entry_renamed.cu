/* thrice = 3 * value, under another name than the sidecar has. */
#define KERNEL rapture_kernel
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars value, Scalars thrice, TRIPLE) {
  THIS_SAMPLE(i);
  thrice.data[i] = 3 * value.data[i];
}
