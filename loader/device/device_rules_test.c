/* Every rule about devices fires, in words that say which plugin, which file and what the driver said. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "loader/device/on_double.h"
#include "validator/rules/rules.h"

static rlk_on_double_t on;
static double data[64];

static void setup(void) { rlk_on_double_create(&on, "driver_double"); }
static void teardown(void) { rlk_on_double_destroy(&on); }

TestSuite(device_rules, .init = setup, .fini = teardown);

static rowlock_code_t add(const char* name) { return rlk_deployment_add(&on.deployment, name); }

static rowlock_code_t load_a_host_object(void) {
  rlk_deployment_edit(&on.deployment, "spans.manifest.json", "spans.ptx", "spans.so");
  return add("spans");
}

static rowlock_code_t load_what_does_not_compile(void) {
  on.driver->error_log =
      "ptxas info    : compiling for sm_90\n"
      "ptxas application ptx input, line 12; error   : Unknown symbol 'x'\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n";
  on.driver->info_log = "nothing of interest";
  rlk_double_fail(on.driver, RLK_DOUBLE_module_load_data_ex, 1, RLK_DOUBLE_INVALID_PTX);
  return add("spans");
}

static rowlock_code_t load_what_the_driver_does_not_find(void) {
  rlk_double_fail(on.driver, RLK_DOUBLE_module_get_function, 1, RLK_CU_NOT_FOUND);
  return add("spans");
}

static rowlock_code_t load_what_the_driver_passes_elsewhere(void) {
  on.driver->odd_parameter = 1;
  return add("spans");
}

static rowlock_code_t run_what_cannot_be_launched(void) {
  rlk_on_double_add(&on, "scatter");
  rlk_deployment_t* deployment = &on.deployment;
  rlk_deployment_expect_ok(
      deployment, rowlock_registry_bind_handle(deployment->registry, "mass", data, 4, &deployment->err), "mass");
  rlk_deployment_expect_ok(
      deployment, rowlock_registry_bind_wide(deployment->registry, "plane", data, 8, &deployment->err), "plane");
  rlk_double_fail(on.driver, RLK_DOUBLE_launch_kernel, 1, RLK_DOUBLE_LAUNCH_FAILED);
  return rowlock_registry_run(deployment->registry,
                              &(rowlock_run_options_t){.structure = ROWLOCK_STRUCTURE_DEVICE_KERNEL, .sample_count = 4},
                              NULL, &deployment->err);
}

static rowlock_code_t consolidate_beyond_the_budget(void) {
  rlk_deployment_t* deployment = &on.deployment;
  rowlock_registry_destroy(deployment->registry);
  rlk_deployment_expect_ok(
      deployment, rowlock_registry_create_on(on.device, 63, &deployment->registry, &deployment->err), "create");
  rlk_on_double_add(&on, "every_role");
  return rowlock_registry_consolidate(deployment->registry, "profile", data, 8, &deployment->err);
}

static const struct {
  rlk_rule_t rule;
  rowlock_code_t (*fire)(void);
  const char* words;
} cases[] = {
    {RLK_RULE_DEVICE_HOST_OBJECT, load_a_host_object, "plugin 'spans': the artifact is a host shared object"},
    {RLK_RULE_DEVICE_MODULE, load_what_does_not_compile,
     "plugin 'spans': the driver does not load the artifact: CUDA_ERROR_INVALID_PTX (218): a PTX JIT compilation "
     "failed: "
     "ptxas application ptx input, line 12; error   : Unknown symbol 'x'; object '"},
    {RLK_RULE_DEVICE_FUNCTION, load_what_the_driver_does_not_find,
     "plugin 'spans': the driver finds no kernel raptor_kernel that it can launch: CUDA_ERROR_NOT_FOUND (500): named "
     "symbol not found; object '"},
    {RLK_RULE_DEVICE_PARAMETERS, load_what_the_driver_passes_elsewhere,
     "the driver has parameter 1 with 32 bytes at offset 40, arg_spec implies 32 at 32"},
    {RLK_RULE_DEVICE_LAUNCH, run_what_cannot_be_launched,
     "plugin 'scatter': the driver does not launch it: cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED (719): unspecified "
     "launch "
     "failure"},
    {RLK_RULE_DEVICE_TABLE_BUDGET, consolidate_beyond_the_budget,
     "table 'profile' has 64 bytes, and of the budget of 63 bytes 63 are left"},
};

Test(device_rules, have_a_case_each) {
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    const char* id = rlk_rule_info((rlk_rule_t)rule)->id;
    if (strncmp(id, "device.", 7) != 0) continue;
    size_t count = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) count += cases[i].rule == (rlk_rule_t)rule;
    cr_expect(eq(sz, count, 1), "cases of %s", id);
  }
}

Test(device_rules, are_fired_each_by_its_case) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const rowlock_code_t code = cases[i].fire();
    rlk_deployment_expect_refused(&on.deployment, code, rlk_rule_info(cases[i].rule)->id, cases[i].words);
    rlk_double_relent(on.driver);
    on.driver->odd_parameter = -1;
    teardown();
    setup();
  }
}

static void expect_error(rowlock_code_t code, rowlock_code_t due, const char* words) {
  cr_expect(eq(int, code, due), "%s", on.deployment.err.message);
  cr_expect(not(zero(ptr, strstr(on.deployment.err.message, words))), "'%s' is not in: %s", words,
            on.deployment.err.message);
}

Test(device_rules, a_module_for_another_gpu_is_told_with_the_plugin_and_the_file) {
  rlk_double_fail(on.driver, RLK_DOUBLE_module_load_data_ex, 1, RLK_DOUBLE_NO_BINARY);
  expect_error(add("spans"), ROWLOCK_REJECTED,
               "plugin 'spans': the driver does not load the artifact: CUDA_ERROR_NO_BIN");
  expect_error(ROWLOCK_REJECTED, ROWLOCK_REJECTED, "/spans.ptx'");
}

Test(device_rules, the_info_log_speaks_where_the_error_log_does_not) {
  on.driver->error_log = "  \n";
  on.driver->info_log = "\nno JIT library is here\nand so on";
  rlk_double_fail(on.driver, RLK_DOUBLE_module_load_data_ex, 1, RLK_DOUBLE_NO_BINARY);
  expect_error(add("spans"), ROWLOCK_REJECTED, "for execution: no JIT library is here; object");
}

Test(device_rules, both_logs_are_kept_whole_until_the_next_load) {
  const rowlock_registry_t* registry = on.deployment.registry;
  cr_expect(zero(ptr, (void*)rowlock_registry_compiler_log(registry)));
  (void)load_what_does_not_compile();
  cr_expect(eq(str, (char*)rowlock_registry_compiler_log(registry),
               "ptxas info    : compiling for sm_90\n"
               "ptxas application ptx input, line 12; error   : Unknown symbol 'x'\n"
               "ptxas fatal   : Ptx assembly aborted due to errors\nnothing of interest"));
  rlk_double_relent(on.driver);
  rlk_on_double_add(&on, "spans");
  cr_expect(zero(ptr, (void*)rowlock_registry_compiler_log(registry)));
}

Test(device_rules, out_of_memory_is_no_fault_of_the_artifact) {
  static const rlk_double_call_t calls[] = {RLK_DOUBLE_module_load_data_ex, RLK_DOUBLE_module_get_function,
                                            RLK_DOUBLE_func_load};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    rlk_double_fail(on.driver, calls[i], 1, RLK_CU_OUT_OF_MEMORY);
    expect_error(add("spans"), ROWLOCK_NO_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
    rlk_double_relent(on.driver);
  }
}

/* --- The layout array --------------------------------------------------------------------------------------------- */

Test(device_rules, the_modules_own_layout_is_compared) {
  on.driver->layout[4] = 16;
  rlk_deployment_expect_refused(&on.deployment, add("spans"), "host.layout-mismatch", "layout mismatch in ");
  on.driver->layout[4] = 24;
  on.driver->layout_bytes = 32;
  rlk_deployment_expect_refused(&on.deployment, add("spans"), "host.layout-length", "32");
  on.driver->layout_bytes = 40;
  rlk_on_double_add(&on, "spans");
}

Test(device_rules, a_layout_that_cannot_be_read_is_no_match) {
  rlk_double_fail(on.driver, RLK_DOUBLE_memcpy_to_host, 1, RLK_DOUBLE_UNKNOWN);
  expect_error(add("spans"), ROWLOCK_INTERNAL, "reading eagle_layout_sizes: ? (999): ?");
}

Test(device_rules, a_layout_that_the_driver_hides_was_read_from_the_artifact) {
  on.driver->hides_globals = true;
  rlk_on_double_add(&on, "spans");
}

Test(device_rules, a_v1_module_has_no_layout) {
  rlk_on_double_add(&on, "legacy");
  cr_expect(zero(sz, rlk_double_count(on.driver, RLK_DOUBLE_module_get_global)));
}

/* --- The second opinion ------------------------------------------------------------------------------------------- */

Test(device_rules, a_kernel_with_fewer_parameters_is_refused_by_the_first_that_lacks) {
  on.driver->parameters_fewer = 1;
  rlk_deployment_expect_refused(&on.deployment, add("spans"), "device.parameters",
                                "parameter 6 with 0 bytes at offset 0, arg_spec implies 8 at 144");
}

Test(device_rules, a_driver_that_tells_no_parameters_is_not_asked_twice) {
  rlk_double_fail(on.driver, RLK_DOUBLE_func_get_param_info, RLK_DOUBLE_EACH, RLK_CU_NOT_SUPPORTED);
  rlk_on_double_add(&on, "spans");
  cr_expect(eq(sz, rlk_double_count(on.driver, RLK_DOUBLE_func_get_param_info), 1));
}

Test(device_rules, a_driver_that_fails_to_tell_parameters_is_told) {
  rlk_double_fail(on.driver, RLK_DOUBLE_func_get_param_info, 2, RLK_DOUBLE_UNKNOWN);
  expect_error(add("spans"), ROWLOCK_INTERNAL, "cuFuncGetParamInfo: ? (999): ?");
}
