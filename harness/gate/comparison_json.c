#include "harness/gate/comparison_json.h"

#include <math.h>
#include <stdio.h>

#include "harness/gate/comparison_text.h"
#include "harness/json/json.h"

static bool put_real(json_object* object, const char* key, double number) {
  if (!isfinite(number)) return rlk_json_member_null(object, key);
  char decimal[RLK_DECIMAL_SIZE];
  rlk_decimal(RLK_DTYPE_FLOAT64, number, decimal);
  return rlk_json_member(object, key, json_object_new_double_s(number, decimal));
}

static bool put_counts(json_object* object, const char* key, uint32_t rank, const uint64_t* counts) {
  json_object* array = json_object_new_array();
  bool complete = rlk_json_member(object, key, array);
  for (uint32_t i = 0; i < rank && complete; ++i) {
    complete = rlk_json_element(array, json_object_new_uint64(counts[i]));
  }
  return complete;
}

static bool put_array(json_object* object, const char* key, const rlk_array_t* array) {
  json_object* member = json_object_new_object();
  return rlk_json_member(object, key, member) && rlk_json_member_text(member, "dtype", rlk_dtype_name(array->dtype)) &&
         put_counts(member, "shape", array->rank, array->shape) &&
         rlk_json_member_text(member, "order", array->fortran ? "fortran" : "c");
}

static bool put_gate(json_object* object, const rlk_result_gate_t* gate) {
  json_object* member = json_object_new_object();
  bool complete =
      rlk_json_member(object, "gate", member) && rlk_json_member_text(member, "mode", rlk_gate_mode_name(gate->mode));
  if (gate->bounds & RLK_BOUND_ATOL) complete = complete && put_real(member, "atol", gate->atol);
  if (gate->bounds & RLK_BOUND_RTOL) complete = complete && put_real(member, "rtol", gate->rtol);
  if (gate->bounds & RLK_BOUND_ULP) complete = complete && rlk_json_member_number(member, "ulp", gate->ulp);
  for (int i = 0; i < RLK_POLICY_COUNT && complete; ++i) {
    const rlk_policy_t policy = (rlk_policy_t)i;
    complete = rlk_json_member_text(member, rlk_policy_name(policy),
                                    rlk_policy_setting(policy, rlk_gate_is_relaxed(gate, policy)));
  }
  return complete;
}

static bool put_value(json_object* object, const char* key, rlk_dtype_t dtype, uint64_t bits) {
  json_object* member = json_object_new_object();
  const double value = rlk_element_value(dtype, bits);
  char text[64];
  rlk_decimal(dtype, value, text);
  if (dtype == RLK_DTYPE_INT64) snprintf(text, sizeof text, "%lld", (long long)bits); /* float64 may not hold it */
  bool complete = rlk_json_member(object, key, member) && rlk_json_member_text(member, "decimal", text);
  if (rlk_dtype_is_float(dtype)) {
    snprintf(text, sizeof text, "%a", value);
    complete = complete && rlk_json_member_text(member, "hexadecimal", text);
  }
  snprintf(text, sizeof text, "0x%0*llx", 2 * (int)rlk_dtype_size(dtype), (unsigned long long)bits);
  return complete && rlk_json_member_text(member, "bits", text);
}

static bool put_worst(json_object* object, const rlk_comparison_t* comparison) {
  const rlk_worst_t* worst = &comparison->worst;
  if (worst->verdict.difference == RLK_DIFFERENCE_NONE) return rlk_json_member_null(object, "worst");
  const rlk_dtype_t dtype = comparison->want.dtype;
  const rlk_distance_t distance = rlk_comparison_worst_distance(comparison);
  json_object* member = json_object_new_object();
  bool complete = rlk_json_member(object, "worst", member) &&
                  rlk_json_member_text(member, "difference", rlk_difference_name(worst->verdict.difference)) &&
                  put_counts(member, "index", comparison->want.rank, worst->index) &&
                  rlk_json_member_number(member, "flat_index", worst->flat_index) &&
                  put_value(member, "got", dtype, worst->got) && put_value(member, "want", dtype, worst->want);
  complete =
      complete && (distance.steps == RLK_STEPS_NONE ? rlk_json_member_null(member, "ulp_distance")
                                                    : rlk_json_member_number(member, "ulp_distance", distance.steps));
  return complete && put_real(member, "absolute_error", distance.absolute) &&
         put_real(member, "relative_error", distance.relative);
}

/* What is null where there is no band, or where none of it was used in a way that a number can say. */
static bool put_band(json_object* object, const rlk_comparison_t* comparison) {
  if (comparison->gate.mode != RLK_GATE_BAND) return true;
  return put_real(object, "band_share", comparison->worst.verdict.share) &&
         rlk_json_member(object, "band_is_loose", json_object_new_boolean(rlk_comparison_is_loose(comparison)));
}

static bool fill(json_object* object, const rlk_comparison_t* comparison) {
  static const char* const outcomes[] = {[RLK_OUTCOME_EQUAL] = "equal",
                                         [RLK_OUTCOME_DIFFERENT] = "different",
                                         [RLK_OUTCOME_DTYPE] = "dtype_differs",
                                         [RLK_OUTCOME_SHAPE] = "shape_differs"};
  if (!rlk_json_member_text(object, "outcome", outcomes[comparison->outcome]) || !put_gate(object, &comparison->gate) ||
      !put_array(object, "got", &comparison->got) || !put_array(object, "want", &comparison->want)) {
    return false;
  }
  if (comparison->outcome != RLK_OUTCOME_EQUAL && comparison->outcome != RLK_OUTCOME_DIFFERENT) return true;
  return rlk_json_member_number(object, "elements", comparison->want.element_count) &&
         rlk_json_member_number(object, "mismatches", comparison->mismatch_count) && put_worst(object, comparison) &&
         put_band(object, comparison);
}

json_object* rlk_comparison_to_json(const rlk_comparison_t* comparison) {
  json_object* object = json_object_new_object();
  if (object && fill(object, comparison)) return object;
  json_object_put(object);
  return NULL;
}
