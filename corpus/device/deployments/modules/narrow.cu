/* thrice = 3 * value; its count is an int. */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars value, Scalars thrice, int64_t base, int count, int64_t n) {
  THIS_SAMPLE(i);
  thrice.data[i] = 3 * value.data[i];
}
