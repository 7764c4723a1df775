#define _GNU_SOURCE /* truncate */
#include "loader/artifact/deployment.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loader/artifact/test_artifact.h"
#include "loader/host/test_object.h"
#include "loader/test_folder.h"
#include "validator/rules/fault.h"
#include "validator/rules/text.h"

#define DRAG ".version 8.4\n.target sm_90\n.address_size 64\n.entry drag(.param .align 8 .b8 a[40]) { }\n"
#define SIDECAR                                                                                                     \
  "{\"format\": \"ptx\", \"schema_version\": 1, \"pattern\": \"vector\", \"aether_abi\": \"aether-abi/1\","         \
  " \"scalar_type\": \"float64\", \"kernel\": \"drag\", \"vector_inputs\": [], \"params\": [], \"per_sample\": []," \
  " \"accumulate\": true, \"sink\": \"outVec-scratch\", \"vec_widths\": {\"out\": 3},"                              \
  " \"arg_spec\": [[\"out\", \"out\"]],\n\"buffers\": []}\n"

static rlk_test_folder_t home;
static rowlock_checker_t* checker;
static rowlock_findings_t* findings;
static rowlock_error_t err;
static rlk_deployment_options_t options;

static void put(const char* name, const char* text) { rlk_test_folder_write(&home, name, text, strlen(text)); }

static void setup(void) {
  rlk_test_folder_create(&home);
  put("drag.json", SIDECAR);
  findings = rowlock_findings_create();
  cr_assert(ne(ptr, findings, NULL));
  cr_assert(eq(i32, (int)rowlock_checker_create(&checker, &err), ROWLOCK_OK));
  options = (rlk_deployment_options_t){0};
}

static void teardown(void) {
  rowlock_checker_destroy(checker);
  rowlock_findings_destroy(findings);
  rlk_test_folder_remove(&home);
}

TestSuite(deployment, .init = setup, .fini = teardown, .timeout = 300);

/* A manifest that names those artifacts, in its second line, an entry a line. */
static void put_manifest(const char* const* artifacts, size_t count) {
  static char bytes[65536];
  rlk_text_t text = rlk_text_over(bytes, sizeof bytes);
  rlk_text_printf(&text,
                  "{\"schema_version\": 1, \"pattern\": \"vector\", \"aether_abi\": \"aether-abi/1\", \"plugins\": [");
  for (size_t i = 0; i < count; ++i) {
    rlk_text_printf(&text,
                    "%s\n{\"id\": \"p%zu\", \"order\": %zu, \"enabled\": true, \"artifact\": \"%s\", "
                    "\"sidecar\": \"drag.json\", \"format\": \"ptx\"}",
                    i > 0 ? "," : "", i, i, artifacts[i]);
  }
  rlk_text_printf(&text, "]}\n");
  cr_assert(lt(sz, text.length, sizeof bytes));
  put("manifest.json", bytes);
}

static rowlock_code_t prove(void) {
  static char path[4096];
  snprintf(path, sizeof path, "%s", rlk_test_folder_at(&home, "manifest.json"));
  rowlock_findings_clear(findings);
  cr_assert(eq(i32, (int)rlk_checker_open(checker, path, -1, findings, &err), ROWLOCK_OK), "%s", err.message);
  return rlk_deployment_prove(checker, &options, findings, &err);
}

static void prove_manifest(const char* const* artifacts, size_t count) {
  put_manifest(artifacts, count);
  cr_assert(eq(i32, (int)prove(), ROWLOCK_OK));
}

static void expect_finding(size_t index, rlk_rule_t rule, uint32_t line, const char* words) {
  cr_assert(lt(sz, index, rowlock_findings_count(findings)), "%s: %zu findings", words,
            rowlock_findings_count(findings));
  const rowlock_finding_t* finding = rowlock_findings_at(findings, index);
  cr_expect(eq(str, (char*)finding->rule_id, (char*)rlk_rule_info(rule)->id));
  cr_expect(eq(u32, finding->line, line), "%s", finding->message);
  cr_expect(ne(ptr, strstr(finding->message, words), NULL), "'%s' is not in '%s'", words, finding->message);
}

static void expect_count(size_t count) {
  cr_expect(eq(sz, rowlock_findings_count(findings), count), "%s",
            count == 0 ? rowlock_findings_at(findings, 0)->message : "");
}

#define NAMES(...) ((const char* const[]){__VA_ARGS__}), sizeof((const char* const[]){__VA_ARGS__}) / sizeof(char*)

Test(deployment, what_agrees_is_left_alone) {
  put("drag.ptx", DRAG);
  prove_manifest(NAMES("drag.ptx"));
  expect_count(0);
}

/* Whoever reads the manifest says that a file is not there. */
Test(deployment, what_is_not_there_is_left_to_others) {
  prove_manifest(NAMES("absent.ptx", "../outside.ptx"));
  expect_count(0);
}

/* Unless the caller is due to have it: then nothing that cannot be read counts as proved. */
Test(deployment, what_is_not_there_is_told_with_its_remedy) {
  options.remedy = "build it";
  rlk_test_folder_make(&home, "folder.ptx");
  prove_manifest(NAMES("absent.ptx", "folder.ptx", "../outside.ptx", "absent.ptx"));
  expect_count(4);
  expect_finding(0, RLK_RULE_MANIFEST_ARTIFACT_MISSING, 2, "there is no artifact 'absent.ptx'; build it");
  expect_finding(1, RLK_RULE_MANIFEST_ARTIFACT_MISSING, 3, "; build it");
  expect_finding(2, RLK_RULE_MANIFEST_ARTIFACT_ESCAPES, 4, "must stay inside the manifest's folder");
  expect_finding(3, RLK_RULE_MANIFEST_ARTIFACT_MISSING, 5, "plugins[3]");
  options.built_folder = "/nowhere/at/all";
  cr_assert(eq(i32, (int)prove(), ROWLOCK_OK));
  expect_count(4);
  expect_finding(0, RLK_RULE_MANIFEST_ARTIFACT_MISSING, 2, "there is no artifact 'absent.ptx'; build it");
}

Test(deployment, a_damaged_artifact_is_told_where_it_is_named) {
  put("drag.ptx", DRAG);
  put("cut.ptx", ".version 8.4\n.target sm_90\n.address_size 64\n.entry drag(");
  put("empty.ptx", "");
  prove_manifest(NAMES("drag.ptx", "cut.ptx", "empty.ptx"));
  expect_count(2);
  expect_finding(0, RLK_RULE_ARTIFACT_PTX_SYNTAX, 3, "it ends where '.param' is due");
  expect_finding(1, RLK_RULE_HOST_FILE_EMPTY, 4, "empty");
  cr_expect(eq(str, (char*)rowlock_findings_at(findings, 0)->json_pointer, (char*)"/plugins/1/artifact"));
}

Test(deployment, a_format_that_is_not_the_files_is_told) {
  rlk_file_buffer_t cubin;
  rlk_test_artifact_read("sums.cubin", &cubin);
  rlk_test_folder_write(&home, "drag.ptx", cubin.bytes, cubin.length);
  rlk_file_buffer_deinit(&cubin);
  prove_manifest(NAMES("drag.ptx"));
  expect_count(2);
  expect_finding(0, RLK_RULE_ARTIFACT_FORMAT, 2, "plugins[0].format is 'ptx', the artifact is a cubin");
  expect_finding(1, RLK_RULE_ARTIFACT_ENTRY_MISSING, 2, "there is no entry 'drag' in the cubin for sm_90a");
}

/* The argument is where the sidecar says it, not where the manifest names the artifact. */
Test(deployment, a_parameter_is_told_at_its_argument) {
  put("drag.ptx", ".version 8.4\n.target sm_90\n.address_size 64\n.entry drag(.param .align 8 .b8 a[32]) { }\n");
  prove_manifest(NAMES("drag.ptx"));
  expect_count(1);
  expect_finding(0, RLK_RULE_ARTIFACT_PARAMETER_SIZE, 1, "has 32 bytes, arg_spec implies 40");
  const rowlock_finding_t* finding = rowlock_findings_at(findings, 0);
  cr_expect(eq(str, (char*)finding->json_pointer, (char*)"/arg_spec/0"));
  cr_expect(ne(ptr, strstr(finding->path, "/drag.json"), NULL));
}

Test(deployment, the_machine_is_asked_for) {
  put("drag.ptx", DRAG);
  options.machine = (rlk_target_machine_t){.driver = 123, .sm = 80};
  prove_manifest(NAMES("drag.ptx"));
  expect_count(2);
  expect_finding(0, RLK_RULE_ARTIFACT_DRIVER, 2, "is newer than the driver's compiler");
  expect_finding(1, RLK_RULE_ARTIFACT_NO_CODE, 2, "there is no code for sm_80");
}

Test(deployment, an_artifact_may_be_where_a_build_put_it) {
  static char built[4096];
  rlk_test_folder_make(&home, "built");
  snprintf(built, sizeof built, "%s", rlk_test_folder_at(&home, "built"));
  put("built/drag.ptx", ".version 8.4\n");
  prove_manifest(NAMES("drag.ptx"));
  expect_count(0);
  options.built_folder = built;
  cr_assert(eq(i32, (int)prove(), ROWLOCK_OK));
  expect_count(1);
}

/* --- The host object beside it ------------------------------------------------------------------------------------ */

static void put_object(const char* name, const char* object) {
  rlk_file_buffer_t bytes;
  rlk_test_object_read(object, &bytes);
  rlk_test_folder_write(&home, name, bytes.bytes, bytes.length);
  rlk_file_buffer_deinit(&bytes);
}

/* The sidecar is of drag, the object of drift. */
static void expect_object_finding(size_t index, const char* name) {
  expect_finding(index, RLK_RULE_ARTIFACT_ENTRY_MISSING, 1, "there is no entry 'drag_host' in the shared object");
  const rowlock_finding_t* finding = rowlock_findings_at(findings, index);
  cr_expect(ne(ptr, strstr(finding->path, name), NULL), "%s", finding->path);
  cr_expect(eq(str, (char*)finding->json_pointer, (char*)""));
}

Test(deployment, an_object_is_proved_beside_its_artifact_and_without_it) {
  put_object("drag.so", "sound.so");
  put("drag.ptx", DRAG);
  prove_manifest(NAMES("drag.ptx"));
  expect_count(1);
  expect_object_finding(0, "/drag.so");
  cr_assert(zero(i32, unlink(rlk_test_folder_at(&home, "drag.ptx"))));
  prove_manifest(NAMES("drag.ptx"));
  expect_count(1);
  expect_object_finding(0, "/drag.so");
}

Test(deployment, an_object_is_not_taken_for_that_of_another_name) {
  put("drag.ptx", DRAG);
  put("lift.ptx", DRAG);
  cr_assert(zero(i32, symlink("drag.ptx", rlk_test_folder_at(&home, "twin.ptx"))));
  put_object("twin.so", "sound.so");
  prove_manifest(NAMES("drag.ptx", "lift.ptx", "twin.ptx"));
  expect_count(1);
  expect_object_finding(0, "/twin.so");
}

Test(deployment, an_artifact_that_is_the_object_is_proved_once) {
  put_object("drag.ptx", "sound.so");
  put("drag.so", "not looked at");
  put_object("lift.so", "sound.so");
  prove_manifest(NAMES("drag.ptx", "lift.so"));
  expect_count(4);
  for (uint32_t i = 0; i < 2; ++i) {
    expect_finding((size_t)2 * i, RLK_RULE_ARTIFACT_FORMAT, 2 + i, "the artifact is a host shared object");
    expect_finding((size_t)2 * i + 1, RLK_RULE_ARTIFACT_ENTRY_MISSING, 2 + i, "drag_host");
  }
}

Test(deployment, a_damaged_object_is_told_and_one_that_is_no_file_is_not) {
  put("drag.ptx", DRAG);
  put("drag.so", "");
  rlk_test_folder_make(&home, "lift.so");
  put("lift.ptx", DRAG);
  prove_manifest(NAMES("drag.ptx", "lift.ptx"));
  expect_count(1);
  expect_finding(0, RLK_RULE_HOST_FILE_EMPTY, 1, "empty");
}

/* --- The budget --------------------------------------------------------------------------------------------------- */

/* Zeros that take no room on the disk: as large as an artifact may be, and none. */
static void put_large(const char* name) {
  put(name, "");
  cr_assert(zero(i32, truncate(rlk_test_folder_at(&home, name), (off_t)RLK_ARTIFACT_BYTES_MAX)));
}

Test(deployment, the_budget_ends_at_the_artifact_that_passes_it) {
  put_large("a"), put_large("b"), put_large("c"), put_large("d");
  put("drag.ptx", DRAG);
  prove_manifest(NAMES("a", "b", "c", "d", "drag.ptx", "a"));
  expect_count(5);
  for (uint32_t i = 0; i < 4; ++i) expect_finding(i, RLK_RULE_ARTIFACT_UNKNOWN, 2 + i, "nothing but zero bytes");
  expect_finding(4, RLK_RULE_ARTIFACT_LIMIT, 6,
                 "more than the limit of 1073741824 bytes, with the artifacts before it: those from here on are not "
                 "proved");
}

Test(deployment, an_artifact_that_many_entries_share_is_read_once) {
  put_large("a");
  prove_manifest(NAMES("a", "a", "a", "a", "a", "a", "a", "a"));
  expect_count(8);
  for (uint32_t i = 0; i < 8; ++i) expect_finding(i, RLK_RULE_ARTIFACT_UNKNOWN, 2 + i, "nothing but zero bytes");
}

/* Two that take turns are read each time: what they unpack to is what that costs, not how small they are. */
Test(deployment, what_an_artifact_unpacks_to_counts) {
  rlk_file_buffer_t fatbin;
  rlk_test_packed_fatbin_create(DRAG, 1 << 26, &fatbin);
  rlk_test_folder_write(&home, "a", fatbin.bytes, fatbin.length);
  rlk_test_folder_write(&home, "b", fatbin.bytes, fatbin.length);
  rlk_file_buffer_deinit(&fatbin);
  const char* names[20];
  for (size_t i = 0; i < 20; ++i) names[i] = i % 2 ? "a" : "b";
  prove_manifest(names, 20);
  expect_count(17);
  for (uint32_t i = 0; i < 16; ++i) expect_finding(i, RLK_RULE_ARTIFACT_FORMAT, 2 + i, "the artifact is a fatbin");
  expect_finding(16, RLK_RULE_ARTIFACT_LIMIT, 18, "those from here on are not proved");
}

/* What is held of one file is not taken for another's. */
Test(deployment, an_artifact_is_not_taken_for_another) {
  put("drag.ptx", DRAG);
  put("cut.ptx", ".version 8.4\n");
  prove_manifest(NAMES("drag.ptx", "cut.ptx", "drag.ptx", "cut.ptx"));
  expect_count(2);
  expect_finding(0, RLK_RULE_ARTIFACT_PTX_SYNTAX, 3, "names no .target");
  expect_finding(1, RLK_RULE_ARTIFACT_PTX_SYNTAX, 5, "names no .target");
}

/* --- Files and memory --------------------------------------------------------------------------------------------- */

Test(deployment, what_is_no_regular_file_cannot_be_read) {
  rlk_arena_t arena = {0};
  rlk_artifact_t artifact;
  rlk_test_folder_pipe(&home, "pipe");
  const char* const paths[] = {home.path, rlk_test_folder_at(&home, "pipe"), "/dev/zero", "/nowhere/at/all"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    cr_expect(eq(i32, (int)rlk_artifact_open(paths[i], &arena, &artifact, &err), ROWLOCK_UNUSABLE), "%s", paths[i]);
    cr_expect(gt(sz, strlen(err.message), 0));
  }
  rlk_arena_deinit(&arena);
}

Test(deployment, a_file_of_one_byte_too_many_is_refused) {
  rlk_arena_t arena = {0};
  rlk_artifact_t artifact;
  put_large("a");
  cr_assert(zero(i32, truncate(rlk_test_folder_at(&home, "a"), (off_t)RLK_ARTIFACT_BYTES_MAX + 1)));
  cr_expect(eq(i32, (int)rlk_artifact_open(rlk_test_folder_at(&home, "a"), &arena, &artifact, &err), ROWLOCK_REJECTED));
  cr_expect(eq(str, (char*)err.rule_id, (char*)rlk_rule_info(RLK_RULE_HOST_FILE_TOO_LARGE)->id));
  rlk_arena_deinit(&arena);
}

Test(deployment, every_failing_allocation_is_told) {
  put("drag.ptx", DRAG);
  put("cut.ptx", ".version 8.4\n");
  put_object("drag.so", "sound.so");
  put_manifest(NAMES("drag.ptx", "cut.ptx"));
  cr_assert(eq(i32, (int)prove(), ROWLOCK_OK));
  for (uint64_t nth = 1;; ++nth) {
    rowlock_findings_clear(findings);
    rlk_fault_arm(nth, false);
    const rowlock_code_t code = rlk_deployment_prove(checker, &options, findings, &err);
    const rlk_fault_t fault = rlk_fault_disarm();
    if (!fault.refused) {
      cr_expect(eq(i32, (int)code, ROWLOCK_OK));
      cr_expect(gt(u64, nth, 10), "too few allocations were seen");
      expect_count(2);
      break;
    }
    cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)"NO_MEMORY"), "allocation %llu", (unsigned long long)nth);
  }
}

/* --- Sidecars that nothing can be proved against ---------------------------------------------------------------------
 */

/* One of which the doors take everything and no binding comes. */
static void put_unbound(void) {
  put("drag.json",
      "{\"format\": \"ptx\", \"schema_version\": 1, \"pattern\": \"vector\","
      " \"aether_abi\": \"aether-abi/1\", \"kernel\": \"drag\\u0000\", \"vector_inputs\": [],"
      " \"params\": [], \"per_sample\": [], \"arg_spec\": []}");
}

Test(deployment, what_is_not_proved_is_told_of_each_artifact) {
  put_unbound();
  put("drag.ptx", DRAG);
  for (int is_row = 0; is_row < 2; ++is_row) {
    options.remedy = is_row ? "build it" : NULL;
    prove_manifest(NAMES("drag.ptx", "drag.ptx"));
    expect_count(2);
    expect_finding(0, RLK_RULE_ARTIFACT_NOT_PROVED, 2,
                   "the artifact of plugin 'p0' is not proved: plugin 'p0' cannot be bound: ");
    expect_finding(1, RLK_RULE_ARTIFACT_NOT_PROVED, 3, "of plugin 'p1' is not proved");
  }
}

/* Without an artifact there is nothing to prove, whatever the sidecar says. */
Test(deployment, what_needs_no_proof_is_not_told_to_lack_one) {
  put_unbound();
  prove_manifest(NAMES("absent.ptx"));
  expect_count(0);
}

Test(deployment, a_sidecar_that_a_door_has_refused_is_told_once) {
  put("drag.json", "[]");
  put("drag.ptx", DRAG);
  prove_manifest(NAMES("drag.ptx"));
  expect_count(1); /* no door was asked here */
  expect_finding(0, RLK_RULE_ARTIFACT_NOT_PROVED, 2, "line 1, column 1: the document is ");
  rowlock_findings_clear(findings);
  cr_assert(eq(i32, (int)rlk_checker_run(checker, RLK_DOOR_HOST_LOAD_MANIFEST, true, findings), ROWLOCK_REJECTED));
  const size_t count = rowlock_findings_count(findings);
  cr_assert(eq(i32, (int)rlk_deployment_prove(checker, &options, findings, &err), ROWLOCK_OK));
  expect_count(count);
  options.remedy = "build it";
  prove_manifest(NAMES("drag.ptx"));
  expect_count(1);
  expect_finding(0, RLK_RULE_JSON_NOT_OBJECT, 2, "the document is ");
}
