#include "harness/gate/comparison_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS_FLOAT32 = 9, DIGITS_FLOAT64 = 17 }; /* enough for every number */

/* --- Values ------------------------------------------------------------------------------------------------------- */

void rlk_decimal(rlk_dtype_t dtype, double value, char out[RLK_DECIMAL_SIZE]) {
  const bool narrow = dtype == RLK_DTYPE_FLOAT32;
  for (int digits = 1; digits <= (narrow ? DIGITS_FLOAT32 : DIGITS_FLOAT64); ++digits) {
    snprintf(out, RLK_DECIMAL_SIZE, "%.*g", digits, value);
    if (narrow ? strtof(out, NULL) == (float)value : strtod(out, NULL) == value) return;
  }
}

void rlk_element_put(rlk_text_t* text, rlk_dtype_t dtype, uint64_t bits) {
  if (dtype == RLK_DTYPE_INT64) {
    rlk_text_printf(text, "%lld", (long long)bits);
  } else if (dtype == RLK_DTYPE_BOOL) {
    rlk_text_printf(text, "%llu", (unsigned long long)bits);
  } else {
    const double value = rlk_element_value(dtype, bits);
    char decimal[RLK_DECIMAL_SIZE];
    rlk_decimal(dtype, value, decimal);
    rlk_text_printf(text, "%a (%s, bits 0x%0*llx)", value, decimal, 2 * (int)rlk_dtype_size(dtype),
                    (unsigned long long)bits);
  }
}

static void put_indices(rlk_text_t* text, uint32_t rank, const uint64_t* indices) {
  rlk_text_put(text, "[", 1);
  for (uint32_t i = 0; i < rank; ++i) {
    rlk_text_printf(text, i > 0 ? ", %llu" : "%llu", (unsigned long long)indices[i]);
  }
  rlk_text_put(text, "]", 1);
}

/* --- The gate ----------------------------------------------------------------------------------------------------- */

static void put_number(rlk_text_t* text, const char* before, double number) {
  char decimal[RLK_DECIMAL_SIZE];
  rlk_decimal(RLK_DTYPE_FLOAT64, number, decimal);
  rlk_text_printf(text, "%s%s", before, decimal);
}

void rlk_gate_put_options(rlk_text_t* text, const rlk_result_gate_t* gate) {
  rlk_text_printf(text, "--mode %s", rlk_gate_mode_name(gate->mode));
  if (gate->bounds & RLK_BOUND_ATOL) put_number(text, " --atol ", gate->atol);
  if (gate->bounds & RLK_BOUND_RTOL) put_number(text, " --rtol ", gate->rtol);
  if (gate->bounds & RLK_BOUND_ULP) rlk_text_printf(text, " --ulp %llu", (unsigned long long)gate->ulp);
  for (int policy = 0; policy < RLK_POLICY_COUNT; ++policy) {
    if (!rlk_gate_is_relaxed(gate, (rlk_policy_t)policy)) continue;
    rlk_text_printf(text, " --%s %s", rlk_policy_name((rlk_policy_t)policy),
                    rlk_policy_setting((rlk_policy_t)policy, true));
  }
}

/* --- The comparison ----------------------------------------------------------------------------------------------- */

static const char* plural(uint64_t count) { return count == 1 ? "" : "s"; }

static void put_kind(rlk_text_t* text, const rlk_array_t* array) {
  rlk_text_printf(text, "%llu element%s of %s, shape ", (unsigned long long)array->element_count,
                  plural(array->element_count), rlk_dtype_name(array->dtype));
  put_indices(text, array->rank, array->shape);
}

static void put_outcome(rlk_text_t* text, const rlk_comparison_t* comparison) {
  const rlk_array_t *got = &comparison->got, *want = &comparison->want;
  switch (comparison->outcome) {
    case RLK_OUTCOME_DTYPE:
      rlk_text_printf(text, "different: the dtype is %s and %s is due", rlk_dtype_name(got->dtype),
                      rlk_dtype_name(want->dtype));
      return;
    case RLK_OUTCOME_SHAPE:
      rlk_text_printf(text, "different: the shape is ");
      put_indices(text, got->rank, got->shape);
      rlk_text_printf(text, " and ");
      put_indices(text, want->rank, want->shape);
      rlk_text_printf(text, " is due");
      return;
    case RLK_OUTCOME_DIFFERENT:
      rlk_text_printf(text, "different by ");
      rlk_gate_put_options(text, &comparison->gate);
      rlk_text_printf(text, ": %llu of ", (unsigned long long)comparison->mismatch_count);
      break;
    case RLK_OUTCOME_EQUAL:
      rlk_text_printf(text, "equal by ");
      rlk_gate_put_options(text, &comparison->gate);
      rlk_text_printf(text, ": ");
      break;
  }
  put_kind(text, want);
}

static void put_share(rlk_text_t* text, double share) {
  if (share > 1) {
    rlk_text_printf(text, isinf(share) ? ", and the band has no width there" : ", %.4g times the band", share);
  } else {
    rlk_text_printf(text, ", %.3g%% of the band", 100 * share);
  }
}

static void put_distance(rlk_text_t* text, const rlk_comparison_t* comparison) {
  const rlk_distance_t distance = rlk_comparison_worst_distance(comparison);
  const rlk_dtype_t dtype = comparison->want.dtype;
  if (rlk_dtype_is_float(dtype)) {
    rlk_text_printf(text, ", %llu ULP apart", (unsigned long long)distance.steps);
    put_number(text, ", absolute error ", distance.absolute);
  } else {
    rlk_text_printf(text, ", %llu apart", (unsigned long long)distance.steps);
  }
  if (isfinite(distance.relative)) put_number(text, ", relative error ", distance.relative);
  if (comparison->gate.mode == RLK_GATE_BAND && dtype != RLK_DTYPE_BOOL) {
    put_share(text, comparison->worst.verdict.share);
  }
}

/* Whether a distance says something of it: not of two NaNs or zeros that agree by a policy. */
static bool has_distance(const rlk_comparison_t* comparison) {
  const rlk_difference_t difference = comparison->worst.verdict.difference;
  return difference == RLK_DIFFERENCE_VALUE ||
         (difference == RLK_DIFFERENCE_ADMITTED && comparison->worst.verdict.share > 0);
}

static void put_worst(rlk_text_t* text, const rlk_comparison_t* comparison, const char* separator) {
  const rlk_worst_t* worst = &comparison->worst;
  const rlk_dtype_t dtype = comparison->want.dtype;
  rlk_text_printf(text, "%sworst at ", separator);
  put_indices(text, comparison->want.rank, worst->index);
  if (comparison->want.rank > 1) rlk_text_printf(text, ", flat index %llu", (unsigned long long)worst->flat_index);
  rlk_text_printf(text, ": %s", rlk_difference_phrase(worst->verdict.difference));
  if (has_distance(comparison)) put_distance(text, comparison);
  rlk_text_printf(text, "%sgot  ", separator);
  rlk_element_put(text, dtype, worst->got);
  rlk_text_printf(text, "%swant ", separator);
  rlk_element_put(text, dtype, worst->want);
}

void rlk_comparison_put(rlk_text_t* text, const rlk_comparison_t* comparison, const char* separator) {
  put_outcome(text, comparison);
  if (comparison->outcome != RLK_OUTCOME_EQUAL && comparison->outcome != RLK_OUTCOME_DIFFERENT) return;
  if (comparison->worst.verdict.difference != RLK_DIFFERENCE_NONE) {
    put_worst(text, comparison, separator);
  } else if (comparison->want.element_count > 0) {
    rlk_text_printf(text, "%severy element has the same bits", separator);
  } else {
    rlk_text_printf(text, "%sthere was nothing to compare", separator);
  }
  if (rlk_comparison_is_loose(comparison)) {
    rlk_text_printf(text, "%sthe band is loose: less than 1/%d of it is used; narrow it", separator, RLK_BAND_FLOOR);
  }
}
