/* What a warm run of a plugin with twelve arguments costs over the bare call of its entry.
 *
 *   call_overhead KERNELS
 *
 * KERNELS is the folder of twelve.so and twelve.sidecar.json. Prints one JSON object: the medians in nanoseconds, and
 * what is aimed at. */
#define _GNU_SOURCE /* clock_gettime, realpath, PATH_MAX */

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loader/rowlock.h"

enum { ROUNDS = 51, CALLS = 20000, TARGET_NS = 200, N = 1 };

typedef struct bench_t {
  rowlock_registry_t* registry;
  rowlock_error_t err;
  rowlock_host_entry_v2_t entry;
  rowlock_run_options_t options;
  double buffers[16], sum[N], uniforms[3];
  bool done[N];
} bench_t;

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void require(bench_t* bench, rowlock_code_t code) {
  if (code == ROWLOCK_OK) return;
  fprintf(stderr, "call_overhead: %s\n", bench->err.message);
  exit(rowlock_code_exit_status(code));
}

static void load(bench_t* bench, const char* folder) {
  char sidecar[PATH_MAX], object[PATH_MAX], real[PATH_MAX];
  snprintf(sidecar, sizeof sidecar, "%s/twelve.sidecar.json", folder);
  snprintf(object, sizeof object, "%s/twelve.so", folder);
  const rowlock_load_options_t options = {.object_path = object, .exec_access = "sample_local"};
  require(bench, rowlock_registry_create(&bench->registry, &bench->err));
  require(bench, rowlock_registry_add_plugin(bench->registry, "twelve", sidecar, &options, NULL, &bench->err));
  /* The same object again: the dynamic loader maps it once. */
  void* library = realpath(object, real) ? dlopen(real, RTLD_NOW | RTLD_LOCAL) : NULL;
  void* address = library ? dlsym(library, "raptor_kernel_host") : NULL;
  if (!address) {
    fprintf(stderr, "call_overhead: cannot find the entry of '%s'\n", object);
    exit(2);
  }
  memcpy(&bench->entry, &address, sizeof address);
}

static void bind_all(bench_t* bench) {
  rowlock_registry_t* registry = bench->registry;
  double* data = bench->buffers;
  static const char* const vectors[] = {"position", "velocity", "force"};
  static const char* const uniforms[] = {"mu", "rate", "time"};
  for (size_t i = 0; i < 3; ++i) {
    require(bench, rowlock_registry_bind_vector(registry, vectors[i], data, N, 3, &bench->err));
    require(bench, rowlock_registry_bind_uniform(registry, uniforms[i], bench->uniforms[i], &bench->err));
  }
  require(bench, rowlock_registry_bind_matrix(registry, "rotation", data, N, (rowlock_shape_t){3, 3}, &bench->err));
  require(bench, rowlock_registry_bind_handle(registry, "mass", data, N, &bench->err));
  require(bench, rowlock_registry_bind_handle(registry, "charge", data, N, &bench->err));
  require(bench, rowlock_registry_consolidate(registry, "profile", data, 4, &bench->err));
  require(bench, rowlock_registry_bind_mask(registry, "done", bench->done, N, &bench->err));
  require(bench, rowlock_registry_bind_handle(registry, "sum", bench->sum, N, &bench->err));
}

/* Nanoseconds of one call, packed by hand and made through the pointer. */
static double time_bare(bench_t* bench) {
  rowlock_gref_t view = {bench->buffers, N, N, 1, ROWLOCK_DEVICE_CPU, 0};
  rowlock_handle_t handle = {bench->buffers, N, 1, ROWLOCK_DEVICE_CPU, 0};
  rowlock_handle_t table = {bench->buffers, 4, 1, ROWLOCK_DEVICE_CPU, 0};
  rowlock_handle_t mask = {bench->done, N, 1, ROWLOCK_DEVICE_CPU, 0};
  rowlock_handle_t sum = {bench->sum, N, 1, ROWLOCK_DEVICE_CPU, 0};
  void* const params[] = {&view,
                          &view,
                          &view,
                          &view,
                          &handle,
                          &handle,
                          &table,
                          &mask,
                          &bench->uniforms[0],
                          &bench->uniforms[1],
                          &bench->uniforms[2],
                          &sum};
  const double start = now_ns();
  for (int i = 0; i < CALLS; ++i) bench->entry(params, 0, N, N);
  return (now_ns() - start) / CALLS;
}

static double time_warm(bench_t* bench) {
  const double start = now_ns();
  for (int i = 0; i < CALLS; ++i) {
    require(bench, rowlock_registry_run(bench->registry, &bench->options, NULL, &bench->err));
  }
  return (now_ns() - start) / CALLS;
}

/* With a uniform that changes before each call, so that the block is packed anew. */
static double time_rebound(bench_t* bench) {
  const double start = now_ns();
  for (int i = 0; i < CALLS; ++i) {
    require(bench, rowlock_registry_bind_uniform(bench->registry, "time", i, &bench->err));
    require(bench, rowlock_registry_run(bench->registry, &bench->options, NULL, &bench->err));
  }
  return (now_ns() - start) / CALLS;
}

static int compare_times(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return a < b ? -1 : a > b;
}

static double median(double* values) {
  qsort(values, ROUNDS, sizeof *values, compare_times);
  return values[ROUNDS / 2];
}

int main(int argc, char** argv) {
  bench_t bench = {.options = {.sample_count = N}, .uniforms = {1, 2, 3}};
  if (argc != 2) {
    fprintf(stderr, "usage: call_overhead KERNELS\n");
    return 2;
  }
  load(&bench, argv[1]);
  bind_all(&bench);
  double bare[ROUNDS], warm[ROUNDS], rebound[ROUNDS];
  for (int i = 0; i < ROUNDS; ++i) {
    bare[i] = time_bare(&bench);
    warm[i] = time_warm(&bench);
    rebound[i] = time_rebound(&bench);
  }
  const double bare_ns = median(bare), over_ns = median(warm) - bare_ns, rebound_ns = median(rebound) - bare_ns;
  printf(
      "{\"arguments\": 12, \"bare_ns\": %.1f, \"warm_over_bare_ns\": %.1f, \"target_ns\": %d, \"of_target\": %.2f, "
      "\"rebound_over_bare_ns\": %.1f}\n",
      bare_ns, over_ns, TARGET_NS, over_ns / TARGET_NS, rebound_ns);
  rowlock_registry_destroy(bench.registry);
  return 0;
}
