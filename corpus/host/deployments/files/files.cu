/* files.c on a device. */
#include "files.c"

DEVICE_KERNEL(View rotation, View position, View product, TRIPLE) {
  run_body(pack(rotation, position, product), base, count, n);
}
