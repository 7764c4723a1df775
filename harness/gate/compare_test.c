/* Whole arrays: the same answer as asking of each element, in any memory order, whatever state the machine is in. */
#include "harness/gate/compare.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/gate/fence.h"
#include "harness/gate/mix.h"
#include "harness/gate/pairs.h"
#include "validator/rules/fault.h"

static rowlock_error_t err;

static rlk_comparison_t compare(const rlk_array_t* got, const rlk_array_t* want, const rlk_result_gate_t* gate) {
  rlk_comparison_t comparison;
  cr_assert(eq(int, rlk_compare(got, want, gate, &comparison, &err), ROWLOCK_OK), "%s", err.message);
  return comparison;
}

static rlk_comparison_t compare_doubles(const double* got, const double* want, uint64_t count, rlk_result_gate_t gate) {
  const rlk_array_t a = rlk_array_over(RLK_DTYPE_FLOAT64, got, count);
  const rlk_array_t b = rlk_array_over(RLK_DTYPE_FLOAT64, want, count);
  return compare(&a, &b, &gate);
}

#define ATOL(a) ((rlk_result_gate_t){.mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ATOL, .atol = (a)})
static const rlk_result_gate_t bit_exact = {0};

/* --- Against the definition --------------------------------------------------------------------------------------- */

/* What asking of one element after the other comes to. */
static rlk_comparison_t expected(const rlk_array_t* got, const rlk_array_t* want, const rlk_result_gate_t* gate) {
  const size_t size = rlk_dtype_size(want->dtype);
  rlk_comparison_t due = {.outcome = RLK_OUTCOME_EQUAL};
  for (uint64_t i = 0; i < want->element_count; ++i) {
    uint64_t index[RLK_RANK_MAX];
    rlk_array_index_at(want, i, index);
    const unsigned char* got_at = (const unsigned char*)got->data + rlk_array_position(got, index) * size;
    const uint64_t a = rlk_element_load(want->dtype, got_at);
    const uint64_t b = rlk_element_load(want->dtype, (const unsigned char*)want->data + i * size);
    const rlk_verdict_t verdict = rlk_element_judge(gate, want->dtype, a, b);
    if (verdict.difference > RLK_DIFFERENCE_ADMITTED) {
      due.outcome = RLK_OUTCOME_DIFFERENT;
      ++due.mismatch_count;
    }
    if (!rlk_verdict_is_worse(&verdict, &due.worst.verdict)) continue;
    due.worst.verdict = verdict;
    due.worst.got = a;
    due.worst.want = b;
    due.worst.flat_index = rlk_array_flat_index(want, index);
    memcpy(due.worst.index, index, want->rank * sizeof *index);
  }
  return due;
}

static void expect_as_defined(const rlk_array_t* got, const rlk_array_t* want, const rlk_result_gate_t* gate,
                              int seed) {
  const rlk_comparison_t is = compare(got, want, gate), due = expected(got, want, gate);
  cr_assert(eq(int, is.outcome, due.outcome), "seed %d", seed);
  cr_assert(eq(u64, is.mismatch_count, due.mismatch_count), "seed %d", seed);
  cr_assert(eq(int, is.worst.verdict.difference, due.worst.verdict.difference), "seed %d", seed);
  cr_assert(eq(u64, is.worst.flat_index, due.worst.flat_index), "seed %d", seed);
  cr_assert(eq(u64, is.worst.got, due.worst.got), "seed %d", seed);
  cr_assert(eq(u64, is.worst.want, due.worst.want), "seed %d", seed);
  cr_assert(eq(dbl, is.worst.verdict.share, due.worst.verdict.share), "seed %d", seed);
  cr_assert(eq(u64, is.worst.verdict.steps, due.worst.verdict.steps), "seed %d", seed);
  for (uint32_t i = 0; i < want->rank; ++i) cr_assert(eq(u64, is.worst.index[i], due.worst.index[i]), "seed %d", seed);
}

/* Both arrays end where memory ends. */
Test(compare, is_what_each_element_says) {
  size_t outcomes[2] = {0};
  for (int seed = 0; seed < 6000; ++seed) {
    const rlk_dtype_t dtype = (rlk_dtype_t)(seed % RLK_DTYPE_COUNT);
    const uint64_t random = rlk_mix((uint64_t)seed);
    const uint64_t count = random % 3 == 0 ? random % 6000 : random % 700;
    const size_t size = (size_t)count * rlk_dtype_size(dtype);
    rlk_fence_t got = rlk_fence_create(size), want = rlk_fence_create(size);
    const uint32_t kinds = random >> 8 & 1 ? RLK_PAIRS_NEAR : random >> 16 & RLK_PAIRS_ALL;
    rlk_pairs_fill(dtype, (uint64_t)seed, kinds, 1 + (random >> 24) % 500, got.bytes, want.bytes, count);
    const rlk_array_t a = rlk_array_over(dtype, got.bytes, count), b = rlk_array_over(dtype, want.bytes, count);
    const rlk_result_gate_t gate = rlk_pairs_gate((uint64_t)seed);
    expect_as_defined(&a, &b, &gate, seed);
    ++outcomes[compare(&a, &b, &gate).outcome];
    rlk_fence_destroy(&got);
    rlk_fence_destroy(&want);
  }
  cr_expect(gt(sz, outcomes[RLK_OUTCOME_EQUAL], 1000));
  cr_expect(gt(sz, outcomes[RLK_OUTCOME_DIFFERENT], 1000));
}

Test(compare, matches_elements_by_index_in_any_memory_order) {
  enum { MOST = 17 * 19 * 23 };
  double got[MOST], want[MOST];
  for (int seed = 0; seed < 400; ++seed) {
    const uint64_t random = rlk_mix((uint64_t)seed);
    rlk_array_t a = {.dtype = RLK_DTYPE_FLOAT64, .rank = 3, .data = got}, b;
    a.shape[0] = 1 + random % 17;
    a.shape[1] = 1 + (random >> 8) % 19;
    a.shape[2] = 1 + (random >> 16) % 23;
    cr_assert(rlk_shape_count(a.shape, a.rank, &a.element_count));
    b = a;
    b.data = want;
    a.fortran = random >> 24 & 1;
    b.fortran = random >> 25 & 1;
    rlk_pairs_fill(a.dtype, (uint64_t)seed, RLK_PAIRS_ALL, 20, got, want, a.element_count);
    const rlk_result_gate_t gate = rlk_pairs_gate((uint64_t)seed);
    expect_as_defined(&a, &b, &gate, seed);
  }
}

Test(compare, finds_a_transposed_array_equal) {
  double c[40 * 60], fortran[40 * 60];
  for (int row = 0; row < 40; ++row) {
    for (int column = 0; column < 60; ++column) {
      c[row * 60 + column] = row + column * 0.001;
      fortran[column * 40 + row] = row + column * 0.001;
    }
  }
  const rlk_array_t a = {RLK_DTYPE_FLOAT64, 2, {40, 60}, false, 2400, c, NULL};
  rlk_array_t b = {RLK_DTYPE_FLOAT64, 2, {40, 60}, true, 2400, fortran, NULL};
  cr_expect(eq(int, compare(&a, &b, &bit_exact).worst.verdict.difference, RLK_DIFFERENCE_NONE));
  cr_expect(eq(int, compare(&b, &a, &bit_exact).worst.verdict.difference, RLK_DIFFERENCE_NONE));
  b.fortran = false;
  cr_expect(eq(int, compare(&a, &b, &bit_exact).outcome, RLK_OUTCOME_DIFFERENT));
}

/* --- The worst ---------------------------------------------------------------------------------------------------- */

Test(worst, is_the_first_of_equals) {
  enum { COUNT = 5000 };
  static double got[COUNT], want[COUNT];
  for (int i = 0; i < COUNT; ++i) got[i] = want[i] = 1;
  got[700] = got[1900] = got[4100] = 3;
  got[300] = 2;
  cr_expect(eq(u64, compare_doubles(got, want, COUNT, bit_exact).worst.flat_index, 700));
  cr_expect(eq(u64, compare_doubles(got, want, COUNT, ATOL(0.5)).worst.flat_index, 700));
  const rlk_comparison_t passed = compare_doubles(got, want, COUNT, ATOL(4));
  cr_expect(eq(int, passed.outcome, RLK_OUTCOME_EQUAL));
  cr_expect(eq(u64, passed.worst.flat_index, 700));
  cr_expect(eq(dbl, passed.worst.verdict.share, 0.5));
}

Test(worst, is_told_as_it_is_measured) {
  const double got[] = {1, -DBL_TRUE_MIN, 3}, want[] = {1, 2, 3};
  rlk_result_gate_t gate = ATOL(0.5);
  rlk_distance_t distance;
  rlk_comparison_t comparison = compare_doubles(got, want, 3, gate);
  distance = rlk_comparison_worst_distance(&comparison);
  cr_expect(eq(u64, distance.steps, (UINT64_C(1) << 62) + 1));
  cr_expect(eq(dbl, distance.absolute, 2));
  cr_expect(eq(dbl, distance.relative, 1));
  gate.relaxed = 1U << RLK_POLICY_DENORMAL;
  comparison = compare_doubles(got, want, 3, gate);
  distance = rlk_comparison_worst_distance(&comparison);
  cr_expect(eq(u64, distance.steps, UINT64_C(1) << 62), "from zero");
}

/* --- What is not compared ----------------------------------------------------------------------------------------- */

Test(arrays, of_other_dtype_or_shape_differ_as_a_whole) {
  const double numbers[6] = {0};
  const rlk_array_t a = {RLK_DTYPE_FLOAT64, 2, {2, 3}, false, 6, (void*)numbers, NULL};
  rlk_array_t b = a;
  b.dtype = RLK_DTYPE_INT64;
  cr_expect(eq(int, compare(&a, &b, &bit_exact).outcome, RLK_OUTCOME_DTYPE));
  b = a;
  b.shape[0] = 3;
  b.shape[1] = 2;
  cr_expect(eq(int, compare(&a, &b, &bit_exact).outcome, RLK_OUTCOME_SHAPE));
  b = rlk_array_over(RLK_DTYPE_FLOAT64, numbers, 6);
  cr_expect(eq(int, compare(&a, &b, &bit_exact).outcome, RLK_OUTCOME_SHAPE));
}

Test(arrays, without_elements_are_equal) {
  const rlk_array_t a = {RLK_DTYPE_FLOAT64, 2, {0, 3}, false, 0, NULL, NULL};
  const rlk_result_gate_t band = ATOL(1);
  cr_expect(eq(int, compare(&a, &a, &bit_exact).outcome, RLK_OUTCOME_EQUAL));
  const rlk_comparison_t comparison = compare(&a, &a, &band);
  cr_expect(eq(int, comparison.outcome, RLK_OUTCOME_EQUAL));
  cr_expect(not(rlk_comparison_is_loose(&comparison)), "nothing was seen");
}

Test(gate, that_is_malformed_is_refused) {
  const double number = 1;
  const rlk_array_t a = rlk_array_over(RLK_DTYPE_FLOAT64, &number, 1);
  const rlk_result_gate_t gate = {.mode = RLK_GATE_BAND};
  rlk_comparison_t comparison;
  cr_expect(eq(int, rlk_compare(&a, &a, &gate, &comparison, &err), ROWLOCK_UNUSABLE));
}

/* --- Loose bands -------------------------------------------------------------------------------------------------- */

static bool is_loose(double error, rlk_result_gate_t gate) {
  const double got = 1 + error, want = 1;
  const rlk_comparison_t comparison = compare_doubles(&got, &want, 1, gate);
  return rlk_comparison_is_loose(&comparison);
}

Test(loose, is_a_band_of_which_less_than_a_thousandth_is_used) {
  cr_expect(not(is_loose(0x1p-20, ATOL(1000 * 0x1p-20))));
  cr_expect(is_loose(0x1p-20, ATOL(1001 * 0x1p-20)));
  cr_expect(is_loose(0, ATOL(DBL_TRUE_MIN)));
  cr_expect(not(is_loose(0, ATOL(0))));
  cr_expect(not(is_loose(0, bit_exact)));
  cr_expect(is_loose(DBL_EPSILON, (rlk_result_gate_t){.mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ULP, .ulp = 1001}));
  cr_expect(
      not(is_loose(DBL_EPSILON, (rlk_result_gate_t){.mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ULP, .ulp = 1000})));
  cr_expect(not(is_loose(2, ATOL(1))), "a band that refuses is not loose");
}

Test(loose, is_no_band_of_bools) {
  const unsigned char truth = 1;
  const rlk_array_t array = rlk_array_over(RLK_DTYPE_BOOL, &truth, 1);
  const rlk_result_gate_t gate = ATOL(1);
  const rlk_comparison_t comparison = compare(&array, &array, &gate);
  cr_expect(not(rlk_comparison_is_loose(&comparison)));
}

/* --- The machine -------------------------------------------------------------------------------------------------- */

Test(machine, may_round_upward_and_is_left_so) {
  const double want = 1 + 0x1p-30, got = want + 0x1.8p-52; /* rounded to even: 2 steps */
  const rlk_result_gate_t gate = {.mode = RLK_GATE_BAND, .bounds = 3, .atol = 0x1p-60, .rtol = 0x1.fffffffp-52};
  const rlk_comparison_t due = compare_doubles(&got, &want, 1, gate);
  cr_assert(eq(int, fesetround(FE_UPWARD), 0));
  const rlk_comparison_t is = compare_doubles(&got, &want, 1, gate);
  cr_expect(eq(int, fegetround(), FE_UPWARD));
  cr_assert(eq(int, fesetround(FE_TONEAREST), 0));
  cr_expect(eq(dbl, is.worst.verdict.share, due.worst.verdict.share));
}

#if defined(__x86_64__)
Test(machine, may_flush_denormals_and_is_left_so) {
  enum { FLUSH = 0x8040, COUNT = 600 }; /* of results and of operands */
  static double got[COUNT], want[COUNT];
  for (int i = 0; i < COUNT; ++i) want[i] = i * DBL_TRUE_MIN;
  for (int i = 0; i < COUNT; ++i) got[i] = (i + 3) * DBL_TRUE_MIN;
  const unsigned int before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | FLUSH);
  const rlk_comparison_t narrow = compare_doubles(got, want, COUNT, ATOL(2 * DBL_TRUE_MIN));
  const rlk_comparison_t wide = compare_doubles(got, want, COUNT, ATOL(3 * DBL_TRUE_MIN));
  const unsigned int after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before);
  cr_expect(eq(int, (int)(after & FLUSH), FLUSH));
  cr_expect(eq(u64, narrow.mismatch_count, COUNT));
  cr_expect(eq(u64, wide.mismatch_count, 0));
}
#endif

Test(machine, gives_no_memory_and_is_not_asked_for_any) {
  enum { COUNT = 20000, BOTH = 2 * COUNT };
  double* numbers = malloc(BOTH * sizeof *numbers);
  cr_assert(not(zero(ptr, numbers)));
  rlk_pairs_fill(RLK_DTYPE_FLOAT64, 3, RLK_PAIRS_ALL, 5, numbers, numbers + COUNT, COUNT);
  rlk_fault_arm(0, false);
  const rlk_comparison_t comparison = compare_doubles(numbers, numbers + COUNT, COUNT, ATOL(1e-3));
  const rlk_fault_t fault = rlk_fault_disarm();
  cr_expect(eq(u64, fault.allocations, 0));
  cr_expect(gt(u64, comparison.mismatch_count, 0));
  free(numbers);
}

Test(machine, needs_no_alignment) {
  enum { COUNT = 3000 };
  static unsigned char got[COUNT * 8 + 1], want[COUNT * 8 + 3];
  rlk_pairs_fill(RLK_DTYPE_FLOAT64, 9, RLK_PAIRS_ALL, 30, got + 1, want + 3, COUNT);
  const rlk_array_t a = rlk_array_over(RLK_DTYPE_FLOAT64, got + 1, COUNT);
  const rlk_array_t b = rlk_array_over(RLK_DTYPE_FLOAT64, want + 3, COUNT);
  const rlk_result_gate_t band = ATOL(0x1p-50);
  expect_as_defined(&a, &b, &bit_exact, -1);
  expect_as_defined(&a, &b, &band, -2);
}
