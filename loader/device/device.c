#include "loader/device/device.h"

#include <stdlib.h>

#include "validator/rules/text.h"

rowlock_code_t rlk_device_enter(const rowlock_device_t* device, rowlock_error_t* err) {
  const rlk_cu_result_t result = device->driver->ctx_push_current(device->context);
  return result ? rlk_driver_fail(device->driver, "cuCtxPushCurrent", result, err) : ROWLOCK_OK;
}

void rlk_device_leave(const rowlock_device_t* device) {
  rlk_cu_context_t context;
  (void)device->driver->ctx_pop_current(&context);
}

rowlock_code_t rlk_device_alloc(const rowlock_device_t* device, uint64_t bytes, rlk_cu_address_t* out_address,
                                rowlock_error_t* err) {
  *out_address = 0;
  if (bytes == 0) return ROWLOCK_OK;
  const rlk_cu_result_t result = device->driver->mem_alloc(out_address, bytes);
  if (result == RLK_CU_OUT_OF_MEMORY) {
    char words[256];
    rlk_text_t text = rlk_text_over(words, sizeof words);
    rlk_driver_put_result(&text, device->driver, result);
    return rlk_fail(err, ROWLOCK_NO_MEMORY, "the device '%s' has no %llu bytes left: cuMemAlloc: %s", device->name,
                    (unsigned long long)bytes, words);
  }
  return result ? rlk_driver_fail(device->driver, "cuMemAlloc", result, err) : ROWLOCK_OK;
}

void rlk_device_free(const rowlock_device_t* device, rlk_cu_address_t address) {
  if (address) (void)device->driver->mem_free(address);
}

/* From memory that is not pinned, the driver's copy returns when it has read all, which may be before all has arrived:
 * a stream that does not wait for the default one would read what was there before. */
rowlock_code_t rlk_device_upload(const rowlock_device_t* device, rlk_cu_address_t to, const void* from, uint64_t bytes,
                                 rowlock_error_t* err) {
  if (bytes == 0) return ROWLOCK_OK;
  rlk_cu_result_t result = device->driver->memcpy_to_device(to, from, bytes);
  if (!result) result = device->driver->stream_synchronize(NULL);
  return result ? rlk_driver_fail(device->driver, "cuMemcpyHtoD", result, err) : ROWLOCK_OK;
}

/* --- Opening ------------------------------------------------------------------------------------------------------ */

static rowlock_code_t count_devices(const rlk_driver_t* driver, int* out_count, rowlock_error_t* err) {
  *out_count = 0;
  const rlk_cu_result_t result = driver->device_get_count(out_count);
  return result && result != RLK_CU_NO_DEVICE ? rlk_driver_fail(driver, "cuDeviceGetCount", result, err) : ROWLOCK_OK;
}

rowlock_code_t rlk_device_describe(const rlk_driver_t* driver, uint32_t ordinal, rowlock_device_t* out_device,
                                   rowlock_error_t* err) {
  rowlock_device_t* device = out_device;
  *device = (rowlock_device_t){.driver = driver, .ordinal = (int)ordinal};
  int major = 0, minor = 0;
  size_t bytes = 0;
  rlk_cu_result_t result = driver->device_get(&device->device, device->ordinal);
  if (!result) result = driver->device_get_name(device->name, sizeof device->name, device->device);
  if (!result) result = driver->device_get_attribute(&major, RLK_CU_DEVICE_MAJOR, device->device);
  if (!result) result = driver->device_get_attribute(&minor, RLK_CU_DEVICE_MINOR, device->device);
  if (!result) result = driver->device_total_mem(&bytes, device->device);
  device->sm = (uint32_t)(10 * major + minor);
  device->memory_bytes = bytes;
  return result ? rlk_driver_fail(driver, "asking the device", result, err) : ROWLOCK_OK;
}

rowlock_code_t rowlock_device_count(uint32_t* out_count, rowlock_error_t* err) {
  rlk_error_clear(err);
  const rlk_driver_t* driver;
  int count = 0;
  rowlock_code_t code = rlk_driver_get(&driver, err);
  if (!code) code = count_devices(driver, &count, err);
  *out_count = (uint32_t)count;
  return code;
}

rowlock_code_t rowlock_device_open(uint32_t ordinal, rowlock_device_t** out_device, rowlock_error_t* err) {
  rlk_error_clear(err);
  *out_device = NULL;
  const rlk_driver_t* driver;
  int count;
  rowlock_code_t code = rlk_driver_get(&driver, err);
  if (!code) code = count_devices(driver, &count, err);
  if (code) return code;
  if (ordinal >= (uint32_t)count) {
    return rlk_fail(err, ROWLOCK_UNAVAILABLE, "there is no CUDA device %u: the driver '%s' sees %d", ordinal,
                    driver->path, count);
  }
  rowlock_device_t* device = calloc(1, sizeof *device);
  if (!device) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a device");
  code = rlk_device_describe(driver, ordinal, device, err);
  const rlk_cu_result_t result = code ? RLK_CU_SUCCESS : driver->primary_ctx_retain(&device->context, device->device);
  if (result) code = rlk_driver_fail(driver, "cuDevicePrimaryCtxRetain", result, err);
  if (code) {
    free(device);
    return code;
  }
  pthread_mutex_init(&device->kernels_lock, NULL);
  *out_device = device;
  return ROWLOCK_OK;
}

void rowlock_device_close(rowlock_device_t* device) {
  if (!device) return;
  if (device->kernels && rlk_device_enter(device, NULL) == ROWLOCK_OK) {
    (void)device->driver->module_unload(device->kernels);
    rlk_device_leave(device);
  }
  (void)device->driver->primary_ctx_release(device->device);
  pthread_mutex_destroy(&device->kernels_lock);
  free(device);
}

rowlock_device_info_t rowlock_device_info(const rowlock_device_t* device) {
  return (rowlock_device_info_t){.name = device->name,
                                 .sm = device->sm,
                                 .memory_bytes = device->memory_bytes,
                                 .driver_path = device->driver->path,
                                 .driver_version = device->driver->version};
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

static void* to_pointer(rlk_cu_address_t address) { return (void*)(uintptr_t)address; }
static rlk_cu_address_t to_address(const void* data) { return (rlk_cu_address_t)(uintptr_t)data; }

rowlock_code_t rowlock_device_alloc(const rowlock_device_t* device, uint64_t bytes, void** out_data,
                                    rowlock_error_t* err) {
  rlk_error_clear(err);
  *out_data = NULL;
  rlk_cu_address_t address = 0;
  rowlock_code_t code = rlk_device_enter(device, err);
  if (code) return code;
  code = rlk_device_alloc(device, bytes, &address, err);
  rlk_device_leave(device);
  *out_data = to_pointer(address);
  return code;
}

void rowlock_device_free(const rowlock_device_t* device, void* data) {
  if (!data || rlk_device_enter(device, NULL)) return;
  rlk_device_free(device, to_address(data));
  rlk_device_leave(device);
}

rowlock_code_t rowlock_device_upload(const rowlock_device_t* device, void* to, const void* from, uint64_t bytes,
                                     rowlock_error_t* err) {
  rlk_error_clear(err);
  if (bytes == 0) return ROWLOCK_OK;
  rowlock_code_t code = rlk_device_enter(device, err);
  if (code) return code;
  code = rlk_device_upload(device, to_address(to), from, bytes, err);
  rlk_device_leave(device);
  return code;
}

rowlock_code_t rowlock_device_download(const rowlock_device_t* device, void* to, const void* from, uint64_t bytes,
                                       rowlock_error_t* err) {
  rlk_error_clear(err);
  if (bytes == 0) return ROWLOCK_OK;
  rowlock_code_t code = rlk_device_enter(device, err);
  if (code) return code;
  const rlk_cu_result_t result = device->driver->memcpy_to_host(to, to_address(from), bytes);
  if (result) code = rlk_driver_fail(device->driver, "cuMemcpyDtoH", result, err);
  rlk_device_leave(device);
  return code;
}

rowlock_code_t rowlock_device_synchronize(const rowlock_device_t* device, rowlock_error_t* err) {
  rlk_error_clear(err);
  rowlock_code_t code = rlk_device_enter(device, err);
  if (code) return code;
  const rlk_cu_result_t result = device->driver->ctx_synchronize();
  if (result) code = rlk_driver_fail(device->driver, "cuCtxSynchronize", result, err);
  rlk_device_leave(device);
  return code;
}
