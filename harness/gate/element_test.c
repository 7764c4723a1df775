/* What distinguishes two elements, and what each gate admits. */
#include "harness/gate/element.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "harness/gate/mix.h"

static uint64_t of64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t of32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* --- Steps -------------------------------------------------------------------------------------------------------- */

enum { WALK = 300 };

/* Walks up from a value, one representable value at a time, and compares the distances. */
static void expect_walk_64(double from) {
  double at = from;
  for (uint64_t steps = 0; steps <= WALK; ++steps) {
    cr_assert(eq(u64, rlk_element_steps(RLK_DTYPE_FLOAT64, of64(from), of64(at)), steps), "%a to %a", from, at);
    cr_assert(eq(u64, rlk_element_steps(RLK_DTYPE_FLOAT64, of64(at), of64(from)), steps), "%a to %a", at, from);
    if (isinf(at)) return;
    at = nextafter(at, INFINITY);
  }
}

static void expect_walk_32(float from) {
  float at = from;
  for (uint64_t steps = 0; steps <= WALK; ++steps) {
    cr_assert(eq(u64, rlk_element_steps(RLK_DTYPE_FLOAT32, of32(from), of32(at)), steps), "%a to %a", from, at);
    cr_assert(eq(u64, rlk_element_steps(RLK_DTYPE_FLOAT32, of32(at), of32(from)), steps), "%a to %a", at, from);
    if (isinf(at)) return;
    at = nextafterf(at, INFINITY);
  }
}

Test(steps, count_representable_values_through_zero_and_every_border) {
  static const double starts[] = {-100 * DBL_TRUE_MIN, -DBL_MIN - 100 * DBL_TRUE_MIN, -1 - 100 * DBL_EPSILON};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i) {
    expect_walk_64(starts[i]);
    expect_walk_64(-starts[i] - 200 * (nextafter(-starts[i], INFINITY) + starts[i]));
  }
  expect_walk_64(DBL_MAX - 100 * (DBL_MAX - nextafter(DBL_MAX, 0)));
  expect_walk_64(-INFINITY);
  expect_walk_32(-100 * FLT_TRUE_MIN);
  expect_walk_32(-FLT_MIN - 100 * FLT_TRUE_MIN);
  expect_walk_32(FLT_MIN - 100 * FLT_TRUE_MIN);
  expect_walk_32(1 - 50 * FLT_EPSILON);
  expect_walk_32(FLT_MAX - 100 * (FLT_MAX - nextafterf(FLT_MAX, 0)));
  expect_walk_32(-INFINITY);
}

Test(steps, add_up_along_any_three_numbers_in_order) {
  for (uint64_t i = 0; i < 100000; ++i) {
    double three[3];
    for (int j = 0; j < 3; ++j) {
      const uint64_t bits = rlk_mix(3 * i + (uint64_t)j);
      memcpy(&three[j], &bits, sizeof bits);
      if (isnan(three[j])) three[j] = 0;
    }
    const double low = fmin(fmin(three[0], three[1]), three[2]), high = fmax(fmax(three[0], three[1]), three[2]);
    double middle = three[0];
    for (int j = 0; j < 3; ++j) middle = three[j] != low && three[j] != high ? three[j] : middle;
    cr_assert(eq(u64,
                 rlk_element_steps(RLK_DTYPE_FLOAT64, of64(low), of64(middle)) +
                     rlk_element_steps(RLK_DTYPE_FLOAT64, of64(middle), of64(high)),
                 rlk_element_steps(RLK_DTYPE_FLOAT64, of64(low), of64(high))),
              "%a %a %a", low, middle, high);
  }
}

Test(steps, never_overflow) {
  cr_expect(eq(u64, rlk_element_steps(RLK_DTYPE_FLOAT64, of64(-INFINITY), of64(INFINITY)), UINT64_C(0x7FF) << 53));
  cr_expect(eq(u64, rlk_element_steps(RLK_DTYPE_FLOAT32, of32(-INFINITY), of32(INFINITY)), UINT64_C(0xFF) << 24));
  cr_expect(eq(u64, rlk_element_steps(RLK_DTYPE_INT64, (uint64_t)INT64_MIN, INT64_MAX), UINT64_MAX));
  cr_expect(eq(u64, rlk_element_steps(RLK_DTYPE_INT64, (uint64_t)-3, 4), 7));
  cr_expect(eq(u64, rlk_element_steps(RLK_DTYPE_BOOL, 0, 1), 1));
}

Test(steps, are_none_from_a_nan) {
  cr_expect(eq(u64, rlk_element_steps(RLK_DTYPE_FLOAT64, of64(NAN), of64(1)), RLK_STEPS_NONE));
  cr_expect(eq(u64, rlk_element_steps(RLK_DTYPE_FLOAT32, of32(1), of32(-NAN)), RLK_STEPS_NONE));
}

Test(flush, keeps_the_sign_and_every_normal_number) {
  cr_expect(eq(u64, rlk_element_flush(RLK_DTYPE_FLOAT64, of64(-DBL_TRUE_MIN)), of64(-0.0)));
  cr_expect(eq(u64, rlk_element_flush(RLK_DTYPE_FLOAT64, of64(nextafter(DBL_MIN, 0))), 0));
  cr_expect(eq(u64, rlk_element_flush(RLK_DTYPE_FLOAT64, of64(-DBL_MIN)), of64(-DBL_MIN)));
  cr_expect(eq(u64, rlk_element_flush(RLK_DTYPE_FLOAT32, of32(-nextafterf(FLT_MIN, 0))), of32(-0.0F)));
  cr_expect(eq(u64, rlk_element_flush(RLK_DTYPE_FLOAT32, of32(FLT_MIN)), of32(FLT_MIN)));
  cr_expect(eq(u64, rlk_element_flush(RLK_DTYPE_FLOAT64, of64(NAN)), of64(NAN)));
  cr_expect(eq(u64, rlk_element_flush(RLK_DTYPE_INT64, 1), 1));
}

/* --- Policies ----------------------------------------------------------------------------------------------------- */

/* Values that both types have, each with its own bits. */
typedef enum special_t { ZERO, TINY, SMALLEST, ONE, TWO, LARGEST, INF, QUIET, PAYLOAD, MINUS = 16 } special_t;

static uint64_t bits_of(rlk_dtype_t dtype, int special) {
  static const uint64_t float64s[] = {
      0,
      1,
      UINT64_C(1) << 52,
      UINT64_C(0x3FF) << 52,
      UINT64_C(1) << 62,
      (UINT64_C(0x7FF) << 52) - 1,
      UINT64_C(0x7FF) << 52,
      UINT64_C(0x7FF8) << 48,
      UINT64_C(0x7FF8BADC0FFEE000),
  };
  static const uint64_t float32s[] = {0,          1,          0x00800000, 0x3F800000, 0x40000000,
                                      0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7FCBADC0};
  const bool wide = dtype == RLK_DTYPE_FLOAT64;
  const uint64_t size = (wide ? float64s : float32s)[special & ~MINUS];
  return special & MINUS ? size | UINT64_C(1) << (wide ? 63 : 31) : size;
}

enum { NANS = 1 << RLK_POLICY_NAN, ZEROS = 1 << RLK_POLICY_ZERO, DENORMALS = 1 << RLK_POLICY_DENORMAL };

static const struct {
  int got, want;
  uint32_t relaxed;
  rlk_difference_t exactly, in_a_wide_band;
} policies[] = {
    {ONE, ONE, 0, RLK_DIFFERENCE_NONE, RLK_DIFFERENCE_NONE},
    {ONE, TWO, 0, RLK_DIFFERENCE_VALUE, RLK_DIFFERENCE_ADMITTED},
    {ZERO, MINUS | ZERO, 0, RLK_DIFFERENCE_ZERO_SIGN, RLK_DIFFERENCE_ZERO_SIGN},
    {ZERO, MINUS | ZERO, NANS | DENORMALS, RLK_DIFFERENCE_ZERO_SIGN, RLK_DIFFERENCE_ZERO_SIGN},
    {ZERO, MINUS | ZERO, ZEROS, RLK_DIFFERENCE_ADMITTED, RLK_DIFFERENCE_ADMITTED},
    {TINY, MINUS | ZERO, ZEROS, RLK_DIFFERENCE_VALUE, RLK_DIFFERENCE_ADMITTED},
    {QUIET, QUIET, 0, RLK_DIFFERENCE_NONE, RLK_DIFFERENCE_NONE},
    {QUIET, MINUS | QUIET, 0, RLK_DIFFERENCE_NAN_BITS, RLK_DIFFERENCE_NAN_BITS},
    {QUIET, PAYLOAD, ZEROS | DENORMALS, RLK_DIFFERENCE_NAN_BITS, RLK_DIFFERENCE_NAN_BITS},
    {QUIET, MINUS | QUIET, NANS, RLK_DIFFERENCE_ADMITTED, RLK_DIFFERENCE_ADMITTED},
    {PAYLOAD, QUIET, NANS, RLK_DIFFERENCE_ADMITTED, RLK_DIFFERENCE_ADMITTED},
    {QUIET, ZERO, NANS, RLK_DIFFERENCE_NAN, RLK_DIFFERENCE_NAN},
    {ZERO, QUIET, NANS, RLK_DIFFERENCE_NAN, RLK_DIFFERENCE_NAN},
    {QUIET, INF, NANS, RLK_DIFFERENCE_NAN, RLK_DIFFERENCE_NAN},
    {INF, INF, 0, RLK_DIFFERENCE_NONE, RLK_DIFFERENCE_NONE},
    {INF, MINUS | INF, 0, RLK_DIFFERENCE_INFINITY, RLK_DIFFERENCE_INFINITY},
    {INF, LARGEST, 0, RLK_DIFFERENCE_INFINITY, RLK_DIFFERENCE_INFINITY},
    {MINUS | LARGEST, MINUS | INF, 0, RLK_DIFFERENCE_INFINITY, RLK_DIFFERENCE_INFINITY},
    {ONE, INF, NANS | ZEROS | DENORMALS, RLK_DIFFERENCE_INFINITY, RLK_DIFFERENCE_INFINITY},
    {TINY, ZERO, 0, RLK_DIFFERENCE_VALUE, RLK_DIFFERENCE_ADMITTED},
    {TINY, ZERO, DENORMALS, RLK_DIFFERENCE_ADMITTED, RLK_DIFFERENCE_ADMITTED},
    {TINY, MINUS | TINY, DENORMALS, RLK_DIFFERENCE_ZERO_SIGN, RLK_DIFFERENCE_ZERO_SIGN},
    {TINY, MINUS | TINY, DENORMALS | ZEROS, RLK_DIFFERENCE_ADMITTED, RLK_DIFFERENCE_ADMITTED},
    {TINY, SMALLEST, DENORMALS, RLK_DIFFERENCE_VALUE, RLK_DIFFERENCE_ADMITTED},
};

static void expect_verdict(const rlk_result_gate_t* gate, rlk_dtype_t dtype, int row, rlk_difference_t due) {
  const rlk_verdict_t got =
      rlk_element_judge(gate, dtype, bits_of(dtype, policies[row].got), bits_of(dtype, policies[row].want));
  cr_expect(eq(str, (char*)rlk_difference_name(got.difference), (char*)rlk_difference_name(due)), "row %d, %s, %s", row,
            rlk_gate_mode_name(gate->mode), rlk_dtype_name(dtype));
}

Test(policy, decides_in_both_modes_and_types) {
  for (int row = 0; row < (int)(sizeof policies / sizeof *policies); ++row) {
    const rlk_result_gate_t exact = {.relaxed = policies[row].relaxed};
    const rlk_result_gate_t wide = {.mode = RLK_GATE_BAND,
                                    .bounds = RLK_BOUND_ATOL | RLK_BOUND_ULP,
                                    .atol = DBL_MAX,
                                    .ulp = RLK_GATE_ULP_MAX,
                                    .relaxed = policies[row].relaxed};
    for (int dtype = RLK_DTYPE_FLOAT64; dtype <= RLK_DTYPE_FLOAT32; ++dtype) {
      expect_verdict(&exact, (rlk_dtype_t)dtype, row, policies[row].exactly);
      expect_verdict(&wide, (rlk_dtype_t)dtype, row, policies[row].in_a_wide_band);
    }
  }
}

/* --- Bands -------------------------------------------------------------------------------------------------------- */

#define ATOL(a) \
  { .mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ATOL, .atol = (a) }
#define RTOL(r) \
  { .mode = RLK_GATE_BAND, .bounds = RLK_BOUND_RTOL, .rtol = (r) }
#define BOTH(a, r) \
  { .mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ATOL | RLK_BOUND_RTOL, .atol = (a), .rtol = (r) }
#define ULP(n) \
  { .mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ULP, .ulp = (n) }
#define ATOL_ULP(a, n) \
  { .mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ATOL | RLK_BOUND_ULP, .atol = (a), .ulp = (n) }

static const struct {
  rlk_result_gate_t gate;
  double got, want, share;
} bands[] = {
    {ATOL(0.5), 1.5, 1, 1},
    {ATOL(0.5), 0.5, 1, 1},
    {ATOL(0.5), 1.5 + DBL_EPSILON, 1, 1 + 2 * DBL_EPSILON},
    {ATOL(2), 1, 2, 0.5},
    {ATOL(0), 1, 1 + DBL_EPSILON, INFINITY},
    {RTOL(0.5), 3, 2, 1},
    {RTOL(0.5), 2, 4, 1},
    {RTOL(0.25), 4, 3, 4 / 3.0}, /* of what is due, not of the larger */
    {RTOL(0.25), 3, 4, 1},
    {RTOL(0.5), -3, -2, 1},
    {RTOL(0.5), 2, -2, 4},
    {RTOL(1), DBL_TRUE_MIN, 0, INFINITY},
    {BOTH(1, 0.5), 4, 2, 1},
    {BOTH(1, 0.5), 5, 2, 1.5},
    {RTOL(2), DBL_MAX, -DBL_MAX, 1}, /* the error overflows, and so does the bound */
    {RTOL(1), DBL_MAX, -DBL_MAX, 2},
    {ATOL(DBL_MAX), DBL_MAX, -DBL_MAX, 2},
    {RTOL(DBL_MAX), 0.5, 1, 0.5 / DBL_MAX},
    {RTOL(DBL_MAX), 1, 2, 0}, /* a bound beyond every number */
    {ATOL(DBL_TRUE_MIN), DBL_TRUE_MIN, 0, 1},
    {ATOL(DBL_TRUE_MIN), 2 * DBL_TRUE_MIN, 0, 2},
    {ULP(4), 1 + 4 * DBL_EPSILON, 1, 1},
    {ULP(4), 1 + 5 * DBL_EPSILON, 1, 1.25},
    {ULP(2), DBL_TRUE_MIN, -DBL_TRUE_MIN, 1},
    {ULP(0), 1 + DBL_EPSILON, 1, INFINITY},
    {ATOL_ULP(1, 4), 1 + 5 * DBL_EPSILON, 1, 5 * DBL_EPSILON}, /* either admits: the lesser share counts */
    {ATOL_ULP(DBL_EPSILON, 4), 1 + 2 * DBL_EPSILON, 1, 0.5},
    {ATOL_ULP(DBL_EPSILON, 4), 1 + 8 * DBL_EPSILON, 1, 2},
};

Test(band, admits_up_to_its_edge) {
  for (int i = 0; i < (int)(sizeof bands / sizeof *bands); ++i) {
    const rlk_verdict_t verdict =
        rlk_element_judge(&bands[i].gate, RLK_DTYPE_FLOAT64, of64(bands[i].got), of64(bands[i].want));
    cr_expect(eq(dbl, verdict.share, bands[i].share), "row %d", i);
    cr_expect(eq(int, verdict.difference == RLK_DIFFERENCE_ADMITTED, bands[i].share <= 1), "row %d", i);
    cr_expect(eq(int, verdict.difference == RLK_DIFFERENCE_VALUE, bands[i].share > 1), "row %d", i);
  }
}

Test(band, of_float32_is_judged_in_float64) {
  const rlk_result_gate_t gate = ATOL(0x1p-30);
  const float next = 1 + FLT_EPSILON;
  cr_expect(eq(dbl, rlk_element_judge(&gate, RLK_DTYPE_FLOAT32, of32(next), of32(1)).share, 0x1p7));
  const rlk_result_gate_t above = ATOL(FLT_EPSILON * (1 - DBL_EPSILON)); /* float32 would round it to the error */
  cr_expect(gt(dbl, rlk_element_judge(&above, RLK_DTYPE_FLOAT32, of32(next), of32(1)).share, 1));
  const rlk_result_gate_t ulp = ULP(1);
  cr_expect(eq(dbl, rlk_element_judge(&ulp, RLK_DTYPE_FLOAT32, of32(next), of32(1)).share, 1));
}

/* A fused multiplication and addition gives another bound for some numbers: those decide. */
Test(band, rounds_the_product_before_the_sum) {
  int told_apart = 0;
  for (uint64_t i = 0; i < 200000; ++i) {
    const double want = 1 + (double)(rlk_mix(2 * i) >> 12) * 0x1p-52;
    const rlk_result_gate_t gate = BOTH(0x1p-10, 0x1p-10 * (1 + (double)(rlk_mix(2 * i + 1) >> 12) * 0x1p-52));
    volatile double product = gate.rtol * want;
    const double bound = gate.atol + product, fused = fma(gate.rtol, want, gate.atol);
    const double got = want + fmax(bound, fused), error = fabs(got - want);
    if ((error <= bound) == (error <= fused)) continue;
    ++told_apart;
    const rlk_verdict_t verdict = rlk_element_judge(&gate, RLK_DTYPE_FLOAT64, of64(got), of64(want));
    cr_assert(eq(int, verdict.share <= 1, error <= bound), "%a %a, rtol %a", got, want, gate.rtol);
  }
  cr_expect(gt(int, told_apart, 0), "no numbers told the two apart");
}

Test(band, is_the_same_for_mirrored_numbers) {
  const rlk_result_gate_t gates[] = {ATOL(0x1p-40), RTOL(0x1p-45), ULP(100), BOTH(0x1p-41, 0x1p-45),
                                     ATOL_ULP(0x1p-40, 7)};
  for (uint64_t i = 0; i < 20000; ++i) {
    const double want = 1 + (double)(rlk_mix(2 * i) >> 12) * 0x1p-52,
                 got = want + (double)(rlk_mix(2 * i + 1) >> 52) * 0x1p-50;
    for (size_t g = 0; g < sizeof gates / sizeof *gates; ++g) {
      const rlk_verdict_t a = rlk_element_judge(&gates[g], RLK_DTYPE_FLOAT64, of64(got), of64(want));
      const rlk_verdict_t b = rlk_element_judge(&gates[g], RLK_DTYPE_FLOAT64, of64(-got), of64(-want));
      cr_assert(eq(int, a.difference, b.difference), "%a %a", got, want);
      cr_assert(eq(dbl, a.share, b.share), "%a %a", got, want);
      if (gates[g].bounds & RLK_BOUND_RTOL) continue; /* it looks at what is due */
      const rlk_verdict_t c = rlk_element_judge(&gates[g], RLK_DTYPE_FLOAT64, of64(want), of64(got));
      cr_assert(eq(dbl, a.share, c.share), "%a %a", got, want);
    }
  }
}

/* --- Integers and bools ------------------------------------------------------------------------------------------- */

static rlk_verdict_t judge_int(rlk_result_gate_t gate, int64_t got, int64_t want) {
  return rlk_element_judge(&gate, RLK_DTYPE_INT64, (uint64_t)got, (uint64_t)want);
}

Test(integer, is_compared_exactly_in_a_band) {
  const int64_t large = INT64_C(1) << 60; /* float64 has steps of 256 there */
  cr_expect(eq(int, judge_int((rlk_result_gate_t)ATOL(3), large + 3, large).difference, RLK_DIFFERENCE_ADMITTED));
  cr_expect(eq(int, judge_int((rlk_result_gate_t)ATOL(3), large + 4, large).difference, RLK_DIFFERENCE_VALUE));
  cr_expect(eq(int, judge_int((rlk_result_gate_t)ATOL(3.9), 4, 0).difference, RLK_DIFFERENCE_VALUE));
  cr_expect(eq(int, judge_int((rlk_result_gate_t)ATOL(0x1p53), (1LL << 53) + 1, 0).difference, RLK_DIFFERENCE_VALUE));
  cr_expect(gt(dbl, judge_int((rlk_result_gate_t)ATOL(0x1p53), (1LL << 53) + 1, 0).share, 1));
  cr_expect(eq(int, judge_int((rlk_result_gate_t)RTOL(0.5), -3, -2).difference, RLK_DIFFERENCE_ADMITTED));
  cr_expect(eq(int, judge_int((rlk_result_gate_t)ULP(7), -3, 4).difference, RLK_DIFFERENCE_ADMITTED));
  cr_expect(eq(int, judge_int((rlk_result_gate_t)ULP(6), -3, 4).difference, RLK_DIFFERENCE_VALUE));
  cr_expect(
      eq(int, judge_int((rlk_result_gate_t)ATOL(DBL_MAX), INT64_MIN, INT64_MAX).difference, RLK_DIFFERENCE_ADMITTED));
  cr_expect(eq(u64, judge_int((rlk_result_gate_t){0}, INT64_MIN, INT64_MAX).steps, UINT64_MAX));
}

Test(bool_, is_exact_in_every_band) {
  const rlk_result_gate_t gate = ATOL(100);
  cr_expect(eq(int, rlk_element_judge(&gate, RLK_DTYPE_BOOL, 1, 0).difference, RLK_DIFFERENCE_VALUE));
  cr_expect(eq(int, rlk_element_judge(&gate, RLK_DTYPE_BOOL, 2, 1).difference, RLK_DIFFERENCE_VALUE));
  cr_expect(eq(int, rlk_element_judge(&gate, RLK_DTYPE_BOOL, 1, 1).difference, RLK_DIFFERENCE_NONE));
}

/* --- Worse -------------------------------------------------------------------------------------------------------- */

Test(worse, is_by_kind_and_then_by_distance) {
  const rlk_verdict_t rising[] = {
      {RLK_DIFFERENCE_NONE, 0, 0},      {RLK_DIFFERENCE_ADMITTED, 0, 0}, {RLK_DIFFERENCE_ADMITTED, 0.5, 0},
      {RLK_DIFFERENCE_ZERO_SIGN, 0, 0}, {RLK_DIFFERENCE_NAN_BITS, 0, 0}, {RLK_DIFFERENCE_VALUE, 0, 7},
      {RLK_DIFFERENCE_VALUE, 0, 8},     {RLK_DIFFERENCE_VALUE, 1.5, 0},  {RLK_DIFFERENCE_VALUE, INFINITY, 0},
      {RLK_DIFFERENCE_INFINITY, 0, 0},  {RLK_DIFFERENCE_NAN, 0, 0}};
  enum { COUNT = sizeof rising / sizeof *rising };
  for (int i = 0; i < COUNT; ++i) {
    for (int j = 0; j < COUNT; ++j)
      cr_expect(eq(int, rlk_verdict_is_worse(&rising[i], &rising[j]), i > j), "%d %d", i, j);
  }
}
