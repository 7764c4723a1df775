#include "harness/gate/gate.h"

#include <float.h>

#include "validator/rules/text.h"

static const struct {
  const char *name, *settings[2];
} policies[] = {
#define RLK_POLICY(id, name, exact, relaxed, help) {name, {exact, relaxed}},
    RLK_POLICIES(RLK_POLICY)
#undef RLK_POLICY
};

const rlk_result_gate_t rlk_gate_bit_exact = {.mode = RLK_GATE_BIT_EXACT};

const char* rlk_gate_mode_name(rlk_gate_mode_t mode) { return mode == RLK_GATE_BAND ? "band" : "bit_exact"; }
const char* rlk_policy_name(rlk_policy_t policy) { return policies[policy].name; }
const char* rlk_policy_setting(rlk_policy_t policy, bool relaxed) { return policies[policy].settings[relaxed]; }
bool rlk_gate_is_relaxed(const rlk_result_gate_t* gate, rlk_policy_t policy) { return gate->relaxed >> policy & 1; }

/* NaN is in no range. */
static bool is_bound(double bound) { return bound >= 0 && bound <= DBL_MAX; }

rowlock_code_t rlk_gate_check(const rlk_result_gate_t* gate, rowlock_error_t* err) {
  if (gate->mode == RLK_GATE_BIT_EXACT && gate->bounds) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "atol, rtol and ulp bound a band; bit_exact takes none");
  }
  if (gate->mode == RLK_GATE_BAND && !gate->bounds) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "a band needs atol, rtol or ulp");
  }
  if ((gate->bounds & RLK_BOUND_ATOL && !is_bound(gate->atol)) ||
      (gate->bounds & RLK_BOUND_RTOL && !is_bound(gate->rtol))) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "atol and rtol must be finite and not negative");
  }
  if (gate->bounds & RLK_BOUND_ULP && gate->ulp > RLK_GATE_ULP_MAX) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "ulp is at most 2^53");
  }
  return ROWLOCK_OK;
}

rlk_result_gate_t rlk_gate_default_band(rlk_dtype_t dtype, uint64_t element_count) {
  const double eps = dtype == RLK_DTYPE_FLOAT64 ? DBL_EPSILON : dtype == RLK_DTYPE_FLOAT32 ? FLT_EPSILON : 0;
  return (rlk_result_gate_t){.mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ATOL, .atol = (double)element_count * 2 * eps};
}
