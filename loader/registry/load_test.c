#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "loader/files.h"
#include "loader/registry/deployment.h"
#include "validator/rules/fault.h"

static rlk_deployment_t deployment;

static void setup(void) { rlk_deployment_create(&deployment); }
static void teardown(void) { rlk_deployment_destroy(&deployment); }

TestSuite(load, .init = setup, .fini = teardown);

static void add(const char* name) {
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, name), name);
}

static const char* in_folder(const char* name) { return rlk_test_folder_at(&deployment.folder, name); }

static rowlock_code_t add_plugin(const char* id, const rowlock_load_options_t* options) {
  char sidecar[64];
  snprintf(sidecar, sizeof sidecar, "%s.sidecar.json", id);
  return rowlock_registry_add_plugin(deployment.registry, id, in_folder(sidecar), options, deployment.findings,
                                     &deployment.err);
}

/* --- What is loaded ----------------------------------------------------------------------------------------------- */

Test(load, keeps_the_declared_order) {
  add("forces");
  static const char* const ids[] = {"gravity", "drag", "thrust"};
  cr_assert(eq(sz, rowlock_registry_plugin_count(deployment.registry), 3));
  for (size_t i = 0; i < 3; ++i) {
    cr_expect(eq(str, (char*)rowlock_registry_plugin_at(deployment.registry, i).id, (char*)ids[i]));
  }
  cr_expect(eq(str, deployment.err.message, (char*)""));
  cr_expect(eq(sz, rowlock_findings_count(deployment.findings), 0));
}

Test(load, describes_a_plugin_of_schema_2) {
  add("tally");
  const rowlock_plugin_t plugin = rowlock_registry_plugin_at(deployment.registry, 0);
  cr_expect(eq(str, (char*)plugin.kernel, (char*)"raptor_kernel"));
  cr_expect(eq(str, (char*)plugin.host_symbol, (char*)"raptor_kernel_host"));
  cr_expect(eq(str, (char*)plugin.object_path, (char*)rlk_testdata_path("tally.so")));
  cr_expect(eq(str, (char*)plugin.scalar_type, (char*)"float64"));
  cr_expect(eq(u32, plugin.abi_generation, 2));
  cr_expect(eq(str, (char*)plugin.exec_access, (char*)"mapreduce"));
  cr_expect(eq(str, (char*)plugin.exec_op, (char*)"sum"));
  cr_expect(plugin.enabled && plugin.targets_host && !plugin.targets_device);
  cr_expect(eq(sz, plugin.argument_count, 5));
}

Test(load, describes_a_plugin_of_schema_1) {
  add("legacy");
  const rowlock_plugin_t plugin = rowlock_registry_plugin_at(deployment.registry, 0);
  cr_expect(eq(u32, plugin.abi_generation, 1));
  cr_expect(zero(ptr, (void*)plugin.exec_access));
  cr_expect(zero(ptr, (void*)plugin.exec_op));
  cr_expect(plugin.enabled && !plugin.targets_host && !plugin.targets_device);
}

Test(load, takes_the_symbol_that_host_entry_names) {
  add("forces");
  cr_expect(eq(str, (char*)rowlock_registry_plugin_at(deployment.registry, 2).host_symbol, (char*)"push"));
}

Test(load, takes_every_scalar_type) {
  add("every_role");
  add("every_role_soft");
  add("every_role_f32");
  static const char* const types[] = {"float64", "softdouble", "float32"};
  for (size_t i = 0; i < 3; ++i) {
    cr_expect(eq(str, (char*)rowlock_registry_plugin_at(deployment.registry, i).scalar_type, (char*)types[i]));
  }
}

Test(load, takes_an_absent_or_empty_scalar_type_for_float64) {
  rlk_deployment_edit(&deployment, "spans.sidecar.json", "\"scalar_type\": \"float64\",", "");
  rlk_deployment_edit(&deployment, "mirror.sidecar.json", "\"scalar_type\": \"float64\"", "\"scalar_type\": \"\"");
  add("spans");
  add("mirror");
  for (size_t i = 0; i < 2; ++i) {
    cr_expect(eq(str, (char*)rowlock_registry_plugin_at(deployment.registry, i).scalar_type, (char*)"float64"));
  }
}

Test(load, keeps_a_disabled_entry) {
  rlk_deployment_edit(&deployment, "legacy.manifest.json", "\"enabled\": true", "\"enabled\": false");
  add("legacy");
  cr_assert(eq(sz, rowlock_registry_plugin_count(deployment.registry), 1));
  cr_expect(not(rowlock_registry_plugin_at(deployment.registry, 0).enabled));
  cr_expect(eq(sz, rowlock_registry_unbound(deployment.registry, NULL, 0), 0));
}

Test(load, declares_tables_once_over_all_plugins) {
  add("every_role");
  add("crash");
  add("forces");
  cr_assert(eq(sz, rowlock_registry_table_count(deployment.registry), 2));
  const rowlock_table_t profile = rowlock_registry_table_at(deployment.registry, 0);
  cr_expect(eq(str, (char*)profile.name, (char*)"profile"));
  cr_expect(eq(u64, profile.count, 8));
  cr_expect(not(profile.is_consolidated));
  cr_expect(eq(str, (char*)rowlock_registry_table_at(deployment.registry, 1).name, (char*)"direction"));
}

Test(load, lists_what_is_unbound_in_declared_order) {
  add("forces");
  rowlock_unbound_t unbound[4];
  cr_assert(eq(sz, rowlock_registry_unbound(deployment.registry, unbound, 4), 11));
  static const struct {
    const char *id, *name;
    rowlock_binding_t binding;
  } due[] = {{"gravity", "out", ROWLOCK_BINDING_VECTOR},
             {"gravity", "position", ROWLOCK_BINDING_VECTOR},
             {"gravity", "mu", ROWLOCK_BINDING_UNIFORM},
             {"drag", "out", ROWLOCK_BINDING_VECTOR}};
  for (size_t i = 0; i < 4; ++i) {
    cr_expect(eq(str, (char*)unbound[i].plugin_id, (char*)due[i].id));
    cr_expect(eq(str, (char*)unbound[i].name, (char*)due[i].name));
    cr_expect(eq(int, unbound[i].binding, due[i].binding));
  }
  double out[3];
  cr_assert(eq(int, rowlock_registry_bind_vector(deployment.registry, "out", out, 1, 3, &deployment.err), ROWLOCK_OK));
  cr_expect(eq(sz, rowlock_registry_unbound(deployment.registry, NULL, 0), 8));
}

Test(load, lists_the_results_of_a_mapreduce_plugin_too) {
  add("tally");
  rowlock_unbound_t unbound[8];
  cr_assert(eq(sz, rowlock_registry_unbound(deployment.registry, unbound, 8), 8));
  cr_expect(eq(str, (char*)unbound[3].name, (char*)"energy"));
  cr_expect(eq(int, unbound[3].binding, ROWLOCK_BINDING_RESULT));
}

/* --- Where objects are -------------------------------------------------------------------------------------------- */

static void put_object(const char* from, const char* to) {
  rlk_file_buffer_t buffer = {0};
  rowlock_error_t err;
  cr_assert(eq(int, rlk_file_read(rlk_testdata_path(from), 1 << 24, &buffer, &err), ROWLOCK_OK), "%s", err.message);
  rlk_test_folder_write(&deployment.folder, to, buffer.bytes, buffer.length);
  rlk_file_buffer_deinit(&buffer);
}

static void expect_object(const char* name, const rowlock_load_options_t* options, const char* file) {
  char manifest[64], path[512];
  snprintf(manifest, sizeof manifest, "%s.manifest.json", name);
  const rowlock_code_t code = rowlock_registry_add_manifest(deployment.registry, in_folder(manifest), options,
                                                            deployment.findings, &deployment.err);
  rlk_deployment_expect_ok(&deployment, code, name);
  snprintf(path, sizeof path, "/%s", file);
  const char* got = rowlock_registry_plugin_at(deployment.registry, 0).object_path;
  const size_t length = strlen(got);
  cr_assert(le(sz, strlen(path), length), "%s", got);
  cr_expect(eq(str, (char*)got + length - strlen(path), path));
}

Test(load, finds_the_object_beside_the_artifact) {
  put_object("spans.so", "spans.so");
  expect_object("spans", NULL, "spans.so");
}

Test(load, prefers_the_object_beside_to_that_in_the_object_folder) {
  put_object("spans.so", "spans.so");
  const rowlock_load_options_t options = rlk_deployment_options();
  expect_object("spans", &options, "spans.so");
  cr_expect(ne(str, (char*)rowlock_registry_plugin_at(deployment.registry, 0).object_path,
               (char*)rlk_testdata_path("spans.so")));
}

Test(load, takes_an_artifact_that_is_an_object_itself) {
  put_object("spans.so", "spans.ptx");
  expect_object("spans", NULL, "spans.ptx");
}

Test(load, does_not_take_an_artifact_for_another_machine_for_an_object) {
  Elf64_Ehdr cubin = {.e_ident = ELFMAG "\2\1\1", .e_type = ET_DYN, .e_machine = 190};
  rlk_test_folder_write(&deployment.folder, "spans.ptx", (const char*)&cubin, sizeof cubin);
  put_object("spans.so", "spans.so");
  expect_object("spans", NULL, "spans.so");
}

Test(load, takes_one_object_for_all_entries_where_the_caller_says_so) {
  rlk_deployment_edit(&deployment, "thrust.sidecar.json", "\"host_entry\": \"push\",", "");
  char path[256];
  snprintf(path, sizeof path, "%s", rlk_testdata_path("spans.so"));
  const rowlock_load_options_t options = {.object_path = path};
  expect_object("forces", &options, "spans.so");
  cr_expect(eq(str, (char*)rowlock_registry_plugin_at(deployment.registry, 2).object_path, path));
}

Test(load, takes_an_artifact_without_an_extension) {
  rlk_deployment_edit(&deployment, "spans.manifest.json", "spans.ptx", "spans");
  put_object("spans.so", "spans.so");
  expect_object("spans", NULL, "spans.so");
}

Test(load, takes_an_artifact_whose_name_begins_with_a_dot) {
  rlk_deployment_edit(&deployment, "spans.manifest.json", "spans.ptx", ".spans");
  put_object("spans.so", ".spans.so");
  expect_object("spans", NULL, ".spans.so");
}

Test(load, takes_an_artifact_in_a_folder_below) {
  rlk_deployment_edit(&deployment, "spans.manifest.json", "spans.ptx", "bin/v1.2/spans");
  rlk_test_folder_make(&deployment.folder, "bin");
  rlk_test_folder_make(&deployment.folder, "bin/v1.2");
  put_object("spans.so", "bin/v1.2/spans.so");
  expect_object("spans", NULL, "bin/v1.2/spans.so");
}

static void expect_refused(const char* name, const char* rule_id, const char* words) {
  rlk_deployment_expect_refused(&deployment, rlk_deployment_add(&deployment, name), rule_id, words);
}

Test(load, refuses_an_artifact_outside_the_folder) {
  rlk_deployment_edit(&deployment, "spans.manifest.json", "spans.ptx", "../spans.ptx");
  expect_refused("spans", "load.artifact-escapes",
                 "the artifact path '../spans.ptx' of plugin 'spans' climbs with '..'");
}

Test(load, refuses_an_object_that_a_link_brings_from_outside) {
  rlk_test_folder_link(&deployment.folder, "spans.so", "/bin/sh");
  expect_refused("spans", "load.artifact-escapes", "is a link that leaves");
}

Test(load, says_where_it_looked_for_the_object) {
  rlk_deployment_edit(&deployment, "spans.manifest.json", "spans.ptx", "absent.ptx");
  expect_refused("spans", "load.object-missing", "there is no 'absent.so' beside the manifest, nor in '");
  const rowlock_code_t code =
      rowlock_registry_add_manifest(deployment.registry, in_folder("spans.manifest.json"), NULL, NULL, &deployment.err);
  rlk_deployment_expect_refused(&deployment, code, "load.object-missing", "No such file or directory");
}

/* --- By the sidecar alone ----------------------------------------------------------------------------------------- */

Test(load, takes_one_plugin_by_its_sidecar) {
  char path[256];
  snprintf(path, sizeof path, "%s", rlk_testdata_path("spans.so"));
  const rowlock_load_options_t options = {.object_path = path, .exec_access = "mapreduce", .exec_op = "max"};
  rlk_deployment_expect_ok(&deployment, add_plugin("spans", &options), "spans");
  const rowlock_plugin_t plugin = rowlock_registry_plugin_at(deployment.registry, 0);
  cr_expect(eq(str, (char*)plugin.id, (char*)"spans"));
  cr_expect(eq(str, (char*)plugin.exec_access, (char*)"mapreduce"));
  cr_expect(eq(str, (char*)plugin.exec_op, (char*)"max"));
  cr_expect(plugin.enabled);
}

Test(load, finds_the_object_of_a_sidecar_beside_it) {
  put_object("spans.so", "spans.so");
  rlk_deployment_expect_ok(&deployment, add_plugin("spans", NULL), "spans");
  cr_expect(zero(ptr, (void*)rowlock_registry_plugin_at(deployment.registry, 0).exec_access));
}

/* What is not there is named: the sidecar NAME.json and NAME.sidecar.json go with NAME.so. */
Test(load, calls_the_object_of_a_sidecar_after_it) {
  static const char* const names[][2] = {{"kernel.json", "/kernel.so'"},
                                         {"kernel.sidecar.json", "/kernel.so'"},
                                         {"kernel.v2.sidecar.json", "/kernel.v2.so'"},
                                         {"kernel.v2.json", "/kernel.v2.so'"},
                                         {"kernelsidecar.json", "/kernelsidecar.so'"},
                                         {"sidecar.json", "/sidecar.so'"},
                                         {".sidecar.json", "/.sidecar.so'"},
                                         {"kernel.sidecar", "/kernel.so'"},
                                         {"kernel", "/kernel.so'"}};
  rlk_file_buffer_t text = {0};
  cr_assert(eq(int, rlk_file_read(in_folder("spans.sidecar.json"), 1 << 20, &text, &deployment.err), ROWLOCK_OK));
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    rlk_test_folder_write(&deployment.folder, names[i][0], text.bytes, text.length);
    const rowlock_code_t code = rowlock_registry_add_plugin(deployment.registry, "spans", in_folder(names[i][0]), NULL,
                                                            deployment.findings, &deployment.err);
    rlk_deployment_expect_refused(&deployment, code, "load.object-missing", names[i][1]);
  }
  rlk_file_buffer_deinit(&text);
}

Test(load, finds_the_object_of_a_sidecar_in_the_object_folder) {
  rlk_test_folder_make(&deployment.folder, "built");
  put_object("spans.so", "built/spans.so");
  char folder[512];
  snprintf(folder, sizeof folder, "%s", in_folder("built"));
  const rowlock_load_options_t options = {.object_folder = folder};
  rlk_deployment_expect_ok(&deployment, add_plugin("spans", &options), "spans");
  cr_expect(eq(str, (char*)rowlock_registry_plugin_at(deployment.registry, 0).object_path,
               (char*)in_folder("built/spans.so")));
}

Test(load, refuses_a_sidecar_without_an_object) {
  rlk_deployment_expect_refused(&deployment, add_plugin("spans", NULL), "load.object-missing", "/spans.so'");
  const rowlock_load_options_t options = {.object_folder = "/nowhere"};
  rlk_deployment_expect_refused(&deployment, add_plugin("spans", &options), "load.object-missing",
                                "', nor in '/nowhere'");
}

Test(load, refuses_a_sidecar_at_its_own_door) {
  rlk_deployment_edit(&deployment, "spans.sidecar.json", "aether-abi/2", "aether-abi/3");
  rlk_deployment_expect_refused(&deployment, add_plugin("spans", NULL), "sidecar.abi-tag-unknown", "built for");
  cr_assert(eq(sz, rowlock_findings_count(deployment.findings), 1));
  cr_expect(eq(str, (char*)rowlock_findings_at(deployment.findings, 0)->json_pointer, (char*)"/aether_abi"));
}

Test(load, takes_only_words_of_the_format_as_options) {
  const rowlock_load_options_t unusable[] = {{.exec_access = "everything"},
                                             {.exec_access = "mapreduce"},
                                             {.exec_access = "mapreduce", .exec_op = "mean"},
                                             {.exec_access = "sample_local", .exec_op = "sum"},
                                             {.exec_op = "sum"}};
  for (size_t i = 0; i < sizeof unusable / sizeof *unusable; ++i) {
    cr_expect(eq(int, add_plugin("spans", &unusable[i]), ROWLOCK_UNUSABLE), "case %zu", i);
    cr_expect(ne(str, deployment.err.message, (char*)""), "case %zu", i);
  }
}

Test(load, takes_no_promises_for_a_body_of_the_first_generation) {
  const rowlock_load_options_t options = {
      .object_path = rlk_testdata_path("legacy.so"), .exec_access = "mapreduce", .exec_op = "sum"};
  cr_expect(eq(int, add_plugin("legacy", &options), ROWLOCK_UNUSABLE));
  cr_expect(ne(ptr, strstr(deployment.err.message, "the sidecar is of aether-abi/1"), NULL), "%s",
            deployment.err.message);
  cr_expect(zero(ptr, (void*)deployment.err.rule_id));
  cr_expect(zero(sz, rowlock_registry_plugin_count(deployment.registry)));
}

Test(load, without_an_id_is_bad_usage) {
  const char* sidecar = rlk_test_folder_at(&deployment.folder, "spans.sidecar.json");
  cr_expect(eq(
      int, rowlock_registry_add_plugin(deployment.registry, NULL, sidecar, NULL, deployment.findings, &deployment.err),
      ROWLOCK_UNUSABLE));
  cr_expect(ne(str, deployment.err.message, (char*)""));
  cr_expect(
      eq(int, rowlock_registry_set_plugin_enabled(deployment.registry, NULL, true, &deployment.err), ROWLOCK_UNUSABLE));
  cr_expect(ne(str, deployment.err.message, (char*)""));
}

/* --- All or nothing ----------------------------------------------------------------------------------------------- */

static double out[3], position[3];

/* A registry with gravity in it, bound, as it must be after a load that failed. */
static void add_gravity(void) {
  const rowlock_load_options_t options = {.object_path = rlk_testdata_path("gravity.so"),
                                          .exec_access = "sample_local"};
  rlk_deployment_expect_ok(&deployment, add_plugin("gravity", &options), "gravity");
  cr_assert(eq(int, rowlock_registry_bind_vector(deployment.registry, "out", out, 1, 3, &deployment.err), ROWLOCK_OK));
  cr_assert(eq(int, rowlock_registry_bind_vector(deployment.registry, "position", position, 1, 3, &deployment.err),
               ROWLOCK_OK));
  rlk_deployment_edit(&deployment, "forces.manifest.json", "\"id\": \"gravity\"", "\"id\": \"gravity_2\"");
}

static void expect_gravity_alone(void) {
  cr_expect(eq(sz, rowlock_registry_plugin_count(deployment.registry), 1));
  cr_expect(eq(sz, rowlock_registry_table_count(deployment.registry), 0));
  rowlock_unbound_t unbound[1] = {{0}};
  cr_assert(eq(sz, rowlock_registry_unbound(deployment.registry, unbound, 1), 1));
  cr_expect(eq(str, (char*)unbound[0].name, (char*)"mu"));
  const rowlock_code_t code = rowlock_registry_bind_handle(deployment.registry, "mass", out, 1, &deployment.err);
  rlk_deployment_expect_refused(&deployment, code, "bind.unknown-name", "no loaded plugin declares 'mass'");
}

Test(load, merges_a_second_manifest) {
  add_gravity();
  add("forces");
  cr_expect(eq(sz, rowlock_registry_plugin_count(deployment.registry), 4));
  rowlock_unbound_t unbound[1];
  cr_expect(eq(sz, rowlock_registry_unbound(deployment.registry, unbound, 1), 8), "bindings reach later plugins");
  cr_expect(eq(str, (char*)unbound[0].plugin_id, (char*)"gravity"));
  cr_expect(eq(str, (char*)unbound[0].name, (char*)"mu"));
}

/* Each breaks the last entry of a set whose first two are sound. */
static const struct {
  const char *document, *from, *to, *rule_id, *words;
} faults[] = {
    {"thrust.sidecar.json", "\"schema_version\": 2", "\"schema_version\": 3", "sidecar.schema-version-too-new",
     "schema v3"},
    {"forces.manifest.json", "\"id\": \"thrust\"", "\"id\": \"drag\"", "manifest.duplicate-id",
     "duplicate plugin id 'drag'"},
    {"forces.manifest.json", "\"id\": \"thrust\"", "\"id\": \"gravity\"", "load.id-taken",
     "plugin id 'gravity' is already loaded in this registry"},
    {"thrust.sidecar.json", "\"shape\": [3]", "\"shape\": [-3]", "load.declaration",
     "the shape of 'direction' is [-3]"},
    {"thrust.sidecar.json", "\"host_entry\": \"push\"", "\"host_entry\": \"pull\"", "host.entry-absent", "'pull'"},
    {"forces.manifest.json", "thrust.ptx", "other_layout.ptx", "host.entry-absent", "plugin 'thrust': the artifact"},
    {"forces.manifest.json", "thrust.ptx", "absent.ptx", "load.object-missing", "absent.so"},
};

Test(load, leaves_the_registry_as_it_was_whatever_is_refused) {
  for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i) {
    if (i > 0) {
      rlk_deployment_destroy(&deployment);
      rlk_deployment_create(&deployment);
    }
    add_gravity();
    rlk_deployment_edit(&deployment, faults[i].document, faults[i].from, faults[i].to);
    expect_refused("forces", faults[i].rule_id, faults[i].words);
    expect_gravity_alone();
  }
}

Test(load, refuses_the_id_of_any_plugin_that_is_loaded) {
  add("forces");
  rlk_deployment_edit(&deployment, "spans.manifest.json", "\"id\": \"spans\"", "\"id\": \"thrust\"");
  expect_refused("spans", "load.id-taken", "plugin id 'thrust' is already loaded in this registry");
}

Test(load, refuses_a_table_of_another_count_in_a_later_manifest) {
  add("every_role");
  rlk_deployment_edit(&deployment, "crash.sidecar.json", "\"shape\": [2, 4], \"count\": 8",
                      "\"shape\": [9], \"count\": 9");
  expect_refused("crash", "load.table-conflict",
                 "table 'profile' is declared with conflicting element counts: 9 by plugin 'crash', 8 by 'every_role'");
  cr_expect(eq(sz, rowlock_registry_plugin_count(deployment.registry), 1));
  cr_expect(eq(u64, rowlock_registry_table_at(deployment.registry, 0).count, 8));
}

Test(load, takes_a_table_whose_count_only_one_plugin_declares) {
  rlk_deployment_edit(&deployment, "crash.sidecar.json", "\"shape\": [2, 4], \"count\": 8", "\"more\": 0");
  add("crash");
  cr_expect(eq(u64, rowlock_registry_table_at(deployment.registry, 0).count, 0));
  add("every_role");
  cr_expect(eq(u64, rowlock_registry_table_at(deployment.registry, 0).count, 8));
}

Test(load, tells_the_refusal_of_a_gate_in_both_ways) {
  rlk_deployment_edit(&deployment, "thrust.sidecar.json", "\"lookup\", \"direction\"", "\"table\", \"direction\"");
  expect_refused("forces", "sidecar.role-unknown", "unknown arg role 'table'");
  cr_assert(eq(sz, rowlock_findings_count(deployment.findings), 1));
  const rowlock_finding_t* finding = rowlock_findings_at(deployment.findings, 0);
  const char* place = "'thrust.sidecar.json', line 24, column 6: ";
  cr_assert_eq(strncmp(deployment.err.message, place, strlen(place)), 0, "%s", deployment.err.message);
  cr_expect(eq(str, (char*)finding->message, deployment.err.message + strlen(place)));
  cr_expect(eq(str, (char*)finding->json_pointer, (char*)"/arg_spec/2/0"));
  cr_expect(eq(str, (char*)finding->path, (char*)in_folder("thrust.sidecar.json")));
  expect_refused("forces", "sidecar.role-unknown", "unknown arg role 'table'");
  cr_expect(eq(sz, rowlock_findings_count(deployment.findings), 1), "an equal finding is there once");
}

Test(load, needs_neither_findings_nor_an_error) {
  rlk_deployment_edit(&deployment, "spans.sidecar.json", "\"mutable\", \"runs\"", "\"mutant\", \"runs\"");
  const char* path = in_folder("spans.manifest.json");
  cr_expect(eq(int, rowlock_registry_add_manifest(deployment.registry, path, NULL, NULL, NULL), ROWLOCK_REJECTED));
}

Test(load, of_a_missing_manifest_is_unusable) {
  const char* path = in_folder("absent.json");
  cr_expect(
      eq(int, rowlock_registry_add_manifest(deployment.registry, path, NULL, NULL, &deployment.err), ROWLOCK_UNUSABLE));
  cr_expect(not(zero(ptr, strstr(deployment.err.message, "absent.json"))), "%s", deployment.err.message);
}

Test(load, keeps_the_limits_of_its_caller) {
  rowlock_load_options_t options = rlk_deployment_options();
  options.limits.entries = 16;
  const char* path = in_folder("every_role.manifest.json");
  rowlock_code_t code = rowlock_registry_add_manifest(deployment.registry, path, &options, NULL, &deployment.err);
  rlk_deployment_expect_ok(&deployment, code, "16 arguments");
  options.limits.entries = 15;
  path = in_folder("every_role_v1.manifest.json");
  code = rowlock_registry_add_manifest(deployment.registry, path, &options, NULL, &deployment.err);
  rlk_deployment_expect_refused(&deployment, code, "load.list-too-long",
                                "arg_spec of plugin 'every_role_v1' has 16 elements, more than the limit of 15");
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

/* Loads both sets with the nth allocation refused, then again without; returns whether one was. */
static bool survives(const char* first, const char* second, uint64_t nth) {
  const rowlock_load_options_t options = rlk_deployment_options();
  const char* const paths[] = {first, second};
  rowlock_registry_t* registry = NULL;
  rlk_fault_arm(nth, false);
  rowlock_code_t code = rowlock_registry_create(&registry, &deployment.err);
  size_t loaded = 0;
  for (size_t i = 0; i < 2 && !code; ++i) {
    code = rowlock_registry_add_manifest(registry, paths[i], &options, NULL, &deployment.err);
    loaded += !code;
  }
  const bool refused = rlk_fault_relent();
  const size_t plugins = registry ? rowlock_registry_plugin_count(registry) : 0;
  rowlock_code_t again = ROWLOCK_OK;
  for (size_t i = loaded; i < 2 && registry && !again; ++i) {
    again = rowlock_registry_add_manifest(registry, paths[i], &options, NULL, NULL);
  }
  rowlock_registry_destroy(registry);
  const size_t live = rlk_fault_disarm().live;
  cr_expect(eq(int, code, refused ? ROWLOCK_NO_MEMORY : ROWLOCK_OK), "allocation %llu: %s", (unsigned long long)nth,
            deployment.err.message);
  cr_expect(eq(sz, plugins, loaded == 0 ? 0 : loaded == 1 ? 3 : 4), "allocation %llu", (unsigned long long)nth);
  cr_expect(eq(int, again, ROWLOCK_OK), "after allocation %llu", (unsigned long long)nth);
  cr_expect(eq(sz, live, 0), "allocation %llu", (unsigned long long)nth);
  return refused;
}

Test(load, survives_every_allocation_failure) {
  char first[512], second[512];
  snprintf(first, sizeof first, "%s", in_folder("forces.manifest.json"));
  snprintf(second, sizeof second, "%s", in_folder("every_role.manifest.json"));
  uint64_t nth = 1;
  while (survives(first, second, nth)) ++nth;
  cr_expect(lt(u64, 20, nth), "next to nothing was allocated");
}

Test(load, destroying_null_does_nothing) { rowlock_registry_destroy(NULL); }
