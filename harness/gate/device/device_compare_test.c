#define _GNU_SOURCE /* setenv */
/* Comparing on a device, on the double of a driver: what is asked of the driver, and what comes of the answer. Whether
 * the kernel itself is right shows on a GPU alone: tools/bench/device_compare.c asks it there. */
#include "harness/gate/device/device_compare.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/gate/mix.h"
#include "harness/gate/pairs.h"
#include "loader/device/on_double.h"

#define TWIN "host=harness/gate/device/testdata/compare_twin.so"

static rowlock_error_t err;
static rlk_double_t* driver;
static rowlock_device_t* device;
static rlk_device_gate_t* device_gate;

static void open_device(const char* words) {
  cr_assert(zero(int, setenv("ROWLOCK_DRIVER_DOUBLE", words, 1)));
  driver = rlk_double_use("driver_double");
  cr_assert(eq(int, rowlock_device_open(0, &device, &err), ROWLOCK_OK), "%s", err.message);
}

static void set_up(void) {
  open_device(TWIN);
  cr_assert(eq(int, rlk_device_gate_create(device, &device_gate, &err), ROWLOCK_OK), "%s", err.message);
}

static void tear_down(void) {
  rlk_device_gate_destroy(device_gate);
  rowlock_device_close(device);
  rlk_double_expect_closed(driver, "at the end");
}

TestSuite(device_compare, .init = set_up, .fini = tear_down);

/* A copy on the device. */
static rlk_array_t upload(const rlk_array_t* array) {
  rlk_array_t there = *array;
  const size_t size = rlk_array_size(array);
  cr_assert(eq(int, rowlock_device_alloc(device, size, &there.data, &err), ROWLOCK_OK), "%s", err.message);
  cr_assert(eq(int, rowlock_device_upload(device, there.data, array->data, size, &err), ROWLOCK_OK));
  return there;
}

static void expect_equal(const rlk_comparison_t* is, const rlk_comparison_t* due, int seed) {
  cr_expect(eq(int, is->outcome, due->outcome), "seed %d", seed);
  cr_expect(eq(u64, is->mismatch_count, due->mismatch_count), "seed %d", seed);
  cr_expect(eq(int, is->worst.verdict.difference, due->worst.verdict.difference), "seed %d", seed);
  cr_expect(eq(dbl, is->worst.verdict.share, due->worst.verdict.share), "seed %d", seed);
  cr_expect(eq(u64, is->worst.verdict.steps, due->worst.verdict.steps), "seed %d", seed);
  cr_expect(eq(u64, is->worst.flat_index, due->worst.flat_index), "seed %d", seed);
  cr_expect(eq(u64, is->worst.got, due->worst.got), "seed %d", seed);
  cr_expect(eq(u64, is->worst.want, due->worst.want), "seed %d", seed);
}

Test(device_compare, answers_as_the_host_does) {
  static unsigned char got[8 * 3000], want[8 * 3000];
  for (int seed = 0; seed < 400; ++seed) {
    const uint64_t random = rlk_mix((uint64_t)seed), count = random % 3000;
    const rlk_dtype_t dtype = (rlk_dtype_t)(seed % RLK_DTYPE_COUNT);
    rlk_pairs_fill(dtype, (uint64_t)seed, random >> 16 & RLK_PAIRS_ALL, 1 + (random >> 24) % 500, got, want, count);
    const rlk_array_t a = rlk_array_over(dtype, got, count), b = rlk_array_over(dtype, want, count);
    const rlk_result_gate_t gate = rlk_pairs_gate((uint64_t)seed);
    rlk_comparison_t due, is;
    cr_assert(eq(int, rlk_compare(&a, &b, &gate, &due, &err), ROWLOCK_OK), "%s", err.message);
    rlk_array_t there = upload(&a);
    cr_assert(eq(int, rlk_device_compare_with_host(device_gate, &there, &b, &gate, &is, &err), ROWLOCK_OK), "%s",
              err.message);
    rowlock_device_free(device, there.data);
    expect_equal(&is, &due, seed);
  }
}

Test(device_compare, of_other_dtype_or_shape_compares_nothing) {
  const double numbers[6] = {0};
  const rlk_array_t a = rlk_array_over(RLK_DTYPE_FLOAT64, numbers, 6), b = rlk_array_over(RLK_DTYPE_INT64, numbers, 6),
                    c = rlk_array_over(RLK_DTYPE_FLOAT64, numbers, 5);
  const rlk_result_gate_t gate = {0};
  rlk_comparison_t comparison;
  cr_expect(zero(int, rlk_device_compare(device_gate, &a, &b, &gate, &comparison, &err)));
  cr_expect(eq(int, comparison.outcome, RLK_OUTCOME_DTYPE));
  cr_expect(zero(int, rlk_device_compare(device_gate, &a, &c, &gate, &comparison, &err)));
  cr_expect(eq(int, comparison.outcome, RLK_OUTCOME_SHAPE));
  cr_expect(zero(sz, rlk_double_count(driver, RLK_DOUBLE_launch_kernel)));
}

Test(device_compare, needs_the_same_memory_order) {
  const double numbers[6] = {0};
  const rlk_array_t a = {RLK_DTYPE_FLOAT64, 2, {2, 3}, false, 6, (void*)numbers, NULL};
  rlk_array_t b = a;
  b.fortran = true;
  const rlk_result_gate_t gate = {0};
  rlk_comparison_t comparison;
  cr_expect(eq(int, rlk_device_compare(device_gate, &a, &b, &gate, &comparison, &err), ROWLOCK_UNUSABLE));
  cr_expect(eq(str, err.message, "a device compares arrays of the same memory order"));
}

Test(device_compare, without_elements_launches_nothing) {
  const rlk_array_t empty = rlk_array_over(RLK_DTYPE_FLOAT64, NULL, 0);
  const rlk_result_gate_t gate = {0};
  rlk_comparison_t comparison;
  cr_expect(zero(int, rlk_device_compare_with_host(device_gate, &empty, &empty, &gate, &comparison, &err)));
  cr_expect(eq(int, comparison.outcome, RLK_OUTCOME_EQUAL));
  cr_expect(zero(sz, rlk_double_count(driver, RLK_DOUBLE_launch_kernel)));
}

/* The double has no twin for the kernels here: nobody looks at anything. */
Test(kernel, that_does_no_work_is_no_equal) {
  open_device("");
  cr_assert(eq(int, rlk_device_gate_create(device, &device_gate, &err), ROWLOCK_OK), "%s", err.message);
  const double numbers[300] = {0};
  const rlk_array_t array = rlk_array_over(RLK_DTYPE_FLOAT64, numbers, 300);
  const rlk_result_gate_t gate = {0};
  rlk_array_t there = upload(&array);
  rlk_comparison_t comparison;
  cr_expect(
      eq(int, rlk_device_compare_with_host(device_gate, &there, &array, &gate, &comparison, &err), ROWLOCK_INTERNAL));
  cr_expect(eq(str, err.message, "the kernel that compares looked at 0 of 300 elements"));
  rowlock_device_free(device, there.data);
  tear_down();
}

/* From creating to the answer, the call fails once each time it is made. */
static void fail_each(rlk_double_call_t call, uint32_t most) {
  uint32_t nth = 1;
  for (; nth <= most; ++nth) {
    const double numbers[300] = {0};
    const rlk_array_t array = rlk_array_over(RLK_DTYPE_FLOAT64, numbers, 300);
    const rlk_result_gate_t gate = {0};
    rlk_array_t there = upload(&array);
    rlk_comparison_t comparison;
    rlk_device_gate_t* mine = NULL;
    const int open = driver->allocations, loaded = driver->modules;
    rlk_double_fail(driver, call, nth, RLK_CU_OUT_OF_MEMORY);
    rowlock_code_t code = rlk_device_gate_create(device, &mine, &err);
    if (!code) code = rlk_device_compare_with_host(mine, &there, &array, &gate, &comparison, &err);
    rlk_double_relent(driver);
    rlk_device_gate_destroy(mine);
    cr_expect(eq(int, driver->allocations, open), "call %u", nth);
    cr_expect(eq(int, driver->modules, loaded), "call %u", nth);
    rowlock_device_free(device, there.data);
    if (!code) break;
    cr_expect(eq(int, code, ROWLOCK_NO_MEMORY), "call %u: %s", nth, err.message);
  }
  cr_expect(gt(u32, nth, 1));
  cr_expect(le(u32, nth, most), "it went through at last");
}

Test(device_compare, gives_back_what_it_took_when_a_call_fails) {
  fail_each(RLK_DOUBLE_mem_alloc, 4);
  fail_each(RLK_DOUBLE_module_load_data_ex, 3);
  fail_each(RLK_DOUBLE_module_get_function, 8);
  fail_each(RLK_DOUBLE_launch_kernel, 4);
  fail_each(RLK_DOUBLE_memcpy_to_host, 3);
  fail_each(RLK_DOUBLE_memcpy_to_device, 3);
}
