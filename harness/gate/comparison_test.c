/* A comparison in words and as JSON. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "harness/gate/comparison_json.h"
#include "harness/gate/comparison_text.h"
#include "validator/rules/fault.h"

static rlk_comparison_t compare(const rlk_array_t* got, const rlk_array_t* want, rlk_result_gate_t gate) {
  rowlock_error_t err;
  rlk_comparison_t comparison;
  cr_assert(eq(int, rlk_compare(got, want, &gate, &comparison, &err), ROWLOCK_OK), "%s", err.message);
  return comparison;
}

static void expect_words(const rlk_array_t* got, const rlk_array_t* want, rlk_result_gate_t gate, const char* due) {
  char buffer[RLK_COMPARISON_TEXT_SIZE];
  rlk_text_t text = rlk_text_over(buffer, sizeof buffer);
  const rlk_comparison_t comparison = compare(got, want, gate);
  rlk_comparison_put(&text, &comparison, "; ");
  cr_expect(eq(str, buffer, (char*)due));
  cr_expect(lt(sz, text.length, sizeof buffer));
}

static const rlk_result_gate_t bit_exact = {0};
#define ATOL(a) ((rlk_result_gate_t){.mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ATOL, .atol = (a)})

static const double want64[] = {1, 2, 3, 0.1, 5, 6}, got64[] = {1, 2, 3, 0.1 + 0x1p-56, 5, 6.5};

static rlk_array_t matrix(const double* numbers) {
  return (rlk_array_t){RLK_DTYPE_FLOAT64, 2, {2, 3}, false, 6, (void*)numbers, NULL};
}

/* --- Words -------------------------------------------------------------------------------------------------------- */

Test(words, name_the_worst_element_with_both_values) {
  const rlk_array_t got = matrix(got64), want = matrix(want64);
  expect_words(
      &got, &want, bit_exact,
      "different by --mode bit_exact: 2 of 6 elements of float64, shape [2, 3]; worst at [1, 2], flat index 5: "
      "different values, 562949953421312 ULP apart, absolute error 0.5, relative error 0.08333333333333333; "
      "got  0x1.ap+2 (6.5, bits 0x401a000000000000); want 0x1.8p+2 (6, bits 0x4018000000000000)");
}

Test(words, say_how_much_of_a_band_is_used) {
  const rlk_array_t got = matrix(got64), want = matrix(want64);
  expect_words(&got, &want, ATOL(0.125),
               "different by --mode band --atol 0.125: 1 of 6 elements of float64, shape [2, 3]; worst at [1, 2], flat "
               "index 5: different values, 562949953421312 ULP apart, absolute error 0.5, relative error "
               "0.08333333333333333, 4 times the band; got  0x1.ap+2 (6.5, bits 0x401a000000000000); want 0x1.8p+2 (6, "
               "bits 0x4018000000000000)");
  expect_words(
      &got, &want, ATOL(2),
      "equal by --mode band --atol 2: 6 elements of float64, shape [2, 3]; worst at [1, 2], flat index 5: "
      "admitted, 562949953421312 ULP apart, absolute error 0.5, relative error 0.08333333333333333, 25% of the "
      "band; got  0x1.ap+2 (6.5, bits 0x401a000000000000); want 0x1.8p+2 (6, bits 0x4018000000000000)");
}

Test(words, say_that_a_band_is_loose) {
  const double got = 1 + DBL_EPSILON, want = 1;
  const rlk_array_t a = rlk_array_over(RLK_DTYPE_FLOAT64, &got, 1), b = rlk_array_over(RLK_DTYPE_FLOAT64, &want, 1);
  const rlk_result_gate_t gate = {
      .mode = RLK_GATE_BAND, .bounds = RLK_BOUND_RTOL | RLK_BOUND_ULP, .rtol = 1e-9, .ulp = 2000};
  expect_words(
      &a, &b, gate,
      "equal by --mode band --rtol 1e-09 --ulp 2000: 1 element of float64, shape [1]; worst at [0]: admitted, "
      "1 ULP apart, absolute error 2.220446049250313e-16, relative error 2.220446049250313e-16, 2.22e-05% of "
      "the band; got  0x1.0000000000001p+0 (1.0000000000000002, bits 0x3ff0000000000001); want 0x1p+0 (1, bits "
      "0x3ff0000000000000); the band is loose: less than 1/1000 of it is used; narrow it");
}

Test(words, show_what_is_no_number_by_its_bits) {
  const float got[] = {NAN, -0.0F}, want[] = {-NAN, 0};
  const rlk_array_t a = rlk_array_over(RLK_DTYPE_FLOAT32, got, 2), b = rlk_array_over(RLK_DTYPE_FLOAT32, want, 2);
  expect_words(&a, &b, bit_exact,
               "different by --mode bit_exact: 2 of 2 elements of float32, shape [2]; worst at [0]: NaNs of different "
               "bits; got  nan (nan, bits 0x7fc00000); want -nan (-nan, bits 0xffc00000)");
  expect_words(
      &a, &b, (rlk_result_gate_t){.relaxed = 1U << RLK_POLICY_NAN},
      "different by --mode bit_exact --nan class: 1 of 2 elements of float32, shape [2]; worst at [1]: zeros of "
      "different sign; got  -0x0p+0 (-0, bits 0x80000000); want 0x0p+0 (0, bits 0x00000000)");
}

Test(words, show_float32_in_its_own_digits) {
  const float got = 0.1F, want = 0.2F;
  const rlk_array_t a = rlk_array_over(RLK_DTYPE_FLOAT32, &got, 1), b = rlk_array_over(RLK_DTYPE_FLOAT32, &want, 1);
  expect_words(
      &a, &b, bit_exact,
      "different by --mode bit_exact: 1 of 1 element of float32, shape [1]; worst at [0]: different values, "
      "8388608 ULP apart, absolute error 0.10000000149011612, relative error 0.5; got  0x1.99999ap-4 (0.1, bits "
      "0x3dcccccd); want 0x1.99999ap-3 (0.2, bits 0x3e4ccccd)");
}

Test(words, show_integers_and_bools_whole) {
  const int64_t got[] = {INT64_MIN}, want[] = {INT64_MAX};
  rlk_array_t a = rlk_array_over(RLK_DTYPE_INT64, got, 1), b = rlk_array_over(RLK_DTYPE_INT64, want, 1);
  expect_words(&a, &b, bit_exact,
               "different by --mode bit_exact: 1 of 1 element of int64, shape [1]; worst at [0]: different values, "
               "18446744073709551615 apart, relative error 2; got  -9223372036854775808; want 9223372036854775807");
  const unsigned char zero = 0, seven = 7;
  a = rlk_array_over(RLK_DTYPE_BOOL, &seven, 1);
  b = rlk_array_over(RLK_DTYPE_BOOL, &zero, 1);
  expect_words(&a, &b, bit_exact,
               "different by --mode bit_exact: 1 of 1 element of bool, shape [1]; worst at [0]: different values, 7 "
               "apart; got  7; want 0");
}

Test(words, say_when_there_is_no_worst) {
  const rlk_array_t array = matrix(want64), none = {RLK_DTYPE_INT64, 1, {0}, false, 0, NULL, NULL};
  expect_words(&array, &array, bit_exact,
               "equal by --mode bit_exact: 6 elements of float64, shape [2, 3]; every element has the same bits");
  expect_words(&none, &none, bit_exact,
               "equal by --mode bit_exact: 0 elements of int64, shape [0]; there was nothing to compare");
}

Test(words, say_what_arrays_differ_in) {
  const rlk_array_t a = matrix(want64), b = rlk_array_over(RLK_DTYPE_FLOAT64, want64, 6);
  rlk_array_t c = a;
  c.dtype = RLK_DTYPE_INT64;
  expect_words(&a, &b, bit_exact, "different: the shape is [2, 3] and [6] is due");
  expect_words(&a, &c, bit_exact, "different: the dtype is float64 and int64 is due");
}

Test(words, have_room_for_the_longest) {
  const double got = -0x1.fffffffffffffp-1000, want = -0x1.ffffffffffffep+1000;
  rlk_array_t a = rlk_array_over(RLK_DTYPE_FLOAT64, &got, 1), b = rlk_array_over(RLK_DTYPE_FLOAT64, &want, 1);
  rlk_result_gate_t gate = {.mode = RLK_GATE_BAND,
                            .bounds = RLK_BOUND_ATOL | RLK_BOUND_RTOL | RLK_BOUND_ULP,
                            .atol = 1.2345678901234567e-308,
                            .rtol = 1.2345678901234567e-308,
                            .ulp = RLK_GATE_ULP_MAX,
                            .relaxed = 7};
  rlk_comparison_t comparison = compare(&a, &b, gate);
  /* Extents and indices of the largest size, for which there is no memory to compare. */
  comparison.want.rank = RLK_RANK_MAX;
  for (int i = 0; i < RLK_RANK_MAX; ++i) {
    comparison.want.shape[i] = RLK_ARRAY_ELEMENTS_MAX;
    comparison.worst.index[i] = RLK_ARRAY_ELEMENTS_MAX;
  }
  char buffer[RLK_COMPARISON_TEXT_SIZE];
  rlk_text_t text = rlk_text_over(buffer, sizeof buffer);
  rlk_comparison_put(&text, &comparison, "\n  ");
  cr_expect(lt(sz, text.length, sizeof buffer / 2), "with room to spare");
}

Test(decimal, is_the_shortest_that_reads_back) {
  char text[RLK_DECIMAL_SIZE];
  rlk_decimal(RLK_DTYPE_FLOAT64, 0.1, text);
  cr_expect(eq(str, text, "0.1"));
  rlk_decimal(RLK_DTYPE_FLOAT64, 0.1F, text);
  cr_expect(eq(str, text, "0.10000000149011612"));
  rlk_decimal(RLK_DTYPE_FLOAT32, 0.1F, text);
  cr_expect(eq(str, text, "0.1"));
  rlk_decimal(RLK_DTYPE_FLOAT64, -DBL_MAX, text);
  cr_expect(eq(str, text, "-1.7976931348623157e+308"));
  rlk_decimal(RLK_DTYPE_FLOAT64, INFINITY, text);
  cr_expect(eq(str, text, "inf"));
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void expect_json(const rlk_array_t* got, const rlk_array_t* want, rlk_result_gate_t gate, const char* due) {
  const rlk_comparison_t comparison = compare(got, want, gate);
  json_object* object = rlk_comparison_to_json(&comparison);
  cr_expect(eq(str, (char*)json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN), (char*)due));
  json_object_put(object);
}

#define MATRIX "{\"dtype\":\"float64\",\"shape\":[2,3],\"order\":\"c\"}"

Test(json, has_the_worst_element_with_both_values) {
  const rlk_array_t got = matrix(got64), want = matrix(want64);
  expect_json(
      &got, &want, ATOL(0.125),
      "{\"outcome\":\"different\",\"gate\":{\"mode\":\"band\",\"atol\":0.125,\"nan\":\"bits\",\"zero\":\"distinct\","
      "\"denormal\":\"exact\"},\"got\":" MATRIX ",\"want\":" MATRIX
      ",\"elements\":6,\"mismatches\":1,\"worst\":{\"difference\":\"value\",\"index\":[1,2],\"flat_index\":5,"
      "\"got\":{\"decimal\":\"6.5\",\"hexadecimal\":\"0x1.ap+2\",\"bits\":\"0x401a000000000000\"},"
      "\"want\":{\"decimal\":\"6\",\"hexadecimal\":\"0x1.8p+2\",\"bits\":\"0x4018000000000000\"},"
      "\"ulp_distance\":562949953421312,\"absolute_error\":0.5,\"relative_error\":0.08333333333333333},"
      "\"band_share\":4,\"band_is_loose\":false}");
}

Test(json, has_null_for_what_is_no_number) {
  const double got = NAN, want = 0;
  const rlk_array_t a = rlk_array_over(RLK_DTYPE_FLOAT64, &got, 1), b = rlk_array_over(RLK_DTYPE_FLOAT64, &want, 1);
  expect_json(&a, &b, bit_exact,
              "{\"outcome\":\"different\",\"gate\":{\"mode\":\"bit_exact\",\"nan\":\"bits\",\"zero\":\"distinct\","
              "\"denormal\":\"exact\"},\"got\":{\"dtype\":\"float64\",\"shape\":[1],\"order\":\"c\"},"
              "\"want\":{\"dtype\":\"float64\",\"shape\":[1],\"order\":\"c\"},\"elements\":1,\"mismatches\":1,"
              "\"worst\":{\"difference\":\"nan\",\"index\":[0],\"flat_index\":0,"
              "\"got\":{\"decimal\":\"nan\",\"hexadecimal\":\"nan\",\"bits\":\"0x7ff8000000000000\"},"
              "\"want\":{\"decimal\":\"0\",\"hexadecimal\":\"0x0p+0\",\"bits\":\"0x0000000000000000\"},"
              "\"ulp_distance\":null,\"absolute_error\":null,\"relative_error\":null}}");
}

Test(json, keeps_every_digit_of_an_integer) {
  const int64_t got = INT64_MAX - 1, want = INT64_MAX;
  const rlk_array_t a = rlk_array_over(RLK_DTYPE_INT64, &got, 1), b = rlk_array_over(RLK_DTYPE_INT64, &want, 1);
  const rlk_comparison_t comparison = compare(&a, &b, bit_exact);
  json_object* object = rlk_comparison_to_json(&comparison);
  const char* text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
  cr_expect(not(zero(ptr, strstr(text, "{\"decimal\":\"9223372036854775806\",\"bits\":\"0x7ffffffffffffffe\"}"))), "%s",
            text);
  json_object_put(object);
}

Test(json, has_no_elements_of_arrays_that_differ_as_a_whole) {
  const rlk_array_t a = matrix(want64), b = rlk_array_over(RLK_DTYPE_FLOAT64, want64, 6);
  expect_json(&a, &b, (rlk_result_gate_t){.relaxed = 7},
              "{\"outcome\":\"shape_differs\",\"gate\":{\"mode\":\"bit_exact\",\"nan\":\"class\",\"zero\":\"equal\","
              "\"denormal\":\"flush\"},\"got\":" MATRIX
              ",\"want\":{\"dtype\":\"float64\",\"shape\":[6],\"order\":\"c\"}}");
}

Test(json, is_whole_or_none_when_memory_is_short) {
  const rlk_array_t got = matrix(got64), want = matrix(want64);
  const rlk_comparison_t comparison = compare(&got, &want, ATOL(1));
  for (uint64_t nth = 1;; ++nth) {
    rlk_fault_arm(nth, false);
    json_object* object = rlk_comparison_to_json(&comparison);
    const bool whole = object != NULL;
    json_object_put(object);
    const rlk_fault_t fault = rlk_fault_disarm();
    cr_expect(eq(sz, fault.live, 0), "allocation %d leaked", (int)nth);
    cr_expect(eq(int, whole, fault.refused == 0), "allocation %d", (int)nth);
    if (fault.refused > 0) continue;
    cr_expect(gt(u64, nth, 50), "it allocates more than that");
    break;
  }
}
