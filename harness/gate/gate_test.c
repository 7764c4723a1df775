/* Which gates there are. */
#include "harness/gate/gate.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static bool is_taken(rlk_result_gate_t gate) {
  rowlock_error_t err = {.message = ""};
  const rowlock_code_t code = rlk_gate_check(&gate, &err);
  cr_expect(eq(int, code, err.message[0] ? ROWLOCK_UNUSABLE : ROWLOCK_OK));
  return code == ROWLOCK_OK;
}

#define BAND(...) ((rlk_result_gate_t){.mode = RLK_GATE_BAND, __VA_ARGS__})

Test(gate, is_exact_when_it_is_zeroed) {
  const rlk_result_gate_t gate = {0};
  cr_expect(is_taken(gate));
  cr_expect(eq(str, (char*)rlk_gate_mode_name(gate.mode), "bit_exact"));
  for (int policy = 0; policy < RLK_POLICY_COUNT; ++policy) {
    cr_expect(not(rlk_gate_is_relaxed(&gate, (rlk_policy_t)policy)));
  }
}

Test(gate, of_a_band_has_a_bound_and_no_other_does) {
  cr_expect(is_taken(BAND(.bounds = RLK_BOUND_ATOL)));
  cr_expect(is_taken(BAND(.bounds = RLK_BOUND_RTOL | RLK_BOUND_ULP, .rtol = 1e-9, .ulp = 4)));
  cr_expect(not(is_taken(BAND(.atol = 1))));
  cr_expect(not(is_taken((rlk_result_gate_t){.bounds = RLK_BOUND_ULP, .ulp = 1})));
}

Test(bound, is_finite_and_not_negative) {
  static const double unusable[] = {-1, -DBL_TRUE_MIN, INFINITY, NAN};
  for (size_t i = 0; i < sizeof unusable / sizeof *unusable; ++i) {
    cr_expect(not(is_taken(BAND(.bounds = RLK_BOUND_ATOL, .atol = unusable[i]))), "%g", unusable[i]);
    cr_expect(not(is_taken(BAND(.bounds = RLK_BOUND_RTOL, .rtol = unusable[i]))), "%g", unusable[i]);
    cr_expect(is_taken(BAND(.bounds = RLK_BOUND_ULP, .atol = unusable[i])), "%g is not stated", unusable[i]);
  }
  cr_expect(is_taken(BAND(.bounds = RLK_BOUND_ATOL | RLK_BOUND_RTOL, .atol = DBL_MAX, .rtol = 0)));
  cr_expect(is_taken(BAND(.bounds = RLK_BOUND_ULP, .ulp = RLK_GATE_ULP_MAX)));
  cr_expect(not(is_taken(BAND(.bounds = RLK_BOUND_ULP, .ulp = RLK_GATE_ULP_MAX + 1))));
}

Test(default_band, grows_with_the_elements) {
  rlk_result_gate_t gate = rlk_gate_default_band(RLK_DTYPE_FLOAT64, 1000);
  cr_expect(is_taken(gate));
  cr_expect(eq(int, (int)gate.bounds, RLK_BOUND_ATOL));
  cr_expect(eq(dbl, gate.atol, 1000 * 0x1p-51));
  gate = rlk_gate_default_band(RLK_DTYPE_FLOAT32, 3);
  cr_expect(eq(dbl, gate.atol, 3 * 0x1p-22));
  gate = rlk_gate_default_band(RLK_DTYPE_INT64, 1000);
  cr_expect(is_taken(gate));
  cr_expect(eq(dbl, gate.atol, 0));
}

Test(policy, has_two_settings) {
  cr_expect(eq(str, (char*)rlk_policy_name(RLK_POLICY_ZERO), "zero"));
  cr_expect(eq(str, (char*)rlk_policy_setting(RLK_POLICY_ZERO, false), "distinct"));
  cr_expect(eq(str, (char*)rlk_policy_setting(RLK_POLICY_ZERO, true), "equal"));
  const rlk_result_gate_t gate = {.relaxed = 1U << RLK_POLICY_DENORMAL};
  cr_expect(rlk_gate_is_relaxed(&gate, RLK_POLICY_DENORMAL));
  cr_expect(not(rlk_gate_is_relaxed(&gate, RLK_POLICY_NAN)));
}
