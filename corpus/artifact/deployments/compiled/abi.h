/* A kernel's side of the plugin ABI (plugin facts, section 2), as the compiler for devices sees it. REAL may be defined
 * as the scalar type: it is the uniforms' alone, structs hold addresses whatever their elements are. */
#ifndef ABI_H
#define ABI_H

#include <cstdint>

#ifndef REAL
#define REAL double
#endif

struct View {
  REAL* data;
  uint64_t samples, component_stride, sample_stride;
  int32_t device_type, device_id;
};

template <typename Element>
struct Handle {
  Element* data;
  uint64_t samples, stride;
  int32_t device_type, device_id;
};

typedef Handle<REAL> Scalars;
typedef Handle<int64_t> Integers;
typedef Handle<uint8_t> Mask;

#define TRIPLE int64_t base, int64_t count, int64_t nSamples

#define EXPORT_LAYOUT                                                                                      \
  extern "C" __device__ uint64_t eagle_layout_sizes[5] = {sizeof(View), sizeof(Scalars), sizeof(Integers), \
                                                          sizeof(uint32_t), 24};

/* The sample of this thread, and whether it is one of this launch's. */
#define SAMPLE(i)                                                       \
  const int64_t local = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; \
  const int64_t i = base + local;                                       \
  if (local >= count) return

#endif
