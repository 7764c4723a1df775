/* A kernel's side of the plugin ABI on a device, as kernel.h has it for the host: written down again for the fixtures
 * alone. Before the include, REAL may be defined as the scalar type and KERNEL as the kernel's name.
 *
 * A device source declares the parameters and hands them to the body, which is the host's: the C source, included.
 *
 *   #include "scale.c"
 *   DEVICE_KERNEL(View out, View in, REAL factor, TRIPLE) { run_body(pack(out, in, factor), base, count, n); } */
#ifndef KERNEL_CUH
#define KERNEL_CUH

#include <stdint.h>

#ifndef REAL
#define REAL double
#endif
#ifndef KERNEL
#define KERNEL raptor_kernel
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
#define EXPORT_LAYOUT                                     \
  extern "C" __device__ const uint64_t eagle_layout_sizes[5] = {sizeof(View), sizeof(Scalars), sizeof(Integers), 4, 24};

#define DEVICE_KERNEL_NAMED(name, ...) extern "C" __global__ void name(__VA_ARGS__)
#define DEVICE_KERNEL_OF(name, ...) DEVICE_KERNEL_NAMED(name, __VA_ARGS__)
#define DEVICE_KERNEL(...) DEVICE_KERNEL_OF(KERNEL, __VA_ARGS__)

/* The last parameters of a v2 kernel, and the sample of this thread. */
#define TRIPLE int64_t base, int64_t count, int64_t n
#define THIS_SAMPLE(i)                                                        \
  const int64_t local = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;       \
  if (local >= count) return;                                                 \
  const int64_t i = base + local

/* --- What a body in C takes for granted --------------------------------------------------------------------------- */

typedef View view_t;
typedef Scalars scalars_t;
typedef Integers integers_t;
typedef Mask mask_t;

__device__ inline REAL* at(const view_t* view, uint64_t component, int64_t sample) {
  return &view->at(component, sample);
}

/* One argument: what it is converted to depends on who asks, as with the host's void*. */
struct Argument {
  void* data;
  template <typename T>
  __device__ operator T*() const {
    return (T*)data;
  }
};
typedef const Argument* params_t;

template <typename... T>
struct pack {
  Argument list[sizeof...(T)];
  __device__ pack(T&... arguments) : list{{&arguments}...} {}
};

#define EXPORTED extern "C" __device__
#define INLINE static __device__ inline
#define TRAP() __trap()
#define ENTRY_V1 static __device__ inline void body(params_t params, int32_t n)
#define ENTRY_V2 static __device__ inline void body(params_t params, int64_t base, int64_t count, int64_t n)
#define run_body(packed, ...) body((packed).list, __VA_ARGS__)

/* Every thread takes one sample. */
#define THIS_THREAD ((int64_t)blockIdx.x * blockDim.x + threadIdx.x)
#define IS_FIRST_THREAD (THIS_THREAD == 0)
#define EACH(i, begin, end) \
  for (int64_t i = (begin) + THIS_THREAD, i##_is_due = 1; i##_is_due && i < (end); i##_is_due = 0)
#define EACH_SAMPLE(i) EACH(i, base, base + count)
/* Where samples meet, one thread takes them all, one after the other. */
#define EACH_SAMPLE_IN_TURN(i) for (int64_t i = IS_FIRST_THREAD ? base : base + count; i < base + count; ++i)

#endif
