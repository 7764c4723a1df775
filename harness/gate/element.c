#include "harness/gate/element.h"

#include "harness/gate/judge.h"

static const char* const names[][2] = {
#define RLK_DIFFERENCE(id, name, phrase) {name, phrase},
    RLK_DIFFERENCES(RLK_DIFFERENCE)
#undef RLK_DIFFERENCE
};

const char* rlk_difference_name(rlk_difference_t difference) { return names[difference][0]; }
const char* rlk_difference_phrase(rlk_difference_t difference) { return names[difference][1]; }

bool rlk_verdict_is_worse(const rlk_verdict_t* verdict, const rlk_verdict_t* than) {
  return judge_is_worse(verdict, than);
}

uint64_t rlk_element_load(rlk_dtype_t dtype, const void* at) {
  uint64_t bits = 0;
  memcpy(&bits, at, rlk_dtype_size(dtype));
  return bits;
}

uint64_t rlk_element_steps(rlk_dtype_t dtype, uint64_t a, uint64_t b) { return judge_steps(dtype, a, b); }
double rlk_element_value(rlk_dtype_t dtype, uint64_t bits) { return judge_value(dtype, bits); }
uint64_t rlk_element_flush(rlk_dtype_t dtype, uint64_t bits) { return judge_flush(dtype, bits); }

double rlk_element_error(rlk_dtype_t dtype, uint64_t got, uint64_t want) {
  if (!judge_is_float(dtype)) return (double)judge_steps(dtype, got, want);
  return fabs(judge_value(dtype, got) - judge_value(dtype, want));
}

rlk_verdict_t rlk_element_judge(const rlk_result_gate_t* gate, rlk_dtype_t dtype, uint64_t got, uint64_t want) {
  return judge_element(gate, dtype, got, want);
}
