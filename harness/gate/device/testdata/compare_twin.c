/* For tests: what the kernels of compare.cu do, on the host, for the double of a driver. */
#include "harness/gate/device/compare_request.h"
#include "harness/gate/judge.h"

#define EXPORTED __attribute__((visibility("default")))

static void add(rlk_compare_summary_t* all, const rlk_compare_summary_t* some) {
  const uint64_t seen_count = all->seen_count + some->seen_count;
  const uint64_t mismatch_count = all->mismatch_count + some->mismatch_count;
  if (judge_is_worse(&some->verdict, &all->verdict)) *all = *some;
  all->seen_count = seen_count;
  all->mismatch_count = mismatch_count;
}

/* Block b has its share of the elements, in order: the first of the worst is then the first block's. */
static void compare(rlk_dtype_t dtype, void** parameters, unsigned blocks) {
  const rlk_compare_request_t* request = parameters[0];
  rlk_compare_summary_t* of_blocks = *(rlk_compare_summary_t**)parameters[1];
  const size_t size = dtype == RLK_DTYPE_BOOL ? 1 : dtype == RLK_DTYPE_FLOAT32 ? 4 : 8;
  for (unsigned block = 0; block < blocks; ++block) {
    rlk_compare_summary_t summary = {0};
    const uint64_t end = request->element_count * (block + UINT64_C(1)) / blocks;
    for (uint64_t i = request->element_count * block / blocks; i < end; ++i) {
      rlk_compare_summary_t one = {.seen_count = 1, .position = i};
      memcpy(&one.got, (const char*)(uintptr_t)request->got + i * size, size);
      memcpy(&one.want, (const char*)(uintptr_t)request->want + i * size, size);
      one.verdict = judge_element(&request->gate, dtype, one.got, one.want);
      one.mismatch_count = one.verdict.difference > RLK_DIFFERENCE_ADMITTED;
      add(&summary, &one);
    }
    of_blocks[block] = summary;
  }
}

#define DEFINE_TWIN(name, dtype) \
  EXPORTED void name(void** parameters, unsigned blocks) { compare(dtype, parameters, blocks); }

DEFINE_TWIN(rowlock_compare_float64_twin, RLK_DTYPE_FLOAT64)
DEFINE_TWIN(rowlock_compare_float32_twin, RLK_DTYPE_FLOAT32)
DEFINE_TWIN(rowlock_compare_int64_twin, RLK_DTYPE_INT64)
DEFINE_TWIN(rowlock_compare_bool_twin, RLK_DTYPE_BOOL)

EXPORTED void rowlock_compare_end_twin(void** parameters, unsigned blocks) {
  const rlk_compare_summary_t* of_blocks = *(rlk_compare_summary_t**)parameters[0];
  const uint32_t count = *(const uint32_t*)parameters[1];
  rlk_compare_summary_t summary = {0};
  (void)blocks;
  for (uint32_t i = 0; i < count; ++i) add(&summary, &of_blocks[i]);
  **(rlk_compare_summary_t**)parameters[2] = summary;
}
