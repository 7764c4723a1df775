/* Partials: 1 for each sample that is not done. */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Mask done, Integers left, TRIPLE) {
  THIS_SAMPLE(i);
  left.data[i] = done.data[i] ? 0 : 1;
}
