#include "harness/gate/settle.h"

#include <string.h>

/* Two elements at a time, float32 widened: what every x86-64 and every 64-bit ARM has registers for. A comparison of
 * vectors gives all bits of a lane or none. */
typedef double numbers_t __attribute__((vector_size(16)));
typedef uint64_t bits_t __attribute__((vector_size(16)));
typedef int64_t mask_t __attribute__((vector_size(16)));
typedef float halves_t __attribute__((vector_size(8)));
typedef uint32_t half_bits_t __attribute__((vector_size(8)));
enum { LANES = 2 };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef struct band_t {
  double atol, rtol, limit;
  uint64_t steps_limit;
  uint64_t zeros_differ; /* all bits, or none */
} band_t;

/* What a floating-point type looks like in bits. */
enum { SIGN_64 = 63, SIGN_32 = 31 };
#define SIZE_MASK(sign) ((UINT64_C(1) << (sign)) - 1)

typedef struct pair_t {
  bits_t bits;
  numbers_t numbers;
} pair_t;

ALWAYS_INLINE pair_t load(rlk_dtype_t dtype, const unsigned char* at) {
  pair_t pair;
  if (dtype == RLK_DTYPE_FLOAT64) {
    memcpy(&pair.bits, at, sizeof pair.bits);
    pair.numbers = (numbers_t)pair.bits;
  } else {
    half_bits_t halves;
    memcpy(&halves, at, sizeof halves);
    pair.bits = __builtin_convertvector(halves, bits_t);
    pair.numbers = __builtin_convertvector((halves_t)halves, numbers_t);
  }
  return pair;
}

ALWAYS_INLINE numbers_t absolute(numbers_t numbers) { return (numbers_t)((bits_t)numbers & INT64_MAX); }

/* All bits of a lane that does not fit the tolerance, or is not finite. */
ALWAYS_INLINE bits_t misses_tolerance(const band_t* band, numbers_t got, numbers_t want) {
  const numbers_t bound = band->atol + band->rtol * absolute(want);
  return (bits_t) ~(absolute(got - want) / bound <= band->limit);
}

/* The topmost bit of a lane that is more steps away than the limit, or is not finite. The registers have no comparison
 * of 64-bit integers, so all of this is signs of differences. Ranks are numbers in the order of integers, both zeros 0;
 * the difference of two may wrap, but never to within the largest limit. */
ALWAYS_INLINE bits_t misses_steps(rlk_dtype_t dtype, const band_t* band, bits_t got, bits_t want) {
  const int sign = dtype == RLK_DTYPE_FLOAT64 ? SIGN_64 : SIGN_32;
  const uint64_t largest_finite = dtype == RLK_DTYPE_FLOAT64 ? UINT64_C(0x7FEFFFFFFFFFFFFF) : UINT64_C(0x7F7FFFFF);
  const bits_t got_negative = 0 - (got >> sign), want_negative = 0 - (want >> sign);
  const bits_t got_size = got & SIZE_MASK(sign), want_size = want & SIZE_MASK(sign);
  const bits_t steps = ((got_size ^ got_negative) - got_negative) - ((want_size ^ want_negative) - want_negative);
  return (band->steps_limit - steps) | (band->steps_limit + steps) | (largest_finite - got_size) |
         (largest_finite - want_size);
}

ALWAYS_INLINE bool settle(rlk_dtype_t dtype, uint32_t bounds, const band_t* band, const unsigned char* got_at,
                          const unsigned char* want_at) {
  const size_t stride = dtype == RLK_DTYPE_FLOAT64 ? sizeof(double) : sizeof(float);
  bits_t open = {0};
  for (size_t i = 0; i < RLK_SETTLE_RUN; i += LANES) {
    const pair_t got = load(dtype, got_at + i * stride), want = load(dtype, want_at + i * stride);
    bits_t misses = ~(bits_t){0};
    if (bounds & (RLK_BOUND_ATOL | RLK_BOUND_RTOL)) misses &= misses_tolerance(band, got.numbers, want.numbers);
    if (bounds & RLK_BOUND_ULP) misses &= misses_steps(dtype, band, got.bits, want.bits);
    misses |= (bits_t)(got.numbers == want.numbers) & band->zeros_differ;
    open |= misses & ~(bits_t)(got.bits == want.bits);
  }
  return (open[0] | open[1]) >> SIGN_64 == 0;
}

ALWAYS_INLINE bool has_denormal(rlk_dtype_t dtype, const unsigned char* at) {
  const int sign = dtype == RLK_DTYPE_FLOAT64 ? SIGN_64 : SIGN_32;
  const uint64_t smallest_normal = UINT64_C(1) << (dtype == RLK_DTYPE_FLOAT64 ? 52 : 23);
  const size_t stride = dtype == RLK_DTYPE_FLOAT64 ? sizeof(double) : sizeof(float);
  bits_t found = {0};
  for (size_t i = 0; i < RLK_SETTLE_RUN; i += LANES) {
    const bits_t size = load(dtype, at + i * stride).bits & SIZE_MASK(sign);
    found |= (size - smallest_normal) & (0 - size); /* the topmost bit: below, and not 0 */
  }
  return (found[0] | found[1]) >> SIGN_64;
}

/* The most steps that use no more than `limit` of `ulp`, by the division that rlk_element_judge makes. */
static uint64_t find_steps_limit(uint64_t ulp, double limit) {
  uint64_t steps = (uint64_t)(limit * (double)ulp);
  while (steps < ulp && (double)(steps + 1) / (double)ulp <= limit) ++steps;
  while (steps > 0 && (double)steps / (double)ulp > limit) --steps;
  return steps;
}

/* Each combination of constants is compiled by itself. */
#define SETTLE(dtype, bounds) (settle(dtype, bounds, &band, got, want))
#define SETTLE_BOUNDS(dtype)                                                        \
  (!(gate->bounds & RLK_BOUND_ULP) ? SETTLE(dtype, RLK_BOUND_ATOL | RLK_BOUND_RTOL) \
   : gate->bounds == RLK_BOUND_ULP ? SETTLE(dtype, RLK_BOUND_ULP)                   \
                                   : SETTLE(dtype, RLK_BOUND_ATOL | RLK_BOUND_RTOL | RLK_BOUND_ULP))

bool rlk_settle(const rlk_result_gate_t* gate, rlk_dtype_t dtype, const unsigned char* got, const unsigned char* want,
                double limit) {
  const band_t band = {.atol = gate->bounds & RLK_BOUND_ATOL ? gate->atol : 0,
                       .rtol = gate->bounds & RLK_BOUND_RTOL ? gate->rtol : 0,
                       .limit = limit,
                       .steps_limit = gate->bounds & RLK_BOUND_ULP ? find_steps_limit(gate->ulp, limit) : 0,
                       .zeros_differ = rlk_gate_is_relaxed(gate, RLK_POLICY_ZERO) ? 0 : UINT64_MAX};
  const bool flush = rlk_gate_is_relaxed(gate, RLK_POLICY_DENORMAL);
  if (dtype == RLK_DTYPE_FLOAT32) {
    if (flush && (has_denormal(RLK_DTYPE_FLOAT32, got) || has_denormal(RLK_DTYPE_FLOAT32, want))) return false;
    return SETTLE_BOUNDS(RLK_DTYPE_FLOAT32);
  }
  if (flush && (has_denormal(RLK_DTYPE_FLOAT64, got) || has_denormal(RLK_DTYPE_FLOAT64, want))) return false;
  return SETTLE_BOUNDS(RLK_DTYPE_FLOAT64);
}
