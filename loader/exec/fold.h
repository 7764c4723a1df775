/* The fold of a mapreduce body's partials. The order is the contract: ascending from the identity, never a tree. */
#ifndef ROWLOCK_LOADER_EXEC_FOLD_H
#define ROWLOCK_LOADER_EXEC_FOLD_H

#include "loader/rowlock.h"
#include "validator/rules/vocabulary.h"

/* Partials as a kernel leaves them: component c of sample i is element c * sample_count + i. */
typedef struct rlk_partials_t {
  const void* data;
  rowlock_element_t element; /* FLOAT64, FLOAT32 or INT64 */
  uint32_t width;
  int64_t sample_count;
} rlk_partials_t;

/* Folds each component by `op`, of REDUCTION_OP, into `width` elements of the same type. Integers wrap. */
void rlk_fold(const rlk_partials_t* partials, rlk_word_t op, void* out);

#endif
