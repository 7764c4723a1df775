/* For tests: what the folds of kernels.cu do, on the host, for the double of a driver. */
#include "loader/exec/fold.h"

#define EXPORTED __attribute__((visibility("default")))

static void fold(rowlock_element_t element, void** parameters) {
  static const rlk_word_t operators[] = {RLK_WORD_SUM, RLK_WORD_TIMES, RLK_WORD_MAX, RLK_WORD_LAND};
  const rlk_partials_t partials = {.data = *(const void**)parameters[0],
                                   .element = element,
                                   .width = *(const uint32_t*)parameters[2],
                                   .sample_count = *(const int64_t*)parameters[1]};
  rlk_fold(&partials, operators[*(const uint32_t*)parameters[3]], *(void**)parameters[4]);
}

#define DEFINE_TWIN(name, element)                        \
  EXPORTED void name(void** parameters, unsigned blocks); \
  void name(void** parameters, unsigned blocks) {         \
    (void)blocks;                                         \
    fold(element, parameters);                            \
  }

DEFINE_TWIN(rowlock_fold_float64_twin, ROWLOCK_ELEMENT_FLOAT64)
DEFINE_TWIN(rowlock_fold_float32_twin, ROWLOCK_ELEMENT_FLOAT32)
DEFINE_TWIN(rowlock_fold_int64_twin, ROWLOCK_ELEMENT_INT64)
