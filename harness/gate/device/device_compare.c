#include "harness/gate/device/device_compare.h"

#include <stdlib.h>

#include "harness/gate/device/compare_ptx.h"
#include "harness/gate/device/compare_request.h"
#include "loader/device/module.h"
#include "validator/rules/text.h"

enum { BLOCKS_PER_PROCESSOR = 4 };

struct rlk_device_gate_t {
  rowlock_device_t* device;
  rlk_cu_module_t module;
  rlk_cu_function_t compare[RLK_DTYPE_COUNT], end;
  uint32_t blocks_max;
  void* of_blocks; /* a summary each; the last is that of all */
  void* want;      /* what was uploaded */
  uint64_t want_bytes;
};

/* --- Kernels ------------------------------------------------------------------------------------------------------ */

static rlk_cu_result_t find_kernels(rlk_device_gate_t* device_gate) {
  const rlk_driver_t* driver = device_gate->device->driver;
  rlk_cu_result_t result = RLK_CU_SUCCESS;
  for (int i = 0; i < RLK_DTYPE_COUNT && !result; ++i) {
    char name[64];
    rlk_text_t text = rlk_text_over(name, sizeof name);
    rlk_text_printf(&text, "rowlock_compare_%s", rlk_dtype_name((rlk_dtype_t)i));
    result = driver->module_get_function(&device_gate->compare[i], device_gate->module, name);
  }
  if (!result) result = driver->module_get_function(&device_gate->end, device_gate->module, "rowlock_compare_end");
  return result;
}

static rowlock_code_t load_kernels(rlk_device_gate_t* device_gate, rowlock_error_t* err) {
  const rowlock_device_t* device = device_gate->device;
  int processors = 0;
  rowlock_code_t code = rlk_device_enter(device, err);
  if (code) return code;
  code = rlk_device_load_own(device, rlk_compare_ptx, &device_gate->module, err);
  rlk_cu_result_t result = code ? RLK_CU_SUCCESS : find_kernels(device_gate);
  if (!code && !result)
    result = device->driver->device_get_attribute(&processors, RLK_CU_DEVICE_PROCESSORS, device->device);
  if (result) code = rlk_driver_fail(device->driver, "loading the kernels that compare", result, err);
  rlk_device_leave(device);
  device_gate->blocks_max = BLOCKS_PER_PROCESSOR * (uint32_t)(processors > 0 ? processors : 1);
  return code;
}

rowlock_code_t rlk_device_gate_create(rowlock_device_t* device, rlk_device_gate_t** out_gate, rowlock_error_t* err) {
  *out_gate = NULL;
  rlk_device_gate_t* device_gate = calloc(1, sizeof *device_gate);
  if (!device_gate) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory to compare on a device");
  device_gate->device = device;
  rowlock_code_t code = load_kernels(device_gate, err);
  if (!code) {
    const uint64_t bytes = (device_gate->blocks_max + UINT64_C(1)) * sizeof(rlk_compare_summary_t);
    code = rowlock_device_alloc(device, bytes, &device_gate->of_blocks, err);
  }
  if (code) {
    rlk_device_gate_destroy(device_gate);
    return code;
  }
  *out_gate = device_gate;
  return ROWLOCK_OK;
}

void rlk_device_gate_destroy(rlk_device_gate_t* device_gate) {
  if (!device_gate) return;
  const rowlock_device_t* device = device_gate->device;
  rowlock_device_free(device, device_gate->of_blocks);
  rowlock_device_free(device, device_gate->want);
  if (device_gate->module && rlk_device_enter(device, NULL) == ROWLOCK_OK) {
    (void)device->driver->module_unload(device_gate->module);
    rlk_device_leave(device);
  }
  free(device_gate);
}

/* --- Comparing ---------------------------------------------------------------------------------------------------- */

static rlk_cu_result_t launch(const rlk_device_gate_t* device_gate, rlk_cu_function_t function, uint32_t blocks,
                              void** params) {
  return device_gate->device->driver->launch_kernel(function, blocks, 1, 1, RLK_COMPARE_THREADS, 1, 1, 0, NULL, params,
                                                    NULL);
}

/* As many blocks as there are threads to keep busy: a few for a small array. */
static uint32_t block_count(const rlk_device_gate_t* device_gate, uint64_t element_count) {
  const uint64_t blocks = (element_count + RLK_COMPARE_THREADS - 1) / RLK_COMPARE_THREADS;
  return blocks < device_gate->blocks_max ? (uint32_t)blocks : device_gate->blocks_max;
}

static rowlock_code_t summarize(const rlk_device_gate_t* device_gate, const rlk_array_t* got, const rlk_array_t* want,
                                const rlk_result_gate_t* gate, rlk_compare_summary_t* out, rowlock_error_t* err) {
  const rowlock_device_t* device = device_gate->device;
  rlk_compare_request_t request = {(uintptr_t)got->data, (uintptr_t)want->data, want->element_count, *gate};
  void* of_blocks = device_gate->of_blocks;
  void* of_all = (rlk_compare_summary_t*)of_blocks + device_gate->blocks_max;
  uint32_t blocks = block_count(device_gate, want->element_count);
  void* compare_params[] = {&request, &of_blocks};
  void* end_params[] = {&of_blocks, &blocks, &of_all};
  /* An answer that is left from before is none. */
  *out = (rlk_compare_summary_t){0};
  rowlock_code_t code = rowlock_device_upload(device, of_all, out, sizeof *out, err);
  if (!code) code = rlk_device_enter(device, err);
  if (code) return code;
  rlk_cu_result_t result = launch(device_gate, device_gate->compare[want->dtype], blocks, compare_params);
  if (!result) result = launch(device_gate, device_gate->end, 1, end_params);
  if (result) code = rlk_driver_fail(device->driver, "comparing on the device", result, err);
  rlk_device_leave(device);
  return code ? code : rowlock_device_download(device, out, of_all, sizeof *out, err);
}

rowlock_code_t rlk_device_compare(rlk_device_gate_t* device_gate, const rlk_array_t* got, const rlk_array_t* want,
                                  const rlk_result_gate_t* gate, rlk_comparison_t* out_comparison,
                                  rowlock_error_t* err) {
  rowlock_code_t code = rlk_comparison_begin(got, want, gate, out_comparison, err);
  if (code || out_comparison->outcome != RLK_OUTCOME_EQUAL || want->element_count == 0) return code;
  if (got->fortran != want->fortran && !rlk_array_is_order_free(want)) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "a device compares arrays of the same memory order");
  }
  rlk_compare_summary_t summary;
  code = summarize(device_gate, got, want, gate, &summary, err);
  if (code) return code;
  if (summary.seen_count != want->element_count) {
    return rlk_fail(err, ROWLOCK_INTERNAL, "the kernel that compares looked at %llu of %llu elements",
                    (unsigned long long)summary.seen_count, (unsigned long long)want->element_count);
  }
  const rlk_worst_t worst = {.verdict = summary.verdict, .got = summary.got, .want = summary.want};
  rlk_comparison_end(out_comparison, summary.mismatch_count, &worst, summary.position);
  return ROWLOCK_OK;
}

static rowlock_code_t upload(rlk_device_gate_t* device_gate, const rlk_array_t* want, rowlock_error_t* err) {
  const uint64_t bytes = rlk_array_size(want);
  rowlock_code_t code = ROWLOCK_OK;
  if (bytes > device_gate->want_bytes) {
    rowlock_device_free(device_gate->device, device_gate->want);
    device_gate->want_bytes = 0;
    code = rowlock_device_alloc(device_gate->device, bytes, &device_gate->want, err);
    if (code) return code;
    device_gate->want_bytes = bytes;
  }
  return rowlock_device_upload(device_gate->device, device_gate->want, want->data, bytes, err);
}

rowlock_code_t rlk_device_compare_with_host(rlk_device_gate_t* device_gate, const rlk_array_t* got,
                                            const rlk_array_t* want, const rlk_result_gate_t* gate,
                                            rlk_comparison_t* out_comparison, rowlock_error_t* err) {
  rowlock_code_t code = upload(device_gate, want, err);
  if (code) return code;
  rlk_array_t there = *want;
  there.block = NULL;
  there.data = device_gate->want;
  code = rlk_device_compare(device_gate, got, &there, gate, out_comparison, err);
  out_comparison->want.data = want->data;
  return code;
}
