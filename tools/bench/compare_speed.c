/* Times comparisons of two large arrays against a plain read of both, which no comparison can beat.
 *
 *   compare_speed [MIB]
 *
 * MIB is the size of each array, 256 by default. Prints one JSON object a line: for each way the best of some rounds in
 * bytes of both arrays per second of processor time, and its ratio to the plain read, with which it takes turns, so
 * that a busy machine slows them alike. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/gate/compare.h"

enum { ROUNDS = 9, DEFAULT_MIB = 256, LARGEST_MIB = 4096, MIB = 1024 * 1024 };

typedef struct bench_t {
  void *got, *want;
  size_t size_bytes; /* of each */
} bench_t;

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* --- The plain read ----------------------------------------------------------------------------------------------- */

typedef uint64_t lanes_t __attribute__((vector_size(16)));
enum { UNROLLED = 8, SUMS = 2 * UNROLLED };

/* Sums both arrays side by side, as a comparison reads them, with independent sums so that memory is what it waits for.
 */
static uint64_t read_both(const bench_t* bench) {
  const unsigned char *a = bench->got, *b = bench->want;
  lanes_t sums[SUMS] = {{0}};
  for (size_t at = 0; at + UNROLLED * sizeof(lanes_t) <= bench->size_bytes; at += UNROLLED * sizeof(lanes_t)) {
    for (size_t i = 0; i < UNROLLED; ++i) {
      lanes_t from_a, from_b;
      memcpy(&from_a, a + at + i * sizeof from_a, sizeof from_a);
      memcpy(&from_b, b + at + i * sizeof from_b, sizeof from_b);
      sums[2 * i] += from_a;
      sums[2 * i + 1] += from_b;
    }
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < SUMS; ++i) sum += sums[i][0] + sums[i][1];
  return sum;
}

/* --- Comparisons -------------------------------------------------------------------------------------------------- */

typedef struct way_t {
  const char* name;
  rlk_dtype_t dtype;
  bool differs; /* the arrays are a few representable values apart everywhere */
  rlk_result_gate_t gate;
} way_t;

#define BAND(...) \
  { .mode = RLK_GATE_BAND, __VA_ARGS__ }

static const way_t ways[] = {
    {"bit_exact float64, equal", RLK_DTYPE_FLOAT64, false, {0}},
    {"band float64, equal", RLK_DTYPE_FLOAT64, false, BAND(.bounds = RLK_BOUND_ATOL, .atol = 1e-9)},
    {"band float64, atol rtol", RLK_DTYPE_FLOAT64, true, BAND(.bounds = 3, .atol = 1e-12, .rtol = 1e-12)},
    {"band float64, ulp", RLK_DTYPE_FLOAT64, true, BAND(.bounds = RLK_BOUND_ULP, .ulp = 16)},
    {"band float64, atol rtol ulp", RLK_DTYPE_FLOAT64, true,
     BAND(.bounds = 7, .atol = 1e-12, .rtol = 1e-12, .ulp = 16)},
    {"band float32, atol rtol", RLK_DTYPE_FLOAT32, true, BAND(.bounds = 3, .atol = 1e-5, .rtol = 1e-5)},
    {"band float32, ulp", RLK_DTYPE_FLOAT32, true, BAND(.bounds = RLK_BOUND_ULP, .ulp = 16)},
};
enum { WAY_COUNT = sizeof ways / sizeof *ways };

static uint64_t mix(uint64_t bits) {
  bits *= UINT64_C(0x9E3779B97F4A7C15);
  return bits ^ bits >> 29;
}

/* Numbers from 1 to 2 in `want`; in `got` the same, or up to 7 representable values away. */
static void fill(const bench_t* bench, rlk_dtype_t dtype, bool differs) {
  const size_t stride = rlk_dtype_size(dtype);
  for (size_t at = 0; at < bench->size_bytes; at += stride) {
    const uint64_t random = mix(at / stride);
    const uint64_t want = dtype == RLK_DTYPE_FLOAT64 ? UINT64_C(0x3FF) << 52 | random >> 12 : 0x3F800000 | random >> 41;
    const uint64_t got = want ^ (differs ? random & 7 : 0);
    memcpy((unsigned char*)bench->want + at, &want, stride);
    memcpy((unsigned char*)bench->got + at, &got, stride);
  }
}

static void compare(const bench_t* bench, const way_t* way) {
  const uint64_t count = bench->size_bytes / rlk_dtype_size(way->dtype);
  const rlk_array_t got = rlk_array_over(way->dtype, bench->got, count);
  const rlk_array_t want = rlk_array_over(way->dtype, bench->want, count);
  rlk_comparison_t comparison;
  const rowlock_code_t code = rlk_compare(&got, &want, &way->gate, &comparison, NULL);
  /* A comparison that ends early would be fast. */
  if (code || comparison.outcome != RLK_OUTCOME_EQUAL ||
      (comparison.worst.verdict.difference == RLK_DIFFERENCE_NONE) == way->differs) {
    abort();
  }
}

static void measure(const bench_t* bench, const way_t* way) {
  double read_s = 1e9, compare_s = 1e9;
  volatile uint64_t sum;
  fill(bench, way->dtype, way->differs);
  for (int round = 0; round < ROUNDS; ++round) {
    const double start = now_s();
    sum = read_both(bench);
    const double between = now_s();
    compare(bench, way);
    const double end = now_s();
    if (between - start < read_s) read_s = between - start;
    if (end - between < compare_s) compare_s = end - between;
  }
  (void)sum;
  const double bytes = 2 * (double)bench->size_bytes;
  printf("{\"way\": \"%s\", \"mib\": %zu, \"read_gb_s\": %.2f, \"compare_gb_s\": %.2f, \"ratio\": %.3f}\n", way->name,
         bench->size_bytes / MIB, bytes / read_s * 1e-9, bytes / compare_s * 1e-9, read_s / compare_s);
  fflush(stdout);
}

int main(int argc, char** argv) {
  char* end = NULL;
  const unsigned long mib = argc > 1 ? strtoul(argv[1], &end, 10) : DEFAULT_MIB;
  if (argc > 2 || (end && *end) || mib < 1 || mib > LARGEST_MIB) {
    fprintf(stderr, "usage: compare_speed [MIB]\n");
    return 2;
  }
  bench_t bench = {.size_bytes = (size_t)mib * MIB};
  bench.got = aligned_alloc(MIB, bench.size_bytes);
  bench.want = aligned_alloc(MIB, bench.size_bytes);
  if (bench.got && bench.want) {
    for (int way = 0; way < WAY_COUNT; ++way) measure(&bench, &ways[way]);
  } else {
    fprintf(stderr, "compare_speed: no memory for two arrays of %lu MiB\n", mib);
  }
  const bool measured = bench.got && bench.want;
  free(bench.got);
  free(bench.want);
  return measured ? 0 : 3;
}
