/* Compares two arrays under a gate: every element, no allocation, and at the speed of memory where they agree. */
#ifndef ROWLOCK_HARNESS_GATE_COMPARE_H
#define ROWLOCK_HARNESS_GATE_COMPARE_H

#include "harness/gate/element.h"

typedef enum rlk_comparison_outcome_t {
  RLK_OUTCOME_EQUAL,     /* under the gate */
  RLK_OUTCOME_DIFFERENT, /* some element is not admitted */
  RLK_OUTCOME_DTYPE,     /* nothing was compared: the dtypes differ */
  RLK_OUTCOME_SHAPE,     /* nothing was compared: the shapes differ */
} rlk_comparison_outcome_t;

typedef struct rlk_worst_t {
  rlk_verdict_t verdict; /* NONE: every element has the same bits, and the rest says nothing */
  uint64_t got, want;    /* bits, in the lowest bytes */
  uint64_t index[RLK_RANK_MAX];
  uint64_t flat_index;
} rlk_worst_t;

typedef struct rlk_comparison_t {
  rlk_comparison_outcome_t outcome;
  rlk_result_gate_t gate;
  rlk_array_t got, want; /* borrowed data */
  uint64_t mismatch_count;
  rlk_worst_t worst; /* the first of the worst, as they lie in `want`; one that was admitted if all were */
} rlk_comparison_t;

/* `got` was computed, `want` is due. The memory orders need not agree: elements are matched by their indices. Needs no
 * particular alignment, and is not swayed by rounding modes or flushing of denormals that a kernel left behind.
 * ROWLOCK_UNUSABLE if the gate is malformed (rlk_gate_check). */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_compare(const rlk_array_t* got, const rlk_array_t* want,
                                              const rlk_result_gate_t* gate, rlk_comparison_t* out_comparison,
                                              rowlock_error_t* err);

/* What every way of comparing begins and ends with. After the beginning the outcome is EQUAL as long as there is
 * something to compare; the end is told what came of that. `position` is the worst element's, as they lie in `want`. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_comparison_begin(const rlk_array_t* got, const rlk_array_t* want,
                                                       const rlk_result_gate_t* gate, rlk_comparison_t* out_comparison,
                                                       rowlock_error_t* err);
void rlk_comparison_end(rlk_comparison_t* comparison, uint64_t mismatch_count, const rlk_worst_t* worst,
                        uint64_t position);

/* How far apart the worst element's values are, after flushing where the gate flushes. */
typedef struct rlk_distance_t {
  uint64_t steps;  /* ULP distance, see rlk_element_steps */
  double absolute; /* not finite if a value is not, or if the distance overflows */
  double relative; /* absolute / |want|: infinite from zero */
} rlk_distance_t;
rlk_distance_t rlk_comparison_worst_distance(const rlk_comparison_t* comparison);

/* Whether the band was far too wide for what was seen: all elements passed, and none used more than 1/RLK_BAND_FLOOR of
 * it. A band of zero width is never loose, and bools have none. */
enum { RLK_BAND_FLOOR = 1000 };
bool rlk_comparison_is_loose(const rlk_comparison_t* comparison);

#endif
