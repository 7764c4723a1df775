/* thrice = 3 * value, by a function that no module has. */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

extern "C" __device__ double threefold(double value);

DEVICE_KERNEL(Scalars value, Scalars thrice, TRIPLE) {
  THIS_SAMPLE(i);
  thrice.data[i] = threefold(value.data[i]);
}
