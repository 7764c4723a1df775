#define _GNU_SOURCE /* strcasestr */
#include "loader/device/module.h"

#include <stdlib.h>
#include <string.h>

#include "loader/files.h"
#include "loader/host/layout.h"
#include "validator/rules/text.h"

enum { LOG_FIRST = 8190, LOG_MOST = 1 << 20, LINE_SHOWN = 240 };

/* --- What the driver's compiler says ------------------------------------------------------------------------------ */

/* In one allocation. */
typedef struct logs_t {
  char *info, *error;
  size_t most; /* that is kept of each */
} logs_t;

/* With NUL, and a byte beyond what is kept, by which a longer log is known. */
static size_t buffer_bytes(size_t most) { return most + 2; }

static bool logs_init(logs_t* logs, size_t most) {
  const size_t bytes = buffer_bytes(most);
  char* memory = calloc(2, bytes);
  *logs = (logs_t){.info = memory, .error = memory ? memory + bytes : NULL, .most = most};
  return memory != NULL;
}

static void logs_deinit(logs_t* logs) { free(logs->info); }

static size_t length_of(const logs_t* logs) { return strlen(logs->error) + strlen(logs->info); }

static bool is_cut(const logs_t* logs) { return strlen(logs->error) > logs->most || strlen(logs->info) > logs->most; }

/* The first line that tells of an error, else the first that tells anything; false if there is none. */
static bool put_first_line(rlk_text_t* text, const char* log) {
  const char* at = strcasestr(log, "error");
  if (!at) at = log;
  while (at > log && at[-1] != '\n') --at;
  at += strspn(at, " \t\r\n");
  const size_t length = strcspn(at, "\r\n");
  if (length == 0) return false;
  rlk_text_printf(text, ": ");
  rlk_text_put_shown(text, at, length, LINE_SHOWN);
  return true;
}

static rowlock_code_t refuse_module(const rlk_driver_t* driver, rlk_cu_result_t result, const logs_t* logs,
                                    rowlock_error_t* err) {
  char words[6 * LINE_SHOWN + 256];
  rlk_text_t text = rlk_text_over(words, sizeof words);
  rlk_driver_put_result(&text, driver, result);
  if (!put_first_line(&text, logs->error)) (void)put_first_line(&text, logs->info);
  return rlk_refuse(err, RLK_RULE_DEVICE_MODULE, RLK_SLOTS(rlk_slot_prose("problem", words)));
}

static void begin_line(rlk_text_t* text) {
  if (text->length > 0 && text->data[text->length - 1] != '\n') rlk_text_put(text, "\n", 1);
}

/* On lines of its own, with a last one that says so where it is not whole. */
static void put_log(rlk_text_t* text, const char* log, size_t most) {
  const size_t length = strlen(log);
  if (length > 0) begin_line(text);
  rlk_text_put(text, log, length > most ? most : length);
  if (length <= most) return;
  begin_line(text);
  rlk_text_printf(text, "... cut at %s: the log is longer\n", most == LOG_MOST ? "1 MiB" : "8 KiB");
}

/* Both; NULL if there is nothing in them, or no memory for more than the error. */
static char* join(const logs_t* logs) {
  enum { LINES_ADDED = 128 };
  const size_t length = length_of(logs);
  char* log = length > 0 ? malloc(length + LINES_ADDED) : NULL;
  if (!log) return NULL;
  rlk_text_t text = rlk_text_over(log, length + LINES_ADDED);
  put_log(&text, logs->error, logs->most);
  put_log(&text, logs->info, logs->most);
  return log;
}

static rlk_cu_result_t load_and_listen(const rlk_driver_t* driver, const void* image, logs_t* logs,
                                       rlk_cu_module_t* out_module) {
  const size_t bytes = buffer_bytes(logs->most);
  int options[] = {RLK_CU_JIT_INFO_LOG, RLK_CU_JIT_INFO_LOG_BYTES, RLK_CU_JIT_ERROR_LOG, RLK_CU_JIT_ERROR_LOG_BYTES};
  /* The driver takes numbers in place of addresses. */
  void* values[] = {logs->info, (void*)(uintptr_t)bytes, logs->error, (void*)(uintptr_t)bytes};
  const rlk_cu_result_t result = driver->module_load_data_ex(out_module, image, 4, options, values);
  logs->info[bytes - 1] = logs->error[bytes - 1] = '\0';
  if (result) *out_module = NULL; /* nobody says what a driver leaves there */
  return result;
}

/* Loads what was refused with `result` once more, for the words alone: the first answer stands, and so do its words
 * where the second says less or something else. */
static void listen_again(const rlk_driver_t* driver, const void* image, rlk_cu_result_t result, logs_t* logs) {
  logs_t whole;
  rlk_cu_module_t module;
  if (!logs_init(&whole, LOG_MOST)) return;
  const bool same = load_and_listen(driver, image, &whole, &module) == result;
  if (module) (void)driver->module_unload(module);
  if (same && length_of(&whole) >= length_of(logs)) {
    const logs_t first = *logs;
    *logs = whole;
    whole = first;
  }
  logs_deinit(&whole);
}

/* What the driver says is about the image, unless it is the machine that has no room, or no compiler. */
static rowlock_code_t judge_image(const rlk_driver_t* driver, rlk_cu_result_t result, const logs_t* logs,
                                  rowlock_error_t* err) {
  if (rlk_driver_code(result) == ROWLOCK_INTERNAL) return refuse_module(driver, result, logs, err);
  return rlk_driver_fail(driver, "cuModuleLoadDataEx", result, err);
}

rowlock_code_t rlk_device_load_image(const rowlock_device_t* device, const void* image, rlk_cu_module_t* out_module,
                                     char** out_log, rowlock_error_t* err) {
  const rlk_driver_t* driver = device->driver;
  logs_t logs;
  *out_log = NULL;
  if (!logs_init(&logs, LOG_FIRST)) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory to load a module");
  const rlk_cu_result_t result = load_and_listen(driver, image, &logs, out_module);
  if (result && result != RLK_CU_OUT_OF_MEMORY && is_cut(&logs)) listen_again(driver, image, result, &logs);
  const rowlock_code_t code = result ? judge_image(driver, result, &logs, err) : ROWLOCK_OK;
  if (result && result != RLK_CU_OUT_OF_MEMORY) *out_log = join(&logs);
  logs_deinit(&logs);
  return code;
}

rowlock_code_t rlk_device_load_own(const rowlock_device_t* device, const char* ptx, rlk_cu_module_t* out_module,
                                   rowlock_error_t* err) {
  const rlk_cu_result_t result = device->driver->module_load_data_ex(out_module, ptx, 0, NULL, NULL);
  if (!result) return ROWLOCK_OK;
  *out_module = NULL;
  rowlock_error_t problem;
  rowlock_code_t code = rlk_driver_fail(device->driver, "cuModuleLoadDataEx", result, &problem);
  const bool is_older = result == RLK_CU_NO_BINARY_FOR_GPU || result == RLK_CU_UNSUPPORTED_PTX_VERSION;
  if (is_older) code = ROWLOCK_UNAVAILABLE;
  return rlk_fail(err, code, "Rowlock's own kernels do not load on the device '%s', sm_%u: %s", device->name,
                  device->sm, problem.message);
}

/* --- Before the driver sees it ------------------------------------------------------------------------------------ */

typedef struct proving_t {
  bool is_ptx_alone; /* for the device's SM */
  rowlock_error_t* err;
} proving_t;

static rowlock_code_t refuse_first(void* context, rlk_rule_t rule, int argument, const rlk_slot_t* slots,
                                   size_t slot_count) {
  proving_t* proving = context;
  (void)argument;
  if (rule != RLK_RULE_ARTIFACT_PTX_ONLY) return rlk_refuse(proving->err, rule, slots, slot_count);
  proving->is_ptx_alone = true; /* it takes longer, and works */
  return ROWLOCK_OK;
}

static rowlock_code_t repeat_first(void* context, const rowlock_error_t* err) {
  const proving_t* proving = context;
  if (proving->err) *proving->err = *err;
  return ROWLOCK_REJECTED;
}

static rowlock_code_t prove(const rowlock_device_t* device, const rlk_file_buffer_t* file,
                            const rlk_description_t* description, rlk_device_code_t* out_code, rowlock_error_t* err) {
  proving_t proving = {.err = err};
  const rlk_proof_listener_t listener = {.context = &proving, .report = refuse_first, .repeat = repeat_first};
  const rlk_target_machine_t machine = {.driver = device->driver->version, .sm = device->sm};
  rlk_arena_t arena = {0};
  rlk_artifact_t artifact;
  rowlock_code_t code = rlk_artifact_read(file->bytes, file->length, &arena, &artifact, err);
  if (!code && artifact.kind == RLK_ARTIFACT_HOST) {
    code = rlk_refuse(err, RLK_RULE_DEVICE_HOST_OBJECT, NULL, 0);
  }
  if (!code) code = rlk_prove(description, &artifact, &arena, &listener, err);
  if (!code) code = rlk_prove_machine(&artifact, &machine, &listener);
  out_code->is_ptx_fallback = !code && proving.is_ptx_alone && artifact.kind != RLK_ARTIFACT_PTX;
  rlk_arena_deinit(&arena);
  return code;
}

/* --- What the driver made of it ----------------------------------------------------------------------------------- */

/* The module's array; where a compiler keeps it to itself, the driver does not show it and what was read counts. */
static rowlock_code_t check_layout(const rowlock_device_t* device, const rlk_device_code_t* code_of,
                                   const rlk_description_t* description, rowlock_error_t* err) {
  const rlk_driver_t* driver = device->driver;
  rlk_cu_address_t address;
  size_t bytes = 0;
  uint8_t sizes[RLK_LAYOUT_LENGTH];
  if (description->tag != RLK_WORD_ABI_2) return ROWLOCK_OK;
  rlk_cu_result_t result = driver->module_get_global(&address, &bytes, code_of->module, RLK_LAYOUT_SYMBOL);
  if (result == RLK_CU_NOT_FOUND) return ROWLOCK_OK;
  if (!result && bytes == sizeof sizes) result = driver->memcpy_to_host(sizes, address, bytes);
  if (result) return rlk_driver_fail(driver, "reading eagle_layout_sizes", result, err);
  return rlk_layout_compare(bytes == sizeof sizes ? sizes : NULL, bytes, err);
}

static rowlock_code_t refuse_parameter(size_t index, size_t offset, size_t bytes, rlk_artifact_parameter_t due,
                                       rowlock_error_t* err) {
  return rlk_refuse(
      err, RLK_RULE_DEVICE_PARAMETERS,
      RLK_SLOTS(rlk_slot_integer("ordinal", (int64_t)index), rlk_slot_integer("bytes", (int64_t)bytes),
                rlk_slot_integer("offset", (int64_t)offset), rlk_slot_integer("expected_bytes", due.bytes),
                rlk_slot_integer("expected_offset", due.offset)));
}

/* A driver says INVALID_VALUE of a parameter that the kernel does not have; one may be too old to say anything. */
static rowlock_code_t check_parameters(const rowlock_device_t* device, const rlk_device_code_t* code_of,
                                       const rlk_description_t* description, rowlock_error_t* err) {
  const rlk_driver_t* driver = device->driver;
  if (!driver->func_get_param_info) return ROWLOCK_OK;
  rlk_arena_t arena = {0};
  rlk_block_t block;
  rlk_cu_result_t result = RLK_CU_SUCCESS;
  rowlock_code_t code = rlk_block_of(description, &arena, &block, err);
  for (size_t i = 0; !code && i <= block.count && result != RLK_CU_NOT_SUPPORTED; ++i) {
    size_t offset = 0, bytes = 0;
    result = driver->func_get_param_info(code_of->function, i, &offset, &bytes);
    if (result && result != RLK_CU_INVALID_VALUE && result != RLK_CU_NOT_SUPPORTED) {
      code = rlk_driver_fail(driver, "cuFuncGetParamInfo", result, err);
      break;
    }
    const bool is_end = i == block.count;
    const rlk_artifact_parameter_t end = {.offset = block.bytes}, due = is_end ? end : block.slots[i].parameter;
    const bool agrees = is_end ? result != RLK_CU_SUCCESS : !result && offset == due.offset && bytes == due.bytes;
    if (!agrees && result != RLK_CU_NOT_SUPPORTED) code = refuse_parameter(i, offset, bytes, due, err);
  }
  rlk_arena_deinit(&arena);
  return code;
}

/* Drivers load functions when they are first launched, which waits for all that runs: now is the time. */
static rowlock_code_t load_function(const rowlock_device_t* device, rlk_device_code_t* code_of, const char* kernel,
                                    rowlock_error_t* err) {
  const rlk_driver_t* driver = device->driver;
  int registers;
  rlk_cu_result_t result = driver->module_get_function(&code_of->function, code_of->module, kernel);
  if (!result && driver->func_load) result = driver->func_load(code_of->function);
  if (!result) result = driver->func_get_attribute(&registers, RLK_CU_FUNCTION_REGISTERS, code_of->function);
  if (!result) return ROWLOCK_OK;
  if (rlk_driver_code(result) != ROWLOCK_INTERNAL) return rlk_driver_fail(driver, "cuFuncLoad", result, err);
  char words[256];
  rlk_text_t problem = rlk_text_over(words, sizeof words);
  rlk_driver_put_result(&problem, driver, result);
  return rlk_refuse(err, RLK_RULE_DEVICE_FUNCTION,
                    RLK_SLOTS(rlk_slot_text("name", kernel, strlen(kernel)), rlk_slot_prose("problem", words)));
}

static rowlock_code_t load(const rowlock_device_t* device, rlk_file_buffer_t* file,
                           const rlk_description_t* description, rlk_device_code_t* out_code, char** out_log,
                           rowlock_error_t* err) {
  rowlock_code_t code = prove(device, file, description, out_code, err);
  if (code) return code;
  /* Reading made room for a byte more: the driver wants PTX to end in NUL. */
  char* image = realloc(file->bytes, file->length + 1);
  if (!image) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory to load a module");
  file->bytes = image;
  file->capacity = file->length + 1;
  image[file->length] = '\0';
  code = rlk_device_load_image(device, image, &out_code->module, out_log, err);
  if (!code) code = load_function(device, out_code, description->kernel, err);
  if (!code) code = check_layout(device, out_code, description, err);
  return code ? code : check_parameters(device, out_code, description, err);
}

rowlock_code_t rlk_device_load(const rowlock_device_t* device, const char* path, const rlk_description_t* description,
                               rlk_device_code_t* out_code, char** out_log, rowlock_error_t* err) {
  *out_code = (rlk_device_code_t){0};
  *out_log = NULL;
  rlk_file_buffer_t file = {0};
  rowlock_code_t code = rlk_file_read(path, RLK_ARTIFACT_BYTES_MAX, &file, err);
  if (!code) code = load(device, &file, description, out_code, out_log, err);
  rlk_file_buffer_deinit(&file);
  if (code) rlk_device_unload(device, out_code);
  return code;
}

void rlk_device_unload(const rowlock_device_t* device, rlk_device_code_t* code) {
  if (code->module) (void)device->driver->module_unload(code->module);
  *code = (rlk_device_code_t){0};
}
