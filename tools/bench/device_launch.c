/* What a launch through a registry costs over the driver's own call, alone and as graphs, and what loading costs.
 *
 *   device_launch DEPLOYMENT
 *
 * DEPLOYMENT is the folder of corpus/host/deployments/drag: drag.ptx, drag.sidecar.json. Prints one JSON object:
 * medians in nanoseconds, ratios, and what is aimed at. Needs a CUDA device. */
#define _GNU_SOURCE /* clock_gettime, mkdtemp */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loader/device/device.h"
#include "loader/device/module.h"
#include "loader/files.h"

enum { ROUNDS = 31, LAUNCHES = 4000, PLUGINS = 100, REPLAYS = 200, N = 256, PATH_SIZE = 512 };

typedef struct bench_t {
  rowlock_error_t err;
  rowlock_device_t* device;
  const rlk_driver_t* driver;
  rowlock_registry_t *one, *many;       /* of one plugin, and of a hundred */
  rlk_cu_function_t functions[PLUGINS]; /* of modules of their own, as plugins are */
  rlk_file_buffer_t image;
  void *out, *velocity, *mass;
  /* What the bare launches pass. */
  rowlock_gref_t out_view, velocity_view;
  rowlock_handle_t mass_handle;
  double coefficient;
  rowlock_partition_t triple;
  void* params[7];
  char folder[64];
} bench_t;

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void require(bench_t* bench, rowlock_code_t code) {
  if (code == ROWLOCK_OK) return;
  fprintf(stderr, "device_launch: %s\n", bench->err.message);
  exit(rowlock_code_exit_status(code));
}

static void require_driver(bench_t* bench, const char* call, rlk_cu_result_t result) {
  if (result) require(bench, rlk_driver_fail(bench->driver, call, result, &bench->err));
}

static int compare_doubles(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return left < right ? -1 : left > right;
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return values[count / 2];
}

/* --- Deployments -------------------------------------------------------------------------------------------------- */

static void copy_file(bench_t* bench, const char* from, const char* name) {
  char path[PATH_SIZE];
  rlk_file_buffer_t buffer = {0};
  require(bench, rlk_file_read(from, 1 << 20, &buffer, &bench->err));
  snprintf(path, sizeof path, "%s/%s", bench->folder, name);
  FILE* file = fopen(path, "wb");
  if (!file || fwrite(buffer.bytes, 1, buffer.length, file) != buffer.length || fclose(file) != 0) {
    fprintf(stderr, "device_launch: cannot write '%s'\n", path);
    exit(2);
  }
  rlk_file_buffer_deinit(&buffer);
}

/* Writes a manifest that lists the one plugin `count` times. */
static void write_manifest(const char* path, int count) {
  FILE* file = fopen(path, "w");
  if (!file) exit(2);
  fprintf(file,
          "{\"schema_version\":2,\"pattern\":\"vector\",\"aether_abi\":\"aether-abi/2\",\"exec_targets\":[\"device\"],"
          "\"exec_access\":\"sample_local\",\"plugins\":[");
  for (int i = 0; i < count; ++i) {
    fprintf(file,
            "%s{\"id\":\"drag%d\",\"order\":%d,\"enabled\":true,\"artifact\":\"drag.ptx\",\"sidecar\":\"drag.json\","
            "\"format\":\"ptx\"}",
            i > 0 ? "," : "", i, i);
  }
  fputs("]}\n", file);
  fclose(file);
}

static rowlock_registry_t* load_manifest(bench_t* bench, const char* path) {
  rowlock_registry_t* registry;
  require(bench, rowlock_registry_create_on(bench->device, 0, &registry, &bench->err));
  require(bench, rowlock_registry_add_manifest(registry, path, NULL, NULL, &bench->err));
  return registry;
}

static rowlock_registry_t* load_plugins(bench_t* bench, const char* name, int count) {
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/%s", bench->folder, name);
  write_manifest(path, count);
  rowlock_registry_t* registry = load_manifest(bench, path);
  require(bench, rowlock_registry_bind_vector(registry, "out", bench->out, N, 3, &bench->err));
  require(bench, rowlock_registry_bind_vector(registry, "velocity", bench->velocity, N, 3, &bench->err));
  require(bench, rowlock_registry_bind_handle(registry, "mass", bench->mass, N, &bench->err));
  require(bench, rowlock_registry_bind_uniform(registry, "coefficient", bench->coefficient, &bench->err));
  return registry;
}

static void prepare_bare(bench_t* bench) {
  for (int i = 0; i < PLUGINS; ++i) {
    rlk_cu_module_t module;
    require(bench, rlk_device_load_own(bench->device, bench->image.bytes, &module, &bench->err));
    require_driver(bench, "cuModuleGetFunction",
                   bench->driver->module_get_function(&bench->functions[i], module, "raptor_kernel"));
  }
  bench->out_view = (rowlock_gref_t){bench->out, N, N, 1, ROWLOCK_DEVICE_CUDA, 0};
  bench->velocity_view = (rowlock_gref_t){bench->velocity, N, N, 1, ROWLOCK_DEVICE_CUDA, 0};
  bench->mass_handle = (rowlock_handle_t){bench->mass, N, 1, ROWLOCK_DEVICE_CUDA, 0};
  bench->triple = (rowlock_partition_t){0, N, N};
  void* params[] = {&bench->out_view,    &bench->velocity_view, &bench->mass_handle,        &bench->coefficient,
                    &bench->triple.base, &bench->triple.count,  &bench->triple.sample_count};
  memcpy(bench->params, params, sizeof params);
}

static void prepare(bench_t* bench, const char* deployment) {
  char path[PATH_SIZE];
  bench->coefficient = 0.5;
  require(bench, rowlock_device_open(0, &bench->device, &bench->err));
  bench->driver = bench->device->driver;
  void** buffers[] = {&bench->out, &bench->velocity, &bench->mass};
  static double zeros[3 * N];
  for (int i = 0; i < 3; ++i) {
    require(bench, rowlock_device_alloc(bench->device, sizeof zeros, buffers[i], &bench->err));
    require(bench, rowlock_device_upload(bench->device, *buffers[i], zeros, sizeof zeros, &bench->err));
  }
  snprintf(bench->folder, sizeof bench->folder, "/tmp/device_launch.XXXXXX");
  if (!mkdtemp(bench->folder)) exit(2);
  snprintf(path, sizeof path, "%s/drag.ptx", deployment);
  copy_file(bench, path, "drag.ptx");
  require(bench, rlk_file_read(path, 1 << 20, &bench->image, &bench->err));
  bench->image.bytes = realloc(bench->image.bytes, bench->image.length + 1);
  if (!bench->image.bytes) exit(3);
  bench->image.bytes[bench->image.length] = '\0';
  snprintf(path, sizeof path, "%s/drag.sidecar.json", deployment);
  copy_file(bench, path, "drag.json");
  require(bench, rlk_device_enter(bench->device, &bench->err));
  bench->one = load_plugins(bench, "one.json", 1);
  bench->many = load_plugins(bench, "many.json", PLUGINS);
  prepare_bare(bench);
}

static void remove_folder(const bench_t* bench) {
  static const char* const names[] = {"drag.ptx", "drag.json", "one.json", "many.json"};
  char path[PATH_SIZE];
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    snprintf(path, sizeof path, "%s/%s", bench->folder, names[i]);
    unlink(path);
  }
  rmdir(bench->folder);
}

/* --- Launches ----------------------------------------------------------------------------------------------------- */

/* The first `of` functions by turns. */
static void launch_bare(bench_t* bench, int count, int of, rlk_cu_stream_t stream) {
  for (int i = 0; i < count; ++i) {
    require_driver(
        bench, "cuLaunchKernel",
        bench->driver->launch_kernel(bench->functions[i % of], 1, 1, 1, 256, 1, 1, 0, stream, bench->params, NULL));
  }
}

static void launch_through(bench_t* bench, rowlock_registry_t* registry, int count, rlk_cu_stream_t stream) {
  const rowlock_run_options_t options = {
      .structure = ROWLOCK_STRUCTURE_DEVICE_KERNEL, .sample_count = N, .stream = stream};
  for (int i = 0; i < count; ++i) require(bench, rowlock_registry_run(registry, &options, NULL, &bench->err));
}

/* Nanoseconds of one launch, the wait for the last included; by turns, so that both see the same machine. */
static void time_launches(bench_t* bench, double* out_bare, double* out_registry) {
  double bare[ROUNDS], registry[ROUNDS];
  for (int i = -2; i < ROUNDS; ++i) {
    const double begin = now_ns();
    launch_bare(bench, LAUNCHES, 1, NULL);
    require_driver(bench, "cuCtxSynchronize", bench->driver->ctx_synchronize());
    const double middle = now_ns();
    launch_through(bench, bench->one, LAUNCHES, NULL);
    require_driver(bench, "cuCtxSynchronize", bench->driver->ctx_synchronize());
    const double end = now_ns();
    if (i < 0) continue;
    bare[i] = (middle - begin) / LAUNCHES;
    registry[i] = (end - middle) / LAUNCHES;
  }
  *out_bare = median(bare, ROUNDS);
  *out_registry = median(registry, ROUNDS);
}

static rlk_cu_graph_exec_t make_graph(bench_t* bench, rlk_cu_stream_t stream, bool through_registry) {
  rlk_cu_graph_t graph;
  rlk_cu_graph_exec_t exec;
  require_driver(bench, "cuStreamBeginCapture",
                 bench->driver->stream_begin_capture(stream, RLK_CU_CAPTURE_THREAD_LOCAL));
  if (through_registry) {
    launch_through(bench, bench->many, 1, stream);
  } else {
    launch_bare(bench, PLUGINS, PLUGINS, stream);
  }
  require_driver(bench, "cuStreamEndCapture", bench->driver->stream_end_capture(stream, &graph));
  require_driver(bench, "cuGraphInstantiate", bench->driver->graph_instantiate(&exec, graph, 0));
  (void)bench->driver->graph_destroy(graph);
  return exec;
}

static double time_replays(bench_t* bench, rlk_cu_graph_exec_t exec, rlk_cu_stream_t stream) {
  const double begin = now_ns();
  for (int i = 0; i < REPLAYS; ++i) {
    require_driver(bench, "cuGraphLaunch", bench->driver->graph_launch(exec, stream));
  }
  require_driver(bench, "cuStreamSynchronize", bench->driver->stream_synchronize(stream));
  return (now_ns() - begin) / REPLAYS;
}

static void time_graphs(bench_t* bench, double* out_bare, double* out_registry) {
  rlk_cu_stream_t stream;
  double bare[ROUNDS], registry[ROUNDS];
  require_driver(bench, "cuStreamCreate", bench->driver->stream_create(&stream, RLK_CU_STREAM_NON_BLOCKING));
  const rlk_cu_graph_exec_t of_bare = make_graph(bench, stream, false), of_registry = make_graph(bench, stream, true);
  for (int i = -2; i < ROUNDS; ++i) {
    const double first = time_replays(bench, of_bare, stream), second = time_replays(bench, of_registry, stream);
    if (i < 0) continue;
    bare[i] = first;
    registry[i] = second;
  }
  *out_bare = median(bare, ROUNDS);
  *out_registry = median(registry, ROUNDS);
}

/* --- Loading ------------------------------------------------------------------------------------------------------ */

static void time_loads(bench_t* bench, double* out_bare, double* out_registry) {
  double bare[ROUNDS], registry[ROUNDS];
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/one.json", bench->folder);
  for (int i = -2; i < ROUNDS; ++i) {
    rlk_cu_module_t module;
    rlk_cu_function_t function;
    const double begin = now_ns();
    require_driver(bench, "cuModuleLoadData",
                   bench->driver->module_load_data_ex(&module, bench->image.bytes, 0, NULL, NULL));
    require_driver(bench, "cuModuleGetFunction",
                   bench->driver->module_get_function(&function, module, "raptor_kernel"));
    if (bench->driver->func_load) require_driver(bench, "cuFuncLoad", bench->driver->func_load(function));
    const double middle = now_ns();
    rowlock_registry_t* loaded = load_manifest(bench, path);
    const double end = now_ns();
    (void)bench->driver->module_unload(module);
    rowlock_registry_destroy(loaded);
    if (i < 0) continue;
    bare[i] = middle - begin;
    registry[i] = end - middle;
  }
  *out_bare = median(bare, ROUNDS);
  *out_registry = median(registry, ROUNDS);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: device_launch DEPLOYMENT\n");
    return 2;
  }
  static bench_t bench;
  prepare(&bench, argv[1]);
  const rowlock_device_info_t info = rowlock_device_info(bench.device);
  double launch[2], graph[2], load[2];
  time_launches(&bench, &launch[0], &launch[1]);
  time_graphs(&bench, &graph[0], &graph[1]);
  time_loads(&bench, &load[0], &load[1]);
  printf("{\"device\":\"%s\",\"driver\":%u,\n", info.name, info.driver_version);
  printf(" \"launch_ns\":{\"bare\":%.1f,\"registry\":%.1f,\"ratio\":%.4f,\"at_most\":1.05},\n", launch[0], launch[1],
         launch[1] / launch[0]);
  printf(" \"graph_of_100_ns\":{\"bare\":%.1f,\"registry\":%.1f,\"ratio\":%.4f,\"at_most\":1.02},\n", graph[0],
         graph[1], graph[1] / graph[0]);
  printf(" \"load_ns\":{\"bare\":%.0f,\"registry_with_manifest_and_proof\":%.0f,\"ratio\":%.4f}}\n", load[0], load[1],
         load[1] / load[0]);
  remove_folder(&bench);
  return 0;
}
