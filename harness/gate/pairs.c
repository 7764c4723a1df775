#include "harness/gate/pairs.h"

#include <string.h>

#include "harness/gate/mix.h"

typedef struct layout_t {
  int sign_bit, exponent_bit;
} layout_t;

typedef struct pair_t {
  uint64_t got, want;
} pair_t;

static uint64_t infinity_of(const layout_t* layout) {
  return (UINT64_C(1) << layout->sign_bit) - (UINT64_C(1) << layout->exponent_bit);
}

static uint64_t sign_from(const layout_t* layout, uint64_t random) { return (random & 1) << layout->sign_bit; }

static uint64_t mantissa_from(const layout_t* layout, uint64_t random) {
  return random >> 8 & ((UINT64_C(1) << layout->exponent_bit) - 1);
}

/* Between 1 and 2, of either sign. */
static uint64_t usual(const layout_t* layout, uint64_t random) {
  const uint64_t one = infinity_of(layout) / 2 & infinity_of(layout);
  return one | mantissa_from(layout, random) | sign_from(layout, random);
}

static uint64_t finite(const layout_t* layout, uint64_t random) {
  return rlk_mix(random) % infinity_of(layout) | sign_from(layout, random);
}

static uint64_t denormal_or_border(const layout_t* layout, uint64_t random) {
  const uint64_t borders[] = {0, 1, UINT64_C(1) << layout->exponent_bit, mantissa_from(layout, random)};
  return borders[random >> 4 & 3] | sign_from(layout, random);
}

static uint64_t not_a_number(const layout_t* layout, uint64_t random) {
  return infinity_of(layout) | 1 | mantissa_from(layout, random) | sign_from(layout, random);
}

static pair_t float_pair(const layout_t* layout, uint32_t kind, uint64_t a, uint64_t b) {
  pair_t pair = {.want = usual(layout, a)};
  switch (kind) {
    case RLK_PAIRS_NEAR:
      pair.got = pair.want + b % 9;
      break;
    case RLK_PAIRS_FAR:
      pair = (pair_t){finite(layout, a), finite(layout, b)};
      break;
    case RLK_PAIRS_ZEROS:
      pair = (pair_t){sign_from(layout, a), sign_from(layout, b)};
      break;
    case RLK_PAIRS_DENORMALS:
      pair = (pair_t){denormal_or_border(layout, a), denormal_or_border(layout, b)};
      break;
    case RLK_PAIRS_NANS:
      pair = (pair_t){not_a_number(layout, a), b & 2 ? not_a_number(layout, b) : pair.want};
      break;
    case RLK_PAIRS_INFINITIES:
      pair = (pair_t){infinity_of(layout) | sign_from(layout, a),
                      (b & 2 ? infinity_of(layout) : infinity_of(layout) - 1) | sign_from(layout, b)};
      break;
    default:
      pair.got = pair.want;
  }
  return pair;
}

static pair_t integer_pair(rlk_dtype_t dtype, uint32_t kind, uint64_t a, uint64_t b) {
  if (dtype == RLK_DTYPE_BOOL) return (pair_t){kind ? b & 1 : a & 1, a & 1};
  if (kind == RLK_PAIRS_FAR) return (pair_t){a, b};
  return (pair_t){kind ? a + b % 9 : a, a};
}

static uint32_t pick_kind(uint32_t kinds, uint64_t random) {
  uint32_t kind = 1U << random % 6;
  while (!(kinds & kind)) kind = kind == RLK_PAIRS_INFINITIES ? 1 : kind << 1;
  return kind;
}

void rlk_pairs_fill(rlk_dtype_t dtype, uint64_t seed, uint32_t kinds, uint64_t sparsity, void* got, void* want,
                    uint64_t count) {
  const layout_t layout = dtype == RLK_DTYPE_FLOAT32 ? (layout_t){31, 23} : (layout_t){63, 52};
  const size_t size = rlk_dtype_size(dtype);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t random = rlk_mix(seed) + 3 * i;
    const uint64_t choice = rlk_mix(random), a = rlk_mix(random + 1), b = rlk_mix(random + 2);
    const uint32_t kind = kinds && choice % sparsity == 0 ? pick_kind(kinds, choice >> 32) : 0;
    pair_t pair = rlk_dtype_is_float(dtype) ? float_pair(&layout, kind, a, b) : integer_pair(dtype, kind, a, b);
    if (choice >> 60 & 1) pair = (pair_t){pair.want, pair.got};
    memcpy((unsigned char*)got + i * size, &pair.got, size);
    memcpy((unsigned char*)want + i * size, &pair.want, size);
  }
}

rlk_result_gate_t rlk_pairs_gate(uint64_t seed) {
  /* In the order of the values from 1 to 2 of either type, and of integers. */
  static const double widths[] = {0, 0x1p-52, 0x1p-50, 0x1p-49, 0x1p-23, 0x1p-21, 0x1p-20, 1, 5, 1e300};
  const uint64_t random = rlk_mix(seed);
  rlk_result_gate_t gate = {.relaxed = random >> 8 & ((1U << RLK_POLICY_COUNT) - 1)};
  if (random % 4 == 0) return gate;
  gate.mode = RLK_GATE_BAND;
  gate.bounds = 1 + (random >> 16) % 7;
  gate.atol = widths[(random >> 24) % (sizeof widths / sizeof *widths)];
  gate.rtol = widths[(random >> 32) % (sizeof widths / sizeof *widths)];
  gate.ulp = (random >> 40) % 10;
  return gate;
}
