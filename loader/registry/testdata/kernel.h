/* A kernel's side of the plugin ABI, written down again: what a test passes is checked against a second description.
 *
 * REAL is the kernel's scalar type. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#ifndef REAL
#define REAL double
#endif

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

static inline REAL* at(const view_t* view, uint64_t component, uint64_t sample) {
  return &view->data[component * view->component_stride + sample * view->sample_stride];
}

#define EXPORTED __attribute__((visibility("default")))

/* What a v2 object exports for the self-check. */
#define EXPORT_LAYOUT \
  EXPORTED const uint64_t eagle_layout_sizes[5] = {sizeof(view_t), sizeof(scalars_t), sizeof(integers_t), 4, 24};

typedef void* const* arguments_t;

#define ENTRY_V1 EXPORTED void raptor_kernel_host(arguments_t params, int32_t n)
#define ENTRY_V2 EXPORTED void raptor_kernel_host(arguments_t params, int64_t base, int64_t count, int64_t n)

#endif
