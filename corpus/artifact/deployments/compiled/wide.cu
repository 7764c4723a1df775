/* Beside the kernel of the sidecar, one whose block is larger than 4 KiB and has a pointer: its records are wider, and say
 * what the pointer points to. */
#include "drag.cu"

struct Table {
  double values[1000];
};

extern "C" __global__ void look_up(Table table, int shift, double* out) {
  *out = table.values[threadIdx.x] + shift;
}
