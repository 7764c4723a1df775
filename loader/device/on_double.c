#define _GNU_SOURCE /* setenv */
#include "loader/device/on_double.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The double --------------------------------------------------------------------------------------------------- */

rlk_double_t* rlk_double_use(const char* name) {
  char path[128];
  snprintf(path, sizeof path, "loader/device/testdata/%s.so", name);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  cr_assert(not(zero(ptr, library)), "%s", dlerror());
  void* address = dlsym(library, "rlk_driver_double");
  cr_assert(not(zero(ptr, address)));
  rlk_double_t* (*get)(void);
  memcpy(&get, &address, sizeof get);
  cr_assert(zero(int, setenv("ROWLOCK_CUDA_DRIVER", path, 1)));
  return get();
}

void rlk_double_fail(rlk_double_t* driver, rlk_double_call_t call, uint32_t nth, rlk_cu_result_t result) {
  int slot = 0;
  while (slot < RLK_DOUBLE_FAULTS && driver->faults[slot].result) ++slot;
  cr_assert(lt(int, slot, RLK_DOUBLE_FAULTS));
  driver->faults[slot] = (rlk_double_fault_t){.call = call, .nth = nth, .result = result};
}

void rlk_double_relent(rlk_double_t* driver) { memset(driver->faults, 0, sizeof driver->faults); }

size_t rlk_double_count(const rlk_double_t* driver, rlk_double_call_t call) {
  cr_assert(le(sz, driver->call_count, (size_t)RLK_DOUBLE_CALLS_KEPT), "more was called than is kept");
  size_t count = 0;
  for (size_t i = 0; i < driver->call_count; ++i) count += driver->calls[i] == call;
  return count;
}

const rlk_double_launch_t* rlk_double_launch(const rlk_double_t* driver, size_t number) {
  cr_assert(lt(sz, number, driver->launch_count), "so much was not launched");
  return &driver->launches[number % RLK_DOUBLE_LAUNCHES_KEPT];
}

static int list_open(const rlk_double_t* driver, const char* when) {
  const struct {
    const char* what;
    int count;
  } open[] = {{"contexts", driver->contexts},     {"modules", driver->modules},   {"allocations", driver->allocations},
              {"streams", driver->streams},       {"graphs", driver->graphs},     {"graph execs", driver->graph_execs},
              {"bound contexts", driver->pushed}, {"captures", driver->captures}, {"calls astray", driver->astray}};
  int kinds = 0;
  for (size_t i = 0; i < sizeof open / sizeof *open; ++i) {
    if (open[i].count == 0) continue;
    fprintf(stderr, "%s: %d %s\n", when, open[i].count, open[i].what);
    ++kinds;
  }
  return kinds;
}

void rlk_double_expect_closed(const rlk_double_t* driver, const char* when) {
  cr_expect(zero(int, list_open(driver, when)), "%s", when);
}

void rlk_double_end(const rlk_double_t* driver) {
  if (list_open(driver, "at the end") > 0) abort();
}

/* --- Modules ------------------------------------------------------------------------------------------------------ */

static const char layout[] =
    ".global .align 8 .b8 eagle_layout_sizes[40] = {40, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, "
    "0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 24};\n";

void rlk_put_ptx(const rlk_deployment_t* deployment, const char* file, const char* parameters, int generation) {
  char text[4096], words[256];
  size_t length = 0;
  int index = 0;
#define PUT(...)                                                                  \
  do {                                                                            \
    length += (size_t)snprintf(text + length, sizeof text - length, __VA_ARGS__); \
    cr_assert(lt(sz, length, sizeof text));                                       \
  } while (0)
  PUT(".version 6.3\n.target sm_75\n.address_size 64\n%s.visible .entry raptor_kernel(\n",
      generation == 2 ? layout : "");
  snprintf(words, sizeof words, "%s%s", parameters, generation == 2 ? " u64 u64 u64" : "");
  char* rest = words;
  for (const char* word; (word = strtok_r(rest, " ", &rest)) != NULL; ++index) {
    if (index > 0) PUT(",\n");
    if (word[0] >= '0' && word[0] <= '9') {
      PUT("  .param .align 8 .b8 raptor_kernel_param_%d[%s]", index, word);
    } else {
      PUT("  .param .%s raptor_kernel_param_%d", word, index);
    }
  }
  PUT("\n)\n{\n  ret;\n}\n");
#undef PUT
  rlk_test_folder_write(&deployment->folder, file, text, length);
}

/* The parameters that the sidecars of //loader/registry imply. */
static const struct {
  const char *file, *parameters;
  int generation;
} kernels[] = {{"every_role.ptx", "40 40 40 32 32 32 32 40 40 32 f64 u64 u32 32 32 32", 2},
               {"every_role_f32.ptx", "40 40 40 32 32 32 32 40 40 32 f32 u64 u32 32 32 32", 2},
               {"every_role_v1.ptx", "40 40 40 32 32 32 32 40 40 32 f64 u64 u32 32 32 32", 1},
               {"gravity.ptx", "40 40 f64", 2},
               {"drag.ptx", "40 40 32 f64", 2},
               {"thrust.ptx", "40 40 32 32", 2},
               {"tally.ptx", "40 32 32 32 40", 2},
               {"tally_f32.ptx", "40 32 32 32 40", 2},
               {"scatter.ptx", "32 32", 2},
               {"spans.ptx", "32 32 32 32", 2},
               {"legacy.ptx", "32 32", 1}};

void rlk_on_double_create(rlk_on_double_t* on, const char* driver) {
  *on = (rlk_on_double_t){.driver = rlk_double_use(driver)};
  rlk_deployment_create(&on->deployment);
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i) {
    rlk_put_ptx(&on->deployment, kernels[i].file, kernels[i].parameters, kernels[i].generation);
  }
  rlk_deployment_t* deployment = &on->deployment;
  rowlock_registry_destroy(deployment->registry);
  deployment->registry = NULL;
  rlk_deployment_expect_ok(deployment, rowlock_device_open(0, &on->device, &deployment->err), "open");
  rlk_deployment_expect_ok(
      deployment, rowlock_registry_create_on(on->device, 0, &deployment->registry, &deployment->err), "create");
}

void rlk_on_double_add(rlk_on_double_t* on, const char* name) {
  rlk_deployment_expect_ok(&on->deployment, rlk_deployment_add(&on->deployment, name), name);
}

void rlk_on_double_destroy(rlk_on_double_t* on) {
  rlk_deployment_destroy(&on->deployment);
  rowlock_device_close(on->device);
  rlk_double_end(on->driver);
}
