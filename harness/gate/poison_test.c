/* Poison: told apart from results, and from itself in the other run; and reading it does not go unnoticed. */
#include "harness/gate/poison.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#include "harness/gate/element.h"

enum { COUNT = 300 };

static double value_of(rlk_dtype_t dtype, uint32_t pattern, uint64_t index) {
  return rlk_element_value(dtype, rlk_poison_bits(dtype, pattern, index));
}

Test(poison, fills_every_element_and_is_found_in_every_one) {
  for (int dtype = 0; dtype < RLK_DTYPE_COUNT; ++dtype) {
    for (uint32_t pattern = 0; pattern < RLK_POISON_PATTERNS; ++pattern) {
      unsigned char data[COUNT * 8 + 1];
      const size_t size = rlk_dtype_size((rlk_dtype_t)dtype);
      uint64_t first;
      data[COUNT * size] = 0x77;
      rlk_poison_fill((rlk_dtype_t)dtype, pattern, data, COUNT);
      cr_expect(eq(int, data[COUNT * size], 0x77), "it ends at its end");
      cr_expect(eq(u64, rlk_poison_count_left((rlk_dtype_t)dtype, pattern, data, COUNT, &first), COUNT));
      cr_expect(eq(u64, first, 0));
      memset(data, 0, 17 * size);
      data[100 * size] ^= 1;
      cr_expect(eq(u64, rlk_poison_count_left((rlk_dtype_t)dtype, pattern, data, COUNT, &first), COUNT - 18));
      cr_expect(eq(u64, first, 17));
      memset(data, 0, COUNT * size);
      cr_expect(eq(u64, rlk_poison_count_left((rlk_dtype_t)dtype, pattern, data, COUNT, &first), 0));
      cr_expect(eq(u64, first, COUNT));
    }
  }
}

Test(poison, differs_between_the_patterns_in_every_element) {
  for (int dtype = 0; dtype < RLK_DTYPE_COUNT; ++dtype) {
    for (uint64_t i = 0; i < COUNT; ++i) {
      cr_assert(ne(u64, rlk_poison_bits((rlk_dtype_t)dtype, 0, i), rlk_poison_bits((rlk_dtype_t)dtype, 1, i)));
    }
  }
}

/* The number of neighbours for which a use of poison gives another result than 1, in either run or between the two. */
static int noticed(rlk_dtype_t dtype, double (*use)(double poison)) {
  int count = 0;
  for (uint64_t i = 0; i < 3; ++i) {
    const double a = use(value_of(dtype, 0, i)), b = use(value_of(dtype, 1, i));
    count += a != 1 || b != 1;
  }
  return count;
}

static double take_maximum(double poison) { return fmax(poison, 1); }
static double take_minimum(double poison) { return fmin(poison, 1); }
static double add(double poison) { return poison + 1; }
static double cancel(double poison) { return poison * 0 + 1; }
static double branch(double poison) { return poison > 1 ? 2 : 1; }
static double branch_below(double poison) { return poison < 1 ? 2 : 1; }
static double clamp(double poison) { return poison > 2 || poison < 0 ? 1 : poison; }

Test(poison, shows_whatever_way_it_is_read) {
  double (*const uses[])(double) = {take_maximum, take_minimum, add, cancel, branch, branch_below, clamp};
  for (int dtype = RLK_DTYPE_FLOAT64; dtype <= RLK_DTYPE_FLOAT32; ++dtype) {
    for (size_t i = 0; i < sizeof uses / sizeof *uses; ++i) {
      cr_expect(gt(int, noticed((rlk_dtype_t)dtype, uses[i]), 0), "use %zu of %s", i,
                rlk_dtype_name((rlk_dtype_t)dtype));
    }
  }
}

Test(poison, of_floats_is_a_quiet_nan_or_huge) {
  for (uint32_t pattern = 0; pattern < RLK_POISON_PATTERNS; ++pattern) {
    for (uint64_t i = 0; i < COUNT; ++i) {
      const double wide = value_of(RLK_DTYPE_FLOAT64, pattern, i), narrow = value_of(RLK_DTYPE_FLOAT32, pattern, i);
      cr_assert(isnan(wide) ? rlk_poison_bits(RLK_DTYPE_FLOAT64, pattern, i) >> 51 & 1 : fabs(wide) > 1e299);
      cr_assert(isnan(narrow) ? rlk_poison_bits(RLK_DTYPE_FLOAT32, pattern, i) >> 22 & 1 : fabs(narrow) > 1e35);
    }
  }
}

Test(poison, of_integers_is_beyond_every_index_and_of_bools_no_bool) {
  for (uint32_t pattern = 0; pattern < RLK_POISON_PATTERNS; ++pattern) {
    for (uint64_t i = 0; i < COUNT; ++i) {
      cr_assert(gt(dbl, fabs(value_of(RLK_DTYPE_INT64, pattern, i)), 0x1p60));
      cr_assert(gt(u64, rlk_poison_bits(RLK_DTYPE_BOOL, pattern, i), 1));
    }
  }
}
