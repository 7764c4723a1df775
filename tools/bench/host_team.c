/* Throughput of the host team on a kernel that waits for memory, against a triad of the same bytes on as many threads
 * in the same run.
 *
 *   host_team KERNELS [THREADS]
 *
 * KERNELS is the folder of triad.so and triad.sidecar.json. Prints one JSON object: bytes per second of each, their
 * ratio and what is aimed at. */
#define _GNU_SOURCE /* clock_gettime, PATH_MAX */

#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "loader/rowlock.h"

/* 3 arrays of 128 MiB: far larger than any cache. */
enum { N = 16 * 1024 * 1024, ROUNDS = 15, TARGET_PERCENT = 90 };

typedef struct bench_t {
  rowlock_registry_t* registry;
  rowlock_error_t err;
  rowlock_run_options_t options;
  double *a, *b, *c;
} bench_t;

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void require(bench_t* bench, rowlock_code_t code) {
  if (code == ROWLOCK_OK) return;
  fprintf(stderr, "host_team: %s\n", bench->err.message);
  exit(rowlock_code_exit_status(code));
}

static void load(bench_t* bench, const char* folder) {
  char sidecar[PATH_MAX], object[PATH_MAX];
  snprintf(sidecar, sizeof sidecar, "%s/triad.sidecar.json", folder);
  snprintf(object, sizeof object, "%s/triad.so", folder);
  const rowlock_load_options_t options = {.object_path = object, .exec_access = "sample_local"};
  require(bench, rowlock_registry_create(&bench->registry, &bench->err));
  require(bench, rowlock_registry_add_plugin(bench->registry, "triad", sidecar, &options, NULL, &bench->err));
  require(bench, rowlock_registry_bind_handle(bench->registry, "a", bench->a, N, &bench->err));
  require(bench, rowlock_registry_bind_handle(bench->registry, "b", bench->b, N, &bench->err));
  require(bench, rowlock_registry_bind_handle(bench->registry, "c", bench->c, N, &bench->err));
  require(bench, rowlock_registry_bind_uniform(bench->registry, "scale", 3, &bench->err));
}

static double* new_array(void) {
  double* array = aligned_alloc(64, N * sizeof *array);
  if (array) return array;
  fprintf(stderr, "host_team: no memory for three arrays of %zu bytes\n", N * sizeof *array);
  exit(3);
}

/* As the threads will read it, so that memory is near them. */
static void fill(bench_t* bench) {
  double *a = bench->a, *b = bench->b, *c = bench->c;
#pragma omp parallel for schedule(static) num_threads(bench->options.thread_count)
  for (int64_t i = 0; i < N; ++i) {
    a[i] = 0;
    b[i] = (double)i;
    c[i] = 1;
  }
}

static double time_triad(bench_t* bench) {
  double* restrict a = bench->a;
  const double* restrict b = bench->b, * restrict c = bench->c;
  const double start = now_s();
#pragma omp parallel for simd schedule(static) num_threads(bench->options.thread_count)
  for (int64_t i = 0; i < N; ++i) a[i] = b[i] + 3 * c[i];
  return now_s() - start;
}

static double time_team(bench_t* bench) {
  const double start = now_s();
  require(bench, rowlock_registry_run(bench->registry, &bench->options, NULL, &bench->err));
  return now_s() - start;
}

static double least(double a, double b) { return a < b ? a : b; }

int main(int argc, char** argv) {
  bench_t bench = {.options = {.structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N}};
  const int threads = argc == 3 ? atoi(argv[2]) : omp_get_max_threads();
  if (argc < 2 || argc > 3 || threads < 1) {
    fprintf(stderr, "usage: host_team KERNELS [THREADS]\n");
    return 2;
  }
  bench.options.thread_count = (uint32_t)threads;
  bench.a = new_array();
  bench.b = new_array();
  bench.c = new_array();
  fill(&bench);
  load(&bench, argv[1]);
  double triad_s = time_triad(&bench), team_s = time_team(&bench); /* the best of each: what the machine can do */
  for (int i = 1; i < ROUNDS; ++i) {
    triad_s = least(triad_s, time_triad(&bench));
    team_s = least(team_s, time_team(&bench));
  }
  const double bytes = 3.0 * N * sizeof *bench.a;
  printf("{\"threads\": %d, \"triad_gb_per_s\": %.2f, \"team_gb_per_s\": %.2f, \"of_triad\": %.3f, \"target\": %.2f}\n",
         threads, bytes / triad_s / 1e9, bytes / team_s / 1e9, triad_s / team_s, TARGET_PERCENT / 100.0);
  rowlock_registry_destroy(bench.registry);
  free(bench.a);
  free(bench.b);
  free(bench.c);
  return 0;
}
