#define _GNU_SOURCE /* strndup, getdelim */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/device/testdata/double_state.h"

rlk_double_t double_state = {.device_count = 1,
                             .sm = 90,
                             .version = 13000,
                             .loading = RLK_CU_LOADING_LAZY,
                             .memory_bytes = (size_t)64 << 20,
                             .error_log = "",
                             .info_log = "",
                             .layout = {40, 32, 32, 4, 24},
                             .layout_bytes = 40,
                             .odd_parameter = -1};

struct rlk_cu_context_s {
  int retained;
};

enum { DEVICES_MAX = 4, STACK_MAX = 8 };

static struct rlk_cu_context_s contexts[DEVICES_MAX];
static rlk_cu_result_t lost; /* what every call in a context ends with */
void* double_host_objects[DOUBLE_HOST_OBJECTS];

static _Thread_local rlk_cu_context_t stack[STACK_MAX];
static _Thread_local int depth;

EXPORT rlk_double_t* rlk_driver_double(void) { return &double_state; }

rlk_cu_context_t double_current_context(void) { return depth > 0 ? stack[depth - 1] : NULL; }

/* --- Each call ---------------------------------------------------------------------------------------------------- */

static const struct {
  const char* symbol;
} calls[] = {
#define RLK_DRIVER(name, symbol, need, ...) {symbol},
#include "loader/device/driver.def"
#undef RLK_DRIVER
};

/* What a caller does on its way out, and what cannot fail. */
static bool gives_back(rlk_double_call_t call) {
  switch (call) {
    case RLK_DOUBLE_get_error_name:
    case RLK_DOUBLE_get_error_string:
    case RLK_DOUBLE_primary_ctx_release:
    case RLK_DOUBLE_ctx_pop_current:
    case RLK_DOUBLE_module_unload:
    case RLK_DOUBLE_mem_free:
    case RLK_DOUBLE_stream_destroy:
    case RLK_DOUBLE_graph_destroy:
    case RLK_DOUBLE_graph_exec_destroy:
      return true;
    default:
      return false;
  }
}

/* Those of the table that come after what brings a context about. */
static bool needs_context(rlk_double_call_t call) { return call >= RLK_DOUBLE_ctx_synchronize; }

/* Waits, allocates or copies on a stream that is not its own: not while a graph is recorded. */
static bool breaks_capture(rlk_double_call_t call) {
  return call == RLK_DOUBLE_ctx_synchronize || call == RLK_DOUBLE_stream_synchronize || call == RLK_DOUBLE_mem_alloc ||
         call == RLK_DOUBLE_mem_free || call == RLK_DOUBLE_memcpy_to_device || call == RLK_DOUBLE_memcpy_to_host ||
         call == RLK_DOUBLE_module_load_data_ex;
}

static rlk_cu_result_t find_fault(rlk_double_call_t call) {
  rlk_cu_result_t result = RLK_CU_SUCCESS;
  for (int i = 0; i < RLK_DOUBLE_FAULTS; ++i) {
    rlk_double_fault_t* fault = &double_state.faults[i];
    const bool any = fault->call == RLK_DOUBLE_CALL_COUNT && !gives_back(call);
    if (!fault->result || (fault->call != call && !any)) continue;
    ++fault->seen;
    if (fault->nth != RLK_DOUBLE_EACH && fault->nth != fault->seen) continue;
    result = fault->result;
    if (fault->is_sticky) lost = result;
  }
  return result;
}

rlk_cu_result_t double_begin(rlk_double_call_t call) {
  if (double_state.call_count < RLK_DOUBLE_CALLS_KEPT) double_state.calls[double_state.call_count] = call;
  ++double_state.call_count;
  const rlk_cu_result_t fault = find_fault(call);
  if (fault) return fault;
  if (!needs_context(call)) return RLK_CU_SUCCESS;
  if (depth == 0) {
    ++double_state.astray;
    return RLK_DOUBLE_INVALID_CONTEXT;
  }
  return double_state.captures > 0 && breaks_capture(call) ? RLK_DOUBLE_CAPTURING : lost;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int double_hold(void) { return pthread_mutex_lock(&lock); }
void double_let_go(const int* held) {
  (void)held;
  pthread_mutex_unlock(&lock);
}

rlk_cu_result_t double_stray(void) {
  ++double_state.astray;
  return RLK_CU_INVALID_VALUE;
}

/* --- Words of the environment ------------------------------------------------------------------------------------- */

static void take_fault(const char* word, const char* value) {
  for (int call = 0; call < RLK_DOUBLE_CALL_COUNT; ++call) {
    const size_t length = strlen(calls[call].symbol);
    if (strncmp(word, calls[call].symbol, length) != 0 || (word[length] != '=' && word[length] != '@')) continue;
    int slot = 0;
    while (slot < RLK_DOUBLE_FAULTS - 1 && double_state.faults[slot].result) ++slot;
    const unsigned long nth = word[length] == '@' ? strtoul(word + length + 1, NULL, 10) : RLK_DOUBLE_EACH;
    double_state.faults[slot] =
        (rlk_double_fault_t){.call = (rlk_double_call_t)call, .nth = (uint32_t)nth, .result = atoi(value)};
    return;
  }
  fprintf(stderr, "driver double: no call is named '%s'\n", word);
  abort();
}

/* The whole file: a log may be longer than any buffer for it. */
static const char* read_log(const char* path) {
  char* log = NULL;
  size_t capacity = 0;
  FILE* file = fopen(path, "r");
  if (!file || (getdelim(&log, &capacity, '\0', file) < 0 && ferror(file))) abort();
  fclose(file);
  return log ? log : "";
}

static void take_word(const char* word) {
  const char* equals = strchr(word, '=');
  const char* value = equals ? equals + 1 : "";
  if (strncmp(word, "devices=", 8) == 0) {
    double_state.device_count = atoi(value);
  } else if (strncmp(word, "sm=", 3) == 0) {
    double_state.sm = atoi(value);
  } else if (strncmp(word, "version=", 8) == 0) {
    double_state.version = atoi(value);
  } else if (strncmp(word, "loading=", 8) == 0) {
    double_state.loading = atoi(value);
  } else if (strncmp(word, "log=", 4) == 0) {
    double_state.error_log = read_log(value);
  } else if (strncmp(word, "host=", 5) == 0) {
    int slot = 0;
    while (slot < DOUBLE_HOST_OBJECTS - 1 && double_host_objects[slot]) ++slot;
    double_host_objects[slot] = dlopen(value, RTLD_NOW | RTLD_LOCAL);
    if (!double_host_objects[slot]) fprintf(stderr, "driver double: %s\n", dlerror());
  } else {
    take_fault(word, value);
  }
}

__attribute__((constructor)) static void read_environment(void) {
  const char* words = getenv("ROWLOCK_DRIVER_DOUBLE");
  while (words && *words) {
    words += strspn(words, " ");
    const size_t length = strcspn(words, " ");
    char* word = strndup(words, length);
    if (!word) abort();
    if (*word) take_word(word);
    free(word);
    words += length;
  }
}

/* --- Starting, and what results mean ------------------------------------------------------------------------------ */

rlk_cu_result_t double_init(unsigned flags) {
  BEGIN(init);
  return flags == 0 ? RLK_CU_SUCCESS : RLK_CU_INVALID_VALUE;
}

rlk_cu_result_t double_driver_get_version(int* version) {
  BEGIN(driver_get_version);
  *version = double_state.version;
  return RLK_CU_SUCCESS;
}

static const struct {
  rlk_cu_result_t result;
  const char *name, *text;
} results[] = {
    {RLK_CU_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {RLK_CU_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {RLK_CU_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {RLK_DOUBLE_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {RLK_DOUBLE_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {RLK_DOUBLE_NO_BINARY, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution"},
    {RLK_DOUBLE_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {RLK_CU_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {RLK_DOUBLE_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {RLK_DOUBLE_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {RLK_CU_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {RLK_DOUBLE_CAPTURING, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when capturing"}};

rlk_cu_result_t double_get_error_name(rlk_cu_result_t result, const char** name) {
  BEGIN(get_error_name);
  for (size_t i = 0; i < sizeof results / sizeof *results; ++i) {
    if (results[i].result == result) return *name = results[i].name, RLK_CU_SUCCESS;
  }
  *name = NULL;
  return RLK_CU_INVALID_VALUE;
}

rlk_cu_result_t double_get_error_string(rlk_cu_result_t result, const char** text) {
  BEGIN(get_error_string);
  for (size_t i = 0; i < sizeof results / sizeof *results; ++i) {
    if (results[i].result == result) return *text = results[i].text, RLK_CU_SUCCESS;
  }
  *text = NULL;
  return RLK_CU_INVALID_VALUE;
}

/* --- Devices and contexts ----------------------------------------------------------------------------------------- */

static bool is_device(int ordinal) {
  return ordinal >= 0 && ordinal < double_state.device_count && ordinal < DEVICES_MAX;
}

rlk_cu_result_t double_device_get_count(int* count) {
  BEGIN(device_get_count);
  *count = double_state.device_count;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_device_get(rlk_cu_device_t* device, int ordinal) {
  BEGIN(device_get);
  *device = ordinal;
  return is_device(ordinal) ? RLK_CU_SUCCESS : RLK_CU_INVALID_VALUE;
}

rlk_cu_result_t double_device_get_name(char* name, int size, rlk_cu_device_t device) {
  BEGIN(device_get_name);
  snprintf(name, (size_t)size, "Double %d", device);
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_device_get_attribute(int* value, int attribute, rlk_cu_device_t device) {
  BEGIN(device_get_attribute);
  if (!is_device(device)) return RLK_CU_INVALID_VALUE;
  switch (attribute) {
    case RLK_CU_DEVICE_MAJOR:
      *value = double_state.sm / 10;
      return RLK_CU_SUCCESS;
    case RLK_CU_DEVICE_MINOR:
      *value = double_state.sm % 10;
      return RLK_CU_SUCCESS;
    case RLK_CU_DEVICE_PROCESSORS:
      *value = 2;
      return RLK_CU_SUCCESS;
    default:
      return RLK_CU_INVALID_VALUE;
  }
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_device_total_mem(size_t* bytes, rlk_cu_device_t device) {
  BEGIN(device_total_mem);
  *bytes = double_state.memory_bytes;
  return is_device(device) ? RLK_CU_SUCCESS : RLK_CU_INVALID_VALUE;
}

#ifndef WITHOUT_OPTIONAL
rlk_cu_result_t double_module_get_loading_mode(int* mode) {
  BEGIN(module_get_loading_mode);
  *mode = double_state.loading;
  return RLK_CU_SUCCESS;
}
#endif

rlk_cu_result_t double_primary_ctx_retain(rlk_cu_context_t* context, rlk_cu_device_t device) {
  BEGIN(primary_ctx_retain);
  if (!is_device(device)) return RLK_CU_INVALID_VALUE;
  ++contexts[device].retained;
  ++double_state.contexts;
  *context = &contexts[device];
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_primary_ctx_release(rlk_cu_device_t device) {
  BEGIN(primary_ctx_release);
  if (!is_device(device) || contexts[device].retained == 0) return double_stray();
  --contexts[device].retained;
  --double_state.contexts;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_ctx_push_current(rlk_cu_context_t context) {
  BEGIN(ctx_push_current);
  if (!context || context->retained == 0 || depth == STACK_MAX) return double_stray();
  stack[depth++] = context;
  ++double_state.pushed;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_ctx_pop_current(rlk_cu_context_t* context) {
  BEGIN(ctx_pop_current);
  if (depth == 0) return double_stray();
  *context = stack[--depth];
  --double_state.pushed;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_ctx_synchronize(void) {
  BEGIN(ctx_synchronize);
  return RLK_CU_SUCCESS;
}
