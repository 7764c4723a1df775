/* A kernel's side of the plugin ABI (plugin facts, section 2), written down for the fixtures alone: what the loader
 * passes is checked against a second description. Before the include, REAL may be defined as the scalar type and KERNEL
 * as the kernel's name. */
#ifndef KERNEL_H
#define KERNEL_H

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

static inline REAL* at(const view_t* view, uint64_t component, int64_t sample) {
  return &view->data[component * view->component_stride + (uint64_t)sample * view->sample_stride];
}

#define EXPORTED __attribute__((visibility("default")))

/* What a v2 object exports for the self-check. */
#define EXPORT_LAYOUT \
  EXPORTED const uint64_t eagle_layout_sizes[5] = {sizeof(view_t), sizeof(scalars_t), sizeof(integers_t), 4, 24};

#define ENTRY_NAME_OF(kernel) kernel##_host
#define ENTRY_NAME(kernel) ENTRY_NAME_OF(kernel)
#define ENTRY_V1 EXPORTED void ENTRY_NAME(KERNEL)(void* const* params, int32_t n)
#define ENTRY_V2 EXPORTED void ENTRY_NAME(KERNEL)(void* const* params, int64_t base, int64_t count, int64_t n)

/* The share of a v2 body. */
#define EACH_SAMPLE(i) for (int64_t i = base; i < base + count; ++i)

#endif
