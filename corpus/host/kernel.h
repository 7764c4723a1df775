/* A kernel's side of the plugin ABI (plugin facts, section 2), written down for the fixtures alone: what the loader
 * passes is checked against a second description. Before the include, REAL may be defined as the scalar type and KERNEL
 * as the kernel's name. */
#ifndef KERNEL_H
#define KERNEL_H

#ifdef __CUDACC__ /* the body is compiled for a device */
#include "corpus/host/kernel.cuh"
#else

#include <stdbool.h>
#include <stdint.h>

#ifndef REAL
#define REAL double
#endif
#ifndef KERNEL
#define KERNEL raptor_kernel
#endif

/* A vector or matrix: component c of sample i is data[c * component_stride + i * sample_stride]. */
typedef struct view_t {
  REAL* data;
  uint64_t samples, component_stride, sample_stride;
  int32_t device_type, device_id;
} view_t;

typedef struct scalars_t {
  REAL* data;
  uint64_t samples, stride;
  int32_t device_type, device_id;
} scalars_t;

typedef struct integers_t {
  int64_t* data;
  uint64_t samples, stride;
  int32_t device_type, device_id;
} integers_t;

typedef struct mask_t {
  bool* data;
  uint64_t samples, stride;
  int32_t device_type, device_id;
} mask_t;

typedef void* const* params_t;

static inline REAL* at(const view_t* view, uint64_t component, int64_t sample) {
  return &view->data[component * view->component_stride + (uint64_t)sample * view->sample_stride];
}

#define EXPORTED __attribute__((visibility("default")))

/* What a v2 object exports for the self-check. */
#define EXPORT_LAYOUT \
  EXPORTED const uint64_t eagle_layout_sizes[5] = {sizeof(view_t), sizeof(scalars_t), sizeof(integers_t), 4, 24};

#define ENTRY_NAME_OF(kernel) kernel##_host
#define ENTRY_NAME(kernel) ENTRY_NAME_OF(kernel)
#define ENTRY_V1 EXPORTED void ENTRY_NAME(KERNEL)(params_t params, int32_t n)
#define ENTRY_V2 EXPORTED void ENTRY_NAME(KERNEL)(params_t params, int64_t base, int64_t count, int64_t n)
#define INLINE static inline
#define TRAP() __builtin_trap()

/* The share of a v2 body. On a device each thread takes one sample of it, but for what must go one after the other, or
 * is done once: that is the first thread's. */
#define EACH(i, begin, end) for (int64_t i = (begin); i < (end); ++i)
#define EACH_SAMPLE(i) EACH(i, base, base + count)
#define EACH_SAMPLE_IN_TURN(i) EACH_SAMPLE(i)
#define IS_FIRST_THREAD true

#endif

#endif
