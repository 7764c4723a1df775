/* The CUDA driver, opened when it is first asked for: one program for machines with and without it. Declares what it
 * uses itself, so that no toolkit is needed to build. */
#ifndef ROWLOCK_LOADER_DEVICE_DRIVER_H
#define ROWLOCK_LOADER_DEVICE_DRIVER_H

#include "loader/rowlock.h"
#include "validator/rules/text.h"

typedef int rlk_cu_result_t;
typedef int rlk_cu_device_t;
typedef struct rlk_cu_context_s* rlk_cu_context_t;
typedef struct rlk_cu_module_s* rlk_cu_module_t;
typedef struct rlk_cu_function_s* rlk_cu_function_t;
typedef struct rlk_cu_stream_s* rlk_cu_stream_t;
typedef struct rlk_cu_graph_s* rlk_cu_graph_t;
typedef struct rlk_cu_graph_exec_s* rlk_cu_graph_exec_t;
typedef unsigned long long rlk_cu_address_t;

enum {
  RLK_CU_SUCCESS = 0,
  RLK_CU_INVALID_VALUE = 1,
  RLK_CU_OUT_OF_MEMORY = 2,
  RLK_CU_DEVICE_UNAVAILABLE = 46,
  RLK_CU_NO_DEVICE = 100,
  RLK_CU_NO_BINARY_FOR_GPU = 209,
  RLK_CU_JIT_COMPILER_NOT_FOUND = 221,
  RLK_CU_UNSUPPORTED_PTX_VERSION = 222,
  RLK_CU_NOT_FOUND = 500,
  RLK_CU_NOT_SUPPORTED = 801,
  RLK_CU_SYSTEM_NOT_READY = 802,
  RLK_CU_SYSTEM_DRIVER_MISMATCH = 803,
};

/* Attributes and options that are used, by their numbers in the driver's interface. */
enum {
  RLK_CU_DEVICE_PROCESSORS = 16,
  RLK_CU_DEVICE_MAJOR = 75,
  RLK_CU_DEVICE_MINOR = 76,
  RLK_CU_FUNCTION_REGISTERS = 4,
  RLK_CU_JIT_INFO_LOG = 3,
  RLK_CU_JIT_INFO_LOG_BYTES = 4,
  RLK_CU_JIT_ERROR_LOG = 5,
  RLK_CU_JIT_ERROR_LOG_BYTES = 6,
  RLK_CU_CAPTURE_THREAD_LOCAL = 1,
  RLK_CU_STREAM_NON_BLOCKING = 1,
  RLK_CU_LOADING_EAGER = 1,
  RLK_CU_LOADING_LAZY = 2,
};

typedef struct rlk_driver_t {
#define RLK_DRIVER(name, symbol, need, ...) rlk_cu_result_t(*name) __VA_ARGS__;
#include "loader/device/driver.def"
#undef RLK_DRIVER
  const char* path; /* of the library that was really opened */
  uint32_t version; /* CUDA version that it is for: 130 is 13.0 */
} rlk_driver_t;

/* The driver of this process. ROWLOCK_UNAVAILABLE: this machine has none, or one that cannot be used; `err` says what
 * was looked for, what was found and what to do. Thread-safe; the answer does not change. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_driver_get(const rlk_driver_t** out_driver, rowlock_error_t* err);

/* When the driver loads the functions of a module: "eager", with it, or "lazy", at the first launch of each. NULL where
 * it does not say. */
const char* rlk_driver_loading(const rlk_driver_t* driver);

/* "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory". */
void rlk_driver_put_result(rlk_text_t* text, const rlk_driver_t* driver, rlk_cu_result_t result);

/* Whose fault a result is: ROWLOCK_NO_MEMORY or ROWLOCK_UNAVAILABLE, the machine's; ROWLOCK_INTERNAL, that of whoever
 * called, or of what it asked the driver to load or run. */
rowlock_code_t rlk_driver_code(rlk_cu_result_t result);

/* Says what a call came to: "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory". Returns its code. */
rowlock_code_t rlk_driver_fail(const rlk_driver_t* driver, const char* call, rlk_cu_result_t result,
                               rowlock_error_t* err);

#endif
