/* What outputs hold before a launch, so that an element which a kernel does not write, or reads, is noticed. */
#ifndef ROWLOCK_HARNESS_GATE_POISON_H
#define ROWLOCK_HARNESS_GATE_POISON_H

#include "harness/gate/array.h"

/* Two runs take the two patterns, which differ in every element. Neighbouring floats are a quiet NaN with a payload, a
 * huge positive and a huge negative number by turns, and the turns of the two patterns differ: a NaN spreads through
 * arithmetic and huge numbers through maximum, minimum and comparisons, so whatever way poison is read, some element
 * of some run shows it. Integers are huge; bools are neither 0 nor 1. */
enum { RLK_POISON_PATTERNS = 2 };

/* The bits of an element, in the lowest bytes. `pattern` is below RLK_POISON_PATTERNS. */
uint64_t rlk_poison_bits(rlk_dtype_t dtype, uint32_t pattern, uint64_t index);

void rlk_poison_fill(rlk_dtype_t dtype, uint32_t pattern, void* data, uint64_t element_count);

/* How many elements still hold their poison; `*out_first` is the index of the first, if any. */
uint64_t rlk_poison_count_left(rlk_dtype_t dtype, uint32_t pattern, const void* data, uint64_t element_count,
                               uint64_t* out_first);

#endif
