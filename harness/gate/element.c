#include "harness/gate/element.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What a floating-point type looks like in bits. */
typedef struct layout_t {
  uint64_t sign, infinity, smallest_normal;
} layout_t;

static const layout_t float64 = {UINT64_C(1) << 63, UINT64_C(0x7FF) << 52, UINT64_C(1) << 52};
static const layout_t float32 = {UINT64_C(1) << 31, UINT64_C(0xFF) << 23, UINT64_C(1) << 23};

static const layout_t* layout_of(rlk_dtype_t dtype) { return dtype == RLK_DTYPE_FLOAT32 ? &float32 : &float64; }

static const char* const names[][2] = {
#define RLK_DIFFERENCE(id, name, phrase) {name, phrase},
    RLK_DIFFERENCES(RLK_DIFFERENCE)
#undef RLK_DIFFERENCE
};

const char* rlk_difference_name(rlk_difference_t difference) { return names[difference][0]; }
const char* rlk_difference_phrase(rlk_difference_t difference) { return names[difference][1]; }

bool rlk_verdict_is_worse(const rlk_verdict_t* verdict, const rlk_verdict_t* than) {
  if (verdict->difference != than->difference) return verdict->difference > than->difference;
  if (verdict->share != than->share) return verdict->share > than->share;
  return verdict->steps > than->steps;
}

uint64_t rlk_element_load(rlk_dtype_t dtype, const void* at) {
  uint64_t bits = 0;
  memcpy(&bits, at, rlk_dtype_size(dtype));
  return bits;
}

/* --- Numbers ------------------------------------------------------------------------------------------------------ */

static uint64_t distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

static uint64_t integer_distance(uint64_t a, uint64_t b) {
  return (int64_t)a > (int64_t)b ? a - b : b - a; /* unsigned: from the least to the largest fits */
}

uint64_t rlk_element_steps(rlk_dtype_t dtype, uint64_t a, uint64_t b) {
  if (dtype == RLK_DTYPE_INT64) return integer_distance(a, b);
  if (dtype == RLK_DTYPE_BOOL) return distance(a, b);
  const layout_t* layout = layout_of(dtype);
  const uint64_t size_a = a & ~layout->sign, size_b = b & ~layout->sign;
  if (size_a > layout->infinity || size_b > layout->infinity) return RLK_STEPS_NONE;
  return (a ^ b) & layout->sign ? size_a + size_b : distance(size_a, size_b);
}

double rlk_element_value(rlk_dtype_t dtype, uint64_t bits) {
  switch (dtype) {
    case RLK_DTYPE_FLOAT64: {
      double value;
      memcpy(&value, &bits, sizeof value);
      return value;
    }
    case RLK_DTYPE_FLOAT32: {
      const uint32_t low = (uint32_t)bits;
      float value;
      memcpy(&value, &low, sizeof value);
      return value;
    }
    case RLK_DTYPE_INT64:
      return (double)(int64_t)bits;
    default:
      return (double)bits;
  }
}

double rlk_element_error(rlk_dtype_t dtype, uint64_t got, uint64_t want) {
  if (!rlk_dtype_is_float(dtype)) return (double)rlk_element_steps(dtype, got, want);
  return fabs(rlk_element_value(dtype, got) - rlk_element_value(dtype, want));
}

uint64_t rlk_element_flush(rlk_dtype_t dtype, uint64_t bits) {
  const layout_t* layout = layout_of(dtype);
  return rlk_dtype_is_float(dtype) && (bits & ~layout->sign) < layout->smallest_normal ? bits & layout->sign : bits;
}

/* --- The band ----------------------------------------------------------------------------------------------------- */

static double atol_of(const rlk_result_gate_t* gate) { return gate->bounds & RLK_BOUND_ATOL ? gate->atol : 0; }
static double rtol_of(const rlk_result_gate_t* gate) { return gate->bounds & RLK_BOUND_RTOL ? gate->rtol : 0; }

/* |got - want| / (atol + rtol * |want|) of two different numbers. */
static double tolerance_share(const rlk_result_gate_t* gate, double got, double want) {
  double error = fabs(got - want);
  double bound = atol_of(gate) + rtol_of(gate) * fabs(want);
  if (error > DBL_MAX) { /* overflow, and the bound may have: half of everything fits */
    error = fabs(got / 2 - want / 2);
    bound = atol_of(gate) / 2 + rtol_of(gate) * fabs(want / 2);
  }
  return error / bound;
}

/* The same of two different integers, which may lie closer than float64 can tell from the bound. */
static double integer_share(const rlk_result_gate_t* gate, uint64_t error, int64_t want) {
  const double bound = atol_of(gate) + rtol_of(gate) * fabs((double)want);
  const double share = (double)error / bound;
  const bool inside = bound >= 0x1p64 || error <= (uint64_t)bound;
  return inside ? fmin(share, 1) : fmax(share, 1 + DBL_EPSILON);
}

static double band_share(const rlk_result_gate_t* gate, rlk_dtype_t dtype, uint64_t got, uint64_t want) {
  double share = INFINITY;
  if (gate->bounds & (RLK_BOUND_ATOL | RLK_BOUND_RTOL)) {
    share = dtype == RLK_DTYPE_INT64
                ? integer_share(gate, rlk_element_steps(dtype, got, want), (int64_t)want)
                : tolerance_share(gate, rlk_element_value(dtype, got), rlk_element_value(dtype, want));
  }
  if (gate->bounds & RLK_BOUND_ULP) {
    share = fmin(share, (double)rlk_element_steps(dtype, got, want) / (double)gate->ulp);
  }
  return share;
}

/* --- The judgement ------------------------------------------------------------------------------------------------ */

static rlk_verdict_t of_kind(rlk_difference_t difference) { return (rlk_verdict_t){.difference = difference}; }

static rlk_verdict_t admitted_if(bool admitted, rlk_difference_t otherwise) {
  return of_kind(admitted ? RLK_DIFFERENCE_ADMITTED : otherwise);
}

/* Of two different numbers that are finite. */
static rlk_verdict_t judge_numbers(const rlk_result_gate_t* gate, rlk_dtype_t dtype, uint64_t got, uint64_t want) {
  if (gate->mode == RLK_GATE_BIT_EXACT || dtype == RLK_DTYPE_BOOL) {
    return (rlk_verdict_t){.difference = RLK_DIFFERENCE_VALUE, .steps = rlk_element_steps(dtype, got, want)};
  }
  const double share = band_share(gate, dtype, got, want);
  return (rlk_verdict_t){.difference = share <= 1 ? RLK_DIFFERENCE_ADMITTED : RLK_DIFFERENCE_VALUE, .share = share};
}

rlk_verdict_t rlk_element_judge(const rlk_result_gate_t* gate, rlk_dtype_t dtype, uint64_t got, uint64_t want) {
  if (got == want) return of_kind(RLK_DIFFERENCE_NONE);
  if (!rlk_dtype_is_float(dtype)) return judge_numbers(gate, dtype, got, want);
  const layout_t* layout = layout_of(dtype);
  if (rlk_gate_is_relaxed(gate, RLK_POLICY_DENORMAL)) {
    got = rlk_element_flush(dtype, got);
    want = rlk_element_flush(dtype, want);
    if (got == want) return of_kind(RLK_DIFFERENCE_ADMITTED);
  }
  const uint64_t got_size = got & ~layout->sign, want_size = want & ~layout->sign;
  const bool got_nan = got_size > layout->infinity, want_nan = want_size > layout->infinity;
  if (got_nan != want_nan) return of_kind(RLK_DIFFERENCE_NAN);
  if (got_nan) return admitted_if(rlk_gate_is_relaxed(gate, RLK_POLICY_NAN), RLK_DIFFERENCE_NAN_BITS);
  if (got_size == layout->infinity || want_size == layout->infinity) return of_kind(RLK_DIFFERENCE_INFINITY);
  if (got_size == 0 && want_size == 0) {
    return admitted_if(rlk_gate_is_relaxed(gate, RLK_POLICY_ZERO), RLK_DIFFERENCE_ZERO_SIGN);
  }
  return judge_numbers(gate, dtype, got, want);
}
