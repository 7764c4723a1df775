#define _GNU_SOURCE /* setenv */
/* One plugin, one part, and the fold behind the parts, on the double of a driver: what is launched, and that nothing
 * else is asked of the driver. Where bits are compared, the kernels' twins on the host do the work. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "loader/device/device.h"
#include "loader/device/on_double.h"
#include "validator/rules/fault.h"

enum { N = 1000 };

static rlk_on_double_t on;
static rowlock_run_report_t report;

static void setup(void) { rlk_on_double_create(&on, "driver_double"); }
static void teardown(void) { rlk_on_double_destroy(&on); }

TestSuite(inject, .init = setup, .fini = teardown);

#define registry (on.deployment.registry)
#define err (&on.deployment.err)
#define BIND(call, ...) rlk_deployment_expect_ok(&on.deployment, call(registry, __VA_ARGS__, err), #call)

static rowlock_code_t try_run(rowlock_run_options_t options) {
  options.structure = ROWLOCK_STRUCTURE_DEVICE_KERNEL;
  return rowlock_registry_run(registry, &options, &report, err);
}

static rowlock_code_t try_fold(rowlock_run_options_t options) {
  options.structure = ROWLOCK_STRUCTURE_DEVICE_KERNEL;
  return rowlock_registry_fold(registry, &options, err);
}

static void run(rowlock_run_options_t options) { rlk_deployment_expect_ok(&on.deployment, try_run(options), "run"); }
static void fold(rowlock_run_options_t options) { rlk_deployment_expect_ok(&on.deployment, try_fold(options), "fold"); }

static void expect_refused(rowlock_run_options_t options, const char* rule_id, const char* words) {
  rlk_deployment_expect_refused(&on.deployment, try_run(options), rule_id, words);
}

/* An address that nothing here reads: only the device would. */
static void* at(uintptr_t address) { return (void*)(address << 4); }

static rowlock_run_options_t part_of(const rowlock_partition_t* partitions, size_t count) {
  return (rowlock_run_options_t){.sample_count = partitions[0].sample_count,
                                 .partitions = partitions,
                                 .partition_count = count,
                                 .is_part = true,
                                 .stream = at(9)};
}

static void add_spans(uint64_t samples) {
  static const char* const names[] = {"bases", "counts", "runs", "lengths"};
  rlk_on_double_add(&on, "spans");
  for (uintptr_t i = 0; i < 4; ++i) BIND(rowlock_registry_bind_int_handle, names[i], at(i + 1), samples);
}

static void expect_launch(size_t number, unsigned blocks, rowlock_partition_t due) {
  const rlk_double_launch_t* launch = rlk_double_launch(on.driver, number);
  const size_t triple = launch->parameter_count - 3;
  rowlock_partition_t got;
  memcpy(&got.base, launch->values[triple], sizeof got.base);
  memcpy(&got.count, launch->values[triple + 1], sizeof got.count);
  memcpy(&got.sample_count, launch->values[triple + 2], sizeof got.sample_count);
  cr_expect(eq(uint, launch->grid[0], blocks), "launch %zu", number);
  cr_expect(eq(i64, got.base, due.base), "launch %zu", number);
  cr_expect(eq(i64, got.count, due.count), "launch %zu", number);
  cr_expect(eq(i64, got.sample_count, due.sample_count), "launch %zu", number);
  cr_expect(eq(ptr, (void*)launch->stream, at(9)), "launch %zu", number);
}

/* --- What is launched --------------------------------------------------------------------------------------------- */

static void bind_gravity(void) {
  BIND(rowlock_registry_bind_vector, "out", at(1), N, 3);
  BIND(rowlock_registry_bind_vector, "position", at(2), N, 3);
  BIND(rowlock_registry_bind_uniform, "mu", 0.25);
}

Test(inject, launches_one_plugin_and_asks_nothing_of_the_others) {
  const rowlock_run_options_t gravity = {.plugin_id = "gravity", .sample_count = N, .stream = at(9)};
  rlk_on_double_add(&on, "forces");
  bind_gravity();
  for (int i = 0; i < 2; ++i) run(gravity);
  cr_expect(eq(sz, on.driver->launch_count, 2));
  expect_launch(1, 4, (rowlock_partition_t){0, N, N});
  cr_expect(eq(u64, report.plugin_count, 1));
  cr_expect(eq(u64, report.call_count, 1));
  expect_refused((rowlock_run_options_t){.sample_count = N}, "exec.unbound-vector", "plugin 'drag'");
  cr_expect(eq(sz, on.driver->launch_count, 2), "a run that is refused launches nothing");
  run(gravity);
}

Test(inject, launches_a_part_on_the_callers_stream) {
  const rowlock_partition_t part[] = {{300, 257, N}, {N - 1, 1, N}};
  add_spans(N);
  run(part_of(part, 2));
  cr_assert(eq(sz, on.driver->launch_count, 2));
  expect_launch(0, 2, part[0]);
  expect_launch(1, 1, part[1]);
  cr_expect(eq(i64, report.sample_count, N));
}

Test(inject, launches_a_part_of_the_end_of_many_samples) {
  const rowlock_partition_t part = {INT64_C(1) << 40, 1, (INT64_C(1) << 40) + 1};
  add_spans((uint64_t)part.sample_count);
  run(part_of(&part, 1));
  expect_launch(0, 1, part);
}

Test(inject, has_called_nothing_of_what_is_refused) {
  const rowlock_partition_t overlap[] = {{300, 200, N}, {499, 1, N}}, beyond = {N - 1, 2, N}, empty = {5, 0, N};
  const rowlock_partition_t overflow = {INT64_MAX, INT64_MAX, N}, of_another = {0, 10, 10};
  const rowlock_run_options_t spans = {.plugin_id = "spans", .sample_count = N};
  add_spans(N);
  on.driver->call_count = 0;
  expect_refused(part_of(overlap, 2), "exec.partition-order", "partition 1 of the part begins at 499, 500");
  expect_refused(part_of(&beyond, 1), "exec.partition-cover", "end at 1001");
  expect_refused(part_of(&overflow, 1), "exec.partition-cover", "end at 18446744073709551614");
  expect_refused(part_of(&empty, 1), "exec.partition-empty", "has 0 samples");
  rowlock_run_options_t options = part_of(&of_another, 1);
  options.sample_count = N;
  expect_refused(options, "exec.partition-samples", "carries nSamples 10");
  expect_refused((rowlock_run_options_t){.plugin_id = "span", .sample_count = N}, "exec.plugin-unknown", "spans");
  cr_expect(eq(int, try_run((rowlock_run_options_t){.sample_count = N, .is_part = true}), ROWLOCK_UNUSABLE));
  BIND(rowlock_registry_set_plugin_enabled, "spans", false);
  cr_expect(eq(int, try_run(spans), ROWLOCK_UNUSABLE));
  cr_expect(eq(int, try_fold(spans), ROWLOCK_UNUSABLE));
  cr_expect(zero(sz, on.driver->call_count));
}

Test(inject, runs_no_part_of_what_runs_whole) {
  const rowlock_partition_t part = {0, N - 1, N}, whole = {0, N, N};
  rlk_on_double_add(&on, "scatter");
  rlk_on_double_add(&on, "legacy");
  BIND(rowlock_registry_bind_handle, "mass", at(1), N);
  BIND(rowlock_registry_bind_wide, "plane", at(2), 5);
  BIND(rowlock_registry_bind_handle, "value", at(3), N);
  BIND(rowlock_registry_bind_wide, "calls", at(4), 1);
  rowlock_run_options_t options = part_of(&part, 1);
  options.plugin_id = "scatter";
  expect_refused(options, "exec.illegal-placement", "not as a part of the run under 'device_kernel'");
  options.plugin_id = "legacy";
  expect_refused(options, "exec.whole-view", "not as a part of the run");
  cr_expect(zero(sz, on.driver->launch_count));
  run(part_of(&whole, 1));
  cr_expect(eq(sz, on.driver->launch_count, 2));
}

/* --- Folds -------------------------------------------------------------------------------------------------------- */

static void add_tally(uint64_t samples) {
  rlk_on_double_add(&on, "tally");
  BIND(rowlock_registry_bind_vector, "velocity", at(1), samples, 2);
  BIND(rowlock_registry_bind_handle, "mass", at(2), samples);
  BIND(rowlock_registry_bind_handle, "energy", at(3), samples);
  BIND(rowlock_registry_bind_int_handle, "sign", at(4), samples);
  BIND(rowlock_registry_bind_vector, "momentum", at(5), samples, 2);
  BIND(rowlock_registry_bind_result, "energy", at(6), 1);
  BIND(rowlock_registry_bind_result_int, "sign", at(7), 1);
  BIND(rowlock_registry_bind_result, "momentum", at(8), 2);
}

/* What one launch could not hold is run by part, and folded by one launch for each output. */
Test(inject, folds_more_samples_than_one_launch_runs) {
  const int64_t most = (int64_t)INT32_MAX * 256, all = most + 1;
  const rowlock_partition_t parts[] = {{0, most, all}, {most, 1, all}}, too_large = {1, all - 1, all};
  const rowlock_partition_t all_of_it = {0, all, all};
  int64_t samples;
  add_tally((uint64_t)all);
  cr_expect(eq(int, try_run(part_of(&all_of_it, 1)), ROWLOCK_UNUSABLE));
  cr_expect(zero(sz, on.driver->launch_count));
  run(part_of(&too_large, 1));
  for (size_t i = 0; i < 2; ++i) run(part_of(&parts[i], 1));
  cr_expect(eq(sz, on.driver->launch_count, 3), "nothing is folded");
  fold((rowlock_run_options_t){.sample_count = all, .stream = at(9)});
  cr_assert(eq(sz, on.driver->launch_count, 6));
  for (size_t i = 3; i < 6; ++i) {
    const rlk_double_launch_t* launch = rlk_double_launch(on.driver, i);
    memcpy(&samples, launch->values[1], sizeof samples);
    cr_expect(eq(i64, samples, all));
    cr_expect(eq(ptr, (void*)launch->stream, at(9)));
  }
}

Test(inject, folds_what_is_asked_for) {
  add_tally(N);
  add_spans(N);
  fold((rowlock_run_options_t){.plugin_id = "spans", .sample_count = N});
  cr_expect(zero(sz, on.driver->launch_count), "it has no results");
  BIND(rowlock_registry_unbind, "runs");
  fold((rowlock_run_options_t){.plugin_id = "tally", .sample_count = N});
  cr_expect(eq(sz, on.driver->launch_count, 3));
  rlk_deployment_expect_refused(&on.deployment, try_fold((rowlock_run_options_t){.sample_count = N}),
                                "exec.unbound-handle", "'runs' of plugin 'spans'");
  cr_expect(eq(sz, on.driver->launch_count, 3));
}

Test(inject, a_fold_that_fails_is_told) {
  add_tally(N);
  rlk_double_fail(on.driver, RLK_DOUBLE_launch_kernel, 2, RLK_DOUBLE_LAUNCH_FAILED);
  rlk_deployment_expect_refused(&on.deployment, try_fold((rowlock_run_options_t){.sample_count = N}), "device.launch",
                                "plugin 'tally': the driver does not launch it");
  cr_expect(eq(sz, on.driver->launch_count, 1));
  cr_expect(zero(int, on.driver->pushed));
}

Test(inject, folds_under_no_structure_of_the_host) {
  add_tally(N);
  const rowlock_run_options_t options = {.structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N};
  cr_expect(eq(int, rowlock_registry_fold(registry, &options, err), ROWLOCK_UNAVAILABLE));
  cr_expect(zero(sz, on.driver->launch_count));
}

/* --- The launch path ---------------------------------------------------------------------------------------------- */

/* The context is bound, something launched, the context given back, so many times: nothing else, and no memory on the
 * host either. */
static void expect_launches_alone(rowlock_code_t (*call)(rowlock_run_options_t options), rowlock_run_options_t options,
                                  size_t launches) {
  static const rlk_double_call_t due[] = {RLK_DOUBLE_ctx_push_current, RLK_DOUBLE_launch_kernel,
                                          RLK_DOUBLE_ctx_pop_current};
  on.driver->call_count = 0;
  rlk_fault_arm(0, false);
  const rowlock_code_t code = call(options);
  const uint64_t allocations = rlk_fault_disarm().allocations;
  rlk_deployment_expect_ok(&on.deployment, code, "launching");
  cr_expect(zero(u64, allocations));
  cr_assert(eq(sz, on.driver->call_count, 3 * launches));
  for (size_t i = 0; i < 3 * launches; ++i) cr_expect(eq(int, on.driver->calls[i], due[i % 3]), "call %zu", i);
}

Test(inject, does_nothing_but_launch) {
  const rowlock_partition_t part[] = {{0, 10, N}, {500, 10, N}};
  rowlock_run_options_t options = part_of(part, 2);
  options.plugin_id = "tally";
  rlk_on_double_add(&on, "spans");
  add_tally(N);
  for (int warm = 0; warm < 2; ++warm) {
    expect_launches_alone(try_run, options, 2);
    expect_launches_alone(try_fold, options, 3);
  }
}

/* --- Bits --------------------------------------------------------------------------------------------------------- */

typedef struct tally_t {
  double velocity[2 * N], mass[N], energy[N], momentum[2 * N], energy_sum[1], momentum_sum[2];
  int64_t sign[N], sign_sum[1];
} tally_t;

static tally_t due, got;

static void bind_tally(tally_t* tally) {
  BIND(rowlock_registry_bind_vector, "velocity", tally->velocity, N, 2);
  BIND(rowlock_registry_bind_handle, "mass", tally->mass, N);
  BIND(rowlock_registry_bind_handle, "energy", tally->energy, N);
  BIND(rowlock_registry_bind_int_handle, "sign", tally->sign, N);
  BIND(rowlock_registry_bind_vector, "momentum", tally->momentum, N, 2);
  BIND(rowlock_registry_bind_result, "energy", tally->energy_sum, 1);
  BIND(rowlock_registry_bind_result_int, "sign", tally->sign_sum, 1);
  BIND(rowlock_registry_bind_result, "momentum", tally->momentum_sum, 2);
}

static void fill(tally_t* tally) {
  memset(tally, 0xA5, sizeof *tally);
  for (int i = 0; i < N; ++i) {
    tally->mass[i] = (i % 5) / 3.0 - 0.1;
    for (int c = 0; c < 2; ++c) tally->velocity[c * N + i] = 1.0 / (i + c + 1);
  }
}

/* Leaves in `due` what a whole run computes. */
static void setup_with_twins(void) {
  static const char words[] = "host=loader/registry/testdata/tally.so host=loader/device/testdata/fold_twin.so";
  cr_assert(zero(int, setenv("ROWLOCK_DRIVER_DOUBLE", words, 1)));
  setup();
  rlk_on_double_add(&on, "tally");
  fill(&due);
  fill(&got);
  bind_tally(&due);
  run((rowlock_run_options_t){.sample_count = N});
  cr_assert(not(rlk_same_bytes(&due, &got, sizeof due)), "the twins are not called");
  bind_tally(&got);
}

TestSuite(inject_bits, .init = setup_with_twins, .fini = teardown);

static const rowlock_partition_t last[] = {{700, 300, N}}, first[] = {{0, 1, N}, {1, 256, N}},
                                 middle[] = {{257, 443, N}};

static void run_parts(const char* plugin_id, void* stream) {
  rowlock_run_options_t options[] = {part_of(last, 1), part_of(first, 2), part_of(middle, 1)};
  for (size_t i = 0; i < 3; ++i) {
    options[i].plugin_id = plugin_id;
    options[i].stream = stream;
    run(options[i]);
  }
}

Test(inject_bits, are_those_of_the_whole_run) {
  static const char* const ids[] = {NULL, "tally"};
  for (size_t i = 0; i < 2; ++i) {
    fill(&got);
    run_parts(ids[i], NULL);
    cr_expect(rlk_same_bytes(got.energy, due.energy, sizeof due.energy));
    cr_expect(rlk_same_bytes(got.momentum, due.momentum, sizeof due.momentum));
    cr_expect(not(rlk_same_bytes(got.energy_sum, due.energy_sum, sizeof due.energy_sum)), "a part folds nothing");
    fold((rowlock_run_options_t){.plugin_id = ids[i], .sample_count = N});
    cr_expect(rlk_same_bytes(&got, &due, sizeof due));
  }
}

Test(inject_bits, are_those_of_a_graph_of_parts_and_the_fold) {
  const rlk_driver_t* driver;
  rlk_cu_stream_t stream;
  rlk_cu_graph_t graph;
  rlk_cu_graph_exec_t exec;
  cr_assert(eq(int, rlk_driver_get(&driver, err), ROWLOCK_OK));
  cr_assert(eq(int, rlk_device_enter(on.device, err), ROWLOCK_OK));
  cr_assert(zero(int, driver->stream_create(&stream, RLK_CU_STREAM_NON_BLOCKING)));
  cr_assert(zero(int, driver->stream_begin_capture(stream, RLK_CU_CAPTURE_THREAD_LOCAL)));
  run_parts("tally", stream);
  fold((rowlock_run_options_t){.plugin_id = "tally", .sample_count = N, .stream = stream});
  cr_assert(zero(int, driver->stream_end_capture(stream, &graph)));
  cr_assert(zero(int, driver->graph_instantiate(&exec, graph, 0)));
  cr_expect(not(rlk_same_bytes(&got, &due, sizeof due)), "capturing computes nothing");
  for (int i = 0; i < 2; ++i) {
    fill(&got);
    cr_expect(zero(int, driver->graph_launch(exec, stream)));
    cr_expect(rlk_same_bytes(&got, &due, sizeof due), "replay %d", i);
  }
  (void)driver->graph_exec_destroy(exec);
  (void)driver->graph_destroy(graph);
  (void)driver->stream_destroy(stream);
  rlk_device_leave(on.device);
}
