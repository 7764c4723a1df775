/* Running one plugin of several, and a part of a run: what is called, what is asked of the bindings, what is refused.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "loader/registry/deployment.h"
#include "validator/rules/fault.h"

enum { N = 1000 };

static rlk_deployment_t deployment;
static rowlock_run_report_t report;
static int64_t bases[N], counts[N], runs[N], lengths[N];
static double original[N], image[N];

static void setup(void) { rlk_deployment_create(&deployment); }
static void teardown(void) { rlk_deployment_destroy(&deployment); }

TestSuite(inject, .init = setup, .fini = teardown);

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

static void expect_refused(const rowlock_run_options_t* options, const char* rule_id, const char* words) {
  rlk_deployment_expect_refused(&deployment, try_run(options), rule_id, words);
}

static void add_spans(void) {
  add("spans");
  BIND(rowlock_registry_bind_int_handle, "bases", bases, N);
  BIND(rowlock_registry_bind_int_handle, "counts", counts, N);
  BIND(rowlock_registry_bind_int_handle, "runs", runs, N);
  BIND(rowlock_registry_bind_int_handle, "lengths", lengths, N);
}

static void bind_mirror(uint64_t samples) {
  BIND(rowlock_registry_bind_handle, "original", original, samples);
  BIND(rowlock_registry_bind_handle, "image", image, samples);
}

static const rowlock_run_options_t spans = {.plugin_id = "spans", .sample_count = N},
                                   mirror = {.plugin_id = "mirror", .sample_count = N}, all = {.sample_count = N};

/* --- One plugin --------------------------------------------------------------------------------------------------- */

Test(inject, of_one_plugin_calls_no_other) {
  for (int i = 0; i < N; ++i) original[i] = i;
  add_spans();
  add("mirror");
  bind_mirror(N);
  run(&mirror);
  cr_expect(eq(u64, report.plugin_count, 1));
  cr_expect(eq(u64, report.call_count, 1));
  cr_expect(zero(i64, runs[0]));
  cr_expect(ieee_ulp_eq(dbl, image[0], N - 1, 0));
}

/* v1, which may not be cut, and unbound: neither is asked of it. */
Test(inject, of_one_plugin_asks_nothing_of_another) {
  static const rowlock_partition_t halves[] = {{0, N / 2, N}, {N / 2, N / 2, N}};
  add("legacy");
  add_spans();
  rowlock_run_options_t options = {
      .plugin_id = "spans", .sample_count = ROWLOCK_SAMPLES_OF_BINDINGS, .partitions = halves, .partition_count = 2};
  rlk_deployment_expect_ok(&deployment, rowlock_registry_plan(deployment.registry, &options, &report, &deployment.err),
                           "plan");
  cr_expect(eq(u64, report.plugin_count, 1));
  run(&options);
  cr_expect(eq(i64, report.sample_count, N));
  cr_expect(eq(u64, report.call_count, 2));
}

typedef rowlock_code_t (*entry_t)(const rowlock_run_options_t* options);

static rowlock_code_t try_plan(const rowlock_run_options_t* options) {
  return rowlock_registry_plan(deployment.registry, options, &report, &deployment.err);
}
static rowlock_code_t try_fold(const rowlock_run_options_t* options) {
  return rowlock_registry_fold(deployment.registry, options, &deployment.err);
}

static const entry_t entries[] = {try_run, try_plan, try_fold};
enum { ENTRIES = sizeof entries / sizeof *entries };

Test(inject, of_an_unknown_plugin_names_those_that_are_loaded) {
  add("forces");
  for (size_t i = 0; i < ENTRIES; ++i) {
    rlk_deployment_expect_refused(&deployment,
                                  entries[i](&(rowlock_run_options_t){.plugin_id = "lift", .sample_count = N}),
                                  "exec.plugin-unknown", "no plugin 'lift' is loaded; loaded: gravity, drag, thrust");
    rlk_deployment_expect_refused(&deployment, entries[i](&(rowlock_run_options_t){.plugin_id = "", .sample_count = N}),
                                  "exec.plugin-unknown", "no plugin '' is loaded");
  }
}

static void expect_unusable(const char* sentence) {
  for (size_t i = 0; i < ENTRIES; ++i) {
    cr_expect(eq(int, entries[i](&spans), ROWLOCK_UNUSABLE), "entry %zu", i);
    cr_expect(zero(ptr, (void*)deployment.err.rule_id), "entry %zu", i);
    cr_expect(eq(str, deployment.err.message, (char*)sentence), "entry %zu", i);
  }
  cr_expect(zero(i64, runs[0]));
}

Test(inject, of_a_disabled_plugin_is_unusable) {
  add_spans();
  run(&all);
  runs[0] = 0;
  BIND(rowlock_registry_set_plugin_enabled, "spans", false);
  expect_unusable("plugin 'spans' is asked for, but it is disabled");
  BIND(rowlock_registry_set_plugin_enabled, "spans", true);
  run(&spans);
  cr_expect(eq(i64, runs[0], 1));
}

Test(inject, of_a_disabled_registry_is_unusable) {
  add_spans();
  rowlock_registry_set_enabled(deployment.registry, false);
  expect_unusable("plugin 'spans' is asked for, but its registry is disabled");
  BIND(rowlock_registry_set_plugin_enabled, "spans", false);
  expect_unusable("plugin 'spans' is asked for, but its registry is disabled");
  expect_refused(&(rowlock_run_options_t){.plugin_id = "span"}, "exec.plugin-unknown", "loaded: spans");
}

Test(inject, of_a_plugin_runs_it_where_another_is_disabled) {
  add_spans();
  add("mirror");
  BIND(rowlock_registry_set_plugin_enabled, "mirror", false);
  run(&spans);
  cr_expect(eq(i64, runs[0], 1));
}

/* --- Soundness ---------------------------------------------------------------------------------------------------- */

Test(inject, that_found_one_plugin_sound_says_nothing_of_the_others) {
  add_spans();
  add("mirror");
  for (int i = 0; i < 2; ++i) run(&spans);
  expect_refused(&all, "exec.unbound-handle", "'original' of plugin 'mirror'");
  expect_refused(&mirror, "exec.unbound-handle", "'original' of plugin 'mirror'");
  cr_expect(eq(i64, runs[0], 2), "nothing was called of a run that is refused");
  run(&spans);
  bind_mirror(N);
  run(&all);
  cr_expect(eq(u64, report.plugin_count, 2));
}

Test(inject, sees_what_was_unbound) {
  add_spans();
  add("mirror");
  bind_mirror(N);
  run(&all);
  run(&spans);
  BIND(rowlock_registry_unbind, "runs");
  expect_refused(&spans, "exec.unbound-handle", "'runs'");
  run(&mirror);
  expect_refused(&all, "exec.unbound-handle", "'runs'");
}

Test(inject, lets_each_plugin_have_its_own_sample_count) {
  add_spans();
  add("mirror");
  bind_mirror(10);
  run(&(rowlock_run_options_t){.plugin_id = "mirror", .sample_count = ROWLOCK_SAMPLES_OF_BINDINGS});
  cr_expect(eq(i64, report.sample_count, 10));
  run(&(rowlock_run_options_t){.plugin_id = "spans", .sample_count = ROWLOCK_SAMPLES_OF_BINDINGS});
  cr_expect(eq(i64, report.sample_count, N));
  expect_refused(&mirror, "exec.sample-count-differs", "plugin 'mirror' is bound with 10 samples");
  expect_refused(&all, "exec.sample-count-differs", "plugin 'mirror' is bound with 10 samples");
}

/* A sample count that only another plugin's argument tells, in a run of all that was sound. */
Test(inject, of_a_plugin_that_tells_no_sample_count_does_not_depend_on_what_was_run_before) {
  static double plane[5];
  rlk_deployment_edit(&deployment, "scatter.sidecar.json", "[\"per_sample\", \"mass\"]", "[\"wide_in\", \"mass\"]");
  add_spans();
  add("scatter");
  BIND(rowlock_registry_bind_wide, "mass", original, N);
  BIND(rowlock_registry_bind_wide, "plane", plane, 5);
  const rowlock_run_options_t scatter = {.plugin_id = "scatter", .sample_count = ROWLOCK_SAMPLES_OF_BINDINGS};
  expect_refused(&scatter, "exec.sample-count-unknown", "no bound argument does");
  run(&(rowlock_run_options_t){.sample_count = ROWLOCK_SAMPLES_OF_BINDINGS});
  expect_refused(&scatter, "exec.sample-count-unknown", "no bound argument does");
  run(&(rowlock_run_options_t){.plugin_id = "scatter", .sample_count = 7});
  expect_refused(&scatter, "exec.sample-count-unknown", "no bound argument does");
}

/* --- Parts -------------------------------------------------------------------------------------------------------- */

#define PART(...)                                                                               \
  .sample_count = N, .is_part = true, .partitions = (const rowlock_partition_t[]){__VA_ARGS__}, \
  .partition_count = sizeof((const rowlock_partition_t[]){__VA_ARGS__}) / sizeof(rowlock_partition_t)

/* Each sample is run in one of the calls, with the sample count of the whole run, or in none. */
static void expect_shares(const rowlock_partition_t* shares, size_t count) {
  for (int64_t i = 0; i < N; ++i) {
    const rowlock_partition_t* share = NULL;
    for (size_t j = 0; j < count; ++j) {
      if (i >= shares[j].base && i < shares[j].base + shares[j].count) share = &shares[j];
    }
    const bool right =
        share ? runs[i] == 1 && bases[i] == share->base && counts[i] == share->count && lengths[i] == N : runs[i] == 0;
    cr_assert(right, "sample %lld was run %lld times, in (%lld, %lld, %lld)", (long long)i, (long long)runs[i],
              (long long)bases[i], (long long)counts[i], (long long)lengths[i]);
  }
}

Test(inject, of_a_part_runs_its_samples_alone) {
  add_spans();
  run(&(rowlock_run_options_t){PART({300, 100, N}, {400, 1, N}, {N - 1, 1, N})});
  expect_shares((const rowlock_partition_t[]){{300, 100, N}, {400, 1, N}, {N - 1, 1, N}}, 3);
  cr_expect(eq(i64, report.sample_count, N));
  cr_expect(eq(u64, report.plugin_count, 1));
  cr_expect(eq(u64, report.call_count, 3));
}

Test(inject, of_a_part_is_cut_into_tiles_by_a_team) {
  add_spans();
  run(&(rowlock_run_options_t){PART({100, 450, N}), .structure = ROWLOCK_STRUCTURE_HOST_TEAM, .thread_count = 2,
                               .tile_samples = 200});
  expect_shares((const rowlock_partition_t[]){{100, 200, N}, {300, 200, N}, {500, 50, N}}, 3);
}

Test(inject, of_a_part_reads_samples_of_others) {
  for (int i = 0; i < N; ++i) original[i] = i;
  add("mirror");
  bind_mirror(N);
  run(&(rowlock_run_options_t){PART({0, 2, N})});
  cr_expect(ieee_ulp_eq(dbl, image[1], N - 2, 0));
  cr_expect(ieee_ulp_eq(dbl, image[2], 0, 0));
}

Test(inject, of_no_samples_has_one_empty_part) {
  add("mirror");
  bind_mirror(0);
  const rowlock_partition_t none[] = {{0, 0, 0}, {0, 0, 0}};
  rowlock_run_options_t options = {.partitions = none, .partition_count = 1, .is_part = true};
  run(&options);
  cr_expect(zero(u64, report.call_count));
  options.partition_count = 2;
  expect_refused(&options, "exec.partition-empty", "partition 0 has 0 samples");
}

Test(inject, of_what_is_no_part_has_called_nothing) {
  const struct {
    const char* rule_id;
    rowlock_partition_t partitions[2];
  } cases[] = {
      {"exec.partition-order", {{500, 10, N}, {0, 10, N}}},
      {"exec.partition-order", {{500, 10, N}, {509, 10, N}}},
      {"exec.partition-order", {{-1, 10, N}, {20, 10, N}}},
      {"exec.partition-empty", {{500, 0, N}, {600, 10, N}}},
      {"exec.partition-empty", {{500, 10, N}, {600, -1, N}}},
      {"exec.partition-cover", {{500, 10, N}, {N, 1, N}}},
      {"exec.partition-cover", {{500, 10, N}, {N - 1, 2, N}}},
      {"exec.partition-cover", {{500, 10, N}, {N - 1, INT64_MAX, N}}},
      {"exec.partition-cover", {{500, 10, N}, {INT64_MAX, INT64_MAX, N}}},
      {"exec.partition-samples", {{0, 10, 10}, {500, 10, N}}},
      {"exec.partition-samples", {{0, 10, N}, {500, 10, 510}}},
  };
  add_spans();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const rowlock_run_options_t options = {
        .sample_count = N, .partitions = cases[i].partitions, .partition_count = 2, .is_part = true};
    expect_refused(&options, cases[i].rule_id, "partition");
  }
  cr_expect(eq(u64, report.call_count, 0));
  expect_shares(NULL, 0);
}

Test(inject, of_a_part_needs_partitions) {
  add_spans();
  cr_expect(eq(int, try_run(&(rowlock_run_options_t){.sample_count = N, .is_part = true}), ROWLOCK_UNUSABLE));
  cr_expect(zero(ptr, (void*)deployment.err.rule_id));
  cr_expect(not(zero(ptr, strstr(deployment.err.message, "part"))), "%s", deployment.err.message);
  const rowlock_partition_t whole = {0, N, N};
  const rowlock_run_options_t none = {.sample_count = N, .is_part = true, .partitions = &whole};
  cr_expect(eq(int, try_run(&none), ROWLOCK_UNUSABLE));
}

Test(inject, of_partitions_that_are_not_called_a_part_covers_the_run) {
  add_spans();
  const rowlock_partition_t part = {300, 100, N};
  expect_refused(&(rowlock_run_options_t){.sample_count = N, .partitions = &part, .partition_count = 1},
                 "exec.partition-gap", "begins at 300, 0 is due");
}

Test(inject, allocates_nothing) {
  add_spans();
  const rowlock_run_options_t part = {PART({300, 100, N}), .plugin_id = "spans"};
  rlk_fault_arm(0, false);
  rowlock_code_t code = try_run(&part);
  if (!code) code = try_fold(&part);
  const rlk_fault_t fault = rlk_fault_disarm();
  rlk_deployment_expect_ok(&deployment, code, "cold");
  cr_expect(zero(u64, fault.allocations));
}

/* --- Placement ---------------------------------------------------------------------------------------------------- */

static void expect_whole_alone(const char* rule_id) {
  static const char part[] = "not as a part of the run";
  expect_refused(&(rowlock_run_options_t){PART({0, N - 1, N})}, rule_id, part);
  expect_refused(&(rowlock_run_options_t){PART({1, N - 1, N})}, rule_id, part);
  expect_refused(&(rowlock_run_options_t){PART({0, 1, N}, {1, N - 1, N})}, rule_id, part);
  expect_refused(&(rowlock_run_options_t){PART({0, N, N}, {N, 1, N})}, rule_id, part);
  expect_refused(&(rowlock_run_options_t){PART({1, N, N})}, rule_id, part);
  expect_refused(&(rowlock_run_options_t){PART({0, N - 1, N - 1})}, "exec.partition-samples", "carries nSamples 999");
  run(&(rowlock_run_options_t){PART({0, N, N})});
  cr_expect(eq(u64, report.call_count, 1));
  run(&(rowlock_run_options_t){PART({0, N, N}), .structure = ROWLOCK_STRUCTURE_HOST_TEAM, .tile_samples = 10});
  cr_expect(eq(u64, report.call_count, 1));
}

static double plane[5];

static void add_scatter(void) {
  add("scatter");
  BIND(rowlock_registry_bind_handle, "mass", original, N);
  BIND(rowlock_registry_bind_wide, "plane", plane, 5);
}

Test(inject, of_a_part_is_refused_where_samples_are_written_across) {
  add_scatter();
  expect_whole_alone("exec.illegal-placement");
  cr_expect(ieee_ulp_eq(dbl, plane[4], 2, 0), "called twice");
}

Test(inject, of_a_part_is_refused_where_nothing_is_promised) {
  const rowlock_load_options_t options = {.object_folder = rlk_deployment_options().object_folder};
  const char* sidecar = rlk_test_folder_at(&deployment.folder, "mirror.sidecar.json");
  rlk_deployment_expect_ok(
      &deployment, rowlock_registry_add_plugin(deployment.registry, "m", sidecar, &options, NULL, &deployment.err),
      "m");
  bind_mirror(N);
  expect_whole_alone("exec.illegal-placement");
}

Test(inject, of_a_part_is_refused_of_a_v1_body) {
  add("legacy");
  BIND(rowlock_registry_bind_handle, "value", image, N);
  BIND(rowlock_registry_bind_wide, "calls", plane, 1);
  expect_whole_alone("exec.whole-view");
  cr_expect(ieee_ulp_eq(dbl, plane[0], 2, 0), "called twice");
}

/* What is not run keeps nobody whole. */
Test(inject, of_a_part_of_one_plugin_asks_no_placement_of_another) {
  add_scatter();
  add_spans();
  expect_refused(&(rowlock_run_options_t){PART({0, 1, N})}, "exec.illegal-placement", "plugin 'scatter'");
  run(&(rowlock_run_options_t){PART({0, 1, N}), .plugin_id = "spans"});
  cr_expect(zero(dbl, plane[4]));
}
