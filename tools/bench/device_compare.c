/* Whether a device's comparison answers as the host's, and how fast it is beside the device's own copy.
 *
 *   device_compare [MIB]
 *
 * MIB: of each of the two arrays, 4096 unless said. First pairs of every kind are compared on both sides, and all that
 * is told must be equal: exit status 1 otherwise. Then one JSON object is printed: bytes that a second moves, and how
 * much of a copy's that is. Needs a CUDA device. */
#define _GNU_SOURCE /* clock_gettime */
#include "harness/gate/device/device_compare.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/gate/mix.h"
#include "harness/gate/pairs.h"
#include "loader/device/device.h"

enum { ROUNDS = 15, SMALL_SEEDS = 6000, LARGE_SEEDS = 60, SMALL = 6000, LARGE = 3000000, CHUNK_BYTES = 64 << 20 };

typedef rlk_cu_result_t (*copy_t)(rlk_cu_address_t to, rlk_cu_address_t from, size_t bytes, rlk_cu_stream_t stream);

typedef struct bench_t {
  rowlock_error_t err;
  rowlock_device_t* device;
  rlk_device_gate_t* gate;
  copy_t copy;
  void *got, *want; /* on the device */
} bench_t;

static void require(bench_t* bench, rowlock_code_t code) {
  if (code == ROWLOCK_OK) return;
  fprintf(stderr, "device_compare: %s\n", bench->err.message);
  exit(rowlock_code_exit_status(code));
}

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int compare_doubles(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return left < right ? -1 : left > right;
}

static double median(double* values) {
  qsort(values, ROUNDS, sizeof *values, compare_doubles);
  return values[ROUNDS / 2];
}

/* --- Against the host --------------------------------------------------------------------------------------------- */

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static bool same(const rlk_comparison_t* a, const rlk_comparison_t* b) {
  return a->outcome == b->outcome && a->mismatch_count == b->mismatch_count &&
         a->worst.verdict.difference == b->worst.verdict.difference &&
         bits_of(a->worst.verdict.share) == bits_of(b->worst.verdict.share) &&
         a->worst.verdict.steps == b->worst.verdict.steps && a->worst.flat_index == b->worst.flat_index &&
         a->worst.got == b->worst.got && a->worst.want == b->worst.want;
}

/* One array in four begins an element later, where 16 bytes cannot be read at once. */
static bool check_pair(bench_t* bench, uint64_t seed, uint64_t most, unsigned char* got, unsigned char* want) {
  const uint64_t random = rlk_mix(seed), count = random % most;
  const rlk_dtype_t dtype = (rlk_dtype_t)(seed % RLK_DTYPE_COUNT);
  const size_t shift = random >> 40 & 3 ? 0 : rlk_dtype_size(dtype);
  const uint32_t kinds = random >> 8 & 1 ? RLK_PAIRS_NEAR : random >> 16 & RLK_PAIRS_ALL;
  const rlk_result_gate_t gate = rlk_pairs_gate(seed);
  rlk_pairs_fill(dtype, seed, kinds, 1 + (random >> 24) % 500, got, want, count);
  const rlk_array_t on_host = rlk_array_over(dtype, got, count), due = rlk_array_over(dtype, want, count);
  const rlk_array_t there = rlk_array_over(dtype, (unsigned char*)bench->got + shift, count);
  rlk_comparison_t of_host, of_device, again;
  require(bench, rowlock_device_upload(bench->device, there.data, got, rlk_array_size(&on_host), &bench->err));
  require(bench, rlk_compare(&on_host, &due, &gate, &of_host, &bench->err));
  require(bench, rlk_device_compare_with_host(bench->gate, &there, &due, &gate, &of_device, &bench->err));
  require(bench, rlk_device_compare_with_host(bench->gate, &there, &due, &gate, &again, &bench->err));
  if (same(&of_host, &of_device) && same(&of_device, &again)) return true;
  fprintf(stderr,
          "device_compare: seed %llu, %s, %llu elements: the device tells of %llu mismatches, the worst at %llu, "
          "the host of %llu, at %llu\n",
          (unsigned long long)seed, rlk_dtype_name(dtype), (unsigned long long)count,
          (unsigned long long)of_device.mismatch_count, (unsigned long long)of_device.worst.flat_index,
          (unsigned long long)of_host.mismatch_count, (unsigned long long)of_host.worst.flat_index);
  return false;
}

static bool check(bench_t* bench) {
  bool sound = true;
  void *got = malloc(LARGE * sizeof(double)), *want = malloc(LARGE * sizeof(double)); /* of any type */
  if (!got || !want) exit(3);
  for (uint64_t seed = 0; seed < SMALL_SEEDS; ++seed) sound &= check_pair(bench, seed, SMALL, got, want);
  for (uint64_t seed = 0; seed < LARGE_SEEDS; ++seed) sound &= check_pair(bench, SMALL_SEEDS + seed, LARGE, got, want);
  free(got);
  free(want);
  return sound;
}

/* --- Speed -------------------------------------------------------------------------------------------------------- */

/* Numbers from 1 to 2, over and over; `step` representable values higher. */
static void fill(bench_t* bench, void* array, uint64_t bytes, uint64_t step) {
  uint64_t* chunk = malloc(CHUNK_BYTES);
  if (!chunk) exit(3);
  for (uint64_t i = 0; i < CHUNK_BYTES / sizeof *chunk; ++i) {
    chunk[i] = (UINT64_C(0x3FF) << 52 | rlk_mix(i) >> 12 >> 1) + step;
  }
  for (uint64_t at = 0; at < bytes; at += CHUNK_BYTES) {
    const uint64_t rest = bytes - at, part = rest < CHUNK_BYTES ? rest : CHUNK_BYTES;
    require(bench, rowlock_device_upload(bench->device, (unsigned char*)array + at, chunk, part, &bench->err));
  }
  free(chunk);
}

static double time_copy(bench_t* bench, uint64_t bytes) {
  double seconds[ROUNDS];
  for (int i = -2; i < ROUNDS; ++i) {
    const double begin = now_s();
    require(bench, rlk_device_enter(bench->device, &bench->err));
    const rlk_cu_result_t result = bench->copy((uintptr_t)bench->got, (uintptr_t)bench->want, bytes, NULL);
    rlk_device_leave(bench->device);
    if (result) require(bench, rlk_driver_fail(bench->device->driver, "cuMemcpyDtoDAsync", result, &bench->err));
    require(bench, rowlock_device_synchronize(bench->device, &bench->err));
    if (i >= 0) seconds[i] = now_s() - begin;
  }
  return median(seconds);
}

static double time_compare(bench_t* bench, rlk_dtype_t dtype, uint64_t bytes, const rlk_result_gate_t* gate,
                           uint64_t mismatches) {
  double seconds[ROUNDS];
  const uint64_t count = bytes / rlk_dtype_size(dtype);
  const rlk_array_t got = rlk_array_over(dtype, bench->got, count), want = rlk_array_over(dtype, bench->want, count);
  for (int i = -2; i < ROUNDS; ++i) {
    rlk_comparison_t comparison;
    const double begin = now_s();
    require(bench, rlk_device_compare(bench->gate, &got, &want, gate, &comparison, &bench->err));
    if (i >= 0) seconds[i] = now_s() - begin;
    if (comparison.mismatch_count == mismatches) continue;
    fprintf(stderr, "device_compare: %llu mismatches in %llu elements of %s\n",
            (unsigned long long)comparison.mismatch_count, (unsigned long long)count, rlk_dtype_name(dtype));
    exit(1);
  }
  return median(seconds);
}

/* Both read or write each array once. */
static void put_speed(const char* name, double copy_s, double compare_s, uint64_t bytes) {
  printf(" \"%s\":{\"gb_per_s\":%.0f,\"of_copy\":%.4f,\"at_least\":0.85},\n", name, 2 * (double)bytes / compare_s / 1e9,
         copy_s / compare_s);
}

static void measure(bench_t* bench, uint64_t bytes) {
  const rlk_result_gate_t exact = {0}, band = {.mode = RLK_GATE_BAND, .bounds = RLK_BOUND_RTOL, .rtol = 1e-12},
                          steps = {.mode = RLK_GATE_BAND, .bounds = RLK_BOUND_ULP, .ulp = 4};
  const rowlock_device_info_t info = rowlock_device_info(bench->device);
  fill(bench, bench->want, bytes, 0);
  const double copy_s = time_copy(bench, bytes);
  printf("{\"device\":\"%s\",\"driver\":%u,\"mib\":%llu,\n", info.name, info.driver_version,
         (unsigned long long)(bytes >> 20));
  printf(" \"copy\":{\"gb_per_s\":%.0f},\n", 2 * (double)bytes / copy_s / 1e9);
  put_speed("bit_exact_float64", copy_s, time_compare(bench, RLK_DTYPE_FLOAT64, bytes, &exact, 0), bytes);
  put_speed("bit_exact_float32", copy_s, time_compare(bench, RLK_DTYPE_FLOAT32, bytes, &exact, 0), bytes);
  put_speed("band_float64", copy_s, time_compare(bench, RLK_DTYPE_FLOAT64, bytes, &band, 0), bytes);
  fill(bench, bench->got, bytes, 1);
  put_speed("rtol_every_element_off_by_a_step", copy_s, time_compare(bench, RLK_DTYPE_FLOAT64, bytes, &band, 0), bytes);
  put_speed("ulp_every_element_off_by_a_step", copy_s, time_compare(bench, RLK_DTYPE_FLOAT64, bytes, &steps, 0), bytes);
  const uint64_t count = bytes / sizeof(double);
  const double refused_s = time_compare(bench, RLK_DTYPE_FLOAT64, bytes, &exact, count);
  printf(" \"bit_exact_every_element_refused\":{\"gb_per_s\":%.0f,\"of_copy\":%.4f}}\n",
         2 * (double)bytes / refused_s / 1e9, copy_s / refused_s);
}

int main(int argc, char** argv) {
  static bench_t bench;
  const uint64_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 10) : 4096) << 20;
  if (bytes < (uint64_t)LARGE * sizeof(double) + sizeof(double) || argc > 2) {
    fprintf(stderr, "usage: device_compare [MIB], at least 32\n");
    return 2;
  }
  require(&bench, rowlock_device_open(0, &bench.device, &bench.err));
  void* library = dlopen(rowlock_device_info(bench.device).driver_path, RTLD_NOW);
  void* address = library ? dlsym(library, "cuMemcpyDtoDAsync_v2") : NULL;
  if (!address) return 3;
  memcpy(&bench.copy, &address, sizeof bench.copy);
  require(&bench, rlk_device_gate_create(bench.device, &bench.gate, &bench.err));
  require(&bench, rowlock_device_alloc(bench.device, bytes, &bench.got, &bench.err));
  require(&bench, rowlock_device_alloc(bench.device, bytes, &bench.want, &bench.err));
  const bool sound = check(&bench);
  if (sound) measure(&bench, bytes);
  rowlock_device_free(bench.device, bench.got);
  rowlock_device_free(bench.device, bench.want);
  rlk_device_gate_destroy(bench.gate);
  rowlock_device_close(bench.device);
  return sound ? 0 : 1;
}
