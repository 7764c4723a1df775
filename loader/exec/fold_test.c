#include "loader/exec/fold.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static double fold_one(rlk_word_t op, const double* values, int64_t count) {
  double out = -123;
  const rlk_partials_t partials = {
      .data = values, .element = ROWLOCK_ELEMENT_FLOAT64, .width = 1, .sample_count = count};
  rlk_fold(&partials, op, &out);
  return out;
}

static int64_t fold_int(rlk_word_t op, const int64_t* values, int64_t count) {
  int64_t out = -123;
  const rlk_partials_t partials = {.data = values, .element = ROWLOCK_ELEMENT_INT64, .width = 1, .sample_count = count};
  rlk_fold(&partials, op, &out);
  return out;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Equal in every bit: signed zeros differ, a NaN is itself. */
#define EXPECT_BITS(got, due)                                                   \
  do {                                                                          \
    const double got_ = (got), due_ = (due);                                    \
    cr_expect(eq(u64, bits_of(got_), bits_of(due_)), "%a, not %a", got_, due_); \
  } while (false)

Test(fold, of_nothing_is_the_identity) {
  EXPECT_BITS(fold_one(RLK_WORD_SUM, NULL, 0), 0.0);
  EXPECT_BITS(fold_one(RLK_WORD_TIMES, NULL, 0), 1.0);
  EXPECT_BITS(fold_one(RLK_WORD_MAX, NULL, 0), -INFINITY);
  EXPECT_BITS(fold_one(RLK_WORD_LAND, NULL, 0), 1.0);
  cr_expect(eq(i64, fold_int(RLK_WORD_SUM, NULL, 0), 0));
  cr_expect(eq(i64, fold_int(RLK_WORD_TIMES, NULL, 0), 1));
  cr_expect(eq(i64, fold_int(RLK_WORD_MAX, NULL, 0), INT64_MIN));
  cr_expect(eq(i64, fold_int(RLK_WORD_LAND, NULL, 0), 1));
}

Test(fold, ascends) {
  /* From the left the small one is lost in each step; from the right the two together are not. */
  EXPECT_BITS(fold_one(RLK_WORD_SUM, (double[]){1, DBL_EPSILON / 2, DBL_EPSILON / 2}, 3), 1.0);
  EXPECT_BITS(fold_one(RLK_WORD_SUM, (double[]){DBL_EPSILON / 2, DBL_EPSILON / 2, 1}, 3), 1 + DBL_EPSILON);
  EXPECT_BITS(fold_one(RLK_WORD_TIMES, (double[]){DBL_MAX, 2, 0.25}, 3), INFINITY);
  EXPECT_BITS(fold_one(RLK_WORD_TIMES, (double[]){0.25, 2, DBL_MAX}, 3), DBL_MAX / 2);
}

Test(fold, starts_from_the_identity) {
  EXPECT_BITS(fold_one(RLK_WORD_SUM, (double[]){-0.0}, 1), 0.0);
  EXPECT_BITS(fold_one(RLK_WORD_TIMES, (double[]){-0.0}, 1), -0.0);
}

Test(fold, max_keeps_the_first_of_equals_and_what_a_nan_does_not_exceed) {
  EXPECT_BITS(fold_one(RLK_WORD_MAX, (double[]){0.0, -0.0}, 2), 0.0);
  EXPECT_BITS(fold_one(RLK_WORD_MAX, (double[]){-0.0, 0.0}, 2), -0.0);
  EXPECT_BITS(fold_one(RLK_WORD_MAX, (double[]){-3, NAN, -5}, 3), -3.0);
  EXPECT_BITS(fold_one(RLK_WORD_MAX, (double[]){NAN}, 1), -INFINITY);
}

Test(fold, land_is_one_or_zero) {
  EXPECT_BITS(fold_one(RLK_WORD_LAND, (double[]){3, -2, 0.5}, 3), 1.0);
  EXPECT_BITS(fold_one(RLK_WORD_LAND, (double[]){3, 0, 2}, 3), 0.0);
  EXPECT_BITS(fold_one(RLK_WORD_LAND, (double[]){3, -0.0}, 2), 0.0);
  EXPECT_BITS(fold_one(RLK_WORD_LAND, (double[]){NAN, 1}, 2), 1.0);
}

Test(fold, of_integers_wraps) {
  cr_expect(eq(i64, fold_int(RLK_WORD_SUM, (int64_t[]){INT64_MAX, 1}, 2), INT64_MIN));
  cr_expect(eq(i64, fold_int(RLK_WORD_TIMES, (int64_t[]){INT64_MAX, 2}, 2), -2));
  cr_expect(eq(i64, fold_int(RLK_WORD_MAX, (int64_t[]){-7, INT64_MIN, -9}, 3), -7));
  cr_expect(eq(i64, fold_int(RLK_WORD_LAND, (int64_t[]){-7, INT64_MIN}, 2), 1));
}

Test(fold, of_float32_rounds_to_float32_in_each_step) {
  const float values[] = {1, FLT_EPSILON / 2, FLT_EPSILON / 2};
  float out = -123;
  const rlk_partials_t partials = {.data = values, .element = ROWLOCK_ELEMENT_FLOAT32, .width = 1, .sample_count = 3};
  rlk_fold(&partials, RLK_WORD_SUM, &out);
  cr_expect(ieee_ulp_eq(flt, out, 1, 0));
}

Test(fold, takes_each_component_by_itself) {
  const int64_t values[] = {1, 2, 3, 10, 20, 30};
  int64_t out[2] = {0};
  const rlk_partials_t partials = {.data = values, .element = ROWLOCK_ELEMENT_INT64, .width = 2, .sample_count = 3};
  rlk_fold(&partials, RLK_WORD_SUM, out);
  cr_expect(eq(i64, out[0], 6));
  cr_expect(eq(i64, out[1], 60));
}
