#include "loader/exec/fold.h"

#include <math.h>

/* One component of one type. The operators are those of plugin facts, section 6, to the letter: `max` keeps `a` where
 * the two are equal or one is NaN. */
#define DEFINE_FOLD(name, type, least, sum, times)                                  \
  static type name(const type* partials, int64_t count, rlk_word_t op) {            \
    type a;                                                                         \
    switch (op) {                                                                   \
      case RLK_WORD_TIMES:                                                          \
        a = 1;                                                                      \
        for (int64_t i = 0; i < count; ++i) a = times(a, partials[i]);              \
        return a;                                                                   \
      case RLK_WORD_MAX:                                                            \
        a = (least);                                                                \
        for (int64_t i = 0; i < count; ++i) a = partials[i] > a ? partials[i] : a;  \
        return a;                                                                   \
      case RLK_WORD_LAND:                                                           \
        a = 1;                                                                      \
        for (int64_t i = 0; i < count; ++i) a = a != 0 && partials[i] != 0 ? 1 : 0; \
        return a;                                                                   \
      default:                                                                      \
        a = 0;                                                                      \
        for (int64_t i = 0; i < count; ++i) a = sum(a, partials[i]);                \
        return a;                                                                   \
    }                                                                               \
  }

#define SUM(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
#define WRAPPING_SUM(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
#define WRAPPING_TIMES(a, b) ((int64_t)((uint64_t)(a) * (uint64_t)(b)))

DEFINE_FOLD(fold_float64, double, -HUGE_VAL, SUM, TIMES)
DEFINE_FOLD(fold_float32, float, -HUGE_VALF, SUM, TIMES)
DEFINE_FOLD(fold_int64, int64_t, INT64_MIN, WRAPPING_SUM, WRAPPING_TIMES)

void rlk_fold(const rlk_partials_t* partials, rlk_word_t op, void* out) {
  const int64_t count = partials->sample_count;
  for (int64_t c = 0; c < partials->width; ++c) {
    switch (partials->element) {
      case ROWLOCK_ELEMENT_FLOAT32:
        ((float*)out)[c] = fold_float32((const float*)partials->data + c * count, count, op);
        break;
      case ROWLOCK_ELEMENT_INT64:
        ((int64_t*)out)[c] = fold_int64((const int64_t*)partials->data + c * count, count, op);
        break;
      default:
        ((double*)out)[c] = fold_float64((const double*)partials->data + c * count, count, op);
        break;
    }
  }
}
