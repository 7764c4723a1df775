/* How a door judges: first failure or every finding, at which place, in which file, within which bounds. */
#include "validator/plugin/judge.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "validator/plugin/judging.h"

static rlk_judging_t judging;
static char* sample;

static void setup(void) {
  cr_assert(eq(i32, (int)rlk_judging_init(&judging), ROWLOCK_OK));
  cr_assert(eq(i32, (int)rlk_judging_put_sample_files(&judging), ROWLOCK_OK));
}

static void teardown(void) {
  rlk_judging_deinit(&judging);
  free(sample);
}

TestSuite(judge, .init = setup, .fini = teardown);

static void read_text(const char* text) {
  rowlock_findings_clear(judging.findings);
  cr_assert(eq(i32, (int)rlk_judging_read(&judging, text, strlen(text)), ROWLOCK_OK), "%s", text);
}

static void read_sample(rlk_sample_t which, const char* key, const char* value) {
  free(sample);
  sample = rlk_sample_text(which, &(rlk_member_t){key, value}, key ? 1 : 0);
  cr_assert(not(zero(ptr, sample)));
  read_text(sample);
}

static void put_beside(const char* path, const char* text) {
  cr_assert(eq(i32, (int)rlk_judging_put_file(&judging, path, text, strlen(text)), ROWLOCK_OK));
}

static void put_sample_beside(const char* path, rlk_sample_t which, const char* key, const char* value) {
  char* text = rlk_sample_text(which, &(rlk_member_t){key, value}, 1);
  cr_assert(not(zero(ptr, text)));
  put_beside(path, text);
  free(text);
}

static void expect_code(rlk_door_id_t door, rowlock_code_t code) {
  cr_expect(eq(str, (char*)rowlock_code_name(rlk_judging_run(&judging, door)), (char*)rowlock_code_name(code)), "at %s",
            rlk_door_info(door)->name);
}

/* The ids of the findings in order, with a blank between them. */
static char* found(void) {
  static char ids[2048];
  size_t at = 0;
  ids[0] = '\0';
  for (size_t i = 0; i < rowlock_findings_count(judging.findings); ++i) {
    const char* id = rowlock_findings_at(judging.findings, i)->rule_id;
    const size_t length = strlen(id);
    cr_assert(lt(sz, at + length + 2, sizeof ids));
    if (at > 0) ids[at++] = ' ';
    memcpy(ids + at, id, length + 1);
    at += length;
  }
  return ids;
}

/* --- First failure or every finding ------------------------------------------------------------------------------- */

static const char three_defects[] =
    "{\"kernel\": \"k\", \"schema_version\": 3, \"arg_spec\": [[\"a\", \"x\"], [\"b\", \"y\"]], \"pattern\": \"z\"}";

Test(judge, the_first_failing_gate_decides) {
  read_text(three_defects);
  expect_code(RLK_DOOR_SHARED_VALIDATOR, ROWLOCK_REJECTED);
  cr_expect(eq(str, found(), (char*)"sidecar.schema-version-too-new"));
}

Test(judge, a_gate_reports_its_first_defect_alone) {
  read_text("{\"kernel\": \"k\", \"arg_spec\": [[\"a\", \"x\"], [\"b\", \"y\"]]}");
  expect_code(RLK_DOOR_SHARED_VALIDATOR, ROWLOCK_REJECTED);
  cr_assert(eq(sz, rowlock_findings_count(judging.findings), 1));
  cr_expect(eq(str, (char*)rowlock_findings_at(judging.findings, 0)->json_pointer, (char*)"/arg_spec/0/0"));
}

Test(judge, every_finding_is_told_when_wanted_in_the_order_of_the_gates) {
  read_text(three_defects);
  judging.every_finding = true;
  expect_code(RLK_DOOR_SHARED_VALIDATOR, ROWLOCK_REJECTED);
  cr_expect(
      eq(str, found(),
         (char*)"sidecar.schema-version-too-new sidecar.role-unknown sidecar.role-unknown sidecar.pattern-unknown"));
}

Test(judge, a_sound_document_is_accepted_in_both_modes) {
  for (int every = 0; every < 2; ++every) {
    judging.every_finding = every;
    read_sample(RLK_SAMPLE_VECTOR, NULL, NULL);
    expect_code(RLK_DOOR_LOADED_VECTOR, ROWLOCK_OK);
    cr_expect(eq(str, found(), (char*)""));
  }
}

Test(judge, an_earlier_refusal_does_not_count_at_the_next_door) {
  read_sample(RLK_SAMPLE_VECTOR, NULL, NULL);
  expect_code(RLK_DOOR_LOADED_PURE, ROWLOCK_REJECTED);
  expect_code(RLK_DOOR_LOADED_VECTOR, ROWLOCK_OK);
}

Test(judge, one_defect_at_several_doors_is_one_finding_with_their_bits) {
  read_sample(RLK_SAMPLE_VECTOR, "pattern", "\"x\"");
  expect_code(RLK_DOOR_SHARED_VALIDATOR, ROWLOCK_REJECTED);
  expect_code(RLK_DOOR_VECTOR_HOST, ROWLOCK_REJECTED);
  cr_assert(eq(str, found(), (char*)"sidecar.pattern-unknown"));
  cr_expect(eq(u32, rowlock_findings_at(judging.findings, 0)->doors,
               UINT32_C(1) << RLK_DOOR_SHARED_VALIDATOR | UINT32_C(1) << RLK_DOOR_VECTOR_HOST));
}

/* --- A switched-off rule ------------------------------------------------------------------------------------------ */

Test(judge, a_switched_off_rule_leaves_the_decision_to_the_next) {
  judging.switched_off = RLK_RULE_SIDECAR_SCHEMA_VERSION_TOO_NEW;
  read_text(three_defects);
  expect_code(RLK_DOOR_SHARED_VALIDATOR, ROWLOCK_REJECTED);
  cr_expect(eq(str, found(), (char*)"sidecar.role-unknown"));
}

Test(judge, a_switched_off_rule_takes_no_other_finding_away) {
  judging.switched_off = RLK_RULE_SIDECAR_ROLE_UNKNOWN;
  judging.every_finding = true;
  read_text(three_defects);
  expect_code(RLK_DOOR_SHARED_VALIDATOR, ROWLOCK_REJECTED);
  cr_expect(eq(str, found(), (char*)"sidecar.schema-version-too-new sidecar.pattern-unknown"));
}

Test(judge, a_document_with_the_switched_off_defect_alone_is_accepted) {
  judging.switched_off = RLK_RULE_SIDECAR_PATTERN_UNKNOWN;
  read_sample(RLK_SAMPLE_VECTOR, "pattern", "\"x\"");
  expect_code(RLK_DOOR_SHARED_VALIDATOR, ROWLOCK_OK);
}

/* --- Documents that are no object --------------------------------------------------------------------------------- */

Test(judge, every_door_wants_an_object) {
  static const char* const texts[] = {"[]", "null", "1", "\"x\"", "true"};
  for (rlk_door_id_t door = 0; door < RLK_DOOR_COUNT; ++door) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
      read_text(texts[i]);
      expect_code(door, ROWLOCK_REJECTED);
      cr_expect(eq(str, found(), (char*)"json.not-object"), "%s", texts[i]);
    }
  }
}

Test(judge, says_what_the_document_is_instead) {
  read_text(" [{}]");
  expect_code(RLK_DOOR_SHARED_VALIDATOR, ROWLOCK_REJECTED);
  const rowlock_finding_t* finding = rowlock_findings_at(judging.findings, 0);
  cr_expect(eq(str, (char*)finding->message, (char*)"the document is an array, not an object"));
  cr_expect(eq(str, (char*)finding->json_pointer, (char*)""));
  cr_expect(eq(u64, finding->byte_offset, 1));
  cr_expect(eq(u32, finding->column, 2));
}

/* --- Entries of a manifest ---------------------------------------------------------------------------------------- */

Test(judge, a_finding_in_a_sidecar_is_placed_in_that_file) {
  put_beside("drag.json", "{\"kernel\": \"k\",\n \"arg_spec\": [[\"in\", \"x\"]]}");
  read_sample(RLK_SAMPLE_MANIFEST_V1, NULL, NULL);
  expect_code(RLK_DOOR_HOST_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_assert(eq(str, found(), (char*)"sidecar.role-unknown"));
  const rowlock_finding_t* finding = rowlock_findings_at(judging.findings, 0);
  cr_expect(eq(str, (char*)finding->path, (char*)"drag.json"));
  cr_expect(eq(str, (char*)finding->json_pointer, (char*)"/arg_spec/0/0"));
  cr_expect(eq(u64, finding->byte_offset, 31));
  cr_expect(eq(u32, finding->line, 2));
  cr_expect(eq(u32, finding->column, 16));
}

Test(judge, a_sidecar_that_is_not_strict_json_refuses_the_manifest) {
  put_beside("gravity.json", "{\"kernel\": \"k\", \"kernel\": \"k\"}");
  read_sample(RLK_SAMPLE_MANIFEST_V1, NULL, NULL);
  expect_code(RLK_DOOR_PY_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_assert(eq(str, found(), (char*)"json.duplicate-key"));
  cr_expect(eq(str, (char*)rowlock_findings_at(judging.findings, 0)->path, (char*)"gravity.json"));
  cr_expect(eq(u32, rowlock_findings_at(judging.findings, 0)->doors, UINT32_C(1) << RLK_DOOR_PY_LOAD_MANIFEST));
}

Test(judge, a_sidecar_that_is_no_object_refuses_the_manifest) {
  put_beside("gravity.json", "[]");
  read_sample(RLK_SAMPLE_MANIFEST_V1, NULL, NULL);
  expect_code(RLK_DOOR_DEVICE_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_assert(eq(str, found(), (char*)"json.not-object"));
  cr_expect(eq(str, (char*)rowlock_findings_at(judging.findings, 0)->path, (char*)"gravity.json"));
}

Test(judge, findings_go_on_in_the_manifest_after_a_sidecar) {
  put_beside("gravity.json", "[]");
  read_sample(RLK_SAMPLE_MANIFEST_V1, "plugins",
              "[" RLK_SAMPLE_ENTRY("a", "0", "true", "a", "gravity.json", "ptx") ", " RLK_SAMPLE_ENTRY(
                  "b", "1", "true", "b", "absent.json", "ptx") "]");
  judging.every_finding = true;
  expect_code(RLK_DOOR_HOST_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_assert(eq(str, found(), (char*)"json.not-object manifest.sidecar-unreadable"));
  cr_expect(eq(str, (char*)rowlock_findings_at(judging.findings, 1)->path, (char*)"main.json"));
  cr_expect(eq(str, (char*)rowlock_findings_at(judging.findings, 1)->json_pointer, (char*)"/plugins/1/sidecar"));
}

Test(judge, registries_read_a_disabled_entry_and_the_dispatching_loader_does_not) {
  put_beside("drag.json", "no JSON");
  read_sample(RLK_SAMPLE_MANIFEST_V1, NULL, NULL); /* its drag is disabled */
  expect_code(RLK_DOOR_HOST_LOAD_MANIFEST, ROWLOCK_REJECTED);
  expect_code(RLK_DOOR_DEVICE_LOAD_MANIFEST, ROWLOCK_REJECTED);
  judging.lookups = 0;
  expect_code(RLK_DOOR_PY_LOAD_MANIFEST, ROWLOCK_OK);
  cr_expect(eq(sz, judging.lookups, 1));
}

Test(judge, the_neural_road_opens_no_sidecar) {
  read_sample(RLK_SAMPLE_NEURAL, NULL, NULL);
  expect_code(RLK_DOOR_PY_LOAD_MANIFEST, ROWLOCK_OK);
  cr_expect(eq(sz, judging.lookups, 0));
}

Test(judge, no_door_looks_at_an_artifact) {
  put_beside("bump.json", "{}");
  read_sample(RLK_SAMPLE_MANIFEST_V2, "plugins",
              "[" RLK_SAMPLE_ENTRY("a", "0", "true", "../absent", "bump.json", "ptx") "]");
  judging.every_finding = true;
  judging.lookups = 0;
  expect_code(RLK_DOOR_HOST_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_expect(eq(sz, judging.lookups, 1));
  cr_expect(zero(ptr, strstr(found(), "artifact")), "%s", found());
}

Test(judge, only_the_device_door_minds_a_sidecar_of_the_other_generation) {
  put_sample_beside("drag.json", RLK_SAMPLE_VECTOR, "aether_abi", "\"aether-abi/2\"");
  read_sample(RLK_SAMPLE_MANIFEST_V1, NULL, NULL);
  expect_code(RLK_DOOR_HOST_LOAD_MANIFEST, ROWLOCK_OK);
  expect_code(RLK_DOOR_CPP_LOAD_MANIFEST, ROWLOCK_OK);
  expect_code(RLK_DOOR_DEVICE_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_assert(eq(str, found(), (char*)"sidecar.abi-generation"));
  cr_expect(eq(str, (char*)rowlock_findings_at(judging.findings, 0)->json_pointer, (char*)"/aether_abi"));
}

Test(judge, the_dispatching_loader_wants_sidecars_of_the_manifest_s_family) {
  put_sample_beside("gravity.json", RLK_SAMPLE_PURE, "aether_abi", "\"aether-abi/1\"");
  read_sample(RLK_SAMPLE_MANIFEST_V1, NULL, NULL);
  expect_code(RLK_DOOR_HOST_LOAD_MANIFEST, ROWLOCK_OK);
  expect_code(RLK_DOOR_PY_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_assert(eq(str, found(), (char*)"sidecar.family-disagrees"));
  const rowlock_finding_t* finding = rowlock_findings_at(judging.findings, 0);
  cr_expect(eq(str, (char*)finding->path, (char*)"gravity.json"));
  cr_expect(eq(str, (char*)finding->json_pointer, (char*)"/pattern"));
  cr_expect(not(zero(ptr, strstr(finding->message, "is not a vector plugin"))), "%s", finding->message);
}

Test(judge, without_a_source_the_entries_stay_closed) {
  read_sample(RLK_SAMPLE_MANIFEST_V1, NULL, NULL);
  rlk_arena_t arena = {0}, set_arena = {0};
  rlk_judge_t judge = {.findings = judging.findings,
                       .entry_arena = &arena,
                       .set_arena = &set_arena,
                       .limits = judging.limits,
                       .switched_off = RLK_RULE_NONE};
  const rowlock_code_t code = rlk_judge(&judge, RLK_DOOR_HOST_LOAD_MANIFEST, &judging.document, "main.json");
  cr_expect(eq(i32, (int)code, ROWLOCK_OK));
  rlk_arena_deinit(&arena);
  rlk_arena_deinit(&set_arena);
}

static rowlock_code_t no_memory_read(void* context, const char* path, size_t length, const char** out_text,
                                     size_t* out_length, const char** out_path, rowlock_error_t* err) {
  (void)context, (void)path, (void)length, (void)out_text, (void)out_length, (void)out_path, (void)err;
  return ROWLOCK_NO_MEMORY;
}

Test(judge, a_source_without_memory_stops_the_judge_without_a_finding) {
  read_sample(RLK_SAMPLE_MANIFEST_V1, NULL, NULL);
  rlk_arena_t arena = {0}, set_arena = {0};
  const rlk_source_t source = {.read = no_memory_read};
  rlk_judge_t judge = {.findings = judging.findings,
                       .entry_arena = &arena,
                       .set_arena = &set_arena,
                       .source = &source,
                       .limits = judging.limits,
                       .switched_off = RLK_RULE_NONE,
                       .every_finding = true};
  const rowlock_code_t code = rlk_judge(&judge, RLK_DOOR_HOST_LOAD_MANIFEST, &judging.document, "main.json");
  cr_expect(eq(i32, (int)code, ROWLOCK_NO_MEMORY));
  cr_expect(eq(str, found(), (char*)""));
  rlk_arena_deinit(&arena);
  rlk_arena_deinit(&set_arena);
}

/* --- Bounds ------------------------------------------------------------------------------------------------------- */

Test(judge, a_list_of_the_limit_is_taken_and_a_longer_one_refused) {
  static const rlk_door_id_t doors[] = {RLK_DOOR_HOST_LOAD_MANIFEST, RLK_DOOR_DEVICE_LOAD_MANIFEST,
                                        RLK_DOOR_CPP_LOAD_MANIFEST, RLK_DOOR_PY_LOAD_MANIFEST};
  for (size_t i = 0; i < sizeof doors / sizeof *doors; ++i) {
    read_sample(RLK_SAMPLE_MANIFEST_V1, NULL, NULL); /* of two entries */
    judging.limits.entries = 2;
    expect_code(doors[i], ROWLOCK_OK);
    judging.limits.entries = 1;
    expect_code(doors[i], ROWLOCK_REJECTED);
    cr_expect(eq(str, found(), (char*)"manifest.list-too-long"));
  }
}

Test(judge, the_blocks_have_the_same_limit) {
  judging.limits.entries = 2;
  read_sample(RLK_SAMPLE_NEURAL, "blocks", "[1, 2, 3]");
  expect_code(RLK_DOOR_PY_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_expect(eq(str, found(), (char*)"manifest.list-too-long"));
  cr_expect(eq(str, (char*)rowlock_findings_at(judging.findings, 0)->json_pointer, (char*)"/blocks"));
}

Test(judge, a_list_beyond_the_limit_is_walked_by_no_gate) {
  judging.limits.entries = 1;
  judging.every_finding = true;
  read_sample(RLK_SAMPLE_MANIFEST_V1, "plugins", "[1, 1, 1]");
  expect_code(RLK_DOOR_HOST_LOAD_MANIFEST, ROWLOCK_REJECTED);
  expect_code(RLK_DOOR_PY_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_expect(eq(str, found(), (char*)"manifest.list-too-long"));
  cr_expect(eq(sz, judging.lookups, 0));
}

Test(judge, the_sidecars_of_a_manifest_are_bounded_together) {
  size_t total = 0;
  for (size_t i = 0; i < judging.file_count; ++i) {
    const char* path = judging.files[i].path;
    if (strcmp(path, "gravity.json") == 0 || strcmp(path, "drag.json") == 0) total += judging.files[i].length;
  }
  read_sample(RLK_SAMPLE_MANIFEST_V1, NULL, NULL);
  judging.limits.size_bytes = total;
  expect_code(RLK_DOOR_HOST_LOAD_MANIFEST, ROWLOCK_OK);
  judging.limits.size_bytes = total - 1;
  expect_code(RLK_DOOR_HOST_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_expect(eq(str, found(), (char*)"manifest.sidecars-too-large"));
}

#define THREE_SIDECARS                                                                      \
  "[" RLK_SAMPLE_ENTRY("a", "0", "true", "a", "gravity.json", "ptx") ", " RLK_SAMPLE_ENTRY( \
      "b", "1", "true", "b", "drag.json", "ptx") ", " RLK_SAMPLE_ENTRY("c", "2", "true", "c", "third.json", "ptx") "]"

Test(judge, no_file_is_opened_once_the_sidecars_are_too_large_together) {
  put_sample_beside("third.json", RLK_SAMPLE_VECTOR, NULL, NULL);
  read_sample(RLK_SAMPLE_MANIFEST_V1, "plugins", THREE_SIDECARS);
  size_t total = 0; /* of the first two */
  for (size_t i = 0; i < judging.file_count; ++i) {
    const char* path = judging.files[i].path;
    if (strcmp(path, "gravity.json") == 0 || strcmp(path, "drag.json") == 0) total += judging.files[i].length;
  }
  judging.every_finding = true;
  judging.limits.size_bytes = total;
  judging.lookups = 0;
  expect_code(RLK_DOOR_PY_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_expect(eq(sz, judging.lookups, 3));
  judging.limits.size_bytes = total - 1;
  judging.lookups = 0;
  expect_code(RLK_DOOR_PY_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_expect(eq(sz, judging.lookups, 2));
}

Test(judge, a_sidecar_that_many_entries_name_is_read_once_at_a_door) {
  put_sample_beside("gravity.json", RLK_SAMPLE_VECTOR, "scalar_type", "\"half\"");
  read_sample(RLK_SAMPLE_MANIFEST_V1, "plugins",
              "[" RLK_SAMPLE_ENTRY("a", "0", "true", "a", "gravity.json", "ptx") ", " RLK_SAMPLE_ENTRY(
                  "b", "1", "true", "b", "gravity.json", "ptx") ", " RLK_SAMPLE_ENTRY("c", "2", "true", "c",
                                                                                      "drag.json", "ptx") "]");
  judging.every_finding = true;
  judging.limits.size_bytes = judging.document.length > 2000 ? judging.document.length : 2000;
  static const rlk_door_id_t doors[] = {RLK_DOOR_HOST_LOAD_MANIFEST, RLK_DOOR_DEVICE_LOAD_MANIFEST,
                                        RLK_DOOR_PY_LOAD_MANIFEST};
  for (size_t i = 0; i < sizeof doors / sizeof *doors; ++i) {
    judging.lookups = 0;
    expect_code(doors[i], ROWLOCK_REJECTED);
    cr_expect(eq(str, found(), (char*)"sidecar.scalar-type-unknown"));
    cr_expect(eq(sz, judging.lookups, 2), "%s", rlk_door_info(doors[i])->name);
  }
}

Test(judge, each_entry_that_names_no_file_is_told) {
  read_sample(RLK_SAMPLE_MANIFEST_V1, "plugins",
              "[" RLK_SAMPLE_ENTRY("a", "0", "true", "a", "gone.json", "ptx") ", " RLK_SAMPLE_ENTRY(
                  "b", "1", "true", "b", "gone.json", "ptx") "]");
  judging.every_finding = true;
  expect_code(RLK_DOOR_HOST_LOAD_MANIFEST, ROWLOCK_REJECTED);
  cr_expect(eq(str, found(), (char*)"manifest.sidecar-unreadable manifest.sidecar-unreadable"));
}

/* --- Tiers -------------------------------------------------------------------------------------------------------- */

/* Reports every rule at the root, one by one. How many of the tier were taken; one of another tier fails the test. */
static size_t report_every_rule(int door, rlk_tier_t tier) {
  rlk_judge_t judge = {.findings = judging.findings, .switched_off = RLK_RULE_NONE, .every_finding = true};
  size_t taken = 0;
  for (rlk_rule_t rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    if (rlk_rule_info(rule)->tier != RLK_TIER_GATE && rlk_rule_info(rule)->tier != RLK_TIER_CONTRACT) continue;
    rowlock_findings_clear(judging.findings);
    rlk_judge_turn_to(&judge, &judging.document, "main.json");
    judge.door = door;
    judge.refused = false;
    rlk_report(&judge, rule, judging.document.root, NULL, 0);
    const bool due = rlk_rule_info(rule)->tier == tier;
    cr_expect(eq(sz, rowlock_findings_count(judging.findings), due), "%s", rlk_rule_info(rule)->id);
    cr_expect(eq(i32, judge.refused, due), "%s", rlk_rule_info(rule)->id);
    const rlk_place_t place = {.path = "other.json", .json_pointer = ""};
    rlk_report_at(&judge, rule, &place, NULL, 0);
    cr_expect(eq(sz, rowlock_findings_count(judging.findings), due ? 2 : 0), "%s", rlk_rule_info(rule)->id);
    taken += due;
  }
  return taken;
}

Test(judge, the_tier_of_a_rule_decides_the_pass_that_reports_it) {
  read_text("{}");
  cr_expect(lt(sz, 20, report_every_rule(RLK_DOOR_PY_LOAD_MANIFEST, RLK_TIER_GATE)));
  cr_expect(lt(sz, 20, report_every_rule(-1, RLK_TIER_CONTRACT)));
}

/* --- Crowds ------------------------------------------------------------------------------------------------------- */

/* Each defect of a crowd costs no more than the first, or a small file would keep the judge busy for hours. */
Test(judge, a_crowd_of_defects_is_counted_in_time, .timeout = 60) {
  enum { COUNT = 200000 };
  char* text = malloc(2 * COUNT + 64);
  cr_assert(not(zero(ptr, text)));
  static const char head[] = "{\"kernel\": \"k\", \"arg_spec\": [";
  size_t length = sizeof head - 1;
  memcpy(text, head, length);
  for (size_t i = 0; i < COUNT; ++i) {
    if (i > 0) text[length++] = ',';
    text[length++] = '1';
  }
  text[length++] = ']';
  text[length++] = '}';
  text[length] = '\0';
  read_text(text);
  judging.every_finding = true;
  expect_code(RLK_DOOR_SHARED_VALIDATOR, ROWLOCK_REJECTED);
  cr_expect(eq(sz, rowlock_findings_count(judging.findings), ROWLOCK_FINDINGS_MAX));
  cr_expect(eq(u64, rowlock_findings_dropped(judging.findings), COUNT - ROWLOCK_FINDINGS_MAX));
  /* Two other doors, one of which has another gate that sees the same, find nothing new. */
  cr_expect(eq(i32, (int)rlk_judging_run(&judging, RLK_DOOR_VECTOR_HOST), ROWLOCK_REJECTED));
  cr_expect(eq(i32, (int)rlk_judging_run(&judging, RLK_DOOR_HOST_ADD_PLUGIN), ROWLOCK_REJECTED));
  const uint64_t others = 1; /* no aether_abi */
  cr_expect(eq(u64, rowlock_findings_dropped(judging.findings), COUNT - ROWLOCK_FINDINGS_MAX + others));
  free(text);
}
