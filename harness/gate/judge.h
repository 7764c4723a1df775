/* What a comparison means, element by element: one source for the host (element.c) and the device (device/compare.cu),
 * in what C17 and CUDA C++ share. Compiled without fusing a multiplication into an addition, both give the same bits.
 * element.h says what the functions of these names do. */
#ifndef ROWLOCK_HARNESS_GATE_JUDGE_H
#define ROWLOCK_HARNESS_GATE_JUDGE_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "harness/gate/element.h"

#ifdef __CUDACC__
#define RLK_JUDGE static __device__ __forceinline__
#else
#define RLK_JUDGE static inline
#endif

/* --- Numbers ------------------------------------------------------------------------------------------------------ */

RLK_JUDGE bool judge_is_float(rlk_dtype_t dtype) { return dtype == RLK_DTYPE_FLOAT64 || dtype == RLK_DTYPE_FLOAT32; }
RLK_JUDGE bool judge_is_relaxed(const rlk_result_gate_t* gate, rlk_policy_t policy) {
  return gate->relaxed >> policy & 1;
}

/* What a floating-point type looks like in bits. */
RLK_JUDGE uint64_t judge_sign(rlk_dtype_t dtype) { return (uint64_t)1 << (dtype == RLK_DTYPE_FLOAT32 ? 31 : 63); }
RLK_JUDGE uint64_t judge_infinity(rlk_dtype_t dtype) {
  return dtype == RLK_DTYPE_FLOAT32 ? (uint64_t)0xFF << 23 : (uint64_t)0x7FF << 52;
}
RLK_JUDGE uint64_t judge_smallest_normal(rlk_dtype_t dtype) {
  return (uint64_t)1 << (dtype == RLK_DTYPE_FLOAT32 ? 23 : 52);
}

RLK_JUDGE uint64_t judge_distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

RLK_JUDGE uint64_t judge_integer_distance(uint64_t a, uint64_t b) {
  return (int64_t)a > (int64_t)b ? a - b : b - a; /* unsigned: from the least to the largest fits */
}

RLK_JUDGE uint64_t judge_steps(rlk_dtype_t dtype, uint64_t a, uint64_t b) {
  if (dtype == RLK_DTYPE_INT64) return judge_integer_distance(a, b);
  if (dtype == RLK_DTYPE_BOOL) return judge_distance(a, b);
  const uint64_t sign = judge_sign(dtype), size_a = a & ~sign, size_b = b & ~sign;
  if (size_a > judge_infinity(dtype) || size_b > judge_infinity(dtype)) return RLK_STEPS_NONE;
  return (a ^ b) & sign ? size_a + size_b : judge_distance(size_a, size_b);
}

RLK_JUDGE double judge_value(rlk_dtype_t dtype, uint64_t bits) {
  if (dtype == RLK_DTYPE_FLOAT64) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (dtype == RLK_DTYPE_FLOAT32) {
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
  }
  return dtype == RLK_DTYPE_INT64 ? (double)(int64_t)bits : (double)bits;
}

RLK_JUDGE uint64_t judge_flush(rlk_dtype_t dtype, uint64_t bits) {
  const uint64_t sign = judge_sign(dtype);
  return judge_is_float(dtype) && (bits & ~sign) < judge_smallest_normal(dtype) ? bits & sign : bits;
}

/* --- The band ----------------------------------------------------------------------------------------------------- */

RLK_JUDGE double judge_atol(const rlk_result_gate_t* gate) { return gate->bounds & RLK_BOUND_ATOL ? gate->atol : 0; }
RLK_JUDGE double judge_rtol(const rlk_result_gate_t* gate) { return gate->bounds & RLK_BOUND_RTOL ? gate->rtol : 0; }

/* |got - want| / (atol + rtol * |want|) of two different numbers. */
RLK_JUDGE double judge_tolerance_share(const rlk_result_gate_t* gate, double got, double want) {
  double error = fabs(got - want);
  double bound = judge_atol(gate) + judge_rtol(gate) * fabs(want);
  if (error > DBL_MAX) { /* overflow, and the bound may have: half of everything fits */
    error = fabs(got / 2 - want / 2);
    bound = judge_atol(gate) / 2 + judge_rtol(gate) * fabs(want / 2);
  }
  return error / bound;
}

/* The same of two different integers, which may lie closer than float64 can tell from the bound. */
RLK_JUDGE double judge_integer_share(const rlk_result_gate_t* gate, uint64_t error, int64_t want) {
  const double bound = judge_atol(gate) + judge_rtol(gate) * fabs((double)want);
  const double share = (double)error / bound;
  const bool inside = bound >= 0x1p64 || error <= (uint64_t)bound;
  return inside ? fmin(share, 1.0) : fmax(share, 1 + DBL_EPSILON);
}

RLK_JUDGE double judge_band_share(const rlk_result_gate_t* gate, rlk_dtype_t dtype, uint64_t got, uint64_t want) {
  double share = INFINITY;
  if (gate->bounds & (RLK_BOUND_ATOL | RLK_BOUND_RTOL)) {
    share = dtype == RLK_DTYPE_INT64 ? judge_integer_share(gate, judge_steps(dtype, got, want), (int64_t)want)
                                     : judge_tolerance_share(gate, judge_value(dtype, got), judge_value(dtype, want));
  }
  if (gate->bounds & RLK_BOUND_ULP) {
    share = fmin(share, (double)judge_steps(dtype, got, want) / (double)gate->ulp);
  }
  return share;
}

/* --- The judgement ------------------------------------------------------------------------------------------------ */

RLK_JUDGE bool judge_is_worse(const rlk_verdict_t* verdict, const rlk_verdict_t* than) {
  if (verdict->difference != than->difference) return verdict->difference > than->difference;
  if (verdict->share != than->share) return verdict->share > than->share;
  return verdict->steps > than->steps;
}

RLK_JUDGE rlk_verdict_t judge_verdict(rlk_difference_t difference, double share, uint64_t steps) {
  rlk_verdict_t verdict;
  verdict.difference = difference;
  verdict.share = share;
  verdict.steps = steps;
  return verdict;
}

RLK_JUDGE rlk_verdict_t judge_admitted_if(bool admitted, rlk_difference_t otherwise) {
  return judge_verdict(admitted ? RLK_DIFFERENCE_ADMITTED : otherwise, 0, 0);
}

/* Of two different numbers that are finite. */
RLK_JUDGE rlk_verdict_t judge_numbers(const rlk_result_gate_t* gate, rlk_dtype_t dtype, uint64_t got, uint64_t want) {
  if (gate->mode == RLK_GATE_BIT_EXACT || dtype == RLK_DTYPE_BOOL) {
    return judge_verdict(RLK_DIFFERENCE_VALUE, 0, judge_steps(dtype, got, want));
  }
  const double share = judge_band_share(gate, dtype, got, want);
  return judge_verdict(share <= 1 ? RLK_DIFFERENCE_ADMITTED : RLK_DIFFERENCE_VALUE, share, 0);
}

RLK_JUDGE rlk_verdict_t judge_element(const rlk_result_gate_t* gate, rlk_dtype_t dtype, uint64_t got, uint64_t want) {
  if (got == want) return judge_verdict(RLK_DIFFERENCE_NONE, 0, 0);
  if (!judge_is_float(dtype)) return judge_numbers(gate, dtype, got, want);
  if (judge_is_relaxed(gate, RLK_POLICY_DENORMAL)) {
    got = judge_flush(dtype, got);
    want = judge_flush(dtype, want);
    if (got == want) return judge_verdict(RLK_DIFFERENCE_ADMITTED, 0, 0);
  }
  const uint64_t infinity = judge_infinity(dtype);
  const uint64_t got_size = got & ~judge_sign(dtype), want_size = want & ~judge_sign(dtype);
  const bool got_nan = got_size > infinity, want_nan = want_size > infinity;
  if (got_nan != want_nan) return judge_verdict(RLK_DIFFERENCE_NAN, 0, 0);
  if (got_nan) return judge_admitted_if(judge_is_relaxed(gate, RLK_POLICY_NAN), RLK_DIFFERENCE_NAN_BITS);
  if (got_size == infinity || want_size == infinity) return judge_verdict(RLK_DIFFERENCE_INFINITY, 0, 0);
  if (got_size == 0 && want_size == 0) {
    return judge_admitted_if(judge_is_relaxed(gate, RLK_POLICY_ZERO), RLK_DIFFERENCE_ZERO_SIGN);
  }
  return judge_numbers(gate, dtype, got, want);
}

#endif
