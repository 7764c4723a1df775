/* Reads across samples: image(i) = original(n - 1 - i). */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars original, Scalars image, TRIPLE) {
  THIS_SAMPLE(i);
  image.data[i] = original.data[n - 1 - i];
}
