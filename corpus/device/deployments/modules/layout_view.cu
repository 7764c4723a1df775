/* thrice = 3 * value; its views have a field less. */
#include "corpus/host/kernel.cuh"

extern "C" __device__ uint64_t eagle_layout_sizes[5] = {32, 32, 32, 4, 24};

DEVICE_KERNEL(Scalars value, Scalars thrice, TRIPLE) {
  THIS_SAMPLE(i);
  thrice.data[i] = 3 * value.data[i];
}
