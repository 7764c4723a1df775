#include "harness/launch/operand.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <string.h>

#include "harness/launch/philox.h"

static rlk_scalar_t real(double value) { return (rlk_scalar_t){.real = value}; }
static rlk_scalar_t integer(int64_t value) {
  return (rlk_scalar_t){.real = (double)value, .integer = value, .is_integer = true};
}

static void fill(rlk_fill_t how, rlk_dtype_t dtype, void* data, uint64_t count) {
  rowlock_error_t err;
  cr_assert_eq(rlk_fill_array(&how, dtype, 0, data, count, &err), ROWLOCK_OK, "%s", err.message);
}

/* The known answers that the authors publish with the generator. */
Test(operand, philox_gives_the_known_answers) {
  const struct {
    rlk_philox_t counter;
    uint64_t key;
    rlk_philox_t answer;
  } cases[] = {
      {{{0, 0, 0, 0}}, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
      {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
       UINT64_MAX,
       {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
      {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
       UINT64_C(0x299f31d0a4093822),
       {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const rlk_philox_t got = rlk_philox(cases[i].counter, cases[i].key);
    cr_expect(memcmp(&got, &cases[i].answer, sizeof got) == 0, "case %zu: %08x", i, got.words[0]);
  }
}

Test(operand, constants_and_values_keep_their_type) {
  double reals[2];
  fill((rlk_fill_t){.kind = RLK_FILL_CONSTANT, .first = real(-0.0)}, RLK_DTYPE_FLOAT64, reals, 2);
  cr_expect(signbit(reals[1]));
  int64_t integers[2];
  fill((rlk_fill_t){.kind = RLK_FILL_CONSTANT, .first = integer(INT64_MAX)}, RLK_DTYPE_INT64, integers, 2);
  cr_expect(eq(i64, integers[1], INT64_MAX));
  bool bools[2];
  const rlk_scalar_t values[] = {integer(0), integer(7)};
  fill((rlk_fill_t){.kind = RLK_FILL_VALUES, .values = values, .value_count = 2}, RLK_DTYPE_BOOL, bools, 2);
  cr_expect_not(bools[0]);
  cr_expect(bools[1]);
}

Test(operand, ranges_and_linspaces_end_where_they_say) {
  float narrow[3];
  fill((rlk_fill_t){.kind = RLK_FILL_RANGE, .first = real(1), .second = real(0.5)}, RLK_DTYPE_FLOAT32, narrow, 3);
  cr_expect(eq(flt, narrow[0], 1.0F));
  cr_expect(eq(flt, narrow[2], 2.0F));
  double wide[7];
  fill((rlk_fill_t){.kind = RLK_FILL_LINSPACE, .first = real(0.1), .second = real(0.7)}, RLK_DTYPE_FLOAT64, wide, 7);
  cr_expect(eq(dbl, wide[0], 0.1));
  cr_expect(eq(dbl, wide[6], 0.7));
  cr_expect(wide[3] > wide[2] && wide[3] < wide[4]);
  fill((rlk_fill_t){.kind = RLK_FILL_LINSPACE, .first = real(2), .second = real(3)}, RLK_DTYPE_FLOAT64, wide, 1);
  cr_expect(eq(dbl, wide[0], 2.0));
}

enum { MANY = 20000 };

Test(operand, random_numbers_are_those_of_their_seed_and_have_their_moments) {
  static double numbers[MANY];
  fill((rlk_fill_t){.kind = RLK_FILL_NORMAL, .seed = 7, .first = real(3), .second = real(2)}, RLK_DTYPE_FLOAT64,
       numbers, MANY);
  double mean = 0, square = 0;
  for (int i = 0; i < MANY; ++i) mean += numbers[i] / MANY;
  for (int i = 0; i < MANY; ++i) square += (numbers[i] - mean) * (numbers[i] - mean) / MANY;
  cr_expect(fabs(mean - 3) < 0.06 && fabs(sqrt(square) - 2) < 0.06, "mean %g, deviation %g", mean, sqrt(square));
  double again[3];
  fill((rlk_fill_t){.kind = RLK_FILL_NORMAL, .seed = 7, .first = real(3), .second = real(2)}, RLK_DTYPE_FLOAT64, again,
       3);
  for (int i = 0; i < 3; ++i) cr_expect(eq(dbl, again[i], numbers[i]), "an element depends on how many there are");
  fill((rlk_fill_t){.kind = RLK_FILL_NORMAL, .seed = 8, .first = real(3), .second = real(2)}, RLK_DTYPE_FLOAT64, again,
       3);
  cr_expect(again[0] != numbers[0]);
}

/* Locked, since golden arrays depend on them. */
Test(operand, random_numbers_have_these_bits) {
  double numbers[2];
  fill((rlk_fill_t){.kind = RLK_FILL_UNIFORM, .first = real(0), .second = real(1)}, RLK_DTYPE_FLOAT64, numbers, 1);
  cr_expect(eq(dbl, numbers[0], (double)(UINT64_C(0xe169c58d6627e8d5) >> 11) * 0x1p-53));
  fill((rlk_fill_t){.kind = RLK_FILL_NORMAL, .seed = 1, .second = real(1)}, RLK_DTYPE_FLOAT64, numbers, 2);
  cr_expect(eq(dbl, numbers[0], 0x1.2c2afef5767e1p-1), "%a", numbers[0]);
  cr_expect(eq(dbl, numbers[1], 0x1.b0dc06bb20cbap-1), "%a", numbers[1]);
}

Test(operand, uniform_integers_stay_in_their_range) {
  static int64_t numbers[MANY];
  fill((rlk_fill_t){.kind = RLK_FILL_UNIFORM, .seed = 3, .first = integer(-2), .second = integer(3)}, RLK_DTYPE_INT64,
       numbers, MANY);
  uint64_t seen[5] = {0};
  for (int i = 0; i < MANY; ++i) {
    cr_assert(numbers[i] >= -2 && numbers[i] < 3, "%lld", (long long)numbers[i]);
    ++seen[numbers[i] + 2];
  }
  for (int i = 0; i < 5; ++i) cr_expect(seen[i] > MANY / 6, "%d: %llu", i - 2, (unsigned long long)seen[i]);
}

Test(operand, what_makes_no_such_array_is_refused) {
  double data[2];
  rowlock_error_t err;
  const rlk_scalar_t value = {0};
  const rlk_fill_t values = {.kind = RLK_FILL_VALUES, .values = &value, .value_count = 1};
  cr_expect_eq(rlk_fill_array(&values, RLK_DTYPE_FLOAT64, 0, data, 2, &err), ROWLOCK_UNUSABLE);
  cr_expect_str_eq(err.message, "1 value is given, the array has 2 elements");
  const rlk_fill_t nothing = {.kind = RLK_FILL_NULL};
  cr_expect_eq(rlk_fill_array(&nothing, RLK_DTYPE_FLOAT64, 0, data, 2, &err), ROWLOCK_UNUSABLE);
}
