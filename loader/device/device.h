/* A device with its primary context, which is bound for each call and given back after it: a thread that never used
 * CUDA works, and one that uses another device finds it as it was. */
#ifndef ROWLOCK_LOADER_DEVICE_DEVICE_H
#define ROWLOCK_LOADER_DEVICE_DEVICE_H

#include <pthread.h>

#include "loader/device/driver.h"

enum { RLK_KERNEL_FOLDS = 3 };

struct rowlock_device_t {
  const rlk_driver_t* driver;
  int ordinal;
  rlk_cu_device_t device;
  rlk_cu_context_t context;
  uint32_t sm;
  uint64_t memory_bytes;
  char name[128];
  pthread_mutex_t kernels_lock; /* over what follows, until it is there */
  rlk_cu_module_t kernels;      /* ours, of kernels.cu; NULL until a registry needs them */
  rlk_cu_function_t folds[RLK_KERNEL_FOLDS];
};

/* What the driver says of the device of that ordinal, without a context: it is not opened, and needs no closing. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_device_describe(const rlk_driver_t* driver, uint32_t ordinal,
                                                      rowlock_device_t* out_device, rowlock_error_t* err);

/* Binds the context to this thread; each success is followed by a leave. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_device_enter(const rowlock_device_t* device, rowlock_error_t* err);
void rlk_device_leave(const rowlock_device_t* device);

/* Device memory, with the context bound. Zero bytes are no memory: 0. What was uploaded has arrived. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_device_alloc(const rowlock_device_t* device, uint64_t bytes,
                                                   rlk_cu_address_t* out_address, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rlk_device_upload(const rowlock_device_t* device, rlk_cu_address_t to,
                                                    const void* from, uint64_t bytes, rowlock_error_t* err);
void rlk_device_free(const rowlock_device_t* device, rlk_cu_address_t address);

#endif
