/* Mapreduce through a registry: partials of every dtype, each operator, whatever the structure; at once or by part. */
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

/* --- By part ------------------------------------------------------------------------------------------------------ */

static const rowlock_partition_t last[] = {{500, 277, N}}, first[] = {{0, 1, N}, {1, 499, N}};

static void run_parts(rowlock_structure_t structure, const char* plugin_id) {
  rowlock_run_options_t options = {.structure = structure,
                                   .plugin_id = plugin_id,
                                   .sample_count = N,
                                   .partitions = last,
                                   .partition_count = 1,
                                   .is_part = true,
                                   .thread_count = 2,
                                   .tile_samples = 100};
  run(&options);
  options.partitions = first;
  options.partition_count = 2;
  run(&options);
}

static rowlock_code_t try_fold(const rowlock_run_options_t* options) {
  return rowlock_registry_fold(deployment.registry, options, &deployment.err);
}

static void fold(const rowlock_run_options_t* options) {
  rlk_deployment_expect_ok(&deployment, try_fold(options), "fold");
}

static void expect_fold_of_parts(const char* op) {
  static const rowlock_structure_t structures[] = {ROWLOCK_STRUCTURE_HOST_SERIAL, ROWLOCK_STRUCTURE_HOST_TEAM};
  static const char* const ids[] = {NULL, "tally"};
  const results_t due = compute(op);
  results_t got, poison;
  memset(&poison, 0xA5, sizeof poison);
  add_tally(op);
  bind_tally(&got, N);
  for (size_t i = 0; i < 4; ++i) {
    const rowlock_run_options_t options = {.structure = structures[i % 2], .plugin_id = ids[i / 2], .sample_count = N};
    memset(energy, 0xA5, sizeof energy);
    got = poison;
    run_parts(options.structure, options.plugin_id);
    cr_expect(rlk_same_bytes(&got, &poison, sizeof got), "%s, case %zu: a part folds nothing", op, i);
    fold(&options);
    cr_expect(rlk_same_bytes(&got, &due, sizeof due), "%s, case %zu: %a %a %a %lld", op, i, got.energy[0],
              got.momentum[0], got.momentum[1], (long long)got.sign[0]);
  }
}

Test(mapreduce, folds_parts_by_sum) { expect_fold_of_parts("sum"); }
Test(mapreduce, folds_parts_by_times) { expect_fold_of_parts("times"); }
Test(mapreduce, folds_parts_by_max) { expect_fold_of_parts("max"); }
Test(mapreduce, folds_parts_by_land) { expect_fold_of_parts("land"); }

static const rowlock_run_options_t plain = {.sample_count = N};

static void expect_sevens(const results_t* results) {
  cr_expect(ieee_ulp_eq(dbl, results->energy[0], 7, 0));
  cr_expect(ieee_ulp_eq(dbl, results->momentum[1], 7, 0));
  cr_expect(eq(i64, results->sign[0], 7));
}

Test(mapreduce, of_a_part_that_is_the_whole_run_is_not_folded) {
  const rowlock_partition_t whole = {0, N, N};
  results_t got = {{7}, {7, 7}, {7}};
  add_tally("sum");
  bind_tally(&got, N);
  run(&(rowlock_run_options_t){.sample_count = N, .partitions = &whole, .partition_count = 1, .is_part = true});
  expect_sevens(&got);
}

Test(mapreduce, of_a_part_of_no_samples_waits_for_the_fold) {
  const rowlock_partition_t none = {0, 0, 0};
  results_t got = {{7}, {7, 7}, {7}};
  add_tally("max");
  bind_tally(&got, 0);
  run(&(rowlock_run_options_t){.partitions = &none, .partition_count = 1, .is_part = true});
  expect_sevens(&got);
  fold(&(rowlock_run_options_t){.sample_count = ROWLOCK_SAMPLES_OF_BINDINGS});
  cr_expect(eq(dbl, got.energy[0], -INFINITY));
  cr_expect(eq(i64, got.sign[0], INT64_MIN));
}

Test(mapreduce, folds_without_a_look_at_partitions_and_teams) {
  const rowlock_partition_t elsewhere = {N, -5, 1};
  const results_t due = compute("sum");
  results_t got = {{7}, {7, 7}, {7}};
  add_tally("sum");
  bind_tally(&got, N);
  run_parts(ROWLOCK_STRUCTURE_HOST_SERIAL, NULL);
  fold(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_HOST_TEAM,
                                .sample_count = N,
                                .partitions = &elsewhere,
                                .partition_count = 1,
                                .thread_count = ROWLOCK_THREADS_MAX + 1});
  cr_expect(rlk_same_bytes(&got, &due, sizeof due));
  memset(&got, 0, sizeof got);
  fold(&(rowlock_run_options_t){.sample_count = N, .is_part = true});
  cr_expect(rlk_same_bytes(&got, &due, sizeof due));
}

Test(mapreduce, folds_the_plugin_that_is_asked_for) {
  static double image[N];
  results_t got = {{7}, {7, 7}, {7}};
  add_tally("sum");
  bind_tally(&got, N);
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, "mirror"), "mirror");
  BIND(rowlock_registry_bind_handle, "original", mass, N);
  BIND(rowlock_registry_bind_handle, "image", image, N);
  fold(&(rowlock_run_options_t){.plugin_id = "mirror", .sample_count = N});
  expect_sevens(&got);
  BIND(rowlock_registry_set_plugin_enabled, "tally", false);
  fold(&plain);
  expect_sevens(&got);
  BIND(rowlock_registry_set_plugin_enabled, "tally", true);
  rowlock_registry_set_enabled(deployment.registry, false);
  fold(&plain);
  expect_sevens(&got);
}

/* All that a run would refuse but for its partitions, and the results are as they were. */
Test(mapreduce, refuses_to_fold_what_is_not_sound) {
  results_t got = {{7}, {7, 7}, {7}};
  add_tally("sum");
  bind_tally(&got, N);
  rlk_deployment_expect_refused(&deployment, try_fold(&(rowlock_run_options_t){.sample_count = N - 1}),
                                "exec.sample-count-differs", "'velocity'");
  cr_expect(eq(int, try_fold(&(rowlock_run_options_t){.sample_count = -2}), ROWLOCK_UNUSABLE));
  cr_expect(eq(int, try_fold(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_COUNT}), ROWLOCK_UNUSABLE));
  rowlock_run_options_t elsewhere = {.structure = ROWLOCK_STRUCTURE_DEVICE_KERNEL, .sample_count = N};
  cr_expect(eq(int, try_fold(&elsewhere), ROWLOCK_UNAVAILABLE));
  cr_expect(eq(str, (char*)deployment.err.rule_id, (char*)"exec.structure-unavailable"));
  BIND(rowlock_registry_unbind, "momentum");
  BIND(rowlock_registry_bind_vector, "momentum", momentum, N, 2);
  rlk_deployment_expect_refused(&deployment, try_fold(&plain), "exec.unbound-result", "'momentum'");
  expect_sevens(&got);
}
