/* A device artifact as a driver's module, and its entry. */
#ifndef ROWLOCK_LOADER_DEVICE_MODULE_H
#define ROWLOCK_LOADER_DEVICE_MODULE_H

#include "loader/artifact/proof.h"
#include "loader/device/device.h"

typedef struct rlk_device_code_t {
  rlk_cu_module_t module;
  rlk_cu_function_t function;
  bool is_ptx_fallback; /* the artifact has code, none for this SM, and the driver compiled its PTX */
} rlk_device_code_t;

/* Loads the artifact at `path` and finds the description's kernel in it. Before the driver sees it, the artifact is
 * read: its parameters, layout and targets are proved, and a refusal says why. Then the driver's module, its layout
 * array and, where the driver tells it, the offsets and sizes of its parameters are compared again; the function is
 * loaded whole, so that no launch waits for that. The context is bound.
 *
 * ROWLOCK_REJECTED by an artifact, host or device rule; ROWLOCK_UNUSABLE: it cannot be read. On failure nothing stays
 * loaded. `out_log` as of rlk_device_load_image. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_device_load(const rowlock_device_t* device, const char* path,
                                                  const rlk_description_t* description, rlk_device_code_t* out_code,
                                                  char** out_log, rowlock_error_t* err);
void rlk_device_unload(const rowlock_device_t* device, rlk_device_code_t* code);

/* Loads PTX, which ends in NUL, or a cubin. Where the driver refuses it, the error has the first line that its compiler
 * said of an error, and `*out_log` both of its logs, that of errors first: the caller frees it, and it is
 * NULL if the compiler said nothing. A log that is longer than 8 KiB is asked for again, by a second load, and one of
 * more than 1 MiB is cut there and ends in a line that says so. ROWLOCK_UNAVAILABLE: there is no compiler. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_device_load_image(const rowlock_device_t* device, const void* image,
                                                        rlk_cu_module_t* out_module, char** out_log,
                                                        rowlock_error_t* err);

/* Loads PTX of our own, which ends in NUL. ROWLOCK_UNAVAILABLE: the device or its driver is older than it, or has no
 * compiler; ROWLOCK_NO_MEMORY; ROWLOCK_INTERNAL. No artifact is to blame. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_device_load_own(const rowlock_device_t* device, const char* ptx,
                                                      rlk_cu_module_t* out_module, rowlock_error_t* err);

#endif
