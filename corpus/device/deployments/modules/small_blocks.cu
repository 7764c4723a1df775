/* thrice = 3 * value, in blocks of 128 threads at most. */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

extern "C" __global__ void __launch_bounds__(128) raptor_kernel(Scalars value, Scalars thrice, TRIPLE) {
  THIS_SAMPLE(i);
  thrice.data[i] = 3 * value.data[i];
}
