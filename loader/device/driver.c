#define _GNU_SOURCE /* dlinfo, PATH_MAX */
#include "loader/device/driver.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name with the number: a stub of the toolkit, which only serves to link, has it without. */
static const char default_library[] = "libcuda.so.1";

typedef enum need_t { NEEDED, OPTIONAL } need_t;

static const struct {
  const char* symbol;
  size_t offset;
  need_t need;
} symbols[] = {
#define RLK_DRIVER(name, symbol, need, ...) {symbol, offsetof(rlk_driver_t, name), need},
#include "loader/device/driver.def"
#undef RLK_DRIVER
};

/* What is found out once for the process. Nothing changes it afterwards. */
static struct {
  pthread_once_t once;
  rlk_driver_t driver;
  rowlock_code_t code;
  rowlock_error_t err;
  char path[PATH_MAX];
} found = {.once = PTHREAD_ONCE_INIT};

/* POSIX has dlsym give functions as data. */
static void set_symbol(size_t index, void* address) {
  memcpy((char*)&found.driver + symbols[index].offset, &address, sizeof address);
}

/* `name` is what was asked for; the library says where it really is. */
static void find_path(void* library, const char* name) {
  const struct link_map* map = NULL;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name[0]) name = map->l_name;
  if (!realpath(name, found.path)) {
    rlk_text_t text = rlk_text_over(found.path, sizeof found.path);
    rlk_text_put(&text, name, strlen(name));
  }
  found.driver.path = found.path;
}

static rowlock_code_t find_symbols(void* library) {
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
    void* address = dlsym(library, symbols[i].symbol);
    if (!address && symbols[i].need == NEEDED) {
      return rlk_fail(&found.err, ROWLOCK_UNAVAILABLE,
                      "the CUDA driver '%s' has no %s: it is older than CUDA 12.0, or a stub that only serves to link",
                      found.path, symbols[i].symbol);
    }
    set_symbol(i, address);
  }
  return ROWLOCK_OK;
}

/* What the kernel's part of the driver calls itself: the library must be of that release. */
static void put_kernel_release(rlk_text_t* text) {
  char line[160];
  FILE* file = fopen("/proc/driver/nvidia/version", "re");
  if (!file) return;
  if (fgets(line, sizeof line, file)) {
    rlk_text_printf(text, "; the kernel's: ");
    rlk_text_put_shown(text, line, strcspn(line, "\n"), sizeof line);
  }
  fclose(file);
}

static rowlock_code_t refuse_start(rlk_cu_result_t result) {
  char words[512];
  rlk_text_t text = rlk_text_over(words, sizeof words);
  rlk_driver_put_result(&text, &found.driver, result);
  if (result == RLK_CU_SYSTEM_DRIVER_MISMATCH) {
    rlk_text_printf(&text, "; this library and the kernel's driver are of two versions: a compat library comes first");
    put_kernel_release(&text);
  }
  const uint32_t version = found.driver.version;
  return rlk_fail(&found.err, ROWLOCK_UNAVAILABLE, "the CUDA driver '%s', for CUDA %u.%u, does not start: %s",
                  found.path, version / 10, version % 10, words);
}

/* The version is told by a library that does not start, too. */
static rowlock_code_t start(void) {
  int version = 0;
  rlk_cu_result_t result = found.driver.driver_get_version(&version);
  found.driver.version = (uint32_t)(version / 1000 * 10 + version % 1000 / 10);
  const rlk_cu_result_t started = found.driver.init(0);
  if (started) result = started;
  return result ? refuse_start(result) : ROWLOCK_OK;
}

static void find(void) {
  const char* name = getenv("ROWLOCK_CUDA_DRIVER"); /* another library of the same interface: tests have one */
  if (!name || !*name) name = default_library;
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* problem = dlerror();
    found.code = rlk_fail(&found.err, ROWLOCK_UNAVAILABLE, "no CUDA driver: %s", problem ? problem : name);
    return;
  }
  find_path(library, name);
  found.code = find_symbols(library);
  if (!found.code) found.code = start();
}

rowlock_code_t rlk_driver_get(const rlk_driver_t** out_driver, rowlock_error_t* err) {
  pthread_once(&found.once, find);
  *out_driver = found.code ? NULL : &found.driver;
  if (found.code && err) *err = found.err;
  return found.code;
}

const char* rlk_driver_loading(const rlk_driver_t* driver) {
  int mode = 0;
  if (!driver->module_get_loading_mode || driver->module_get_loading_mode(&mode)) return NULL;
  return mode == RLK_CU_LOADING_EAGER ? "eager" : mode == RLK_CU_LOADING_LAZY ? "lazy" : NULL;
}

void rlk_driver_put_result(rlk_text_t* text, const rlk_driver_t* driver, rlk_cu_result_t result) {
  const char *name = NULL, *words = NULL;
  if (driver->get_error_name(result, &name) || !name) name = "?";
  if (driver->get_error_string(result, &words) || !words) words = "?";
  rlk_text_printf(text, "%s (%d): %s", name, result, words);
}

rowlock_code_t rlk_driver_code(rlk_cu_result_t result) {
  switch (result) {
    case RLK_CU_OUT_OF_MEMORY:
      return ROWLOCK_NO_MEMORY;
    case RLK_CU_DEVICE_UNAVAILABLE:
    case RLK_CU_NO_DEVICE:
    case RLK_CU_JIT_COMPILER_NOT_FOUND:
    case RLK_CU_SYSTEM_NOT_READY:
      return ROWLOCK_UNAVAILABLE;
    default:
      return ROWLOCK_INTERNAL;
  }
}

rowlock_code_t rlk_driver_fail(const rlk_driver_t* driver, const char* call, rlk_cu_result_t result,
                               rowlock_error_t* err) {
  char words[256];
  rlk_text_t text = rlk_text_over(words, sizeof words);
  rlk_driver_put_result(&text, driver, result);
  return rlk_fail(err, rlk_driver_code(result), "%s: %s", call, words);
}
