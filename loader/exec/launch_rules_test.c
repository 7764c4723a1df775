/* Every rule of a launch, fired through the public calls. The list is complete by construction: a rule without a case
 * fails the test, and so does a case that fires another rule. The rules of host objects are fired where objects are
 * judged, in //loader/host. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "loader/registry/deployment.h"
#include "validator/rules/rules.h"

enum { N = 6 };

static rlk_deployment_t deployment;
static rowlock_registry_t* registry;
static rowlock_error_t* err;
static double data[128];
static float data32[128];
static int64_t integers[4][N];

static void setup(void) {
  rlk_deployment_create(&deployment);
  registry = deployment.registry;
  err = &deployment.err;
}
static void teardown(void) { rlk_deployment_destroy(&deployment); }

TestSuite(launch_rules, .init = setup, .fini = teardown);

static void edit(const char* document, const char* from, const char* to) {
  rlk_deployment_edit(&deployment, document, from, to);
}
static rowlock_code_t try_add(const char* name) { return rlk_deployment_add(&deployment, name); }
static void add(const char* name) { rlk_deployment_expect_ok(&deployment, try_add(name), name); }
static void need(rowlock_code_t code) { rlk_deployment_expect_ok(&deployment, code, "to prepare"); }

/* --- Loading ------------------------------------------------------------------------------------------------------ */

static rowlock_code_t load_a_set_twice(void) {
  add("spans");
  return try_add("spans");
}

static rowlock_code_t load_a_table_of_another_count(void) {
  add("every_role");
  edit("crash.sidecar.json", "\"count\": 8", "\"count\": 7");
  return try_add("crash");
}

static rowlock_code_t load_a_malformed_width(void) {
  edit("crash.sidecar.json", "\"position\": 3", "\"position\": null");
  return try_add("crash");
}

static rowlock_code_t load_an_undeclared_mutable(void) {
  edit("legacy.sidecar.json", "\"name\": \"value\"", "\"name\": \"other\"");
  return try_add("legacy");
}

static rowlock_code_t load_more_arguments_than_allowed(void) {
  rowlock_load_options_t options = rlk_deployment_options();
  options.limits.entries = 3;
  const char* path = rlk_test_folder_at(&deployment.folder, "spans.manifest.json");
  return rowlock_registry_add_manifest(registry, path, &options, NULL, err);
}

static rowlock_code_t load_an_artifact_outside(void) {
  edit("spans.manifest.json", "spans.ptx", "/spans.ptx");
  return try_add("spans");
}

static rowlock_code_t load_another_generation(void) {
  edit("spans.sidecar.json", "aether-abi/2", "aether-abi/1");
  return try_add("spans");
}

static rowlock_code_t load_without_an_object(void) {
  edit("spans.manifest.json", "spans.ptx", "none.ptx");
  return try_add("spans");
}

/* --- Binding ------------------------------------------------------------------------------------------------------ */

static rowlock_code_t bind_a_foreign_name(void) {
  add("spans");
  return rowlock_registry_bind_int_handle(registry, "walks", integers[0], N, err);
}

static rowlock_code_t bind_a_handle_as_a_vector(void) {
  add("spans");
  return rowlock_registry_bind_vector(registry, "runs", data, N, 1, err);
}

static rowlock_code_t bind_null(void) {
  add("spans");
  return rowlock_registry_bind_int_handle(registry, "runs", NULL, N, err);
}

static rowlock_code_t bind_between_elements(void) {
  add("spans");
  return rowlock_registry_bind_int_handle(registry, "runs", (int64_t*)((char*)integers[0] + 1), N, err);
}

static rowlock_code_t bind_more_than_memory(void) {
  add("spans");
  return rowlock_registry_bind_int_handle(registry, "runs", integers[0], UINT64_MAX, err);
}

/* What follows would end the process if crash were called. */
static rowlock_code_t bind_a_wrong_width(void) {
  add("crash");
  return rowlock_registry_bind_vector(registry, "position", data, N, 4, err);
}

static rowlock_code_t bind_a_wrong_shape(void) {
  add("crash");
  return rowlock_registry_bind_matrix(registry, "rotation", data, N, (rowlock_shape_t){3, 4}, err);
}

static rowlock_code_t bind_floats_to_a_double_plugin(void) {
  add("crash");
  return rowlock_registry_bind_vector_f32(registry, "position", data32, N, 3, err);
}

static rowlock_code_t bind_a_uniform_as_two_types(void) {
  edit("every_role.sidecar.json", "\"params_schema\": 2", "\"params_schema\": 1");
  add("every_role");
  need(rowlock_registry_bind_uniform(registry, "rate", 1, err));
  return rowlock_registry_bind_uniform_int(registry, "rate", 1, err);
}

static rowlock_code_t bind_a_uniform_of_another_type(void) {
  add("every_role");
  return rowlock_registry_bind_uniform_int(registry, "rate", 1, err);
}

static rowlock_code_t consolidate_a_wrong_count(void) {
  add("crash");
  return rowlock_registry_consolidate(registry, "profile", data, 7, err);
}

static rowlock_code_t consolidate_a_contradiction(void) {
  edit("crash.sidecar.json", "\"count\": 8", "\"count\": 7");
  add("crash");
  return rowlock_registry_consolidate(registry, "profile", data, 7, err);
}

/* --- Running ------------------------------------------------------------------------------------------------------ */

static rowlock_code_t run(const rowlock_run_options_t* options) {
  return rowlock_registry_run(registry, options, NULL, err);
}

static rowlock_code_t run_plain(void) { return run(&(rowlock_run_options_t){.sample_count = N}); }

static rowlock_code_t enable_a_foreign_plugin(void) {
  add("spans");
  return rowlock_registry_set_plugin_enabled(registry, "span", true, err);
}

static rowlock_code_t run_without_a_vector(void) {
  add("crash");
  return run_plain();
}

static rowlock_code_t run_without_a_matrix(void) {
  add("crash");
  need(rowlock_registry_bind_vector(registry, "position", data, N, 3, err));
  return run_plain();
}

static rowlock_code_t run_without_a_table(void) {
  add("crash");
  need(rowlock_registry_bind_vector(registry, "position", data, N, 3, err));
  need(rowlock_registry_bind_matrix(registry, "rotation", data, N, (rowlock_shape_t){3, 3}, err));
  return run_plain();
}

static rowlock_code_t run_without_a_handle(void) {
  (void)run_without_a_table();
  need(rowlock_registry_consolidate(registry, "profile", data, 8, err));
  return run_plain();
}

static rowlock_code_t run_without_a_uniform(void) {
  add("forces");
  need(rowlock_registry_bind_vector(registry, "out", data, N, 3, err));
  need(rowlock_registry_bind_vector(registry, "position", data, N, 3, err));
  return run_plain();
}

static rowlock_code_t run_without_a_result(void) {
  add("tally");
  need(rowlock_registry_bind_vector(registry, "velocity", data, N, 2, err));
  need(rowlock_registry_bind_handle(registry, "mass", data, N, err));
  need(rowlock_registry_bind_handle(registry, "energy", data, N, err));
  return run_plain();
}

static void add_bound_spans(void) {
  add("spans");
  need(rowlock_registry_bind_int_handle(registry, "bases", integers[0], N, err));
  need(rowlock_registry_bind_int_handle(registry, "counts", integers[1], N, err));
  need(rowlock_registry_bind_int_handle(registry, "runs", integers[2], N, err));
  need(rowlock_registry_bind_int_handle(registry, "lengths", integers[3], N, err));
}

static rowlock_code_t run_over_two_sample_counts(void) {
  add_bound_spans();
  need(rowlock_registry_bind_int_handle(registry, "runs", integers[0], N - 1, err));
  return run(&(rowlock_run_options_t){.sample_count = ROWLOCK_SAMPLES_OF_BINDINGS});
}

static rowlock_code_t run_over_no_sample_count(void) {
  edit("scatter.sidecar.json", "[\"per_sample\", \"mass\"]", "[\"wide_in\", \"mass\"]");
  add("scatter");
  need(rowlock_registry_bind_wide(registry, "mass", data, N, err));
  need(rowlock_registry_bind_wide(registry, "plane", data, N, err));
  return run(&(rowlock_run_options_t){.sample_count = ROWLOCK_SAMPLES_OF_BINDINGS});
}

static rowlock_code_t run_over_more_than_an_int32(void) {
  edit("legacy.sidecar.json", "[\"mutable\", \"value\"]", "[\"wide_in\", \"value\"]");
  add("legacy");
  need(rowlock_registry_bind_wide(registry, "value", data, N, err));
  need(rowlock_registry_bind_wide(registry, "calls", data, N, err));
  return run(&(rowlock_run_options_t){.sample_count = (int64_t)INT32_MAX + 1});
}

static rowlock_code_t run_parts(const rowlock_partition_t* partitions, size_t count) {
  add_bound_spans();
  return run(&(rowlock_run_options_t){.sample_count = N, .partitions = partitions, .partition_count = count});
}

static rowlock_code_t run_an_empty_part(void) {
  return run_parts((const rowlock_partition_t[]){{0, 0, N}, {0, N, N}}, 2);
}
static rowlock_code_t run_parts_with_a_gap(void) {
  return run_parts((const rowlock_partition_t[]){{0, 2, N}, {3, 3, N}}, 2);
}
static rowlock_code_t run_a_part_as_a_run_of_its_own(void) {
  return run_parts((const rowlock_partition_t[]){{0, 3, 3}, {3, 3, N}}, 2);
}
static rowlock_code_t run_parts_that_leave_a_rest(void) {
  return run_parts((const rowlock_partition_t[]){{0, 3, N}, {3, 2, N}}, 2);
}

static rowlock_code_t run_a_part_backwards(void) {
  static const rowlock_partition_t backwards[] = {{3, 2, N}, {0, 2, N}};
  add_bound_spans();
  return run(
      &(rowlock_run_options_t){.sample_count = N, .partitions = backwards, .partition_count = 2, .is_part = true});
}

static const rowlock_partition_t halves[] = {{0, 3, N}, {3, 3, N}};

static rowlock_code_t cut_a_scatter(void) {
  add("scatter");
  return run(&(rowlock_run_options_t){.sample_count = N, .partitions = halves, .partition_count = 2});
}

static rowlock_code_t cut_a_v1_body(void) {
  add("legacy");
  return run(&(rowlock_run_options_t){.sample_count = N, .partitions = halves, .partition_count = 2});
}

static rowlock_code_t drive_a_v1_body_on_ranks(void) {
  add("legacy");
  return run(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_RANK_PARTITION, .sample_count = N});
}

static rowlock_code_t drive_on_ranks(void) {
  add_bound_spans();
  return run(&(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_RANK_PARTITION, .sample_count = N});
}

static rowlock_code_t ask_for_a_crowd_of_threads(void) {
  add_bound_spans();
  return run(&(rowlock_run_options_t){
      .structure = ROWLOCK_STRUCTURE_HOST_TEAM, .sample_count = N, .thread_count = ROWLOCK_THREADS_MAX + 1});
}

static rowlock_code_t change_the_floating_point_mode(void) {
  add("flush");
  need(rowlock_registry_bind_handle(registry, "value", data, N, err));
  return run_plain();
}

static rowlock_code_t write_to_the_arguments(void) {
  add("scribble");
  need(rowlock_registry_bind_handle(registry, "value", data, N, err));
  return run_plain();
}

/* --- The list ----------------------------------------------------------------------------------------------------- */

static const struct {
  rlk_rule_t rule;
  rowlock_code_t (*fire)(void);
} cases[] = {
    {RLK_RULE_LOAD_ID_TAKEN, load_a_set_twice},
    {RLK_RULE_LOAD_TABLE_CONFLICT, load_a_table_of_another_count},
    {RLK_RULE_LOAD_DECLARATION, load_a_malformed_width},
    {RLK_RULE_LOAD_MUTABLE_UNDECLARED, load_an_undeclared_mutable},
    {RLK_RULE_LOAD_LIST_TOO_LONG, load_more_arguments_than_allowed},
    {RLK_RULE_LOAD_ARTIFACT_ESCAPES, load_an_artifact_outside},
    {RLK_RULE_LOAD_ABI_DISAGREES, load_another_generation},
    {RLK_RULE_LOAD_OBJECT_MISSING, load_without_an_object},
    {RLK_RULE_BIND_UNKNOWN_NAME, bind_a_foreign_name},
    {RLK_RULE_BIND_WRONG_KIND, bind_a_handle_as_a_vector},
    {RLK_RULE_BIND_NULL, bind_null},
    {RLK_RULE_BIND_MISALIGNED, bind_between_elements},
    {RLK_RULE_BIND_TOO_LARGE, bind_more_than_memory},
    {RLK_RULE_BIND_WIDTH, bind_a_wrong_width},
    {RLK_RULE_BIND_MATRIX_SHAPE, bind_a_wrong_shape},
    {RLK_RULE_BIND_ELEMENT_TYPE, bind_floats_to_a_double_plugin},
    {RLK_RULE_BIND_UNIFORM_RETYPED, bind_a_uniform_as_two_types},
    {RLK_RULE_BIND_UNIFORM_TYPE, bind_a_uniform_of_another_type},
    {RLK_RULE_BIND_TABLE_COUNT, consolidate_a_wrong_count},
    {RLK_RULE_BIND_TABLE_SHAPE, consolidate_a_contradiction},
    {RLK_RULE_EXEC_PLUGIN_UNKNOWN, enable_a_foreign_plugin},
    {RLK_RULE_EXEC_UNBOUND_VECTOR, run_without_a_vector},
    {RLK_RULE_EXEC_UNBOUND_MATRIX, run_without_a_matrix},
    {RLK_RULE_EXEC_UNBOUND_HANDLE, run_without_a_handle},
    {RLK_RULE_EXEC_UNBOUND_UNIFORM, run_without_a_uniform},
    {RLK_RULE_EXEC_UNBOUND_RESULT, run_without_a_result},
    {RLK_RULE_EXEC_TABLE_MISSING, run_without_a_table},
    {RLK_RULE_EXEC_SAMPLE_COUNT_DIFFERS, run_over_two_sample_counts},
    {RLK_RULE_EXEC_SAMPLE_COUNT_UNKNOWN, run_over_no_sample_count},
    {RLK_RULE_EXEC_SAMPLE_COUNT_RANGE, run_over_more_than_an_int32},
    {RLK_RULE_EXEC_PARTITION_EMPTY, run_an_empty_part},
    {RLK_RULE_EXEC_PARTITION_GAP, run_parts_with_a_gap},
    {RLK_RULE_EXEC_PARTITION_ORDER, run_a_part_backwards},
    {RLK_RULE_EXEC_PARTITION_SAMPLES, run_a_part_as_a_run_of_its_own},
    {RLK_RULE_EXEC_PARTITION_COVER, run_parts_that_leave_a_rest},
    {RLK_RULE_EXEC_ILLEGAL_PLACEMENT, cut_a_scatter},
    {RLK_RULE_EXEC_WHOLE_VIEW, cut_a_v1_body},
    {RLK_RULE_EXEC_LEGACY_STRUCTURE, drive_a_v1_body_on_ranks},
    {RLK_RULE_EXEC_STRUCTURE_UNAVAILABLE, drive_on_ranks},
    {RLK_RULE_EXEC_THREAD_COUNT, ask_for_a_crowd_of_threads},
    {RLK_RULE_EXEC_FLOATING_POINT_MODE, change_the_floating_point_mode},
    {RLK_RULE_EXEC_ARGUMENTS_CHANGED, write_to_the_arguments},
};

Test(launch_rules, have_a_case_each) {
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    const rlk_rule_info_t* info = rlk_rule_info((rlk_rule_t)rule);
    const bool is_elsewhere = strncmp(info->id, "host.", 5) == 0 || strncmp(info->id, "device.", 7) == 0;
    if (info->tier != RLK_TIER_LAUNCH || is_elsewhere) continue;
    size_t count = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) count += cases[i].rule == (rlk_rule_t)rule;
    cr_expect(eq(sz, count, 1), "cases of %s", info->id);
  }
}

Test(launch_rules, are_fired_each_by_its_case) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const char* id = rlk_rule_info(cases[i].rule)->id;
    const bool unavailable = cases[i].rule == RLK_RULE_EXEC_STRUCTURE_UNAVAILABLE;
    const rowlock_code_t code = cases[i].fire();
    cr_expect(eq(int, code, unavailable ? ROWLOCK_UNAVAILABLE : ROWLOCK_REJECTED), "%s: %s", id, err->message);
    cr_expect(eq(str, (char*)(err->rule_id ? err->rule_id : "no rule"), (char*)id), "%s", err->message);
    cr_expect(not(zero(sz, strlen(err->message))), "%s says nothing", id);
    cr_expect(zero(ptr, strchr(err->message, '{')), "%s leaves a slot open: %s", id, err->message);
    teardown();
    setup();
  }
}

/* --- Before the call ---------------------------------------------------------------------------------------------- */

/* A plugin that would end the process if it were called, loaded after its names were bound to what others declare: the
 * run finds what the bindings could not. */
static void expect_refused_before_the_call(const char* from, const char* to, const char* rule_id) {
  edit("every_role_v1.manifest.json", "\"enabled\": true", "\"enabled\": false");
  edit("every_role_v1.sidecar.json", "\"rotation\": [2, 3]", "\"rotation\": [3, 3]");
  edit("every_role_v1.sidecar.json", "\"shape\": [2, 4], \"count\": 8", "\"more\": 0");
  add("every_role_v1");
  need(rowlock_registry_bind_vector(registry, "position", data, N, 3, err));
  need(rowlock_registry_bind_matrix(registry, "rotation", data, N, (rowlock_shape_t){3, 3}, err));
  need(rowlock_registry_consolidate(registry, "profile", data, 8, err));
  need(rowlock_registry_bind_handle(registry, "mass", data, N, err));
  edit("crash.sidecar.json", from, to);
  add("crash");
  rlk_deployment_expect_refused(&deployment, run_plain(), rule_id, "plugin 'crash'");
}

Test(launch_rules, refuse_a_wrong_width_before_the_plugin_is_called) {
  expect_refused_before_the_call("\"position\": 3", "\"position\": 4", "bind.width");
}

Test(launch_rules, refuse_a_wrong_shape_before_the_plugin_is_called) {
  expect_refused_before_the_call("\"rotation\": [3, 3]", "\"rotation\": [3, 4]", "bind.matrix-shape");
}

Test(launch_rules, refuse_a_wrong_table_count_before_the_plugin_is_called) {
  expect_refused_before_the_call("\"shape\": [2, 4], \"count\": 8", "\"shape\": [9], \"count\": 9", "bind.table-count");
}

Test(launch_rules, refuse_a_wrong_element_type_before_the_plugin_is_called) {
  expect_refused_before_the_call("\"scalar_type\": \"float64\"", "\"scalar_type\": \"float32\"", "bind.element-type");
}

Test(launch_rules, name_the_plugins_that_are_loaded) {
  add("forces");
  rlk_deployment_expect_refused(&deployment, rowlock_registry_set_plugin_enabled(registry, "lift", true, err),
                                "exec.plugin-unknown", "no plugin 'lift' is loaded; loaded: gravity, drag, thrust");
  rowlock_registry_destroy(registry);
  need(rowlock_registry_create(&registry, err));
  deployment.registry = registry;
  rlk_deployment_expect_refused(&deployment, rowlock_registry_set_plugin_enabled(registry, "lift", true, err),
                                "exec.plugin-unknown", "loaded: none");
}

/* That the plugin does end the process: what the refusals above are worth. */
Test(launch_rules, guard_a_plugin_that_crashes_when_called, .signal = SIGILL) {
  (void)run_without_a_handle();
  need(rowlock_registry_bind_handle(registry, "mass", data, N, err));
  (void)run_plain();
}
