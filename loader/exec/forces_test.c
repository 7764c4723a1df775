/* Three vector plugins that accumulate into one output, against plain C that calls the same functions in the same
 * order: equal to the last bit, whatever drives them. */
#define _GNU_SOURCE /* realpath, PATH_MAX */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/registry/deployment.h"

enum { N = 3001 };

typedef struct state_t {
  double out[3 * N], position[3 * N], velocity[3 * N], rotation[9 * N], mass[N];
  double direction[3], mu, coefficient;
} state_t;

static rlk_deployment_t deployment;
static state_t *due, *got;

/* Values without a pattern: the high bits of a multiplicative sequence. */
static void fill(double* values, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; ++i) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    values[i] = (double)(seed >> 11) / 9007199254740992.0 + 0.25;
  }
}

#define FILL(array, seed) fill(array, sizeof(array) / sizeof *(array), seed)

static void fill_state(state_t* state) {
  FILL(state->out, 1);
  FILL(state->position, 2);
  FILL(state->velocity, 3);
  FILL(state->rotation, 4);
  FILL(state->mass, 5);
  FILL(state->direction, 6);
  state->mu = 3.986;
  state->coefficient = 0.47;
}

static rowlock_host_entry_v2_t entry_of(const char* object, const char* symbol) {
  char path[PATH_MAX];
  cr_assert(not(zero(ptr, realpath(rlk_testdata_path(object), path))), "%s", object);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  cr_assert(not(zero(ptr, library)), "%s", dlerror());
  void* address = dlsym(library, symbol);
  cr_assert(not(zero(ptr, address)), "%s", symbol);
  rowlock_host_entry_v2_t entry;
  memcpy(&entry, &address, sizeof entry);
  return entry;
}

static void call_directly(state_t* s) {
  rowlock_gref_t out = {s->out, N, N, 1, 1, 0}, position = {s->position, N, N, 1, 1, 0};
  rowlock_gref_t velocity = {s->velocity, N, N, 1, 1, 0}, rotation = {s->rotation, N, N, 1, 1, 0};
  rowlock_handle_t mass = {s->mass, N, 1, 1, 0}, direction = {s->direction, 3, 1, 1, 0};
  void* gravity[] = {&out, &position, &s->mu};
  void* drag[] = {&out, &velocity, &mass, &s->coefficient};
  void* thrust[] = {&out, &rotation, &direction, &mass};
  entry_of("gravity.so", "raptor_kernel_host")(gravity, 0, N, N);
  entry_of("drag.so", "raptor_kernel_host")(drag, 0, N, N);
  entry_of("thrust.so", "push")(thrust, 0, N, N);
}

static void setup(void) {
  rlk_deployment_create(&deployment);
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, "forces"), "forces");
  due = calloc(1, sizeof *due);
  got = calloc(1, sizeof *got);
  cr_assert(due && got);
  fill_state(due);
  fill_state(got);
  call_directly(due);
}

static void teardown(void) {
  rlk_deployment_destroy(&deployment);
  free(due);
  free(got);
}

TestSuite(forces, .init = setup, .fini = teardown);

#define BIND(call, ...) \
  rlk_deployment_expect_ok(&deployment, call(deployment.registry, __VA_ARGS__, &deployment.err), #call)

static void bind_all(state_t* s) {
  BIND(rowlock_registry_bind_vector, "out", s->out, N, 3);
  BIND(rowlock_registry_bind_vector, "position", s->position, N, 3);
  BIND(rowlock_registry_bind_vector, "velocity", s->velocity, N, 3);
  BIND(rowlock_registry_bind_matrix, "rotation", s->rotation, N, (rowlock_shape_t){3, 3});
  BIND(rowlock_registry_bind_handle, "mass", s->mass, N);
  BIND(rowlock_registry_consolidate, "direction", s->direction, 3);
  BIND(rowlock_registry_bind_uniform, "mu", s->mu);
  BIND(rowlock_registry_bind_uniform, "coefficient", s->coefficient);
}

static void run_afresh(const rowlock_run_options_t* options, const char* how) {
  fill_state(got);
  rowlock_run_report_t report;
  const rowlock_code_t code = rowlock_registry_run(deployment.registry, options, &report, &deployment.err);
  rlk_deployment_expect_ok(&deployment, code, how);
  cr_expect(eq(u64, report.plugin_count, 3), "%s", how);
}

static void expect_due(const rowlock_run_options_t* options, const char* how) {
  run_afresh(options, how);
  cr_expect(rlk_same_bytes(got, due, sizeof *due), "%s", how);
}

Test(forces, are_those_of_plain_calls_under_the_oracle) {
  bind_all(got);
  expect_due(&(rowlock_run_options_t){.sample_count = N}, "whole");
}

Test(forces, do_not_depend_on_partitions) {
  bind_all(got);
  const rowlock_partition_t partitions[] = {{0, 1, N}, {1, 1499, N}, {1500, 1500, N}, {3000, 1, N}};
  expect_due(&(rowlock_run_options_t){.sample_count = N, .partitions = partitions, .partition_count = 4}, "serial");
  expect_due(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_HOST_TEAM,
                                      .sample_count = N,
                                      .partitions = partitions,
                                      .partition_count = 4,
                                      .thread_count = 2},
             "team");
}

Test(forces, do_not_depend_on_threads_and_tiles) {
  bind_all(got);
  static const uint32_t threads[] = {1, 2, 7};
  static const int64_t tiles[] = {0, 1, 17, 64, N};
  for (size_t i = 0; i < sizeof threads / sizeof *threads; ++i) {
    for (size_t j = 0; j < sizeof tiles / sizeof *tiles; ++j) {
      char how[64];
      snprintf(how, sizeof how, "%u threads, tiles of %lld", threads[i], (long long)tiles[j]);
      expect_due(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_HOST_TEAM,
                                          .sample_count = N,
                                          .thread_count = threads[i],
                                          .tile_samples = tiles[j]},
                 how);
    }
  }
}

static void run_parts_of(rowlock_structure_t structure, const char* plugin_id) {
  static const rowlock_partition_t parts[][2] = {{{3000, 1, N}}, {{0, 1, N}, {1500, 1500, N}}, {{1, 1499, N}}};
  static const size_t counts[] = {1, 2, 1};
  for (size_t i = 0; i < 3; ++i) {
    const rowlock_run_options_t options = {.structure = structure,
                                           .plugin_id = plugin_id,
                                           .sample_count = N,
                                           .partitions = parts[i],
                                           .partition_count = counts[i],
                                           .is_part = true,
                                           .thread_count = 2};
    const rowlock_code_t code = rowlock_registry_run(deployment.registry, &options, NULL, &deployment.err);
    rlk_deployment_expect_ok(&deployment, code, plugin_id ? plugin_id : "all");
  }
}

Test(forces, do_not_depend_on_being_run_by_part_and_by_plugin) {
  static const rowlock_structure_t structures[] = {ROWLOCK_STRUCTURE_HOST_SERIAL, ROWLOCK_STRUCTURE_HOST_TEAM};
  bind_all(got);
  for (size_t i = 0; i < 2; ++i) {
    fill_state(got);
    run_parts_of(structures[i], NULL);
    cr_expect(rlk_same_bytes(got, due, sizeof *due), "by part, %s", rowlock_structure_name(structures[i]));
    fill_state(got);
    run_parts_of(structures[i], "gravity");
    run_parts_of(structures[i], "drag");
    run_parts_of(structures[i], "thrust");
    cr_expect(rlk_same_bytes(got, due, sizeof *due), "by plugin, %s", rowlock_structure_name(structures[i]));
  }
}

/* Floating-point sums depend on their order: a registry that ran the list another way round would be found out. */
Test(forces, depend_on_the_order_of_the_plugins) {
  static const char gravity[] = "\"artifact\": \"gravity.ptx\", \"sidecar\": \"gravity.sidecar.json\"";
  static const char thrust[] = "\"artifact\": \"thrust.ptx\", \"sidecar\": \"thrust.sidecar.json\"";
  rowlock_registry_destroy(deployment.registry);
  cr_assert(eq(i32, (int)rowlock_registry_create(&deployment.registry, &deployment.err), ROWLOCK_OK));
  rlk_deployment_edit(&deployment, "forces.manifest.json", gravity, "\"moved\": 1");
  rlk_deployment_edit(&deployment, "forces.manifest.json", thrust, gravity);
  rlk_deployment_edit(&deployment, "forces.manifest.json", "\"moved\": 1", thrust);
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, "forces"), "reversed");
  bind_all(got);
  run_afresh(&(rowlock_run_options_t){.sample_count = N}, "reversed");
  cr_expect(not(rlk_same_bytes(got->out, due->out, sizeof due->out)));
}
