#include "loader/checker.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/test_folder.h"
#include "validator/plugin/samples.h"
#include "validator/rules/fault.h"

static rlk_test_folder_t home;
static rowlock_checker_t* checker;
static rowlock_findings_t* findings;
static rowlock_error_t err;

static void put_text(const char* name, const char* text) { rlk_test_folder_write(&home, name, text, strlen(text)); }

static void put_sample(const char* name, rlk_sample_t sample, const char* key, const char* value) {
  char* text = rlk_sample_text(sample, &(rlk_member_t){key, value}, key ? 1 : 0);
  cr_assert(not(zero(ptr, text)));
  put_text(name, text);
  free(text);
}

static void setup(void) {
  rlk_test_folder_create(&home);
  put_sample("gravity.json", RLK_SAMPLE_VECTOR, NULL, NULL);
  put_sample("drag.json", RLK_SAMPLE_VECTOR, NULL, NULL);
  put_sample("bump.json", RLK_SAMPLE_PURE, NULL, NULL);
  put_sample("v1.json", RLK_SAMPLE_MANIFEST_V1, NULL, NULL);
  put_sample("v2.json", RLK_SAMPLE_MANIFEST_V2, NULL, NULL);
  put_sample("neural.json", RLK_SAMPLE_NEURAL, NULL, NULL);
  cr_assert(eq(i32, (int)rowlock_checker_create(&checker, &err), ROWLOCK_OK));
  findings = rowlock_findings_create();
  cr_assert(not(zero(ptr, findings)));
}

static void teardown(void) {
  rowlock_findings_destroy(findings);
  rowlock_checker_destroy(checker);
  rlk_test_folder_remove(&home);
}

TestSuite(checker, .init = setup, .fini = teardown);

static rowlock_code_t judge(const char* door, const char* name) {
  rowlock_findings_clear(findings);
  return rowlock_checker_judge(checker, door, rlk_test_folder_at(&home, name), findings, &err);
}

/* `rule_id` of the one finding; "" for none. */
static void expect_judgement(const char* door, const char* name, rowlock_code_t code, const char* rule_id) {
  const rowlock_code_t got = judge(door, name);
  cr_expect(eq(str, (char*)rowlock_code_name(got), (char*)rowlock_code_name(code)), "%s at %s: %s", name, door,
            err.message);
  const bool any = rowlock_findings_count(findings) > 0;
  cr_expect(eq(str, (char*)(any ? rowlock_findings_at(findings, 0)->rule_id : ""), (char*)rule_id), "%s at %s", name,
            door);
  cr_expect(le(sz, rowlock_findings_count(findings), 1), "%s at %s", name, door);
}

/* --- Judging ------------------------------------------------------------------------------------------------------ */

Test(checker, accepts_a_sound_sidecar) { expect_judgement("loaded_vector", "gravity.json", ROWLOCK_OK, ""); }

Test(checker, accepts_a_sound_manifest_with_the_sidecars_beside_it) {
  expect_judgement("host_load_manifest", "v1.json", ROWLOCK_OK, "");
  expect_judgement("py_load_manifest", "v2.json", ROWLOCK_OK, "");
}

Test(checker, refuses_with_the_one_gate_that_failed) {
  put_text("two.json", "{\"schema_version\": 3, \"pattern\": \"x\"}");
  expect_judgement("shared_validator", "two.json", ROWLOCK_REJECTED, "sidecar.schema-version-too-new");
}

Test(checker, refuses_what_is_no_strict_json) {
  put_text("comment.json", "{ // no\n}");
  expect_judgement("shared_validator", "comment.json", ROWLOCK_REJECTED, "json.syntax");
  put_text("empty.json", "");
  expect_judgement("shared_validator", "empty.json", ROWLOCK_REJECTED, "json.empty");
}

Test(checker, a_finding_names_the_file_as_it_was_named) {
  expect_judgement("loaded_pure", "gravity.json", ROWLOCK_REJECTED, "sidecar.not-pure");
  cr_expect(eq(str, (char*)rowlock_findings_at(findings, 0)->path, (char*)rlk_test_folder_at(&home, "gravity.json")));
}

Test(checker, a_finding_in_an_entry_names_the_sidecar_beside_the_manifest) {
  put_sample("drag.json", RLK_SAMPLE_VECTOR, "aether_abi", "\"aether-abi/3\"");
  expect_judgement("host_load_manifest", "v1.json", ROWLOCK_REJECTED, "sidecar.abi-tag-unknown");
  cr_expect(eq(str, (char*)rowlock_findings_at(findings, 0)->path, (char*)rlk_test_folder_at(&home, "drag.json")));
}

Test(checker, finds_the_sidecars_of_a_manifest_that_is_reached_through_a_link) {
  rlk_test_folder_make(&home, "links");
  rlk_test_folder_link(&home, "links/v1.json", "../v1.json");
  expect_judgement("host_load_manifest", "links/v1.json", ROWLOCK_OK, "");
}

Test(checker, refuses_a_sidecar_outside_the_folder_of_the_manifest) {
  rlk_test_folder_make(&home, "set");
  put_sample("set/manifest.json", RLK_SAMPLE_MANIFEST_V1, NULL, NULL);
  rlk_test_folder_link(&home, "set/gravity.json", "../gravity.json");
  expect_judgement("host_load_manifest", "set/manifest.json", ROWLOCK_REJECTED, "manifest.sidecar-escapes");
}

/* --- Doors -------------------------------------------------------------------------------------------------------- */

Test(checker, an_unknown_door_is_unusable_and_named) {
  expect_judgement("front_door", "gravity.json", ROWLOCK_UNUSABLE, "");
  cr_expect(eq(str, err.message, (char*)"there is no door 'front_door'"));
}

Test(checker, contract_checks_are_those_of_the_document_s_level) {
  put_sample("gravity.json", RLK_SAMPLE_VECTOR, "accumulate", "1");
  expect_judgement("contract_checks", "gravity.json", ROWLOCK_REJECTED, "sidecar.accumulate");
  put_sample("v1.json", RLK_SAMPLE_MANIFEST_V1, "version", "2");
  expect_judgement("contract_checks", "v1.json", ROWLOCK_REJECTED, "manifest.legacy-version");
}

Test(checker, a_door_of_the_other_level_judges_all_the_same) {
  expect_judgement("shared_validator", "v1.json", ROWLOCK_REJECTED, "sidecar.key-missing");
  expect_judgement("host_load_manifest", "gravity.json", ROWLOCK_REJECTED, "manifest.plugins-missing");
}

static void expect_level_of(const char* name, const char* text, rlk_level_t level) {
  put_text(name, text);
  const char* path = rlk_test_folder_at(&home, name);
  cr_assert(eq(i32, (int)rlk_checker_open(checker, path, -1, findings, &err), ROWLOCK_OK), "%s", text);
  cr_expect(eq(str, (char*)rlk_level_name(rlk_checker_level(checker)), (char*)rlk_level_name(level)), "%s", text);
}

static void expect_level(const char* text, rlk_level_t level) { expect_level_of("level.json", text, level); }

Test(checker, a_key_of_manifests_makes_none_of_a_sidecar) {
  static const char* const keys[] = {"plugins", "blocks", "exec_targets", "exec_access", "exec_op"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    char text[100];
    snprintf(text, sizeof text, "{\"%s\": [], \"kernel\": \"k\"}", keys[i]);
    expect_level(text, RLK_LEVEL_SIDECAR);
    snprintf(text, sizeof text, "{\"%s\": null, \"arg_spec\": null}", keys[i]);
    expect_level(text, RLK_LEVEL_SIDECAR);
    snprintf(text, sizeof text, "{\"%s\": []}", keys[i]);
    expect_level(text, RLK_LEVEL_MANIFEST);
    expect_level_of("a.sidecar.json", text, RLK_LEVEL_SIDECAR);
  }
}

Test(checker, what_is_called_a_manifest_or_a_sidecar_is_one) {
  static const char sidecar[] = "{\"kernel\": \"k\", \"arg_spec\": []}";
  expect_level_of("manifest.json", sidecar, RLK_LEVEL_MANIFEST);
  expect_level_of("set.manifest.json", sidecar, RLK_LEVEL_MANIFEST);
  expect_level_of("sidecar.json", "{\"plugins\": []}", RLK_LEVEL_SIDECAR);
  expect_level_of("notmanifest.json", sidecar, RLK_LEVEL_SIDECAR);
  expect_level_of("notsidecar.json", "{\"plugins\": []}", RLK_LEVEL_MANIFEST);
  expect_level_of("manifest.json.json", sidecar, RLK_LEVEL_SIDECAR);
}

Test(checker, a_document_that_lists_plugins_or_blocks_is_a_manifest) {
  expect_level("{\"plugins\": []}", RLK_LEVEL_MANIFEST);
  expect_level("{\"plugins\": null}", RLK_LEVEL_MANIFEST);
  expect_level("{\"blocks\": []}", RLK_LEVEL_MANIFEST);
}

Test(checker, every_other_document_is_a_sidecar) {
  static const char* const texts[] = {
      "{}", "[]", "null", "[{\"plugins\": []}]", "{\"kernel\": {\"plugins\": []}}", "{\"Plugins\": []}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) expect_level(texts[i], RLK_LEVEL_SIDECAR);
}

Test(checker, one_open_document_is_judged_at_many_doors) {
  const char* path = rlk_test_folder_at(&home, "gravity.json");
  cr_assert(eq(i32, (int)rlk_checker_open(checker, path, -1, findings, &err), ROWLOCK_OK));
  cr_expect(eq(i32, (int)rlk_checker_run(checker, RLK_DOOR_LOADED_VECTOR, false, findings), ROWLOCK_OK));
  cr_expect(eq(i32, (int)rlk_checker_run(checker, RLK_DOOR_LOADED_PURE, false, findings), ROWLOCK_REJECTED));
  cr_expect(eq(i32, (int)rlk_checker_run(checker, RLK_DOOR_SHARED_VALIDATOR, false, findings), ROWLOCK_OK));
  cr_expect(rlk_node_is_string(rlk_node_member(rlk_checker_document(checker)->root, "kernel"), "gravity"));
}

Test(checker, every_finding_is_told_when_wanted) {
  put_text("two.json", "{\"schema_version\": 3, \"pattern\": \"x\", \"kernel\": \"k\", \"arg_spec\": []}");
  const char* path = rlk_test_folder_at(&home, "two.json");
  cr_assert(eq(i32, (int)rlk_checker_open(checker, path, -1, findings, &err), ROWLOCK_OK));
  cr_expect(eq(i32, (int)rlk_checker_run(checker, RLK_DOOR_SHARED_VALIDATOR, true, findings), ROWLOCK_REJECTED));
  cr_expect(eq(sz, rowlock_findings_count(findings), 2));
}

Test(checker, a_switched_off_rule_stays_off_until_all_are_restored) {
  put_sample("gravity.json", RLK_SAMPLE_VECTOR, "scalar_type", "\"half\"");
  rlk_checker_switch_off(checker, RLK_RULE_SIDECAR_SCALAR_TYPE_UNKNOWN);
  expect_judgement("shared_validator", "gravity.json", ROWLOCK_OK, "");
  rlk_checker_switch_off(checker, RLK_RULE_NONE);
  expect_judgement("shared_validator", "gravity.json", ROWLOCK_REJECTED, "sidecar.scalar-type-unknown");
}

/* --- What cannot be judged ---------------------------------------------------------------------------------------- */

Test(checker, a_missing_file_is_unusable_and_the_message_names_it) {
  expect_judgement("shared_validator", "absent.json", ROWLOCK_UNUSABLE, "");
  char expected[512];
  snprintf(expected, sizeof expected, "cannot read '%s': No such file or directory",
           rlk_test_folder_at(&home, "absent.json"));
  cr_expect(eq(str, err.message, expected));
}

Test(checker, a_folder_is_unusable) { expect_judgement("shared_validator", ".", ROWLOCK_UNUSABLE, ""); }

Test(checker, the_error_is_empty_after_success) {
  expect_judgement("front_door", "gravity.json", ROWLOCK_UNUSABLE, "");
  cr_expect(not(zero(i8, err.message[0])));
  expect_judgement("loaded_vector", "gravity.json", ROWLOCK_OK, "");
  cr_expect(eq(str, err.message, (char*)""), "after an acceptance");
  memset(err.message, 'x', sizeof err.message);
  expect_judgement("loaded_pure", "gravity.json", ROWLOCK_REJECTED, "sidecar.not-pure");
  cr_expect(eq(str, err.message, (char*)""), "after a refusal");
  memset(err.message, 'x', sizeof err.message);
  rowlock_checker_t* other = NULL;
  cr_expect(eq(i32, (int)rowlock_checker_create(&other, &err), ROWLOCK_OK));
  cr_expect(eq(str, err.message, (char*)""), "after creating a checker");
  rowlock_checker_destroy(other);
}

Test(checker, the_error_need_not_be_wanted) {
  const char* path = rlk_test_folder_at(&home, "absent.json");
  cr_expect(eq(i32, (int)rowlock_checker_judge(checker, "loaded_pure", path, findings, NULL), ROWLOCK_UNUSABLE));
}

Test(checker, destroying_null_does_nothing) {
  rowlock_checker_destroy(NULL);
  expect_judgement("loaded_vector", "gravity.json", ROWLOCK_OK, "");
}

/* --- Limits ------------------------------------------------------------------------------------------------------- */

Test(checker, a_file_of_the_limit_is_taken_and_one_byte_more_refused) {
  put_text("small.json", "{\"kernel\": \"k\", \"arg_spec\": []}"); /* 31 bytes */
  rowlock_checker_set_limits(checker, &(rowlock_limits_t){.size_bytes = 31});
  expect_judgement("shared_validator", "small.json", ROWLOCK_OK, "");
  rowlock_checker_set_limits(checker, &(rowlock_limits_t){.size_bytes = 30});
  expect_judgement("shared_validator", "small.json", ROWLOCK_REJECTED, "json.size");
  rowlock_checker_set_limits(checker, NULL);
  expect_judgement("shared_validator", "small.json", ROWLOCK_OK, "");
}

Test(checker, the_depth_counts_in_ignored_keys_too) {
  put_text("deep.json", "{\"kernel\": \"k\", \"arg_spec\": [], \"x\": [[[]]]}");
  rowlock_checker_set_limits(checker, &(rowlock_limits_t){.depth = 4});
  expect_judgement("shared_validator", "deep.json", ROWLOCK_OK, "");
  rowlock_checker_set_limits(checker, &(rowlock_limits_t){.depth = 3});
  expect_judgement("shared_validator", "deep.json", ROWLOCK_REJECTED, "json.depth");
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

Test(checker, files_of_one_size_are_judged_without_further_allocations) {
  static const char* const names[] = {"gravity.json", "drag.json", "v1.json"};
  static const char* const doors[] = {"loaded_vector", "vector_host", "host_load_manifest"};
  for (size_t i = 0; i < 3; ++i) expect_judgement(doors[i], names[i], ROWLOCK_OK, "");
  rlk_fault_arm(0, false);
  for (size_t round = 0; round < 100; ++round) {
    for (size_t i = 0; i < 3; ++i) {
      const rowlock_code_t code = judge(doors[i], names[i]);
      if (code) cr_fatal("%s: %s", names[i], rowlock_code_name(code));
    }
  }
  const uint64_t allocations = rlk_fault_disarm().allocations;
  cr_expect(eq(u64, allocations, 0));
}

/* Creates a checker and judges, with the nth allocation refused; judges again once none is. Returns whether one was. */
static bool survives(const char* door, const char* path, rowlock_code_t due, uint64_t nth) {
  rowlock_checker_t* own = NULL;
  rlk_fault_arm(nth, false);
  rowlock_findings_t* list = rowlock_findings_create();
  rowlock_code_t code = list ? rowlock_checker_create(&own, &err) : ROWLOCK_NO_MEMORY;
  if (!code) code = rowlock_checker_judge(own, door, path, list, &err);
  const bool refused = rlk_fault_relent();
  rowlock_code_t again = due;
  if (own) {
    rowlock_findings_clear(list);
    again = rowlock_checker_judge(own, door, path, list, NULL);
  }
  rowlock_checker_destroy(own);
  rowlock_findings_destroy(list);
  const size_t live = rlk_fault_disarm().live;
  const rowlock_code_t first = refused ? ROWLOCK_NO_MEMORY : due;
  cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)rowlock_code_name(first)), "%s, allocation %llu", door,
            (unsigned long long)nth);
  cr_expect(eq(str, (char*)rowlock_code_name(again), (char*)rowlock_code_name(due)), "%s, after allocation %llu", door,
            (unsigned long long)nth);
  cr_expect(eq(sz, live, 0), "%s, allocation %llu", door, (unsigned long long)nth);
  if (refused && list) cr_expect(ne(str, err.message, (char*)""), "%s, allocation %llu", door, (unsigned long long)nth);
  return refused;
}

static void expect_survival(const char* door, const char* name, rowlock_code_t due) {
  char path[512];
  snprintf(path, sizeof path, "%s", rlk_test_folder_at(&home, name));
  uint64_t nth = 1;
  while (survives(door, path, due, nth)) ++nth;
  cr_expect(lt(u64, 4, nth), "%s allocated next to nothing", door);
}

Test(checker, survives_every_allocation_failure_over_a_sidecar) {
  expect_survival("loaded_vector", "gravity.json", ROWLOCK_OK);
  expect_survival("loaded_pure", "gravity.json", ROWLOCK_REJECTED);
}

Test(checker, survives_every_allocation_failure_over_a_manifest_and_its_entries) {
  put_sample("drag.json", RLK_SAMPLE_VECTOR, "buffers", "[{\"name\": \"profile\", \"count\": 1}]");
  expect_survival("host_load_manifest", "v1.json", ROWLOCK_REJECTED);
  expect_survival("py_load_manifest", "v1.json", ROWLOCK_OK);
  expect_survival("contract_checks", "v1.json", ROWLOCK_REJECTED);
}

Test(version, is_three_numbers) {
  unsigned major, minor, patch;
  char rest;
  cr_expect(eq(i32, sscanf(rowlock_version(), "%u.%u.%u%c", &major, &minor, &patch, &rest), 3), "%s",
            rowlock_version());
}
