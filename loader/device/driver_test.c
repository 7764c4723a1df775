/* What becomes of a machine without a driver, with one that cannot be used, and with one that can. */
#define _GNU_SOURCE /* setenv */
#include "loader/device/driver.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "loader/device/on_double.h"

static const rlk_driver_t* driver;
static rowlock_error_t err;

static void expect_none(const char* words) {
  cr_expect(eq(int, rlk_driver_get(&driver, &err), ROWLOCK_UNAVAILABLE));
  cr_expect(zero(ptr, (void*)driver));
  cr_expect(not(zero(ptr, strstr(err.message, words))), "'%s' is not in: %s", words, err.message);
}

static void expect_one(void) {
  cr_assert(eq(int, rlk_driver_get(&driver, &err), ROWLOCK_OK), "%s", err.message);
  cr_assert(not(zero(ptr, (void*)driver)));
}

Test(driver, says_where_it_really_is_and_for_which_cuda) {
  rlk_double_use("driver_double")->version = 12040;
  expect_one();
  cr_expect(eq(u32, driver->version, 124));
  cr_expect(eq(chr, driver->path[0], '/'), "%s", driver->path);
  cr_expect(not(zero(ptr, strstr(driver->path, "/driver_double.so"))), "%s", driver->path);
}

Test(driver, is_started_once) {
  rlk_double_t* twin = rlk_double_use("driver_double");
  expect_one();
  const rlk_driver_t* first = driver;
  expect_one();
  cr_expect(eq(ptr, (void*)driver, (void*)first));
  cr_expect(eq(sz, rlk_double_count(twin, RLK_DOUBLE_init), 1));
}

Test(driver, that_is_not_there_is_named) {
  setenv("ROWLOCK_CUDA_DRIVER", "libno_such_driver.so.1", 1);
  expect_none("no CUDA driver: libno_such_driver.so.1: cannot open shared object file");
  uint32_t count = 7;
  cr_expect(eq(int, rowlock_device_count(&count, &err), ROWLOCK_UNAVAILABLE));
  cr_expect(eq(u32, count, 0));
  rowlock_device_t* device;
  cr_expect(eq(int, rowlock_device_open(0, &device, NULL), ROWLOCK_UNAVAILABLE));
  cr_expect(zero(ptr, device));
}

Test(driver, an_empty_name_is_the_driver_of_the_machine) {
  setenv("ROWLOCK_CUDA_DRIVER", "", 1);
  const rowlock_code_t code = rlk_driver_get(&driver, &err);
  cr_expect(code == ROWLOCK_OK || strstr(err.message, "libcuda.so.1"), "%s", err.message);
}

Test(driver, of_another_version_than_the_kernels_is_told_with_its_path_and_version) {
  rlk_double_t* twin = rlk_double_use("driver_double");
  twin->version = 12040;
  rlk_double_fail(twin, RLK_DOUBLE_init, RLK_DOUBLE_EACH, RLK_CU_SYSTEM_DRIVER_MISMATCH);
  expect_none("/driver_double.so', for CUDA 12.4, does not start: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): system has");
  cr_expect(not(zero(ptr, strstr(err.message, "two versions"))), "%s", err.message);
}

Test(driver, without_a_device_says_so) {
  rlk_double_fail(rlk_double_use("driver_double"), RLK_DOUBLE_init, RLK_DOUBLE_EACH, RLK_CU_NO_DEVICE);
  expect_none("CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is detected");
}

Test(driver, that_is_older_names_what_it_lacks_and_its_path) {
  rlk_double_use("driver_double_old");
  expect_none("/driver_double_old.so' has no cuGraphInstantiateWithFlags");
}

Test(driver, that_is_another_library_is_told_apart) {
  setenv("ROWLOCK_CUDA_DRIVER", "libm.so.6", 1);
  expect_none("libm.so.6' has no cuInit");
}

Test(driver, works_without_what_is_optional) {
  rlk_double_use("driver_double_plain");
  expect_one();
  cr_expect(zero(ptr, (void*)(uintptr_t)driver->func_load));
  cr_expect(zero(ptr, (void*)(uintptr_t)driver->func_get_param_info));
  cr_expect(not(zero(ptr, (void*)(uintptr_t)driver->launch_kernel)));
}

static void expect_loading(const char* due) {
  const char* loading = rlk_driver_loading(driver);
  cr_expect(eq(str, (char*)(loading ? loading : "not told"), (char*)due));
}

Test(driver, says_when_it_loads_functions) {
  rlk_double_t* twin = rlk_double_use("driver_double");
  expect_one();
  expect_loading("lazy");
  twin->loading = RLK_CU_LOADING_EAGER;
  expect_loading("eager");
  twin->loading = 3;
  expect_loading("not told");
  twin->loading = RLK_CU_LOADING_LAZY;
  rlk_double_fail(twin, RLK_DOUBLE_module_get_loading_mode, 1, RLK_DOUBLE_UNKNOWN);
  expect_loading("not told");
  expect_loading("lazy");
}

Test(driver, that_is_too_old_to_say_when_it_loads_functions_does_not) {
  rlk_double_use("driver_double_plain");
  expect_one();
  expect_loading("not told");
}

Test(driver, a_failed_call_is_told_with_its_name_number_and_text) {
  rlk_double_use("driver_double");
  expect_one();
  cr_expect(eq(int, rlk_driver_fail(driver, "cuMemAlloc", RLK_CU_OUT_OF_MEMORY, &err), ROWLOCK_NO_MEMORY));
  cr_expect(eq(str, err.message, (char*)"cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"));
  cr_expect(eq(int, rlk_driver_fail(driver, "cuInit", RLK_CU_NO_DEVICE, &err), ROWLOCK_UNAVAILABLE));
  cr_expect(eq(int, rlk_driver_fail(driver, "cuCtxSynchronize", RLK_DOUBLE_UNKNOWN, &err), ROWLOCK_INTERNAL));
  cr_expect(eq(str, err.message, (char*)"cuCtxSynchronize: ? (999): ?"));
}
