#include "harness/gate/poison.h"

#include <string.h>

#include "harness/gate/mix.h"

enum { TURNS = 3 };

/* The leading bits of each turn, and how many bits below them tell elements apart. */
typedef struct look_t {
  uint64_t leading[TURNS];
  int free_bits;
} look_t;

static const look_t looks[] = {
    /* a quiet NaN, about 1e300, about -1e300 */
    [RLK_DTYPE_FLOAT64] = {{UINT64_C(0x7FF8) << 48, UINT64_C(0x7E37) << 48, UINT64_C(0xFE37) << 48}, 48},
    /* a quiet NaN, about 1e36, about -1e36 */
    [RLK_DTYPE_FLOAT32] = {{UINT64_C(0x7FC) << 20, UINT64_C(0x7B4) << 20, UINT64_C(0xFB4) << 20}, 20},
    /* beyond every address and count, of either sign */
    [RLK_DTYPE_INT64] = {{UINT64_C(0x80) << 56, UINT64_C(0x3F) << 56, UINT64_C(0xC1) << 56}, 56},
    [RLK_DTYPE_BOOL] = {{0xA5, 0x5A, 0x96}, 0},
};

uint64_t rlk_poison_bits(rlk_dtype_t dtype, uint32_t pattern, uint64_t index) {
  const look_t* look = &looks[dtype];
  const uint64_t mixed = rlk_mix(RLK_POISON_PATTERNS * index + pattern);
  return look->leading[(index + pattern) % TURNS] | (mixed & ((UINT64_C(1) << look->free_bits) - 1));
}

void rlk_poison_fill(rlk_dtype_t dtype, uint32_t pattern, void* data, uint64_t element_count) {
  const size_t size = rlk_dtype_size(dtype);
  for (uint64_t i = 0; i < element_count; ++i) {
    const uint64_t bits = rlk_poison_bits(dtype, pattern, i);
    memcpy((unsigned char*)data + i * size, &bits, size);
  }
}

uint64_t rlk_poison_count_left(rlk_dtype_t dtype, uint32_t pattern, const void* data, uint64_t element_count,
                               uint64_t* out_first) {
  const size_t size = rlk_dtype_size(dtype);
  uint64_t count = 0;
  *out_first = element_count;
  for (uint64_t i = 0; i < element_count; ++i) {
    const uint64_t bits = rlk_poison_bits(dtype, pattern, i);
    if (memcmp((const unsigned char*)data + i * size, &bits, size) != 0) continue;
    if (count == 0) *out_first = i;
    ++count;
  }
  return count;
}
