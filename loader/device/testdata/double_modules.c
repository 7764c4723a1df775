/* Modules, functions and launches of the double. */
#define _GNU_SOURCE /* strdup */
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/device/testdata/double_state.h"

struct rlk_cu_function_s {
  rlk_cu_function_t next;
  char name[64];
  size_t parameter_count;
  uint32_t offsets[RLK_DOUBLE_PARAMETERS], bytes[RLK_DOUBLE_PARAMETERS];
};

struct rlk_cu_module_s {
  rlk_cu_module_t next;
  char* ptx; /* NULL: a container, into which nobody looks */
  rlk_cu_function_t functions;
  uint64_t layout[8];
};

static rlk_cu_module_t modules;

/* --- Modules ------------------------------------------------------------------------------------------------------ */

static void put_log(const char* log, void* buffer, void* size) {
  if (buffer && size) snprintf(buffer, (size_t)(uintptr_t)size, "%s", log);
}

static void put_logs(unsigned option_count, const int* options, void** values) {
  for (unsigned i = 0; i + 1 < option_count; ++i) {
    if (options[i] == RLK_CU_JIT_ERROR_LOG) put_log(double_state.error_log, values[i], values[i + 1]);
    if (options[i] == RLK_CU_JIT_INFO_LOG) put_log(double_state.info_log, values[i], values[i + 1]);
  }
}

static bool is_container(const char* image) {
  return memcmp(image,
                "\x7F"
                "ELF",
                4) == 0 ||
         memcmp(image, "\x50\xED\x55\xBA", 4) == 0;
}

rlk_cu_result_t double_module_load_data_ex(rlk_cu_module_t* module, const void* image, unsigned option_count,
                                           int* options, void** values) {
  *module = (rlk_cu_module_t)(uintptr_t)0xBAD; /* nobody may give back what was not loaded */
  HOLD();
  const rlk_cu_result_t fault = double_begin(RLK_DOUBLE_module_load_data_ex);
  if (fault) {
    put_logs(option_count, options, values);
    return fault;
  }
  const bool container = is_container(image);
  if (!container && !strstr(image, ".version")) return RLK_DOUBLE_INVALID_IMAGE;
  rlk_cu_module_t made = calloc(1, sizeof *made);
  if (!made) return RLK_CU_OUT_OF_MEMORY;
  made->ptx = container ? NULL : strdup(image);
  memcpy(made->layout, double_state.layout, sizeof made->layout);
  made->next = modules;
  modules = made;
  ++double_state.modules;
  *module = made;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_module_unload(rlk_cu_module_t module) {
  BEGIN(module_unload);
  rlk_cu_module_t* at = &modules;
  while (*at && *at != module) at = &(*at)->next;
  if (!*at) return double_stray();
  *at = module->next;
  while (module->functions) {
    rlk_cu_function_t function = module->functions;
    module->functions = function->next;
    free(function);
  }
  free(module->ptx);
  free(module);
  --double_state.modules;
  return RLK_CU_SUCCESS;
}

/* Where the entry's parameters begin in the PTX, or NULL. */
static const char* find_entry(const char* ptx, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = strstr(ptx, ".entry"); at; at = strstr(at, ".entry")) {
    at += strlen(".entry");
    at += strspn(at, " \t\n");
    if (strncmp(at, name, length) == 0 && (at[length] == '(' || isspace((unsigned char)at[length]))) return at + length;
  }
  return NULL;
}

/* "a .param .align 8 .b8 name[40]" has 40 bytes, ".param .u64 name" 8. */
static void read_parameters(const char* at, rlk_cu_function_t function) {
  const char* end = strchr(at, ')');
  uint32_t offset = 0;
  for (at = strstr(at, ".param"); at && at < end; at = strstr(at, ".param")) {
    at += strlen(".param");
    unsigned alignment = 0, bits = 0, count = 1;
    char kind;
    int used = 0;
    if (sscanf(at, " .align %u%n", &alignment, &used) == 1) at += used;
    if (sscanf(at, " .%c%u%n", &kind, &bits, &used) != 2 || function->parameter_count == RLK_DOUBLE_PARAMETERS) abort();
    at += used;
    const char* stop = at + strcspn(at, ",)");
    const char* bracket = memchr(at, '[', (size_t)(stop - at));
    if (bracket) count = (unsigned)strtoul(bracket + 1, NULL, 10);
    const uint32_t bytes = bits / 8 * count;
    if (alignment == 0) alignment = bits / 8;
    offset = (offset + alignment - 1) / alignment * alignment;
    function->offsets[function->parameter_count] = offset;
    function->bytes[function->parameter_count++] = bytes;
    offset += bytes;
  }
}

rlk_cu_result_t double_module_get_function(rlk_cu_function_t* function, rlk_cu_module_t module, const char* name) {
  BEGIN(module_get_function);
  const char* at = module->ptx ? find_entry(module->ptx, name) : NULL;
  if (module->ptx && !at) return RLK_CU_NOT_FOUND;
  rlk_cu_function_t made = calloc(1, sizeof *made);
  if (!made) return RLK_CU_OUT_OF_MEMORY;
  snprintf(made->name, sizeof made->name, "%s", name);
  if (at) read_parameters(at, made);
  made->next = module->functions;
  module->functions = made;
  *function = made;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_module_get_global(rlk_cu_address_t* address, size_t* bytes, rlk_cu_module_t module,
                                         const char* name) {
  BEGIN(module_get_global);
  if (double_state.hides_globals || !module->ptx || !strstr(module->ptx, name)) return RLK_CU_NOT_FOUND;
  *address = (rlk_cu_address_t)(uintptr_t)module->layout;
  *bytes = double_state.layout_bytes;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_func_get_attribute(int* value, int attribute, rlk_cu_function_t function) {
  BEGIN(func_get_attribute);
  (void)function;
  *value = 32;
  return attribute == RLK_CU_FUNCTION_REGISTERS ? RLK_CU_SUCCESS : RLK_CU_INVALID_VALUE;
}

#ifndef WITHOUT_OPTIONAL
rlk_cu_result_t double_func_get_param_info(rlk_cu_function_t function, size_t index, size_t* offset, size_t* bytes) {
  BEGIN(func_get_param_info);
  if (index + (size_t)double_state.parameters_fewer >= function->parameter_count) return RLK_CU_INVALID_VALUE;
  *offset = function->offsets[index] + ((int)index == double_state.odd_parameter ? 8 : 0);
  *bytes = function->bytes[index];
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_func_load(rlk_cu_function_t function) {
  BEGIN(func_load);
  (void)function;
  return RLK_CU_SUCCESS;
}
#endif

bool double_is_in_module(const char* data, size_t bytes) {
  for (rlk_cu_module_t module = modules; module; module = module->next) {
    const char* layout = (const char*)module->layout;
    if (data >= layout && data + bytes <= layout + sizeof module->layout) return true;
  }
  return false;
}

/* --- Launches ----------------------------------------------------------------------------------------------------- */

static rlk_double_launch_t captured[RLK_DOUBLE_LAUNCHES_KEPT];
static size_t captured_count;

static void* find_twin(const rlk_double_launch_t* launch, const char* suffix) {
  char symbol[80];
  snprintf(symbol, sizeof symbol, "%s_%s", launch->kernel, suffix);
  void* address = NULL;
  for (int i = 0; i < DOUBLE_HOST_OBJECTS && double_host_objects[i] && !address; ++i) {
    address = dlsym(double_host_objects[i], symbol);
  }
  return address;
}

/* A kernel's twin on the host does its work: memory here is the host's. KERNEL_host is that of a v2 plugin, for the
 * share that the triple behind its arguments says; KERNEL_twin takes the parameters as they are and the blocks. */
static void call_host(rlk_double_launch_t* launch) {
  void* parameters[RLK_DOUBLE_PARAMETERS];
  for (size_t i = 0; i < launch->parameter_count; ++i) parameters[i] = launch->values[i];
  void* address = find_twin(launch, "twin");
  if (address) {
    void (*twin)(void** parameters, unsigned blocks);
    memcpy(&twin, &address, sizeof twin);
    twin(parameters, launch->grid[0]);
    return;
  }
  address = find_twin(launch, "host");
  if (!address || launch->parameter_count < 3) return;
  rowlock_host_entry_v2_t entry;
  memcpy(&entry, &address, sizeof entry);
  int64_t triple[3];
  for (size_t i = 0; i < 3; ++i) memcpy(&triple[i], parameters[launch->parameter_count - 3 + i], sizeof *triple);
  entry(parameters, triple[0], triple[1], triple[2]);
}

void double_forget_captured(void) { captured_count = 0; }

void double_replay(void) {
  for (size_t i = 0; i < captured_count; ++i) call_host(&captured[i]);
}

rlk_cu_result_t double_launch_kernel(rlk_cu_function_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                     rlk_cu_stream_t stream, void** parameters, void** extra) {
  BEGIN(launch_kernel);
  if (!function || extra || !grid_x || !grid_y || !grid_z || grid_x > INT32_MAX) return RLK_CU_INVALID_VALUE;
  rlk_double_launch_t launch = {.grid = {grid_x, grid_y, grid_z},
                                .block = {block_x, block_y, block_z},
                                .shared_bytes = shared_bytes,
                                .stream = stream,
                                .context = double_current_context(),
                                .parameter_count = function->parameter_count};
  memcpy(launch.kernel, function->name, sizeof launch.kernel);
  for (size_t i = 0; i < function->parameter_count; ++i) {
    launch.bytes[i] = function->bytes[i];
    if (function->bytes[i] > RLK_DOUBLE_PARAMETER_BYTES) return RLK_CU_INVALID_VALUE;
    memcpy(launch.values[i], parameters[i], function->bytes[i]);
  }
  double_state.launches[double_state.launch_count++ % RLK_DOUBLE_LAUNCHES_KEPT] = launch;
  if (double_state.captures == 0) {
    call_host(&launch);
  } else {
    if (captured_count == RLK_DOUBLE_LAUNCHES_KEPT) abort();
    captured[captured_count++] = launch;
  }
  return RLK_CU_SUCCESS;
}
