/* A kernel's side of the plugin ABI on a device, as kernel.h has it for the host: written down again for the fixtures
 * alone. Before the include, REAL may be defined as the scalar type. */
#ifndef KERNEL_CUH
#define KERNEL_CUH

#include <stdint.h>

#ifndef REAL
#define REAL double
#endif

struct View {
  REAL* data;
  uint64_t samples, component_stride, sample_stride;
  int32_t device_type, device_id;
  __device__ REAL& at(uint64_t component, int64_t sample) const {
    return data[component * component_stride + (uint64_t)sample * sample_stride];
  }
};

struct Scalars {
  REAL* data;
  uint64_t samples, stride;
  int32_t device_type, device_id;
};

struct Integers {
  int64_t* data;
  uint64_t samples, stride;
  int32_t device_type, device_id;
};

struct Mask {
  bool* data;
  uint64_t samples, stride;
  int32_t device_type, device_id;
};

/* What a v2 module exports for the self-check; used by a kernel, or the compiler leaves it out. */
#define EXPORT_LAYOUT extern "C" __device__ const uint64_t eagle_layout_sizes[5] = {sizeof(View), sizeof(Scalars), sizeof(Integers), 4, 24};

/* The last parameters of a v2 kernel, and the sample of this thread. */
#define TRIPLE int64_t base, int64_t count, int64_t n
#define THIS_SAMPLE(i)                                                        \
  const int64_t local = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;       \
  if (local >= count) return;                                                 \
  const int64_t i = base + local

#endif
