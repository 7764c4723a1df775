/* Devices: found, opened, bound around every call and given back, whatever the driver says. */
#include "loader/device/device.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <string.h>

#include "loader/device/on_double.h"
#include "validator/rules/fault.h"

static rlk_double_t* driver;
static rowlock_device_t* device;
static rowlock_error_t err;

static void setup(void) { driver = rlk_double_use("driver_double"); }
static void teardown(void) {
  rowlock_device_close(device);
  rlk_double_end(driver);
}

TestSuite(device, .init = setup, .fini = teardown);

static void open_device(uint32_t ordinal) {
  cr_assert(eq(int, rowlock_device_open(ordinal, &device, &err), ROWLOCK_OK), "%s", err.message);
}

static void expect_words(const char* words) {
  cr_expect(not(zero(ptr, strstr(err.message, words))), "'%s' is not in: %s", words, err.message);
}

Test(device, tells_what_it_is) {
  driver->device_count = 2;
  driver->sm = 86;
  open_device(1);
  const rowlock_device_info_t info = rowlock_device_info(device);
  cr_expect(eq(str, (char*)info.name, (char*)"Double 1"));
  cr_expect(eq(u32, info.sm, 86));
  cr_expect(eq(u64, info.memory_bytes, driver->memory_bytes));
  cr_expect(eq(u32, info.driver_version, 130));
  cr_expect(not(zero(ptr, strstr(info.driver_path, "driver_double.so"))));
  uint32_t count;
  cr_expect(eq(int, rowlock_device_count(&count, &err), ROWLOCK_OK));
  cr_expect(eq(u32, count, 2));
}

Test(device, that_is_not_there_is_a_fact_about_the_machine) {
  cr_expect(eq(int, rowlock_device_open(1, &device, &err), ROWLOCK_UNAVAILABLE));
  expect_words("there is no CUDA device 1: the driver '");
  expect_words("' sees 1");
  cr_expect(zero(ptr, device));
}

Test(device, no_device_at_all_counts_as_none) {
  rlk_double_fail(driver, RLK_DOUBLE_device_get_count, RLK_DOUBLE_EACH, RLK_CU_NO_DEVICE);
  uint32_t count = 7;
  cr_expect(eq(int, rowlock_device_count(&count, &err), ROWLOCK_OK));
  cr_expect(eq(u32, count, 0));
  cr_expect(eq(int, rowlock_device_open(0, &device, &err), ROWLOCK_UNAVAILABLE));
}

Test(device, closing_null_does_nothing) {
  rowlock_device_close(NULL);
  cr_expect(zero(sz, driver->call_count));
}

Test(device, that_is_opened_twice_is_open_until_both_are_closed) {
  rowlock_device_t* second;
  open_device(0);
  cr_assert(eq(int, rowlock_device_open(0, &second, &err), ROWLOCK_OK));
  rowlock_device_close(second);
  cr_expect(eq(int, driver->contexts, 1));
  cr_expect(eq(int, rowlock_device_synchronize(device, &err), ROWLOCK_OK));
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

Test(device, copies_there_and_back) {
  static const char text[] = "there and back";
  char back[sizeof text];
  void* data;
  open_device(0);
  cr_assert(eq(int, rowlock_device_alloc(device, sizeof text, &data, &err), ROWLOCK_OK));
  cr_expect(eq(int, rowlock_device_upload(device, data, text, sizeof text, &err), ROWLOCK_OK));
  cr_expect(eq(int, rowlock_device_download(device, back, data, sizeof text, &err), ROWLOCK_OK));
  cr_expect(eq(str, back, (char*)text));
  rowlock_device_free(device, data);
}

/* A stream that does not wait for the default one would run ahead of a copy that is still on its way. */
Test(device, an_upload_has_arrived_when_it_returns) {
  char byte = 1;
  void* data;
  open_device(0);
  cr_assert(eq(int, rowlock_device_alloc(device, 1, &data, &err), ROWLOCK_OK));
  cr_assert(eq(int, rowlock_device_upload(device, data, &byte, 1, &err), ROWLOCK_OK));
  cr_assert(le(sz, 3, driver->call_count));
  cr_expect(eq(int, driver->calls[driver->call_count - 3], RLK_DOUBLE_memcpy_to_device));
  cr_expect(eq(int, driver->calls[driver->call_count - 2], RLK_DOUBLE_stream_synchronize));
  rowlock_device_free(device, data);
}

Test(device, no_bytes_are_no_memory_and_no_copy) {
  void* data = &err;
  open_device(0);
  cr_expect(eq(int, rowlock_device_alloc(device, 0, &data, &err), ROWLOCK_OK));
  cr_expect(zero(ptr, data));
  cr_expect(eq(int, rowlock_device_upload(device, NULL, NULL, 0, &err), ROWLOCK_OK));
  cr_expect(eq(int, rowlock_device_download(device, NULL, NULL, 0, &err), ROWLOCK_OK));
  rowlock_device_free(device, NULL);
  cr_expect(zero(sz, rlk_double_count(driver, RLK_DOUBLE_mem_alloc)));
  cr_expect(zero(sz, rlk_double_count(driver, RLK_DOUBLE_mem_free)));
}

Test(device, that_is_full_says_so_with_its_name) {
  void* data;
  open_device(0);
  cr_expect(eq(int, rowlock_device_alloc(device, driver->memory_bytes + 1, &data, &err), ROWLOCK_NO_MEMORY));
  expect_words("the device 'Double 0' has no 67108865 bytes left");
  cr_expect(zero(ptr, data));
}

/* --- The context -------------------------------------------------------------------------------------------------- */

Test(device, what_failed_is_told_when_it_is_waited_for) {
  open_device(0);
  rlk_double_fail(driver, RLK_DOUBLE_ctx_synchronize, 1, RLK_DOUBLE_ILLEGAL_ADDRESS);
  cr_expect(eq(int, rowlock_device_synchronize(device, &err), ROWLOCK_INTERNAL));
  expect_words("cuCtxSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered");
  cr_expect(eq(int, driver->pushed, 0));
}

/* The caller's own context is on top again afterwards, also when the call between fails. */
Test(device, leaves_the_callers_context_as_it_was) {
  driver->device_count = 2;
  open_device(0);
  rowlock_device_t* other;
  cr_assert(eq(int, rowlock_device_open(1, &other, &err), ROWLOCK_OK));
  cr_assert(eq(int, rlk_device_enter(other, &err), ROWLOCK_OK));
  for (int i = 0; i < 2; ++i) {
    void* data = NULL;
    const rowlock_code_t code = rowlock_device_alloc(device, 8, &data, &err);
    cr_expect(eq(int, code, i == 0 ? ROWLOCK_OK : ROWLOCK_NO_MEMORY));
    cr_expect(eq(int, driver->pushed, 1));
    rowlock_device_free(device, data);
    rlk_double_fail(driver, RLK_DOUBLE_mem_alloc, RLK_DOUBLE_EACH, RLK_CU_OUT_OF_MEMORY);
  }
  rlk_cu_context_t context;
  cr_expect(zero(int, other->driver->ctx_pop_current(&context)));
  cr_expect(eq(ptr, context, other->context));
  rowlock_device_close(other);
}

static void* use_device(void* unused) {
  (void)unused;
  rowlock_error_t problem;
  char byte = 7, back = 0;
  void* data;
  for (int i = 0; i < 50; ++i) {
    if (rowlock_device_alloc(device, 1, &data, &problem) || rowlock_device_upload(device, data, &byte, 1, &problem) ||
        rowlock_device_download(device, &back, data, 1, &problem) || back != 7) {
      return &err;
    }
    rowlock_device_free(device, data);
  }
  return rowlock_device_synchronize(device, &problem) ? &err : NULL;
}

Test(device, threads_that_never_used_cuda_work) {
  enum { THREADS = 4 };
  pthread_t threads[THREADS];
  open_device(0);
  for (int i = 0; i < THREADS; ++i) cr_assert(zero(int, pthread_create(&threads[i], NULL, use_device, NULL)));
  for (int i = 0; i < THREADS; ++i) {
    void* failed;
    pthread_join(threads[i], &failed);
    cr_expect(zero(ptr, failed));
  }
}

static void* create_registry(void* out) {
  rowlock_error_t problem;
  return rowlock_registry_create_on(device, 0, out, &problem) ? &err : NULL;
}

Test(device, two_threads_that_make_registries_load_our_kernels_once) {
  pthread_t threads[2];
  rowlock_registry_t* registries[2];
  open_device(0);
  for (int i = 0; i < 2; ++i) cr_assert(zero(int, pthread_create(&threads[i], NULL, create_registry, &registries[i])));
  for (int i = 0; i < 2; ++i) {
    void* failed;
    pthread_join(threads[i], &failed);
    cr_expect(zero(ptr, failed));
  }
  cr_expect(eq(int, driver->modules, 1));
  for (int i = 0; i < 2; ++i) rowlock_registry_destroy(registries[i]);
}

/* Nothing more can be given back in a context that is lost: the calls are made all the same, and nothing crashes. */
Test(device, that_is_lost_can_be_closed) {
  rowlock_registry_t* registry;
  void* data;
  open_device(0);
  cr_assert(eq(int, rowlock_registry_create_on(device, 0, &registry, &err), ROWLOCK_OK));
  cr_assert(eq(int, rowlock_device_alloc(device, 8, &data, &err), ROWLOCK_OK));
  rlk_double_fail(driver, RLK_DOUBLE_ctx_synchronize, 1, RLK_DOUBLE_ILLEGAL_ADDRESS);
  driver->faults[0].is_sticky = true;
  cr_expect(eq(int, rowlock_device_synchronize(device, &err), ROWLOCK_INTERNAL));
  cr_expect(eq(int, rowlock_device_upload(device, data, &err, 8, &err), ROWLOCK_INTERNAL));
  expect_words("CUDA_ERROR_ILLEGAL_ADDRESS");
  rowlock_device_free(device, data);
  rowlock_registry_destroy(registry);
  rowlock_device_close(device);
  device = NULL;
  cr_expect(eq(int, driver->contexts, 0));
  cr_expect(eq(int, driver->pushed, 0));
  driver->modules = driver->allocations = 0; /* gone with the context */
}

/* --- Whatever fails ----------------------------------------------------------------------------------------------- */

Test(device, of_a_driver_that_did_not_start_is_never_opened) {
  rlk_double_fail(driver, RLK_DOUBLE_driver_get_version, 1, RLK_DOUBLE_UNKNOWN);
  cr_expect(eq(int, rowlock_device_open(0, &device, &err), ROWLOCK_UNAVAILABLE));
  rlk_double_relent(driver);
  cr_expect(eq(int, rowlock_device_open(0, &device, &err), ROWLOCK_UNAVAILABLE));
  expect_words("does not start: ? (999)");
}

Test(device, each_call_of_opening_may_fail) {
  uint32_t count;
  cr_assert(eq(int, rowlock_device_count(&count, &err), ROWLOCK_OK)); /* the driver has started */
  uint32_t nth = 1;
  for (;; ++nth) {
    rlk_double_fail(driver, RLK_DOUBLE_CALL_COUNT, nth, RLK_DOUBLE_UNKNOWN);
    const rowlock_code_t code = rowlock_device_open(0, &device, &err);
    const bool failed = driver->faults[0].seen >= nth;
    rlk_double_relent(driver);
    cr_expect(eq(int, code, failed ? ROWLOCK_INTERNAL : ROWLOCK_OK), "call %u: %s", nth, err.message);
    if (!failed) break;
    cr_expect(zero(ptr, device));
    rlk_double_expect_closed(driver, "after a failure");
  }
  cr_expect(lt(u32, 6, nth));
}

Test(device, is_not_opened_without_memory) {
  uint32_t count;
  cr_assert(eq(int, rowlock_device_count(&count, &err), ROWLOCK_OK));
  rlk_fault_arm(1, false);
  const rowlock_code_t code = rowlock_device_open(0, &device, &err);
  cr_expect(rlk_fault_relent());
  cr_expect(zero(sz, rlk_fault_disarm().live));
  cr_expect(eq(int, code, ROWLOCK_NO_MEMORY));
  rlk_double_expect_closed(driver, "without memory");
}
