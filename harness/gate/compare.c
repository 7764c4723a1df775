#include "harness/gate/compare.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#include "harness/gate/settle.h"

enum { BLOCK_BYTES = 16 * 1024 }; /* two of them and some stay in the first cache */

typedef struct comparing_t {
  const rlk_result_gate_t* gate;
  rlk_dtype_t dtype;
  size_t stride;
  uint64_t mismatch_count, worst_position;
  rlk_worst_t worst;
} comparing_t;

static void judge_each(comparing_t* comparing, uint64_t position, const unsigned char* got, const unsigned char* want,
                       size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const uint64_t got_bits = rlk_element_load(comparing->dtype, got + i * comparing->stride);
    const uint64_t want_bits = rlk_element_load(comparing->dtype, want + i * comparing->stride);
    const rlk_verdict_t verdict = rlk_element_judge(comparing->gate, comparing->dtype, got_bits, want_bits);
    comparing->mismatch_count += verdict.difference > RLK_DIFFERENCE_ADMITTED;
    if (!rlk_verdict_is_worse(&verdict, &comparing->worst.verdict)) continue;
    comparing->worst.verdict = verdict;
    comparing->worst.got = got_bits;
    comparing->worst.want = want_bits;
    comparing->worst_position = position + i;
  }
}

/* Whether a run holds no mismatch and nothing worse than what is known. */
static bool is_settled(const comparing_t* comparing, const unsigned char* got, const unsigned char* want) {
  const rlk_verdict_t* worst = &comparing->worst.verdict;
  if (comparing->gate->mode != RLK_GATE_BAND || !rlk_dtype_is_float(comparing->dtype)) return false;
  if (worst->difference == RLK_DIFFERENCE_NONE) return false;
  const double limit = worst->difference == RLK_DIFFERENCE_ADMITTED ? worst->share : 1;
  return rlk_settle(comparing->gate, comparing->dtype, got, want, limit);
}

static void compare_block(comparing_t* comparing, uint64_t position, const unsigned char* got,
                          const unsigned char* want, size_t count) {
  if (memcmp(got, want, count * comparing->stride) == 0) return;
  const size_t run_bytes = RLK_SETTLE_RUN * comparing->stride;
  for (; count >= RLK_SETTLE_RUN; count -= RLK_SETTLE_RUN) {
    if (!is_settled(comparing, got, want)) judge_each(comparing, position, got, want, RLK_SETTLE_RUN);
    position += RLK_SETTLE_RUN;
    got += run_bytes;
    want += run_bytes;
  }
  judge_each(comparing, position, got, want, count);
}

/* Copies `count` elements of `from` in the order in which they lie in `as`, from that position on. */
static void gather(const rlk_array_t* from, const rlk_array_t* as, uint64_t position, size_t count,
                   unsigned char* out) {
  const size_t stride = rlk_dtype_size(from->dtype);
  uint64_t index[RLK_RANK_MAX];
  rlk_array_index_at(as, position, index);
  for (size_t i = 0; i < count; ++i) {
    memcpy(out + i * stride, (const unsigned char*)from->data + rlk_array_position(from, index) * stride, stride);
    for (uint32_t step = 0; step < as->rank; ++step) {
      const uint32_t axis = as->fortran ? step : as->rank - 1 - step;
      if (++index[axis] < as->shape[axis]) break;
      index[axis] = 0;
    }
  }
}

/* Not inlined: arithmetic must not be moved to before the environment is set. */
static __attribute__((noinline)) void compare_all(comparing_t* comparing, const rlk_array_t* got,
                                                  const rlk_array_t* want) {
  const bool in_step = got->fortran == want->fortran || rlk_array_is_order_free(want);
  const size_t block = BLOCK_BYTES / comparing->stride;
  unsigned char gathered[BLOCK_BYTES];
  for (uint64_t position = 0; position < want->element_count; position += block) {
    const uint64_t rest = want->element_count - position;
    const size_t count = rest < block ? (size_t)rest : block;
    const size_t offset = (size_t)position * comparing->stride;
    if (!in_step) gather(got, want, position, count, gathered);
    compare_block(comparing, position, in_step ? (const unsigned char*)got->data + offset : gathered,
                  (const unsigned char*)want->data + offset, count);
  }
}

static rlk_array_t borrow(const rlk_array_t* array) {
  rlk_array_t view = *array;
  view.block = NULL;
  return view;
}

rowlock_code_t rlk_comparison_begin(const rlk_array_t* got, const rlk_array_t* want, const rlk_result_gate_t* gate,
                                    rlk_comparison_t* out_comparison, rowlock_error_t* err) {
  *out_comparison = (rlk_comparison_t){.gate = *gate, .got = borrow(got), .want = borrow(want)};
  const rowlock_code_t code = rlk_gate_check(gate, err);
  if (code) return code;
  if (got->dtype != want->dtype) {
    out_comparison->outcome = RLK_OUTCOME_DTYPE;
  } else if (!rlk_array_same_shape(got, want)) {
    out_comparison->outcome = RLK_OUTCOME_SHAPE;
  }
  return ROWLOCK_OK;
}

void rlk_comparison_end(rlk_comparison_t* comparison, uint64_t mismatch_count, const rlk_worst_t* worst,
                        uint64_t position) {
  const rlk_array_t* want = &comparison->want;
  comparison->outcome = mismatch_count > 0 ? RLK_OUTCOME_DIFFERENT : RLK_OUTCOME_EQUAL;
  comparison->mismatch_count = mismatch_count;
  comparison->worst = *worst;
  if (worst->verdict.difference == RLK_DIFFERENCE_NONE) return;
  rlk_array_index_at(want, position, comparison->worst.index);
  comparison->worst.flat_index = rlk_array_flat_index(want, comparison->worst.index);
}

rowlock_code_t rlk_compare(const rlk_array_t* got, const rlk_array_t* want, const rlk_result_gate_t* gate,
                           rlk_comparison_t* out_comparison, rowlock_error_t* err) {
  const rowlock_code_t code = rlk_comparison_begin(got, want, gate, out_comparison, err);
  if (code || out_comparison->outcome != RLK_OUTCOME_EQUAL) return code;
  comparing_t comparing = {.gate = gate, .dtype = want->dtype, .stride = rlk_dtype_size(want->dtype)};
  fenv_t environment;
  fegetenv(&environment);
  fesetenv(FE_DFL_ENV);
  compare_all(&comparing, got, want);
  fesetenv(&environment);
  rlk_comparison_end(out_comparison, comparing.mismatch_count, &comparing.worst, comparing.worst_position);
  return ROWLOCK_OK;
}

rlk_distance_t rlk_comparison_worst_distance(const rlk_comparison_t* comparison) {
  const rlk_dtype_t dtype = comparison->want.dtype;
  uint64_t got = comparison->worst.got, want = comparison->worst.want;
  if (rlk_gate_is_relaxed(&comparison->gate, RLK_POLICY_DENORMAL)) {
    got = rlk_element_flush(dtype, got);
    want = rlk_element_flush(dtype, want);
  }
  const double absolute = rlk_element_error(dtype, got, want);
  return (rlk_distance_t){.steps = rlk_element_steps(dtype, got, want),
                          .absolute = absolute,
                          .relative = absolute / fabs(rlk_element_value(dtype, want))};
}

bool rlk_comparison_is_loose(const rlk_comparison_t* comparison) {
  const rlk_result_gate_t* gate = &comparison->gate;
  const bool has_width = (gate->bounds & RLK_BOUND_ATOL && gate->atol > 0) ||
                         (gate->bounds & RLK_BOUND_RTOL && gate->rtol > 0) ||
                         (gate->bounds & RLK_BOUND_ULP && gate->ulp > 0);
  return gate->mode == RLK_GATE_BAND && has_width && comparison->outcome == RLK_OUTCOME_EQUAL &&
         comparison->want.element_count > 0 && comparison->want.dtype != RLK_DTYPE_BOOL &&
         comparison->worst.verdict.share * RLK_BAND_FLOOR < 1;
}
