/* What the kernels of the benchmarks take, as their producer would write it down. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdint.h>

typedef struct view_t {
  double* data;
  uint64_t samples, component_stride, sample_stride;
  int32_t device_type, device_id;
} view_t;

typedef struct handle_t {
  double* data;
  uint64_t samples, stride;
  int32_t device_type, device_id;
} handle_t;

const uint64_t eagle_layout_sizes[5] = {sizeof(view_t), sizeof(handle_t), sizeof(handle_t), 4, 24};

void raptor_kernel_host(void* const* params, int64_t base, int64_t count, int64_t n);

#endif
