/* A registry on a device: modules in place of objects, uploads in place of references, launches in place of calls. */
#include "loader/device/backend.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "loader/device/kernels.h"
#include "loader/device/module.h"
#include "loader/registry/registry.h"
#include "validator/rules/text.h"

enum { BLOCK_THREADS = 256, BLOCKS_MAX = INT32_MAX };

typedef struct context_t {
  rowlock_device_t* device;
  uint64_t table_bytes_max, table_bytes;
  uint64_t zone_bytes; /* on both sides of a table that is not empty */
  char* log;           /* of the compiler, about the module that was refused last */
} context_t;

/* --- Modules ------------------------------------------------------------------------------------------------------ */

static rowlock_code_t open_plugin(void* context, rlk_plugin_t* plugin, rowlock_error_t* err) {
  context_t* on = context;
  const rowlock_device_t* device = on->device;
  rlk_device_code_t code_of;
  rowlock_code_t code = rlk_device_enter(device, err);
  if (code) return code;
  free(on->log);
  code = rlk_device_load(device, plugin->object_path, &plugin->description, &code_of, &on->log, err);
  rlk_device_leave(device);
  plugin->module = code_of.module;
  plugin->function = code_of.function;
  plugin->is_ptx_fallback = code_of.is_ptx_fallback;
  plugin->packing.device_type = ROWLOCK_DEVICE_CUDA;
  plugin->packing.device_id = device->ordinal;
  return code;
}

static void close_plugin(void* context, rlk_plugin_t* plugin) {
  const rowlock_device_t* device = ((context_t*)context)->device;
  if (!plugin->module || rlk_device_enter(device, NULL)) return;
  rlk_device_code_t code_of = {.module = plugin->module};
  rlk_device_unload(device, &code_of);
  rlk_device_leave(device);
  plugin->module = plugin->function = NULL;
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

static uint64_t table_bytes(const rlk_bound_t* table) {
  return table->is_set ? table->count * rowlock_element_bytes(table->element) : 0;
}

static rowlock_code_t refuse_budget(const context_t* on, const char* name, uint64_t bytes, uint64_t used,
                                    rowlock_error_t* err) {
  return rlk_refuse(err, RLK_RULE_DEVICE_TABLE_BUDGET,
                    RLK_SLOTS(rlk_slot_text("name", name, strlen(name)), rlk_slot_integer("value", (int64_t)bytes),
                              rlk_slot_integer("limit", (int64_t)on->table_bytes_max),
                              rlk_slot_integer("left", (int64_t)(on->table_bytes_max - used))));
}

/* What was allocated for the table, and how much: its zones are in it. */
static rlk_cu_address_t block_of(const context_t* on, const rlk_bound_t* table) {
  return table_bytes(table) > 0 ? (rlk_cu_address_t)(uintptr_t)table->data - on->zone_bytes : 0;
}

static uint64_t block_bytes(const context_t* on, const rlk_bound_t* table) {
  return table_bytes(table) > 0 ? table_bytes(table) + 2 * on->zone_bytes : 0;
}

static void forget_table(void* context, const rlk_bound_t* table) {
  context_t* on = context;
  on->table_bytes -= table_bytes(table);
  rowlock_device_free(on->device, (void*)(uintptr_t)block_of(on, table));
}

/* In one go, with the context bound: what was there before can always be given back. */
static rowlock_code_t replace(const context_t* on, rlk_bound_t* table, const rlk_bound_t* replaced,
                              rowlock_error_t* err) {
  rlk_cu_address_t address = 0;
  const uint64_t bytes = block_bytes(on, table);
  rowlock_code_t code = rlk_device_alloc(on->device, bytes, &address, err);
  if (!code && bytes > 0) {
    code = rlk_device_upload(on->device, address, (const char*)table->data - on->zone_bytes, bytes, err);
  }
  rlk_device_free(on->device, code ? address : block_of(on, replaced));
  if (!code) table->data = bytes > 0 ? (void*)(uintptr_t)(address + on->zone_bytes) : NULL;
  return code;
}

/* The new table is there before the old one goes: a failure leaves that. The budget is of what is there afterwards. */
static rowlock_code_t upload_table(void* context, const char* name, rlk_bound_t* table, const rlk_bound_t* replaced,
                                   rowlock_error_t* err) {
  context_t* on = context;
  const uint64_t bytes = table_bytes(table), used = on->table_bytes - table_bytes(replaced);
  if (on->table_bytes_max > 0 && (used > on->table_bytes_max || bytes > on->table_bytes_max - used)) {
    return refuse_budget(on, name, bytes, used, err);
  }
  rowlock_code_t code = rlk_device_enter(on->device, err);
  if (code) return code;
  rowlock_error_t problem;
  code = replace(on, table, replaced, &problem);
  rlk_device_leave(on->device);
  if (code) rlk_fail(err, code, "table '%.100s': %s", name, problem.message);
  if (!code) on->table_bytes = used + bytes;
  return code;
}

/* --- Launches ----------------------------------------------------------------------------------------------------- */

/* What the driver says of a launch is about the plugin, unless it is the machine that has no room, or is gone. */
static rowlock_code_t refuse_launch(const context_t* on, const rlk_plugin_t* plugin, rlk_cu_result_t result,
                                    rowlock_error_t* err) {
  rowlock_error_t said, problem;
  rowlock_code_t code = rlk_driver_fail(on->device->driver, "cuLaunchKernel", result, &said);
  if (code == ROWLOCK_INTERNAL) {
    code = rlk_refuse(&problem, RLK_RULE_DEVICE_LAUNCH, RLK_SLOTS(rlk_slot_prose("problem", said.message)));
    return rlk_plugin_fail(err, code, plugin, &problem);
  }
  return rlk_plugin_fail(err, code, plugin, &said);
}

/* One thread a sample: planning has seen to it that the blocks are not too many. The driver copies the parameters
 * before it returns. */
static rowlock_code_t launch_plugin(void* context, rlk_plugin_t* plugin, const rowlock_partition_t* partition,
                                    void* stream, rowlock_error_t* err) {
  const context_t* on = context;
  const uint64_t blocks = ((uint64_t)partition->count + BLOCK_THREADS - 1) / BLOCK_THREADS;
  rowlock_partition_t triple = *partition;
  void** params = plugin->packing.params;
  const size_t count = plugin->description.parameter_count;
  params[count] = &triple.base;
  params[count + 1] = &triple.count;
  params[count + 2] = &triple.sample_count;
  rowlock_code_t code = rlk_device_enter(on->device, err);
  if (code) return code;
  const rlk_cu_result_t result = on->device->driver->launch_kernel(plugin->function, (unsigned)blocks, 1, 1,
                                                                   BLOCK_THREADS, 1, 1, 0, stream, params, NULL);
  if (result) code = refuse_launch(on, plugin, result, err);
  rlk_device_leave(on->device);
  return code;
}

/* --- Folds -------------------------------------------------------------------------------------------------------- */

static const struct {
  rowlock_element_t element;
  const char* name;
} folds[RLK_KERNEL_FOLDS] = {{ROWLOCK_ELEMENT_FLOAT64, "rowlock_fold_float64"},
                             {ROWLOCK_ELEMENT_FLOAT32, "rowlock_fold_float32"},
                             {ROWLOCK_ELEMENT_INT64, "rowlock_fold_int64"}};

static rowlock_code_t find_folds(rowlock_device_t* device, rlk_cu_module_t module, rowlock_error_t* err) {
  const rlk_driver_t* driver = device->driver;
  rlk_cu_result_t result = RLK_CU_SUCCESS;
  for (int i = 0; i < RLK_KERNEL_FOLDS && !result; ++i) {
    result = driver->module_get_function(&device->folds[i], module, folds[i].name);
    if (!result && driver->func_load) result = driver->func_load(device->folds[i]);
  }
  return result ? rlk_driver_fail(driver, "loading the kernels of the loader", result, err) : ROWLOCK_OK;
}

/* Our own kernels, once for a device, when the first registry is made on it: no launch waits for them. */
static rowlock_code_t load_kernels(rowlock_device_t* device, rowlock_error_t* err) {
  if (device->kernels) return ROWLOCK_OK;
  rlk_cu_module_t module = NULL;
  rowlock_code_t code = rlk_device_load_own(device, rlk_kernels_ptx, &module, err);
  if (!code) code = find_folds(device, module, err);
  if (code && module) (void)device->driver->module_unload(module);
  if (!code) device->kernels = module;
  return code;
}

/* Of two threads with registries of their own on one device, one waits for the other. */
static rowlock_code_t load_kernels_once(rowlock_device_t* device, rowlock_error_t* err) {
  rowlock_code_t code = rlk_device_enter(device, err);
  if (code) return code;
  pthread_mutex_lock(&device->kernels_lock);
  code = load_kernels(device, err);
  pthread_mutex_unlock(&device->kernels_lock);
  rlk_device_leave(device);
  return code;
}

/* The number of the operator in kernels.cu. */
static uint32_t operator_of(rlk_word_t op) {
  switch (op) {
    case RLK_WORD_TIMES:
      return 1;
    case RLK_WORD_MAX:
      return 2;
    case RLK_WORD_LAND:
      return 3;
    default:
      return 0;
  }
}

static rowlock_code_t fold(void* context, const rlk_plugin_t* plugin, const rlk_bound_t* partials, int64_t sample_count,
                           const rlk_bound_t* result_of, void* stream, rowlock_error_t* err) {
  const context_t* on = context;
  rlk_cu_function_t function = NULL;
  for (int i = 0; i < RLK_KERNEL_FOLDS; ++i) {
    if (folds[i].element == partials->element) function = on->device->folds[i];
  }
  void *data = partials->data, *out = result_of->data;
  uint32_t width = partials->width, op = operator_of(plugin->description.op);
  void* params[] = {&data, &sample_count, &width, &op, &out};
  rowlock_code_t code = rlk_device_enter(on->device, err);
  if (code) return code;
  const unsigned blocks = (unsigned)(((uint64_t)width + BLOCK_THREADS - 1) / BLOCK_THREADS);
  const rlk_cu_result_t result =
      on->device->driver->launch_kernel(function, blocks, 1, 1, BLOCK_THREADS, 1, 1, 0, stream, params, NULL);
  if (result) code = refuse_launch(on, plugin, result, err);
  rlk_device_leave(on->device);
  return code;
}

/* --- The registry ------------------------------------------------------------------------------------------------- */

static const char* compiler_log(const void* context) { return ((const context_t*)context)->log; }

static void destroy(void* context) {
  free(((context_t*)context)->log);
  free(context);
}

static const rlk_backend_t backend = {.manifest_door = RLK_DOOR_DEVICE_LOAD_MANIFEST,
                                      .open = open_plugin,
                                      .close = close_plugin,
                                      .upload = upload_table,
                                      .forget = forget_table,
                                      .partition_samples_max = (int64_t)BLOCKS_MAX * BLOCK_THREADS,
                                      .launch = launch_plugin,
                                      .fold = fold,
                                      .compiler_log = compiler_log,
                                      .destroy = destroy};

rowlock_code_t rowlock_registry_create_on(rowlock_device_t* device, uint64_t table_bytes_max,
                                          rowlock_registry_t** out_registry, rowlock_error_t* err) {
  *out_registry = NULL;
  rlk_error_clear(err);
  rowlock_code_t code = load_kernels_once(device, err);
  if (code) return code;
  context_t* context = calloc(1, sizeof *context);
  if (!context) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a registry");
  code = rowlock_registry_create(out_registry, err);
  if (code) {
    free(context);
    return code;
  }
  *context = (context_t){.device = device, .table_bytes_max = table_bytes_max};
  (*out_registry)->backend = &backend;
  (*out_registry)->context = context;
  return ROWLOCK_OK;
}

void rlk_device_guard_tables(rowlock_registry_t* registry, uint64_t zone_bytes) {
  ((context_t*)registry->context)->zone_bytes = zone_bytes;
}
