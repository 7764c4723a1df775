/* What a run calls: how often, with which triple, on which plugins, and what it leaves alone. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "loader/registry/deployment.h"
#include "validator/rules/fault.h"

enum { N = 1000 };

static rlk_deployment_t deployment;
static rowlock_run_report_t report;

static void setup(void) { rlk_deployment_create(&deployment); }
static void teardown(void) { rlk_deployment_destroy(&deployment); }

TestSuite(run, .init = setup, .fini = teardown);

#define BIND(call, ...) \
  rlk_deployment_expect_ok(&deployment, call(deployment.registry, __VA_ARGS__, &deployment.err), #call)

static void add(const char* name) {
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, name), name);
}

static rowlock_code_t try_run(const rowlock_run_options_t* options) {
  return rowlock_registry_run(deployment.registry, options, &report, &deployment.err);
}

static void run(const rowlock_run_options_t* options) {
  rlk_deployment_expect_ok(&deployment, try_run(options), "run");
}

/* --- Triples ------------------------------------------------------------------------------------------------------ */

static int64_t bases[N], counts[N], runs[N], lengths[N];

static void add_spans(uint64_t sample_count) {
  add("spans");
  BIND(rowlock_registry_bind_int_handle, "bases", bases, sample_count);
  BIND(rowlock_registry_bind_int_handle, "counts", counts, sample_count);
  BIND(rowlock_registry_bind_int_handle, "runs", runs, sample_count);
  BIND(rowlock_registry_bind_int_handle, "lengths", lengths, sample_count);
}

/* Every sample was run once, in a call of that share. */
static void expect_share(int64_t base, int64_t count) {
  for (int64_t i = base; i < base + count; ++i) {
    const bool right = bases[i] == base && counts[i] == count && runs[i] == 1 && lengths[i] == N;
    cr_assert(right, "sample %lld: triple (%lld, %lld, %lld), run %lld times; (%lld, %lld, %d) is due", (long long)i,
              (long long)bases[i], (long long)counts[i], (long long)lengths[i], (long long)runs[i], (long long)base,
              (long long)count, N);
  }
}

Test(run, is_one_whole_partition_by_default) {
  add_spans(N);
  run(&(rowlock_run_options_t){.sample_count = N});
  expect_share(0, N);
  cr_expect(eq(u64, report.call_count, 1));
  cr_expect(eq(i64, report.sample_count, N));
  cr_expect(eq(u32, report.thread_count, 1));
}

Test(run, takes_the_sample_count_of_the_bindings) {
  add_spans(N);
  run(&(rowlock_run_options_t){.sample_count = ROWLOCK_SAMPLES_OF_BINDINGS});
  expect_share(0, N);
  cr_expect(eq(i64, report.sample_count, N));
}

Test(run, takes_the_sample_count_of_the_first_argument_that_has_one) {
  static double value[N], calls[1];
  rlk_deployment_edit(&deployment, "legacy.sidecar.json", "[\"mutable\", \"value\"]",
                      "[\"uniform\", \"rate\"], [\"mutable\", \"value\"]");
  add("legacy");
  BIND(rowlock_registry_bind_uniform, "rate", 1);
  BIND(rowlock_registry_bind_handle, "value", value, N);
  BIND(rowlock_registry_bind_wide, "calls", calls, 1);
  const rowlock_run_options_t options = {.sample_count = ROWLOCK_SAMPLES_OF_BINDINGS};
  rlk_deployment_expect_ok(&deployment, rowlock_registry_plan(deployment.registry, &options, &report, &deployment.err),
                           "plan");
  cr_expect(eq(i64, report.sample_count, N));
}

Test(run, calls_each_partition_once_with_the_sample_count_of_the_run) {
  add_spans(N);
  const rowlock_partition_t partitions[] = {{0, 1, N}, {1, 700, N}, {701, 299, N}};
  run(&(rowlock_run_options_t){.sample_count = N, .partitions = partitions, .partition_count = 3});
  for (size_t i = 0; i < 3; ++i) expect_share(partitions[i].base, partitions[i].count);
  cr_expect(eq(u64, report.call_count, 3));
}

Test(run, of_a_team_cuts_each_partition_into_tiles) {
  add_spans(N);
  const rowlock_partition_t partitions[] = {{0, 450, N}, {450, 550, N}};
  run(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_HOST_TEAM,
                               .sample_count = N,
                               .partitions = partitions,
                               .partition_count = 2,
                               .thread_count = 2,
                               .tile_samples = 200});
  expect_share(0, 200);
  expect_share(200, 200);
  expect_share(400, 50);
  expect_share(450, 200);
  expect_share(650, 200);
  expect_share(850, 150);
  cr_expect(eq(u64, report.call_count, 6));
  cr_expect(eq(u32, report.thread_count, 2));
}

Test(run, of_a_team_starts_no_more_threads_than_tiles) {
  add_spans(N);
  run(&(rowlock_run_options_t){
      .structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N, .thread_count = 7, .tile_samples = 400});
  cr_expect(eq(u32, report.thread_count, 3));
  cr_expect(eq(u64, report.call_count, 3));
}

Test(run, of_a_team_sizes_its_tiles_itself) {
  add_spans(N);
  run(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N, .thread_count = 4});
  expect_share(0, 256);
  expect_share(256, 256);
  expect_share(512, 256);
  expect_share(768, 232);
}

Test(run, of_a_team_has_the_threads_of_the_machine_by_default) {
  add_spans(N);
  run(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N, .tile_samples = 1});
  cr_expect(le(u32, 1, report.thread_count));
  for (int64_t i = 0; i < N; ++i) expect_share(i, 1);
}

/* --- Access classes ----------------------------------------------------------------------------------------------- */

Test(run, reads_across_partitions) {
  static double original[N], image[N];
  for (int i = 0; i < N; ++i) original[i] = i;
  add("mirror");
  BIND(rowlock_registry_bind_handle, "original", original, N);
  BIND(rowlock_registry_bind_handle, "image", image, N);
  const rowlock_partition_t partitions[] = {{0, 10, N}, {10, N - 10, N}};
  run(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_HOST_TEAM,
                               .sample_count = N,
                               .partitions = partitions,
                               .partition_count = 2,
                               .thread_count = 2,
                               .tile_samples = 7});
  for (int i = 0; i < N; ++i) cr_assert(ieee_ulp_eq(dbl, image[i], N - 1 - i, 0), "sample %d", i);
}

static double mass[N], plane[5];

static void add_scatter(void) {
  add("scatter");
  for (int i = 0; i < N; ++i) mass[i] = 1.0 / (i + 1);
  BIND(rowlock_registry_bind_handle, "mass", mass, N);
  BIND(rowlock_registry_bind_wide, "plane", plane, 5);
}

Test(run, of_a_team_leaves_a_body_that_writes_across_samples_whole) {
  add_scatter();
  double due[5] = {0, 0, 0, 0, 1};
  for (int i = 0; i < N; ++i) due[i * 7 % 4] += mass[i];
  run(&(rowlock_run_options_t){
      .structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N, .thread_count = 7, .tile_samples = 10});
  cr_expect(rlk_same_bytes(plane, due, sizeof due), "called %g times", plane[4]);
  cr_expect(eq(u64, report.call_count, 1));
}

Test(run, calls_a_v1_body_once_under_either_structure) {
  static double value[N], calls[1];
  add("legacy");
  BIND(rowlock_registry_bind_handle, "value", value, N);
  BIND(rowlock_registry_bind_wide, "calls", calls, 1);
  run(&(rowlock_run_options_t){.sample_count = N});
  run(&(rowlock_run_options_t){
      .structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N, .thread_count = 7, .tile_samples = 10});
  const rowlock_partition_t whole = {0, N, N};
  run(&(rowlock_run_options_t){.sample_count = N, .partitions = &whole, .partition_count = 1});
  cr_expect(ieee_ulp_eq(dbl, calls[0], 3, 0));
  for (int i = 0; i < N; ++i) cr_assert(ieee_ulp_eq(dbl, value[i], 3, 0), "sample %d", i);
}

/* --- Enabling ----------------------------------------------------------------------------------------------------- */

Test(run, skips_a_disabled_plugin_until_it_is_enabled) {
  add_spans(N);
  cr_assert(
      eq(int, rowlock_registry_set_plugin_enabled(deployment.registry, "spans", false, &deployment.err), ROWLOCK_OK));
  run(&(rowlock_run_options_t){.sample_count = N});
  cr_expect(eq(u64, report.plugin_count, 0));
  cr_expect(eq(i64, runs[0], 0));
  cr_assert(
      eq(int, rowlock_registry_set_plugin_enabled(deployment.registry, "spans", true, &deployment.err), ROWLOCK_OK));
  run(&(rowlock_run_options_t){.sample_count = N});
  cr_expect(eq(u64, report.plugin_count, 1));
  cr_expect(eq(i64, runs[0], 1));
}

Test(run, of_a_disabled_registry_runs_none) {
  add_spans(N);
  rowlock_registry_set_enabled(deployment.registry, false);
  run(&(rowlock_run_options_t){.sample_count = N});
  cr_expect(eq(u64, report.plugin_count, 0));
  cr_expect(eq(i64, runs[0], 0));
  rowlock_registry_set_enabled(deployment.registry, true);
  run(&(rowlock_run_options_t){.sample_count = N});
  cr_expect(eq(i64, runs[0], 1));
}

Test(run, asks_nothing_of_a_disabled_plugin) {
  rlk_deployment_edit(&deployment, "legacy.manifest.json", "\"enabled\": true", "\"enabled\": false");
  add("legacy");
  add_spans(N);
  run(&(rowlock_run_options_t){.sample_count = N});
  cr_expect(eq(u64, report.plugin_count, 1));
  const rowlock_partition_t partitions[] = {{0, 1, N}, {1, N - 1, N}};
  run(&(rowlock_run_options_t){.sample_count = N, .partitions = partitions, .partition_count = 2});
  cr_expect(eq(u64, report.call_count, 2), "a disabled v1 body keeps nobody whole");
  run(&(rowlock_run_options_t){.sample_count = ROWLOCK_SAMPLES_OF_BINDINGS});
  cr_expect(eq(i64, report.sample_count, N), "a later plugin says it");
}

/* --- No samples --------------------------------------------------------------------------------------------------- */

Test(run, of_no_samples_calls_no_plugin) {
  add_spans(0);
  const rowlock_partition_t none = {0, 0, 0};
  run(&(rowlock_run_options_t){.sample_count = 0});
  run(&(rowlock_run_options_t){.sample_count = 0, .partitions = &none, .partition_count = 1});
  run(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = ROWLOCK_SAMPLES_OF_BINDINGS});
  cr_expect(eq(u64, report.call_count, 0));
  cr_expect(eq(i64, report.sample_count, 0));
  cr_expect(eq(i64, runs[0], 0));
}

Test(run, of_no_samples_takes_null_for_a_buffer_of_none) {
  add("mirror");
  BIND(rowlock_registry_bind_handle, "original", NULL, 0);
  BIND(rowlock_registry_bind_handle, "image", NULL, 0);
  run(&(rowlock_run_options_t){.sample_count = 0});
  cr_expect(eq(u64, report.plugin_count, 0));
}

/* --- Packing ------------------------------------------------------------------------------------------------------ */

Test(run, sees_what_was_bound_last) {
  static double one[N], two[N], image[N];
  for (int i = 0; i < N; ++i) two[i] = 2;
  add("mirror");
  BIND(rowlock_registry_bind_handle, "original", one, N);
  BIND(rowlock_registry_bind_handle, "image", image, N);
  run(&(rowlock_run_options_t){.sample_count = N});
  cr_expect(ieee_ulp_eq(dbl, image[5], 0, 0));
  BIND(rowlock_registry_bind_handle, "original", two, N);
  run(&(rowlock_run_options_t){.sample_count = N});
  cr_expect(ieee_ulp_eq(dbl, image[5], 2, 0));
  BIND(rowlock_registry_bind_handle, "original", one, 10);
  BIND(rowlock_registry_bind_handle, "image", image, 10);
  one[9] = 4;
  run(&(rowlock_run_options_t){.sample_count = 10});
  cr_expect(ieee_ulp_eq(dbl, image[0], 4, 0));
}

Test(run, sees_what_was_unbound) {
  static double one[N], image[N];
  const rowlock_run_options_t options = {.sample_count = N};
  add("mirror");
  BIND(rowlock_registry_bind_handle, "original", one, N);
  BIND(rowlock_registry_bind_handle, "image", image, N);
  run(&options);
  BIND(rowlock_registry_bind_handle, "image", image, N);
  BIND(rowlock_registry_unbind, "image");
  rlk_deployment_expect_refused(&deployment, try_run(&options), "exec.unbound-handle", "'image'");
}

Test(run, calls_a_plugin_that_was_loaded_by_its_sidecar) {
  static double original[N], image[N];
  original[0] = 5;
  char object[256];
  snprintf(object, sizeof object, "%s", rlk_testdata_path("mirror.so"));
  const rowlock_load_options_t options = {.object_path = object};
  const char* sidecar = rlk_test_folder_at(&deployment.folder, "mirror.sidecar.json");
  rlk_deployment_expect_ok(
      &deployment, rowlock_registry_add_plugin(deployment.registry, "m", sidecar, &options, NULL, &deployment.err),
      "m");
  BIND(rowlock_registry_bind_handle, "original", original, N);
  BIND(rowlock_registry_bind_handle, "image", image, N);
  run(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N, .tile_samples = 1});
  cr_expect(ieee_ulp_eq(dbl, image[N - 1], 5, 0));
  cr_expect(eq(u64, report.call_count, 1), "nothing is promised of it: it is not cut");
}

Test(run, allocates_nothing) {
  add_spans(N);
  const rowlock_run_options_t serial = {.sample_count = N};
  const rowlock_run_options_t team = {
      .structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N, .thread_count = 2, .tile_samples = 100};
  run(&serial);
  run(&team);
  rlk_fault_arm(0, false);
  rowlock_code_t code = ROWLOCK_OK;
  for (int round = 0; round < 10 && !code; ++round) {
    code = rowlock_registry_bind_int_handle(deployment.registry, "runs", runs, N, &deployment.err);
    if (!code) code = try_run(&serial);
    if (!code) code = try_run(&team);
  }
  const rlk_fault_t fault = rlk_fault_disarm();
  rlk_deployment_expect_ok(&deployment, code, "warm runs");
  cr_expect(eq(u64, fault.allocations, 0));
}

/* --- Counts that do not fit --------------------------------------------------------------------------------------- */

static rowlock_code_t try_plan(int64_t sample_count) {
  const rowlock_run_options_t options = {.sample_count = sample_count};
  return rowlock_registry_plan(deployment.registry, &options, &report, &deployment.err);
}

/* Without an argument that is as long as the run, so that only the count is. */
static void add_counted(const char* name, const char* document, const char* from, const char* to) {
  rlk_deployment_edit(&deployment, document, from, to);
  add(name);
  BIND(rowlock_registry_bind_wide, name[0] == 's' ? "mass" : "value", mass, N);
  BIND(rowlock_registry_bind_wide, name[0] == 's' ? "plane" : "calls", plane, 5);
}

Test(run, of_a_v1_body_is_of_an_int32_of_samples) {
  add_counted("legacy", "legacy.sidecar.json", "[\"mutable\", \"value\"]", "[\"wide_in\", \"value\"]");
  rlk_deployment_expect_ok(&deployment, try_plan(INT32_MAX), "the most");
  rlk_deployment_expect_refused(&deployment, try_plan((int64_t)INT32_MAX + 1), "exec.sample-count-range",
                                "the run has 2147483648 samples");
}

Test(run, of_a_body_that_takes_nsamples_is_of_32_bits_of_samples) {
  add_counted("scatter", "scatter.sidecar.json", "[\"per_sample\", \"mass\"]",
              "[\"wide_in\", \"mass\"], [\"nsamples\", \"n\"]");
  rlk_deployment_expect_ok(&deployment, try_plan(UINT32_MAX), "the most");
  rlk_deployment_expect_refused(&deployment, try_plan((int64_t)UINT32_MAX + 1), "exec.sample-count-range",
                                "the extent of the 32-bit nsamples is at most 4294967295");
}

Test(run, of_another_v2_body_is_of_63_bits_of_samples) {
  add_counted("scatter", "scatter.sidecar.json", "[\"per_sample\", \"mass\"]", "[\"wide_in\", \"mass\"]");
  rlk_deployment_expect_ok(&deployment, try_plan(INT64_MAX), "the most");
}

/* --- Refusals ----------------------------------------------------------------------------------------------------- */

Test(run, that_is_refused_has_called_nothing) {
  add_spans(N);
  add("mirror");
  rlk_deployment_expect_refused(&deployment, try_run(&(rowlock_run_options_t){.sample_count = N}),
                                "exec.unbound-handle", "unbound handle 'original'");
  cr_expect(eq(i64, runs[0], 0), "an earlier plugin was called");
  cr_expect(eq(u64, report.call_count, 0));
}

Test(run, names_and_mends_a_changed_floating_point_mode) {
  static double value[N];
  static const char* const structures[] = {"host_serial", "host_team"};
  add("flush");
  BIND(rowlock_registry_bind_handle, "value", value, N);
  for (size_t i = 0; i < 2; ++i) {
    const rowlock_run_options_t options = {
        .structure = rowlock_structure_find(structures[i]), .sample_count = N, .thread_count = 2, .tile_samples = 100};
    rlk_deployment_expect_refused(&deployment, try_run(&options), "exec.floating-point-mode", "flush-to-zero");
    const volatile double least = 2.2250738585072014e-308;
    cr_expect(lt(dbl, 0, least / 2), "%s", structures[i]);
  }
}

Test(run, names_and_mends_arguments_that_were_written_to) {
  static double value[N];
  static const rowlock_partition_t partitions[] = {{0, N - 1, N}, {N - 1, 1, N}};
  static const rowlock_run_options_t options[] = {
      {.sample_count = N},
      {.sample_count = N, .partitions = partitions, .partition_count = 2},
      {.structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N, .thread_count = 1, .tile_samples = 100}};
  add("scribble");
  BIND(rowlock_registry_bind_handle, "value", value, N);
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    value[0] = value[N - 1] = 0;
    rlk_deployment_expect_refused(&deployment, try_run(&options[i]), "exec.arguments-changed",
                                  "plugin 'scribble' wrote to argument 0, 'value'");
    cr_expect(value[0] == N && value[N - 1] == N, "case %zu runs on what an earlier one left", i);
  }
}

Test(run, of_a_plan_calls_nothing) {
  add_spans(N);
  const rowlock_run_options_t options = {.sample_count = N};
  rlk_deployment_expect_ok(&deployment, rowlock_registry_plan(deployment.registry, &options, &report, &deployment.err),
                           "plan");
  cr_expect(eq(i64, report.sample_count, N));
  cr_expect(eq(u64, report.plugin_count, 1));
  cr_expect(eq(u64, report.call_count, 0));
  cr_expect(eq(i64, runs[0], 0));
}

Test(run, of_another_count_than_the_callers_says_whose_it_is) {
  add_spans(N);
  rlk_deployment_expect_refused(&deployment, try_run(&(rowlock_run_options_t){.sample_count = 999}),
                                "exec.sample-count-differs",
                                "is bound with 1000 samples, the caller's sample count is 999: a run has one");
}

Test(run, without_options_is_bad_usage) {
  const char* words = "there are no options";
  cr_expect(eq(int, try_run(NULL), ROWLOCK_UNUSABLE));
  cr_expect(ne(ptr, strstr(deployment.err.message, words), NULL));
  cr_expect(eq(int, rowlock_registry_plan(deployment.registry, NULL, &report, &deployment.err), ROWLOCK_UNUSABLE));
  cr_expect(ne(ptr, strstr(deployment.err.message, words), NULL));
  cr_expect(eq(int, rowlock_registry_fold(deployment.registry, NULL, &deployment.err), ROWLOCK_UNUSABLE));
  cr_expect(ne(ptr, strstr(deployment.err.message, words), NULL));
}

Test(run, with_impossible_options_is_bad_usage) {
  add_spans(N);
  const rowlock_partition_t whole = {0, N, N};
  const rowlock_run_options_t impossible[] = {
      {.sample_count = -2},
      {.sample_count = N, .tile_samples = -1},
      {.sample_count = N, .partition_count = 1},
      {.sample_count = N, .partitions = &whole},
      {.sample_count = N, .structure = ROWLOCK_STRUCTURE_COUNT},
  };
  for (size_t i = 0; i < sizeof impossible / sizeof *impossible; ++i) {
    cr_expect(eq(int, try_run(&impossible[i]), ROWLOCK_UNUSABLE), "case %zu", i);
    cr_expect(zero(ptr, (void*)deployment.err.rule_id), "case %zu", i);
    cr_expect(ne(str, deployment.err.message, (char*)""), "case %zu", i);
  }
}
