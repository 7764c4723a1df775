/* out += value, under the name of the sidecar's kernel: host_entry is of hosts alone. */
#include "../../kernel.cuh"

EXPORT_LAYOUT

DEVICE_KERNEL(View out, Scalars value, TRIPLE) {
  THIS_SAMPLE(i);
  out.at(0, i) += value.data[i];
}
