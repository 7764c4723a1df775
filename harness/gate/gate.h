/* A gate: which differences between a computed array ("got") and the one that is due ("want") it lets through.
 *
 * bit_exact admits equal bits. A band admits an element
 *   if |got - want| <= atol + rtol * |want|   (a bound that is not stated counts as 0; without both, nothing by this)
 *   or if got and want are at most `ulp` representable values apart.
 * The arithmetic is float64 with each operation rounded to nearest, for float32 too; between integers the difference is
 * exact. In both modes an infinity must meet the same infinity and a NaN a NaN, and bools must be equal. */
#ifndef ROWLOCK_HARNESS_GATE_GATE_H
#define ROWLOCK_HARNESS_GATE_GATE_H

#include "harness/gate/array.h"
#include "loader/rowlock.h"

typedef enum rlk_gate_mode_t { RLK_GATE_BIT_EXACT, RLK_GATE_BAND } rlk_gate_mode_t;

/* RLK_POLICY(ID, name, its exact setting, which is the default, its relaxed setting, what it decides). They hold in
 * both modes. Where denormal numbers count as zeros, distances are measured from zero. */
#define RLK_POLICIES(RLK_POLICY)                                                                   \
  RLK_POLICY(NAN, "nan", "bits", "class", "what two NaNs must share")                              \
  RLK_POLICY(ZERO, "zero", "distinct", "equal", "what zeros of different sign are, in a band too") \
  RLK_POLICY(DENORMAL, "denormal", "exact", "flush", "take denormal numbers as they are, or as zeros of their sign")

typedef enum rlk_policy_t {
#define RLK_POLICY(id, ...) RLK_POLICY_##id,
  RLK_POLICIES(RLK_POLICY)
#undef RLK_POLICY
      RLK_POLICY_COUNT
} rlk_policy_t;

/* Bits of rlk_result_gate_t.bounds. */
enum { RLK_BOUND_ATOL = 1, RLK_BOUND_RTOL = 2, RLK_BOUND_ULP = 4 };

#define RLK_GATE_ULP_MAX (UINT64_C(1) << 53)

/* Zeroed, it is bit_exact with every policy exact. */
typedef struct rlk_result_gate_t {
  rlk_gate_mode_t mode;
  uint32_t bounds;   /* which of the next three are stated: at least one in a band, none otherwise */
  double atol, rtol; /* finite, not negative */
  uint64_t ulp;      /* at most RLK_GATE_ULP_MAX; between integers, how far apart they are */
  uint32_t relaxed;  /* bit i: the policy of that index has its relaxed setting */
} rlk_result_gate_t;

const char* rlk_gate_mode_name(rlk_gate_mode_t mode);
const char* rlk_policy_name(rlk_policy_t policy);
const char* rlk_policy_setting(rlk_policy_t policy, bool relaxed);
bool rlk_gate_is_relaxed(const rlk_result_gate_t* gate, rlk_policy_t policy);

/* ROWLOCK_UNUSABLE if the bounds do not go with the mode or are out of their range. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_gate_check(const rlk_result_gate_t* gate, rowlock_error_t* err);

/* The strictest: equal bits. */
extern const rlk_result_gate_t rlk_gate_bit_exact;

/* The band between host and device when a row gives none (plugin format, 'Execution'): absolute,
 * element_count * 2 * eps(dtype), where eps is the step above 1. Without rounding error for integers: 0. */
rlk_result_gate_t rlk_gate_default_band(rlk_dtype_t dtype, uint64_t element_count);

#endif
