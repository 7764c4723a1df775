#include "harness/launch/operand.h"

#include <math.h>
#include <string.h>

#include "harness/gate/poison.h"
#include "harness/launch/philox.h"
#include "validator/rules/text.h"

const char* rlk_fill_name(rlk_fill_kind_t kind) {
  static const char* const names[] = {
#define RLK_FILL(ID, name, meaning) name,
      RLK_FILLS(RLK_FILL)
#undef RLK_FILL
  };
  return names[kind];
}

/* --- Elements ----------------------------------------------------------------------------------------------------- */

static uint64_t bits_of_real(rlk_dtype_t dtype, double value) {
  uint64_t bits = 0;
  if (dtype == RLK_DTYPE_FLOAT32) {
    const float narrow = (float)value;
    memcpy(&bits, &narrow, sizeof narrow);
  } else {
    memcpy(&bits, &value, sizeof value);
  }
  return bits;
}

uint64_t rlk_scalar_bits(rlk_dtype_t dtype, const rlk_scalar_t* scalar) {
  if (rlk_dtype_is_float(dtype)) return bits_of_real(dtype, scalar->real);
  const int64_t integer = scalar->is_integer ? scalar->integer : (int64_t)scalar->real;
  return dtype == RLK_DTYPE_BOOL ? (uint64_t)(integer != 0) : (uint64_t)integer;
}

/* A whole number of the range of int64, or 0: what is no number has no integer. */
static int64_t to_integer(double value) { return value >= -0x1p63 && value < 0x1p63 ? (int64_t)floor(value) : 0; }

static uint64_t bits_of(rlk_dtype_t dtype, double value) {
  if (rlk_dtype_is_float(dtype)) return bits_of_real(dtype, value);
  const int64_t integer = to_integer(value);
  return dtype == RLK_DTYPE_BOOL ? (uint64_t)(integer != 0) : (uint64_t)integer;
}

/* --- Random numbers ----------------------------------------------------------------------------------------------- */

/* The numbers of element `index` at its `attempt`-th try, each evenly from [0, 1) in steps of 2^-53. */
static void unit_pair(uint64_t seed, uint64_t index, uint32_t attempt, double out[2]) {
  const rlk_philox_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), attempt, 0}};
  const rlk_philox_t random = rlk_philox(counter, seed);
  for (size_t i = 0; i < 2; ++i) {
    const uint64_t word = (uint64_t)random.words[2 * i + 1] << 32 | random.words[2 * i];
    out[i] = (double)(word >> 11) * 0x1p-53;
  }
}

/* The natural logarithm by operations that IEEE 754 fixes to the bit, which a C library's is not; a few ULP off. */
static double portable_log(double value) {
  int exponent;
  double fraction = frexp(value, &exponent); /* [0.5, 1) */
  if (fraction < 0x1.6a09e667f3bcdp-1) {     /* below sqrt(1/2): around 1, the series converges fast */
    fraction *= 2;
    --exponent;
  }
  const double s = (fraction - 1) / (fraction + 1), square = s * s;
  double sum = 0;
  for (int odd = 25; odd >= 1; odd -= 2) sum = sum * square + 1.0 / odd;
  return 2 * s * sum + exponent * 0x1.62e42fefa39efp-1;
}

/* Marsaglia's polar method: a point evenly from the unit disc, tried again under the next counter if outside. */
static double normal(uint64_t seed, uint64_t index) {
  for (uint32_t attempt = 0;; ++attempt) {
    double point[2];
    unit_pair(seed, index, attempt, point);
    const double x = 2 * point[0] - 1, y = 2 * point[1] - 1, square = x * x + y * y;
    if (square > 0 && square < 1) return x * sqrt(-2 * portable_log(square) / square);
  }
}

/* --- Arrays ------------------------------------------------------------------------------------------------------- */

static double real_at(const rlk_fill_t* fill, uint64_t index, uint64_t count) {
  const double first = fill->first.real, second = fill->second.real;
  double pair[2];
  switch (fill->kind) {
    case RLK_FILL_RANGE:
      return first + (double)index * second;
    case RLK_FILL_LINSPACE:
      if (index + 1 == count && count > 1) return second;
      return first + (second - first) * ((double)index / (double)(count > 1 ? count - 1 : 1));
    case RLK_FILL_UNIFORM:
      unit_pair(fill->seed, index, 0, pair);
      return first + (second - first) * pair[0];
    case RLK_FILL_NORMAL:
      return first + second * normal(fill->seed, index);
    default:
      return first;
  }
}

static uint64_t bits_at(const rlk_fill_t* fill, rlk_dtype_t dtype, uint64_t index, uint64_t count) {
  if (fill->kind == RLK_FILL_UNIFORM && dtype == RLK_DTYPE_BOOL) { /* which half of the range */
    return real_at(fill, index, count) >= (fill->first.real + fill->second.real) / 2;
  }
  if (fill->kind == RLK_FILL_VALUES) return rlk_scalar_bits(dtype, &fill->values[index]);
  if (fill->kind == RLK_FILL_CONSTANT) return rlk_scalar_bits(dtype, &fill->first);
  return bits_of(dtype, real_at(fill, index, count));
}

rowlock_code_t rlk_fill_array(const rlk_fill_t* fill, rlk_dtype_t dtype, uint32_t poison, void* data,
                              uint64_t element_count, rowlock_error_t* err) {
  if (fill->kind == RLK_FILL_POISON) {
    rlk_poison_fill(dtype, poison, data, element_count);
    return ROWLOCK_OK;
  }
  if (fill->kind == RLK_FILL_NULL || fill->kind == RLK_FILL_FILE) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "'%s' has no elements of its own", rlk_fill_name(fill->kind));
  }
  if (fill->kind == RLK_FILL_VALUES && fill->value_count != element_count) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "%zu value%s given, the array has %llu element%s", fill->value_count,
                    fill->value_count == 1 ? " is" : "s are", (unsigned long long)element_count,
                    element_count == 1 ? "" : "s");
  }
  const size_t size = rlk_dtype_size(dtype);
  for (uint64_t i = 0; i < element_count; ++i) {
    const uint64_t bits = bits_at(fill, dtype, i, element_count);
    memcpy((char*)data + i * size, &bits, size); /* little-endian: the lowest bytes come first */
  }
  return ROWLOCK_OK;
}
