/* thrice = 3 * value, under the name that C++ makes of it. */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

__global__ void raptor_kernel(Scalars value, Scalars thrice, TRIPLE) {
  THIS_SAMPLE(i);
  thrice.data[i] = 3 * value.data[i];
}
