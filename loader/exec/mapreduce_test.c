/* Mapreduce through a registry: partials of every dtype, each operator, whatever the structure. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loader/registry/deployment.h"

enum { N = 777 };

typedef struct results_t {
  double energy[1], momentum[2];
  int64_t sign[1];
} results_t;

static rlk_deployment_t deployment;
static double velocity[2 * N], mass[N], energy[N], momentum[2 * N];
static int64_t sign[N];

static void setup(void) {
  rlk_deployment_create(&deployment);
  for (int i = 0; i < N; ++i) {
    mass[i] = (i % 5) / 3.0 - 0.1;
    for (int c = 0; c < 2; ++c) velocity[c * N + i] = sin(i * (c + 1.3));
  }
}
static void teardown(void) { rlk_deployment_destroy(&deployment); }

TestSuite(mapreduce, .init = setup, .fini = teardown);

#define BIND(call, ...) \
  rlk_deployment_expect_ok(&deployment, call(deployment.registry, __VA_ARGS__, &deployment.err), #call)

static void add_tally(const char* op) {
  char text[64];
  snprintf(text, sizeof text, "\"exec_op\": \"%s\"", op);
  rlk_deployment_edit(&deployment, "tally.manifest.json", "\"exec_op\": \"sum\"", text);
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, "tally"), op);
}

static void bind_tally(results_t* results, uint64_t sample_count) {
  BIND(rowlock_registry_bind_vector, "velocity", velocity, sample_count, 2);
  BIND(rowlock_registry_bind_handle, "mass", mass, sample_count);
  BIND(rowlock_registry_bind_handle, "energy", energy, sample_count);
  BIND(rowlock_registry_bind_int_handle, "sign", sign, sample_count);
  BIND(rowlock_registry_bind_vector, "momentum", momentum, sample_count, 2);
  BIND(rowlock_registry_bind_result, "energy", results->energy, 1);
  BIND(rowlock_registry_bind_result, "momentum", results->momentum, 2);
  BIND(rowlock_registry_bind_result_int, "sign", results->sign, 1);
}

static void run(const rowlock_run_options_t* options) {
  rlk_deployment_expect_ok(&deployment, rowlock_registry_run(deployment.registry, options, NULL, &deployment.err),
                           "run");
}

/* The partials and their fold, written down again. */
static results_t compute(const char* op) {
  results_t r;
  const double start = strcmp(op, "sum") == 0 ? 0 : strcmp(op, "max") == 0 ? -INFINITY : 1;
  double* const results[] = {r.energy, &r.momentum[0], &r.momentum[1]};
  for (size_t k = 0; k < 3; ++k) *results[k] = start;
  r.sign[0] = strcmp(op, "max") == 0 ? INT64_MIN : (int64_t)start;
  for (int i = 0; i < N; ++i) {
    const double x = velocity[i], y = velocity[N + i];
    const double partials[] = {mass[i] * (x * x + y * y) / 2, mass[i] * x, mass[i] * y};
    const int64_t s = partials[0] > 0 ? 1 : partials[0] < 0 ? -1 : 0;
    for (size_t k = 0; k < 3; ++k) {
      double* a = results[k];
      const double b = partials[k];
      if (strcmp(op, "sum") == 0) *a += b;
      if (strcmp(op, "times") == 0) *a *= b;
      if (strcmp(op, "max") == 0) *a = b > *a ? b : *a;
      if (strcmp(op, "land") == 0) *a = *a != 0 && b != 0 ? 1 : 0;
    }
    if (strcmp(op, "sum") == 0) r.sign[0] += s;
    if (strcmp(op, "times") == 0) r.sign[0] *= s;
    if (strcmp(op, "max") == 0) r.sign[0] = s > r.sign[0] ? s : r.sign[0];
    if (strcmp(op, "land") == 0) r.sign[0] = r.sign[0] && s;
  }
  return r;
}

static void expect_fold(const char* op) {
  const results_t due = compute(op);
  add_tally(op);
  results_t got;
  bind_tally(&got, N);
  const rowlock_partition_t partitions[] = {{0, 500, N}, {500, 277, N}};
  const rowlock_run_options_t options[] = {
      {.sample_count = N},
      {.sample_count = N, .partitions = partitions, .partition_count = 2},
      {.structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N, .thread_count = 1, .tile_samples = 100},
      {.structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N, .thread_count = 2, .tile_samples = 1},
      {.structure = ROWLOCK_STRUCTURE_HOST_TEAM,
       .sample_count = N,
       .partitions = partitions,
       .partition_count = 2,
       .thread_count = 7,
       .tile_samples = 50},
  };
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    memset(&got, 0xA5, sizeof got);
    run(&options[i]);
    cr_expect(rlk_same_bytes(&got, &due, sizeof due), "%s, case %zu: %a %a %a %lld", op, i, got.energy[0],
              got.momentum[0], got.momentum[1], (long long)got.sign[0]);
  }
}

Test(mapreduce, folds_by_sum) { expect_fold("sum"); }
Test(mapreduce, folds_by_times) { expect_fold("times"); }
Test(mapreduce, folds_by_max) { expect_fold("max"); }
Test(mapreduce, folds_by_land) { expect_fold("land"); }

Test(mapreduce, of_no_samples_gives_the_identities) {
  add_tally("max");
  results_t got = {{0}, {0, 0}, {0}};
  bind_tally(&got, 0);
  run(&(rowlock_run_options_t){.sample_count = 0});
  cr_expect(eq(dbl, got.energy[0], -INFINITY));
  cr_expect(eq(dbl, got.momentum[1], -INFINITY));
  cr_expect(eq(i64, got.sign[0], INT64_MIN));
}

Test(mapreduce, leaves_the_results_of_a_disabled_plugin) {
  add_tally("sum");
  results_t got = {{7}, {7, 7}, {7}};
  bind_tally(&got, N);
  cr_assert(
      eq(int, rowlock_registry_set_plugin_enabled(deployment.registry, "tally", false, &deployment.err), ROWLOCK_OK));
  run(&(rowlock_run_options_t){.sample_count = N});
  cr_expect(ieee_ulp_eq(dbl, got.energy[0], 7, 0));
  cr_expect(eq(i64, got.sign[0], 7));
}

Test(mapreduce, of_float32_has_results_of_float32) {
  static float velocity32[2 * N], mass32[N], energy32[N], momentum32[2 * N];
  float energy_result[1], momentum_result[2], due = 0;
  int64_t sign_result[1];
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, "tally_f32"), "tally_f32");
  for (int i = 0; i < N; ++i) {
    mass32[i] = (float)mass[i];
    velocity32[i] = (float)velocity[i];
    velocity32[N + i] = (float)velocity[N + i];
    due += mass32[i] * (velocity32[i] * velocity32[i] + velocity32[N + i] * velocity32[N + i]) / 2;
  }
  BIND(rowlock_registry_bind_vector_f32, "velocity", velocity32, N, 2);
  BIND(rowlock_registry_bind_handle_f32, "mass", mass32, N);
  BIND(rowlock_registry_bind_handle_f32, "energy", energy32, N);
  BIND(rowlock_registry_bind_int_handle, "sign", sign, N);
  BIND(rowlock_registry_bind_vector_f32, "momentum", momentum32, N, 2);
  BIND(rowlock_registry_bind_result_f32, "energy", energy_result, 1);
  BIND(rowlock_registry_bind_result_f32, "momentum", momentum_result, 2);
  BIND(rowlock_registry_bind_result_int, "sign", sign_result, 1);
  run(&(rowlock_run_options_t){.sample_count = N});
  cr_expect(ieee_ulp_eq(flt, energy_result[0], due, 0));
}
