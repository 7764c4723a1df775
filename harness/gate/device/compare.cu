/* Compares two arrays on a device under a gate, as harness/gate/compare.c does on the host: what an element is worth is
 * judge.h's word. Of all elements the first of the worst is kept; that is one element, whatever the order in which
 * blocks come to it, so every run gives the same summary. Compiled to compare.ptx by tools/kernels/build_ptx.sh. */
#include "harness/gate/device/compare_request.h"
#include "harness/gate/judge.h"

namespace {

enum { IN_FLIGHT = 4 }; /* loads of 16 bytes from either array before the first is looked at */

__device__ void add(rlk_compare_summary_t* all, const rlk_compare_summary_t* some) {
  const uint64_t seen_count = all->seen_count + some->seen_count;
  const uint64_t mismatch_count = all->mismatch_count + some->mismatch_count;
  const bool worse = judge_is_worse(&some->verdict, &all->verdict);
  if (worse || (!judge_is_worse(&all->verdict, &some->verdict) && some->position < all->position)) *all = *some;
  all->seen_count = seen_count;
  all->mismatch_count = mismatch_count;
}

__device__ rlk_compare_summary_t nothing() {
  rlk_compare_summary_t summary;
  summary.seen_count = summary.mismatch_count = 0;
  summary.verdict = judge_verdict(RLK_DIFFERENCE_NONE, 0, 0);
  summary.position = UINT64_MAX;
  summary.got = summary.want = 0;
  return summary;
}

/* Adds up what the threads of a block know; the first thread returns it. */
__device__ rlk_compare_summary_t add_up(const rlk_compare_summary_t& mine) {
  __shared__ rlk_compare_summary_t of_thread[RLK_COMPARE_THREADS];
  of_thread[threadIdx.x] = mine;
  for (unsigned half = RLK_COMPARE_THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) add(&of_thread[threadIdx.x], &of_thread[threadIdx.x + half]);
  }
  return of_thread[threadIdx.x];
}

/* What an element of a band may be at most to be settled without a judgement: admitted, and no worse than what this
 * thread knows. */
struct limits_t {
  double share;   /* of the tolerance; a little less, so that no rounding of the product matters. Negative: none */
  uint64_t steps; /* 0: none, since other bits are a step away */
  bool zeros;     /* numbers that are equal, with other bits, are zeros: settled too */
};

__device__ limits_t no_limits() {
  limits_t limits;
  limits.share = -1;
  limits.steps = 0;
  limits.zeros = false;
  return limits;
}

__device__ limits_t limits_of(const rlk_result_gate_t& gate, const rlk_verdict_t& worst) {
  limits_t limits = no_limits();
  if (gate.mode != RLK_GATE_BAND || worst.difference == RLK_DIFFERENCE_NONE) return limits;
  if (judge_is_relaxed(&gate, RLK_POLICY_DENORMAL)) return limits;
  const double share = worst.difference == RLK_DIFFERENCE_ADMITTED ? worst.share : 1;
  limits.zeros = judge_is_relaxed(&gate, RLK_POLICY_ZERO);
  if (gate.bounds & (RLK_BOUND_ATOL | RLK_BOUND_RTOL)) limits.share = share * (1 - 0x1p-50);
  if (gate.bounds & RLK_BOUND_ULP) {
    limits.steps = (uint64_t)(share * (double)gate.ulp);
    /* As the judgement divides. */
    while (limits.steps > 0 && (double)limits.steps / (double)gate.ulp > share) --limits.steps;
    while (limits.steps < gate.ulp && (double)(limits.steps + 1) / (double)gate.ulp <= share) ++limits.steps;
  }
  return limits;
}

/* True is certain; false may only mean that the judgement must be asked. Floats alone. */
template <rlk_dtype_t DTYPE>
__device__ bool is_settled(const rlk_result_gate_t& gate, const limits_t& limits, uint64_t got, uint64_t want) {
  const double a = judge_value(DTYPE, got), b = judge_value(DTYPE, want), error = fabs(a - b);
  const double most = (judge_atol(&gate) + judge_rtol(&gate) * fabs(b)) * limits.share;
  const bool within = error <= most && most >= DBL_MIN; /* below, rounding is coarser than what was taken off */
  const bool near = ((got ^ want) & judge_sign(DTYPE)) == 0 && judge_distance(got, want) <= limits.steps;
  /* With a distance that is finite, both are. */
  return (within || near) && error <= DBL_MAX && (error > 0 || limits.zeros);
}

/* Elements come to one thread in ascending order: among equals, the first stays. True if this one is the worst now. */
template <rlk_dtype_t DTYPE, typename Bits>
__device__ bool judge(const rlk_compare_request_t& request, uint64_t position, rlk_compare_summary_t* summary) {
  const Bits got = reinterpret_cast<const Bits*>(request.got)[position];
  const Bits want = reinterpret_cast<const Bits*>(request.want)[position];
  const rlk_verdict_t verdict = judge_element(&request.gate, DTYPE, got, want);
  summary->mismatch_count += verdict.difference > RLK_DIFFERENCE_ADMITTED;
  if (!judge_is_worse(&verdict, &summary->verdict)) return false;
  summary->verdict = verdict;
  summary->position = position;
  summary->got = got;
  summary->want = want;
  return true;
}

template <typename Bits>
union pack_t {
  uint4 words;
  Bits elements[sizeof(uint4) / sizeof(Bits)];
};

/* Whether a pack of 16 bytes holds an element that must be judged. */
template <rlk_dtype_t DTYPE, typename Bits>
__device__ bool is_open(const rlk_result_gate_t& gate, const limits_t& limits, uint4 got, uint4 want) {
  if (((got.x ^ want.x) | (got.y ^ want.y) | (got.z ^ want.z) | (got.w ^ want.w)) == 0) return false;
  if (DTYPE != RLK_DTYPE_FLOAT64 && DTYPE != RLK_DTYPE_FLOAT32) return true;
  pack_t<Bits> a, b;
  a.words = got;
  b.words = want;
  bool open = false;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(uint4) / sizeof(Bits)); ++i) {
    open |= a.elements[i] != b.elements[i] && !is_settled<DTYPE>(gate, limits, a.elements[i], b.elements[i]);
  }
  return open;
}

/* The elements of a pack that is open are read again, which finds them in the cache, and judged in a loop that is not
 * unrolled: the judgement is long. */
template <rlk_dtype_t DTYPE, typename Bits>
__device__ void compare(const rlk_compare_request_t& request, rlk_compare_summary_t* of_block) {
  enum { LANES = sizeof(uint4) / sizeof(Bits) };
  const uint4* got = reinterpret_cast<const uint4*>(request.got);
  const uint4* want = reinterpret_cast<const uint4*>(request.want);
  const uint64_t first = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, step = (uint64_t)gridDim.x * blockDim.x;
  const bool aligned = (request.got | request.want) % sizeof(uint4) == 0;
  const uint64_t packs = aligned ? request.element_count / LANES : 0;
  const uint64_t whole = packs / (IN_FLIGHT * step) * (IN_FLIGHT * step); /* the same for every thread */
  rlk_compare_summary_t summary = nothing();
  limits_t limits = no_limits();
  for (uint64_t pack = first; pack < whole; pack += IN_FLIGHT * step) {
    uint4 a[IN_FLIGHT], b[IN_FLIGHT];
    unsigned open = 0;
#pragma unroll
    for (int i = 0; i < IN_FLIGHT; ++i) {
      a[i] = got[pack + i * step];
      b[i] = want[pack + i * step];
    }
#pragma unroll
    for (int i = 0; i < IN_FLIGHT; ++i) {
      open |= (unsigned)is_open<DTYPE, Bits>(request.gate, limits, a[i], b[i]) << i;
    }
    summary.seen_count += IN_FLIGHT * LANES;
    for (; open; open &= open - 1) {
      const uint64_t at = (pack + (__ffs(open) - 1) * step) * LANES;
      bool worse = false;
#pragma unroll 1
      for (int i = 0; i < LANES; ++i) worse |= judge<DTYPE, Bits>(request, at + i, &summary);
      if (worse) limits = limits_of(request.gate, summary.verdict);
    }
  }
#pragma unroll 1
  for (uint64_t i = whole * LANES + first; i < request.element_count; i += step) {
    judge<DTYPE, Bits>(request, i, &summary);
    ++summary.seen_count;
  }
  summary = add_up(summary);
  if (threadIdx.x == 0) of_block[blockIdx.x] = summary;
}

}  // namespace

#define DEFINE_COMPARE(name, dtype, bits)                                                            \
  extern "C" __global__ void __launch_bounds__(RLK_COMPARE_THREADS)                                  \
      name(const __grid_constant__ rlk_compare_request_t request, rlk_compare_summary_t* of_block) { \
    compare<dtype, bits>(request, of_block);                                                         \
  }

DEFINE_COMPARE(rowlock_compare_float64, RLK_DTYPE_FLOAT64, uint64_t)
DEFINE_COMPARE(rowlock_compare_float32, RLK_DTYPE_FLOAT32, uint32_t)
DEFINE_COMPARE(rowlock_compare_int64, RLK_DTYPE_INT64, uint64_t)
DEFINE_COMPARE(rowlock_compare_bool, RLK_DTYPE_BOOL, uint8_t)

/* One block: what the blocks found, put together. */
extern "C" __global__ void __launch_bounds__(RLK_COMPARE_THREADS)
    rowlock_compare_end(const rlk_compare_summary_t* of_block, uint32_t count, rlk_compare_summary_t* out) {
  rlk_compare_summary_t summary = nothing();
  for (uint32_t i = threadIdx.x; i < count; i += RLK_COMPARE_THREADS) add(&summary, &of_block[i]);
  summary = add_up(summary);
  if (threadIdx.x == 0) *out = summary;
}
