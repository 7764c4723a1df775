/* Writes across samples: each adds 1 to its bin, whatever the order; whole numbers come to the same. */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(Scalars bin, Scalars counts, TRIPLE) {
  THIS_SAMPLE(i);
  atomicAdd(&counts.data[(int64_t)bin.data[i]], 1.0);
}
