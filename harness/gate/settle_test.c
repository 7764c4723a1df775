/* The fast way through a band says yes only where every element passes, and does say it where it may. */
#include "harness/gate/settle.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

#include "harness/gate/element.h"
#include "harness/gate/fence.h"
#include "harness/gate/pairs.h"

typedef struct run_t {
  rlk_fence_t got, want;
} run_t;

static run_t create_run(rlk_dtype_t dtype, uint64_t seed, uint32_t kinds, uint64_t sparsity) {
  const size_t size = RLK_SETTLE_RUN * rlk_dtype_size(dtype);
  const run_t run = {rlk_fence_create(size), rlk_fence_create(size)};
  rlk_pairs_fill(dtype, seed, kinds, sparsity, run.got.bytes, run.want.bytes, RLK_SETTLE_RUN);
  return run;
}

static void destroy_run(run_t* run) {
  rlk_fence_destroy(&run->got);
  rlk_fence_destroy(&run->want);
}

/* The largest share of the band that an element uses; above 1 if one does not pass. */
static double largest_share(const rlk_result_gate_t* gate, rlk_dtype_t dtype, const run_t* run) {
  const size_t size = rlk_dtype_size(dtype);
  double share = 0;
  for (size_t i = 0; i < RLK_SETTLE_RUN; ++i) {
    const rlk_verdict_t verdict = rlk_element_judge(gate, dtype, rlk_element_load(dtype, run->got.bytes + i * size),
                                                    rlk_element_load(dtype, run->want.bytes + i * size));
    if (verdict.difference > RLK_DIFFERENCE_ADMITTED) return 2;
    if (verdict.share > share) share = verdict.share;
  }
  return share;
}

static rlk_result_gate_t band(uint64_t seed) {
  rlk_result_gate_t gate = rlk_pairs_gate(seed);
  while (gate.mode != RLK_GATE_BAND) gate = rlk_pairs_gate(seed += 1000003);
  return gate;
}

static const double limits[] = {0, 0.125, 0.25, 0.5, 0.875, 1};
enum { LIMIT_COUNT = sizeof limits / sizeof *limits };

Test(settle, never_says_yes_wrongly) {
  size_t yes = 0, no = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    const rlk_dtype_t dtype = seed & 1 ? RLK_DTYPE_FLOAT32 : RLK_DTYPE_FLOAT64;
    run_t run = create_run(dtype, seed, (uint32_t)(seed >> 1) & RLK_PAIRS_ALL, 1 + seed % 400);
    const rlk_result_gate_t gate = band(seed);
    const double share = largest_share(&gate, dtype, &run);
    for (int i = 0; i < LIMIT_COUNT; ++i) {
      const bool settled = rlk_settle(&gate, dtype, run.got.bytes, run.want.bytes, limits[i]);
      cr_assert(share <= limits[i] || !settled, "seed %d: share %a, limit %a", (int)seed, share, limits[i]);
      ++*(settled ? &yes : &no);
    }
    destroy_run(&run);
  }
  cr_expect(gt(sz, yes, 1000));
  cr_expect(gt(sz, no, 1000));
}

/* Of ordinary numbers the answer is exact. */
Test(settle, says_yes_to_near_numbers_exactly_up_to_the_limit) {
  size_t yes = 0, no = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    const rlk_dtype_t dtype = seed & 1 ? RLK_DTYPE_FLOAT32 : RLK_DTYPE_FLOAT64;
    run_t run = create_run(dtype, seed, RLK_PAIRS_NEAR, 1 + seed % 100);
    const rlk_result_gate_t gate = band(seed);
    const double share = largest_share(&gate, dtype, &run);
    for (int i = 0; i < LIMIT_COUNT; ++i) {
      const bool settled = rlk_settle(&gate, dtype, run.got.bytes, run.want.bytes, limits[i]);
      cr_assert(eq(int, settled, share <= limits[i]), "seed %d: share %a, limit %a", (int)seed, share, limits[i]);
      ++*(settled ? &yes : &no);
    }
    if (share > 0 && share <= 1) {
      cr_assert(rlk_settle(&gate, dtype, run.got.bytes, run.want.bytes, share), "at the edge itself");
      cr_assert(not(rlk_settle(&gate, dtype, run.got.bytes, run.want.bytes, nextafter(share, 0))), "right below it");
    }
    destroy_run(&run);
  }
  cr_expect(gt(sz, yes, 1000));
  cr_expect(gt(sz, no, 1000));
}

Test(settle, says_yes_to_the_same_bits_whatever_they_are) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const rlk_dtype_t dtype = seed & 1 ? RLK_DTYPE_FLOAT32 : RLK_DTYPE_FLOAT64;
    const uint32_t kinds = RLK_PAIRS_ALL & ~RLK_PAIRS_DENORMALS; /* flushed, they are looked at one by one */
    run_t run = create_run(dtype, seed, kinds, 1 + seed % 7);
    const rlk_result_gate_t gate = band(seed);
    const bool flush = rlk_gate_is_relaxed(&gate, RLK_POLICY_DENORMAL);
    cr_assert(flush || rlk_settle(&gate, dtype, run.want.bytes, run.want.bytes, 0), "seed %d", (int)seed);
    destroy_run(&run);
  }
}

/* Every lane of every turn: one element that does not pass is never overlooked. */
Test(settle, looks_at_each_element) {
  const rlk_result_gate_t gates[] = {
      {.mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ATOL, .atol = 0x1p-20},
      {.mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ULP, .ulp = 8},
      {.mode = RLK_GATE_BAND, .bounds = RLK_BOUND_RTOL | RLK_BOUND_ULP, .rtol = 0x1p-20, .ulp = 8}};
  for (int dtype = RLK_DTYPE_FLOAT64; dtype <= RLK_DTYPE_FLOAT32; ++dtype) {
    const size_t size = rlk_dtype_size((rlk_dtype_t)dtype);
    run_t run = create_run((rlk_dtype_t)dtype, 7, RLK_PAIRS_NEAR, 2);
    for (size_t at = 0; at < RLK_SETTLE_RUN * size; at += size) {
      unsigned char* const topmost = run.got.bytes + at + size - 1;
      for (size_t g = 0; g < sizeof gates / sizeof *gates; ++g) {
        cr_assert(rlk_settle(&gates[g], (rlk_dtype_t)dtype, run.got.bytes, run.want.bytes, 1));
        *topmost ^= 0x80; /* the sign */
        cr_assert(not(rlk_settle(&gates[g], (rlk_dtype_t)dtype, run.got.bytes, run.want.bytes, 1)), "byte %zu", at);
        *topmost ^= 0x80;
      }
    }
    destroy_run(&run);
  }
}
