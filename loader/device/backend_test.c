/* Registries on a device: what is loaded, uploaded and launched, and what is left when something fails. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "loader/device/device.h"
#include "loader/device/on_double.h"
#include "validator/rules/fault.h"

enum { N = 1000 };

static rlk_on_double_t on;
static rowlock_run_report_t report;

static void setup(void) { rlk_on_double_create(&on, "driver_double"); }
static void teardown(void) { rlk_on_double_destroy(&on); }

TestSuite(backend, .init = setup, .fini = teardown);

#define registry (on.deployment.registry)
#define err (&on.deployment.err)
#define BIND(call, ...) rlk_deployment_expect_ok(&on.deployment, call(registry, __VA_ARGS__, err), #call)

static rowlock_code_t try_add(const char* name) { return rlk_deployment_add(&on.deployment, name); }

static rowlock_code_t try_run(rowlock_run_options_t options) {
  options.structure = ROWLOCK_STRUCTURE_DEVICE_KERNEL;
  return rowlock_registry_run(registry, &options, &report, err);
}

static void run(rowlock_run_options_t options) { rlk_deployment_expect_ok(&on.deployment, try_run(options), "run"); }

/* An address that nothing here reads: only the device would. */
static void* at(uintptr_t address) { return (void*)(address << 4); }

static void bind_forces(void) {
  static const double direction[3] = {1, 2, 3};
  BIND(rowlock_registry_bind_vector, "out", at(1), N, 3);
  BIND(rowlock_registry_bind_vector, "position", at(2), N, 3);
  BIND(rowlock_registry_bind_vector, "velocity", at(3), N, 3);
  BIND(rowlock_registry_bind_handle, "mass", at(4), N);
  BIND(rowlock_registry_bind_matrix, "rotation", at(5), N, (rowlock_shape_t){3, 3});
  BIND(rowlock_registry_bind_uniform, "mu", 0.25);
  BIND(rowlock_registry_bind_uniform, "coefficient", 0.5);
  BIND(rowlock_registry_consolidate, "direction", direction, 3);
}

/* --- Loading ------------------------------------------------------------------------------------------------------ */

Test(backend, loads_a_module_for_each_plugin_and_our_own_once) {
  cr_expect(eq(int, on.driver->modules, 1));
  rlk_on_double_add(&on, "forces");
  cr_expect(eq(int, on.driver->modules, 4));
  cr_expect(eq(sz, rowlock_registry_plugin_count(registry), 3));
  rowlock_registry_t* second;
  cr_assert(eq(int, rowlock_registry_create_on(on.device, 0, &second, err), ROWLOCK_OK));
  cr_expect(eq(int, on.driver->modules, 4));
  rowlock_registry_destroy(second);
  cr_expect(eq(int, on.driver->modules, 4));
}

Test(backend, loads_functions_before_the_first_launch) {
  const size_t before = rlk_double_count(on.driver, RLK_DOUBLE_func_load);
  rlk_on_double_add(&on, "forces");
  cr_expect(eq(sz, rlk_double_count(on.driver, RLK_DOUBLE_func_load) - before, 3));
  cr_expect(eq(int, on.driver->pushed, 0));
}

/* Whichever call of the driver it is, of whichever plugin: the registry is as it was, and loads it afterwards. */
Test(backend, a_load_that_fails_leaves_nothing_and_can_be_repeated) {
  rlk_on_double_add(&on, "spans");
  uint32_t nth = 1;
  for (;; ++nth) {
    const int modules = on.driver->modules;
    rlk_double_fail(on.driver, RLK_DOUBLE_CALL_COUNT, nth, RLK_DOUBLE_UNKNOWN);
    const rowlock_code_t code = try_add("forces");
    const bool failed = on.driver->faults[0].seen >= nth;
    rlk_double_relent(on.driver);
    if (!failed) {
      cr_expect(eq(int, code, ROWLOCK_OK), "%s", err->message);
      break;
    }
    cr_expect(ne(int, code, ROWLOCK_OK), "call %u", nth);
    cr_expect(not(zero(ptr, strstr(err->message, "plugin '"))), "call %u: %s", nth, err->message);
    cr_expect(eq(int, on.driver->modules, modules), "call %u", nth);
    cr_expect(zero(int, on.driver->pushed), "call %u", nth);
    cr_expect(zero(int, on.driver->astray), "call %u", nth);
    cr_expect(eq(sz, rowlock_registry_plugin_count(registry), 1), "call %u", nth);
    cr_expect(eq(sz, rowlock_registry_table_count(registry), 0), "call %u", nth);
  }
  cr_expect(lt(u32, 30, nth), "three modules are loaded with more than %u calls", nth);
  cr_expect(eq(int, on.driver->modules, 5));
}

Test(backend, the_last_module_of_a_set_may_fail) {
  for (uint32_t k = 1; k <= 3; ++k) {
    rlk_double_fail(on.driver, RLK_DOUBLE_module_load_data_ex, k, RLK_DOUBLE_INVALID_PTX);
    rlk_deployment_expect_refused(&on.deployment, try_add("forces"), "device.module",
                                  k == 1   ? "plugin 'gravity'"
                                  : k == 2 ? "plugin 'drag'"
                                           : "plugin 'thrust'");
    rlk_double_relent(on.driver);
    cr_expect(eq(int, on.driver->modules, 1));
    cr_expect(zero(sz, rowlock_registry_plugin_count(registry)));
  }
}

/* A merge that fails leaves what was loaded, bound and consolidated before it. */
Test(backend, a_merge_that_fails_leaves_the_registry_running) {
  rlk_on_double_add(&on, "forces");
  bind_forces();
  run((rowlock_run_options_t){.sample_count = N});
  rlk_double_fail(on.driver, RLK_DOUBLE_module_load_data_ex, 1, RLK_CU_OUT_OF_MEMORY);
  cr_expect(eq(int, try_add("every_role"), ROWLOCK_NO_MEMORY));
  rlk_double_relent(on.driver);
  rlk_deployment_expect_refused(&on.deployment, try_add("forces"), "load.id-taken", "gravity");
  cr_expect(eq(int, on.driver->modules, 4));
  cr_expect(eq(int, on.driver->allocations, 1));
  run((rowlock_run_options_t){.sample_count = N});
  cr_expect(eq(u64, report.plugin_count, 3));
}

/* One manifest after another, with the nth allocation of the host refused. */
static bool survives_without_memory(const char* first, const char* second, uint64_t nth) {
  const char* const paths[] = {first, second};
  static const double table[8] = {0};
  rowlock_registry_t* made = NULL;
  rlk_fault_arm(nth, false);
  rowlock_code_t code = rowlock_registry_create_on(on.device, 0, &made, err);
  for (size_t i = 0; i < 2 && !code; ++i) code = rowlock_registry_add_manifest(made, paths[i], NULL, NULL, err);
  if (!code) code = rowlock_registry_consolidate(made, "profile", table, 8, err);
  if (!code) code = rowlock_registry_bind_handle(made, "mass", at(1), N, err);
  const bool refused = rlk_fault_relent();
  rowlock_registry_destroy(made);
  cr_expect(zero(sz, rlk_fault_disarm().live), "allocation %llu", (unsigned long long)nth);
  cr_expect(eq(int, code, refused ? ROWLOCK_NO_MEMORY : ROWLOCK_OK), "allocation %llu: %s", (unsigned long long)nth,
            err->message);
  cr_expect(eq(int, on.driver->modules, 1), "allocation %llu", (unsigned long long)nth);
  cr_expect(zero(int, on.driver->allocations), "allocation %llu", (unsigned long long)nth);
  cr_expect(zero(int, on.driver->pushed), "allocation %llu", (unsigned long long)nth);
  return refused;
}

Test(backend, survives_every_allocation_failure) {
  char first[512], second[512];
  snprintf(first, sizeof first, "%s", rlk_test_folder_at(&on.deployment.folder, "forces.manifest.json"));
  snprintf(second, sizeof second, "%s", rlk_test_folder_at(&on.deployment.folder, "every_role.manifest.json"));
  uint64_t nth = 1;
  while (survives_without_memory(first, second, nth)) ++nth;
  cr_expect(lt(u64, 30, nth), "next to nothing was allocated");
}

/* --- Making a registry -------------------------------------------------------------------------------------------- */

/* A first registry that is not made leaves no half of the loader's kernels behind, on which later folds would run. */
Test(backend, each_call_of_making_a_registry_may_fail) {
  uint32_t nth = 1;
  for (;; ++nth) {
    rowlock_device_t* device;
    rowlock_registry_t* made = NULL;
    cr_assert(eq(int, rowlock_device_open(0, &device, err), ROWLOCK_OK));
    const int modules = on.driver->modules;
    rlk_double_fail(on.driver, RLK_DOUBLE_CALL_COUNT, nth, RLK_DOUBLE_UNKNOWN);
    const rowlock_code_t code = rowlock_registry_create_on(device, 0, &made, err);
    const bool failed = on.driver->faults[0].seen >= nth;
    rlk_double_relent(on.driver);
    cr_expect(eq(int, !code, !failed), "call %u", nth);
    cr_expect(eq(int, !made, failed), "call %u", nth);
    cr_expect(eq(int, on.driver->modules, modules + !failed), "call %u", nth);
    rowlock_registry_destroy(made);
    rowlock_device_close(device);
    cr_expect(eq(int, on.driver->modules, modules), "call %u", nth);
    if (!failed) break;
  }
  cr_expect(lt(u32, 7, nth));
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

static void use_budget(uint64_t bytes) {
  rowlock_registry_destroy(registry);
  registry = NULL;
  cr_assert(eq(int, rowlock_registry_create_on(on.device, bytes, &registry, err), ROWLOCK_OK));
}

static const double first_table[8] = {1, 2, 3, 4, 5, 6, 7, 8}, second_table[8] = {8, 7, 6, 5, 4, 3, 2, 1};

static void add_table(void) {
  rlk_on_double_add(&on, "every_role");
  BIND(rowlock_registry_consolidate, "profile", first_table, 8);
}

Test(backend, a_table_is_uploaded_before_the_one_it_replaces_goes) {
  add_table();
  on.driver->call_count = 0;
  BIND(rowlock_registry_consolidate, "profile", second_table, 8);
  static const rlk_double_call_t due[] = {RLK_DOUBLE_mem_alloc, RLK_DOUBLE_memcpy_to_device, RLK_DOUBLE_mem_free};
  size_t seen = 0;
  for (size_t i = 0; i < on.driver->call_count && seen < 3; ++i) seen += on.driver->calls[i] == due[seen];
  cr_expect(eq(sz, seen, 3));
  cr_expect(eq(int, on.driver->allocations, 1));
  cr_expect(eq(sz, on.driver->bytes, sizeof second_table));
}

Test(backend, a_table_that_cannot_be_replaced_stays) {
  add_table();
  uint32_t nth = 1;
  for (;; ++nth) {
    rlk_double_fail(on.driver, RLK_DOUBLE_CALL_COUNT, nth, RLK_CU_OUT_OF_MEMORY);
    const rowlock_code_t code = rowlock_registry_consolidate(registry, "profile", second_table, 8, err);
    const bool failed = on.driver->faults[0].seen >= nth;
    rlk_double_relent(on.driver);
    if (!failed) break;
    cr_expect(eq(int, code, ROWLOCK_NO_MEMORY), "call %u: %s", nth, err->message);
    cr_expect(eq(int, on.driver->allocations, 1), "call %u", nth);
    cr_expect(zero(int, on.driver->pushed), "call %u", nth);
    cr_expect(rowlock_registry_table_at(registry, 0).is_consolidated);
  }
  cr_expect(lt(u32, 3, nth));
}

Test(backend, the_budget_is_of_what_is_there_afterwards) {
  use_budget(64 + 24);
  rlk_on_double_add(&on, "forces");
  add_table();
  BIND(rowlock_registry_consolidate, "direction", first_table, 3);
  BIND(rowlock_registry_consolidate, "profile", second_table, 8);
  BIND(rowlock_registry_unbind, "direction");
  cr_expect(eq(sz, on.driver->bytes, 64));
  BIND(rowlock_registry_consolidate, "direction", first_table, 3);
  cr_expect(eq(sz, on.driver->bytes, 88));
}

Test(backend, a_table_beyond_the_budget_leaves_the_others) {
  use_budget(64 + 23);
  rlk_on_double_add(&on, "forces");
  add_table();
  rlk_deployment_expect_refused(
      &on.deployment, rowlock_registry_consolidate(registry, "direction", first_table, 3, err), "device.table-budget",
      "table 'direction' has 24 bytes, and of the budget of 87 bytes 23");
  cr_expect(eq(sz, on.driver->bytes, 64));
  BIND(rowlock_registry_unbind, "profile");
  BIND(rowlock_registry_consolidate, "direction", first_table, 3);
}

Test(backend, a_full_device_refuses_a_table_cleanly) {
  add_table();
  rlk_double_fail(on.driver, RLK_DOUBLE_mem_alloc, 2, RLK_CU_OUT_OF_MEMORY);
  BIND(rowlock_registry_consolidate, "profile", second_table, 8);
  cr_expect(eq(int, rowlock_registry_consolidate(registry, "profile", first_table, 8, err), ROWLOCK_NO_MEMORY));
  cr_expect(not(zero(ptr, strstr(err->message, "the device 'Double 0' has no 64 bytes left"))), "%s", err->message);
  cr_expect(eq(int, on.driver->allocations, 1));
  BIND(rowlock_registry_consolidate, "profile", first_table, 8);
}

Test(backend, unbinding_a_table_frees_it) {
  add_table();
  BIND(rowlock_registry_unbind, "profile");
  cr_expect(zero(int, on.driver->allocations));
  cr_expect(not(rowlock_registry_table_at(registry, 0).is_consolidated));
  BIND(rowlock_registry_unbind, "profile");
  BIND(rowlock_registry_consolidate, "profile", first_table, 8);
}

Test(backend, destroying_frees_modules_and_tables) {
  rlk_on_double_add(&on, "forces");
  add_table();
  BIND(rowlock_registry_consolidate, "direction", first_table, 3);
  cr_expect(eq(int, on.driver->modules, 5));
  cr_expect(eq(int, on.driver->allocations, 2));
  rowlock_registry_destroy(registry);
  registry = NULL;
  cr_expect(zero(int, on.driver->allocations));
  cr_expect(eq(int, on.driver->modules, 1));
}

/* --- Launches ----------------------------------------------------------------------------------------------------- */

static int64_t integer_of(const rlk_double_launch_t* launch, size_t parameter) {
  int64_t value;
  cr_assert(eq(u32, launch->bytes[parameter], (uint32_t)sizeof value));
  memcpy(&value, launch->values[parameter], sizeof value);
  return value;
}

static void expect_launch(size_t number, unsigned blocks, int64_t base, int64_t count, int64_t samples) {
  const rlk_double_launch_t* launch = rlk_double_launch(on.driver, number);
  const unsigned grid[3] = {blocks, 1, 1}, block[3] = {256, 1, 1};
  for (size_t i = 0; i < 3; ++i) {
    cr_expect(eq(uint, launch->grid[i], grid[i]), "launch %zu", number);
    cr_expect(eq(uint, launch->block[i], block[i]), "launch %zu", number);
  }
  cr_expect(zero(uint, launch->shared_bytes));
  if (base < 0) return;
  const size_t triple = launch->parameter_count - 3;
  cr_expect(eq(i64, integer_of(launch, triple), base), "launch %zu", number);
  cr_expect(eq(i64, integer_of(launch, triple + 1), count), "launch %zu", number);
  cr_expect(eq(i64, integer_of(launch, triple + 2), samples), "launch %zu", number);
}

static void add_spans(uint64_t samples) {
  static const char* const names[] = {"bases", "counts", "runs", "lengths"};
  rlk_on_double_add(&on, "spans");
  for (uintptr_t i = 0; i < 4; ++i) BIND(rowlock_registry_bind_int_handle, names[i], at(i + 1), samples);
}

Test(backend, launches_one_thread_a_sample_in_blocks_of_256) {
  static const struct {
    int64_t samples;
    unsigned blocks;
  } sizes[] = {{1, 1}, {255, 1}, {256, 1}, {257, 2}, {512, 2}, {513, 3}, {INT64_C(5000000000), 19531250}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    if (i == 0) rlk_on_double_add(&on, "spans");
    static const char* const names[] = {"bases", "counts", "runs", "lengths"};
    for (uintptr_t j = 0; j < 4; ++j) {
      BIND(rowlock_registry_bind_int_handle, names[j], at(j + 1), (uint64_t)sizes[i].samples);
    }
    run((rowlock_run_options_t){.sample_count = sizes[i].samples});
    expect_launch(i, sizes[i].blocks, 0, sizes[i].samples, sizes[i].samples);
  }
}

Test(backend, launches_each_partition_on_the_callers_stream) {
  const rowlock_partition_t partitions[] = {{0, 300, N}, {300, 1, N}, {301, 699, N}};
  add_spans(N);
  run((rowlock_run_options_t){.sample_count = N, .partitions = partitions, .partition_count = 3, .stream = at(9)});
  cr_expect(eq(sz, on.driver->launch_count, 3));
  expect_launch(0, 2, 0, 300, N);
  expect_launch(1, 1, 300, 1, N);
  expect_launch(2, 3, 301, 699, N);
  for (size_t i = 0; i < 3; ++i) {
    cr_expect(eq(ptr, (void*)rlk_double_launch(on.driver, i)->stream, at(9)));
    rowlock_int_handle_t handle;
    memcpy(&handle, rlk_double_launch(on.driver, i)->values[2], sizeof handle);
    cr_expect(eq(u64, handle.samples, N));
  }
  cr_expect(eq(u64, report.call_count, 3));
}

Test(backend, a_million_partitions_are_a_million_launches) {
  enum { MANY = 1000000 };
  static rowlock_partition_t partitions[MANY];
  for (int64_t i = 0; i < MANY; ++i) partitions[i] = (rowlock_partition_t){i, 1, MANY};
  add_spans(MANY);
  run((rowlock_run_options_t){.sample_count = MANY, .partitions = partitions, .partition_count = MANY});
  cr_expect(eq(sz, on.driver->launch_count, MANY));
  expect_launch(MANY - 1, 1, MANY - 1, 1, MANY);
}

/* Nothing was launched when a later share is refused. */
Test(backend, a_partition_of_more_blocks_than_a_grid_has_is_refused_before_anything_runs) {
  const int64_t most = (int64_t)INT32_MAX * 256, all = most + 2;
  const rowlock_partition_t partitions[] = {{0, 1, all}, {1, most + 1, all}}, halves[] = {{0, 2, all}, {2, most, all}};
  add_spans((uint64_t)all);
  cr_expect(eq(int, try_run((rowlock_run_options_t){.sample_count = all}), ROWLOCK_UNUSABLE));
  rowlock_run_options_t options = {.sample_count = all, .partitions = partitions, .partition_count = 2};
  cr_expect(eq(int, try_run(options), ROWLOCK_UNUSABLE));
  cr_expect(not(zero(ptr, strstr(err->message, "a partition of 549755813633 samples"))), "%s", err->message);
  cr_expect(zero(sz, on.driver->launch_count));
  options.partitions = halves;
  run(options);
  expect_launch(1, INT32_MAX, 2, most, all);
}

Test(backend, no_samples_launch_nothing) {
  add_spans(0);
  run((rowlock_run_options_t){.sample_count = 0});
  cr_expect(zero(sz, on.driver->launch_count));
}

static void expect_device_structs(const rlk_double_launch_t* launch, int device) {
  rowlock_gref_t view;
  rowlock_handle_t table;
  memcpy(&view, launch->values[1], sizeof view);
  cr_expect(eq(ptr, view.data, at(2)));
  cr_expect(eq(u64, view.samples, N));
  cr_expect(eq(u64, view.component_stride, N));
  cr_expect(eq(u64, view.sample_stride, 1));
  cr_expect(eq(i32, view.device_type, ROWLOCK_DEVICE_CUDA));
  cr_expect(eq(i32, view.device_id, device));
  memcpy(&table, launch->values[4], sizeof table);
  cr_expect(eq(u64, table.samples, 8));
  cr_expect(eq(i32, table.device_type, ROWLOCK_DEVICE_CUDA));
  cr_expect(eq(i32, table.device_id, device));
  const double* uploaded = table.data;
  for (int i = 0; i < 8; ++i) cr_expect(eq(dbl, uploaded[i], first_table[i]), "what was uploaded is there");
}

static void bind_every_role(const char* deployment) {
  rlk_on_double_add(&on, deployment);
  BIND(rowlock_registry_bind_vector, "out", at(1), N, 2);
  BIND(rowlock_registry_bind_vector, "position", at(2), N, 3);
  BIND(rowlock_registry_bind_matrix, "rotation", at(3), N, (rowlock_shape_t){2, 3});
  BIND(rowlock_registry_bind_handle, "mass", at(4), N);
  BIND(rowlock_registry_consolidate, "profile", first_table, 8);
  BIND(rowlock_registry_bind_handle, "energy", at(5), N);
  BIND(rowlock_registry_bind_int_handle, "ticks", at(6), N);
  BIND(rowlock_registry_bind_vector, "state", at(7), N, 2);
  BIND(rowlock_registry_bind_matrix, "gain", at(8), N, (rowlock_shape_t){2, 2});
  BIND(rowlock_registry_bind_mask, "done", at(9), N);
  BIND(rowlock_registry_bind_uniform, "rate", 0.5);
  BIND(rowlock_registry_bind_uniform_int, "limit", -3);
  BIND(rowlock_registry_bind_wide, "rows", at(10), 4);
  BIND(rowlock_registry_bind_wide, "gradient", at(11), 10);
  BIND(rowlock_registry_bind_wide, "plane", at(12), 3);
}

static void expect_values(const rlk_double_launch_t* launch) {
  double rate;
  uint32_t samples;
  memcpy(&rate, launch->values[10], sizeof rate);
  memcpy(&samples, launch->values[12], sizeof samples);
  cr_expect(eq(dbl, rate, 0.5));
  cr_expect(eq(i64, integer_of(launch, 11), -3));
  cr_expect(eq(u32, samples, N));
}

Test(backend, passes_every_role_to_a_v2_kernel_and_the_triple_behind_them) {
  bind_every_role("every_role");
  run((rowlock_run_options_t){.sample_count = N});
  const rlk_double_launch_t* launch = rlk_double_launch(on.driver, 0);
  cr_assert(eq(sz, launch->parameter_count, 19));
  expect_device_structs(launch, 0);
  expect_values(launch);
  expect_launch(0, 4, 0, N, N);
}

Test(backend, passes_every_role_to_a_v1_kernel_and_nothing_behind_them) {
  bind_every_role("every_role_v1");
  run((rowlock_run_options_t){.sample_count = N});
  const rlk_double_launch_t* launch = rlk_double_launch(on.driver, 0);
  cr_assert(eq(sz, launch->parameter_count, 16));
  expect_device_structs(launch, 0);
  expect_values(launch);
  expect_launch(0, 4, -1, 0, 0);
}

Test(backend, passes_float32_uniforms_as_four_bytes) {
  rlk_on_double_add(&on, "every_role_f32");
  const rowlock_argument_t argument = rowlock_registry_argument_at(registry, 0, 10);
  cr_expect(eq(sz, argument.parameter_bytes, 4));
  cr_expect(eq(int, argument.element, ROWLOCK_ELEMENT_FLOAT32));
}

Test(backend, views_say_on_which_device_they_are) {
  rlk_on_double_destroy(&on);
  rlk_on_double_create(&on, "driver_double");
  rowlock_registry_destroy(registry);
  rowlock_device_close(on.device);
  on.driver->device_count = 2;
  cr_assert(eq(int, rowlock_device_open(1, &on.device, err), ROWLOCK_OK));
  cr_assert(eq(int, rowlock_registry_create_on(on.device, 0, &registry, err), ROWLOCK_OK));
  bind_every_role("every_role");
  run((rowlock_run_options_t){.sample_count = N});
  expect_device_structs(rlk_double_launch(on.driver, 0), 1);
}

/* --- The launch path ---------------------------------------------------------------------------------------------- */

/* Binds the context, launches, gives the context back: nothing else, and no memory on the host either. */
Test(backend, a_run_does_nothing_but_launch) {
  rlk_on_double_add(&on, "forces");
  bind_forces();
  for (int warm = 0; warm < 2; ++warm) {
    on.driver->call_count = on.driver->launch_count = 0;
    rlk_fault_arm(0, false);
    const rowlock_code_t code = try_run((rowlock_run_options_t){.sample_count = N});
    const uint64_t allocations = rlk_fault_disarm().allocations;
    cr_expect(eq(int, code, ROWLOCK_OK));
    cr_expect(zero(u64, allocations));
    cr_assert(eq(sz, on.driver->call_count, 9));
    for (size_t i = 0; i < 9; ++i) {
      static const rlk_double_call_t due[] = {RLK_DOUBLE_ctx_push_current, RLK_DOUBLE_launch_kernel,
                                              RLK_DOUBLE_ctx_pop_current};
      cr_expect(eq(int, on.driver->calls[i], due[i % 3]), "call %zu", i);
    }
  }
}

Test(backend, a_run_can_be_captured_into_a_graph) {
  const rlk_driver_t* driver;
  rlk_cu_stream_t stream;
  rlk_cu_graph_t graph;
  rlk_cu_graph_exec_t exec;
  cr_assert(eq(int, rlk_driver_get(&driver, err), ROWLOCK_OK));
  rlk_on_double_add(&on, "forces");
  bind_forces();
  cr_assert(eq(int, rlk_device_enter(on.device, err), ROWLOCK_OK));
  cr_assert(zero(int, driver->stream_create(&stream, RLK_CU_STREAM_NON_BLOCKING)));
  cr_assert(zero(int, driver->stream_begin_capture(stream, RLK_CU_CAPTURE_THREAD_LOCAL)));
  run((rowlock_run_options_t){.sample_count = N, .stream = stream});
  cr_assert(zero(int, driver->stream_end_capture(stream, &graph)));
  cr_assert(zero(int, driver->graph_instantiate(&exec, graph, 0)));
  cr_expect(zero(int, driver->graph_launch(exec, stream)));
  (void)driver->graph_exec_destroy(exec);
  (void)driver->graph_destroy(graph);
  (void)driver->stream_destroy(stream);
  rlk_device_leave(on.device);
  cr_expect(eq(sz, on.driver->launch_count, 3));
}

Test(backend, a_launch_that_fails_ends_the_run_and_is_not_counted) {
  rlk_on_double_add(&on, "forces");
  bind_forces();
  rlk_double_fail(on.driver, RLK_DOUBLE_launch_kernel, 2, RLK_DOUBLE_LAUNCH_FAILED);
  rlk_deployment_expect_refused(
      &on.deployment, try_run((rowlock_run_options_t){.sample_count = N}), "device.launch",
      "plugin 'drag': the driver does not launch it: cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (719)");
  cr_expect(eq(u64, report.call_count, 1));
  cr_expect(eq(sz, on.driver->launch_count, 1));
  cr_expect(zero(int, on.driver->pushed));
}

Test(backend, a_context_that_cannot_be_bound_ends_the_run) {
  rlk_on_double_add(&on, "forces");
  bind_forces();
  rlk_double_fail(on.driver, RLK_DOUBLE_ctx_push_current, 1, RLK_DOUBLE_INVALID_CONTEXT);
  cr_expect(eq(int, try_run((rowlock_run_options_t){.sample_count = N}), ROWLOCK_INTERNAL));
  cr_expect(zero(sz, on.driver->launch_count));
  rlk_double_relent(on.driver);
  run((rowlock_run_options_t){.sample_count = N});
}

Test(backend, runs_the_enabled_plugins_alone) {
  rlk_on_double_add(&on, "forces");
  bind_forces();
  BIND(rowlock_registry_set_plugin_enabled, "drag", false);
  run((rowlock_run_options_t){.sample_count = N});
  cr_expect(eq(sz, on.driver->launch_count, 2));
  rowlock_registry_set_enabled(registry, false);
  run((rowlock_run_options_t){.sample_count = N});
  cr_expect(eq(sz, on.driver->launch_count, 2));
}

Test(backend, runs_no_structure_of_the_host) {
  add_spans(N);
  const rowlock_run_options_t options = {.structure = ROWLOCK_STRUCTURE_HOST_SERIAL, .sample_count = N};
  cr_expect(eq(int, rowlock_registry_run(registry, &options, NULL, err), ROWLOCK_UNAVAILABLE));
  cr_expect(eq(str, (char*)err->rule_id, (char*)"exec.structure-unavailable"));
  cr_expect(not(zero(ptr, strstr(err->message, "device_kernel"))), "%s", err->message);
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

static void expect_fold(size_t number, const char* kernel, void* partials, int64_t samples, uint32_t width, void* out) {
  const rlk_double_launch_t* launch = rlk_double_launch(on.driver, number);
  cr_expect(eq(str, (char*)launch->kernel, (char*)kernel));
  cr_assert(eq(sz, launch->parameter_count, 5));
  uint32_t got_width, op;
  memcpy(&got_width, launch->values[2], sizeof got_width);
  memcpy(&op, launch->values[3], sizeof op);
  cr_expect(eq(i64, integer_of(launch, 0), (int64_t)(intptr_t)partials));
  cr_expect(eq(i64, integer_of(launch, 1), samples));
  cr_expect(eq(u32, got_width, width));
  cr_expect(zero(u32, op));
  cr_expect(eq(i64, integer_of(launch, 4), (int64_t)(intptr_t)out));
}

Test(backend, folds_each_output_on_the_stream_behind_the_body) {
  add_tally(N);
  run((rowlock_run_options_t){.sample_count = N, .stream = at(9)});
  cr_assert(eq(sz, on.driver->launch_count, 4));
  expect_fold(1, "rowlock_fold_float64", at(3), N, 1, at(6));
  expect_fold(2, "rowlock_fold_int64", at(4), N, 1, at(7));
  expect_fold(3, "rowlock_fold_float64", at(5), N, 2, at(8));
  for (size_t i = 0; i < 4; ++i) cr_expect(eq(ptr, (void*)rlk_double_launch(on.driver, i)->stream, at(9)));
}

Test(backend, folds_no_samples_to_the_identity) {
  add_tally(0);
  run((rowlock_run_options_t){.sample_count = 0});
  cr_assert(eq(sz, on.driver->launch_count, 3));
  expect_fold(0, "rowlock_fold_float64", at(3), 0, 1, at(6));
}

Test(backend, a_fold_that_fails_is_told) {
  add_tally(N);
  rlk_double_fail(on.driver, RLK_DOUBLE_launch_kernel, 3, RLK_DOUBLE_LAUNCH_FAILED);
  rlk_deployment_expect_refused(&on.deployment, try_run((rowlock_run_options_t){.sample_count = N}), "device.launch",
                                "plugin 'tally'");
}

/* --- Without what is optional ------------------------------------------------------------------------------------- */

TestSuite(backend_plain, .fini = teardown);

Test(backend_plain, loads_and_runs_with_an_older_driver) {
  rlk_on_double_create(&on, "driver_double_plain");
  add_tally(N);
  run((rowlock_run_options_t){.sample_count = N});
  cr_expect(eq(sz, on.driver->launch_count, 4));
}
