/* One element of two arrays: what distinguishes the one that was computed from the one that is due, and whether a gate
 * admits it. This is what a comparison means; the faster ways (settle.h) only spare asking here. */
#ifndef ROWLOCK_HARNESS_GATE_ELEMENT_H
#define ROWLOCK_HARNESS_GATE_ELEMENT_H

#include "harness/gate/gate.h"

/* RLK_DIFFERENCE(ID, name in JSON, in words), from none to the worst. All below ZERO_SIGN pass. */
#define RLK_DIFFERENCES(RLK_DIFFERENCE)                                           \
  RLK_DIFFERENCE(NONE, "none", "the same bits")                                   \
  RLK_DIFFERENCE(ADMITTED, "admitted", "admitted")                                \
  RLK_DIFFERENCE(ZERO_SIGN, "zero_sign", "zeros of different sign")               \
  RLK_DIFFERENCE(NAN_BITS, "nan_bits", "NaNs of different bits")                  \
  RLK_DIFFERENCE(VALUE, "value", "different values")                              \
  RLK_DIFFERENCE(INFINITY, "infinity", "an infinity that the other side has not") \
  RLK_DIFFERENCE(NAN, "nan", "a NaN on one side alone")

typedef enum rlk_difference_t {
#define RLK_DIFFERENCE(id, ...) RLK_DIFFERENCE_##id,
  RLK_DIFFERENCES(RLK_DIFFERENCE)
#undef RLK_DIFFERENCE
} rlk_difference_t;

const char* rlk_difference_name(rlk_difference_t difference);
const char* rlk_difference_phrase(rlk_difference_t difference);

/* An element is worse than another by its difference, then by how far apart the two values are. */
typedef struct rlk_verdict_t {
  rlk_difference_t difference;
  double share;   /* of a band that ADMITTED or VALUE uses: 1 is its edge, more lies outside */
  uint64_t steps; /* of VALUE where there is no band: see rlk_element_steps */
} rlk_verdict_t;

bool rlk_verdict_is_worse(const rlk_verdict_t* verdict, const rlk_verdict_t* than);

/* Elements are given by their bits, in the lowest bytes. */
rlk_verdict_t rlk_element_judge(const rlk_result_gate_t* gate, rlk_dtype_t dtype, uint64_t got, uint64_t want);

uint64_t rlk_element_load(rlk_dtype_t dtype, const void* at);

/* How many representable values it is from one to the other, through zero if the signs differ; both zeros are the same
 * value. RLK_STEPS_NONE if either is a NaN. For an infinity, it is one step from the largest number. */
#define RLK_STEPS_NONE UINT64_MAX
uint64_t rlk_element_steps(rlk_dtype_t dtype, uint64_t a, uint64_t b);

/* The number as float64: exact but for large int64. */
double rlk_element_value(rlk_dtype_t dtype, uint64_t bits);

/* |got - want|: exact between integers up to 2^53, else rounded once. NaN if either is. */
double rlk_element_error(rlk_dtype_t dtype, uint64_t got, uint64_t want);

/* The bits of a zero of the same sign if the number is denormal, else the same. */
uint64_t rlk_element_flush(rlk_dtype_t dtype, uint64_t bits);

#endif
