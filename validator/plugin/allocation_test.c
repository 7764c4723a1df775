/* Reading and judging when memory is short: the nth allocation fails, for every n until none does. Each failure is
 * NO_MEMORY, leaks nothing, and leaves what is needed to do the same again and succeed. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "validator/plugin/judging.h"
#include "validator/rules/fault.h"

/* What one run ends with, for comparison with an undisturbed one. */
typedef struct outcome_t {
  rowlock_code_t code;
  size_t findings;
  uint32_t values;
} outcome_t;

static outcome_t read_and_judge(rlk_judging_t* judging, const char* text, rlk_door_id_t door) {
  rowlock_findings_clear(judging->findings);
  outcome_t outcome = {.code = rlk_judging_read(judging, text, strlen(text))};
  if (outcome.code == ROWLOCK_OK) {
    outcome.values = judging->document.root->count;
    outcome.code = rlk_judging_run(judging, door);
  }
  outcome.findings = rowlock_findings_count(judging->findings);
  return outcome;
}

static void expect_same(outcome_t got, outcome_t due, const char* door, uint64_t nth) {
  cr_expect(eq(str, (char*)rowlock_code_name(got.code), (char*)rowlock_code_name(due.code)), "%s after allocation %llu",
            door, (unsigned long long)nth);
  cr_expect(eq(sz, got.findings, due.findings), "%s after allocation %llu", door, (unsigned long long)nth);
  cr_expect(eq(u32, got.values, due.values), "%s after allocation %llu", door, (unsigned long long)nth);
}

static void start(rlk_judging_t* judging, bool every_finding, const char* sidecar) {
  cr_assert(eq(i32, (int)rlk_judging_init(judging), ROWLOCK_OK));
  cr_assert(eq(i32, (int)rlk_judging_put_sample_files(judging), ROWLOCK_OK));
  cr_assert(eq(i32, (int)rlk_judging_put_file(judging, "drag.json", sidecar, strlen(sidecar)), ROWLOCK_OK));
  judging->every_finding = every_finding;
}

/* Refuses the nth allocation, and all later ones if `lasting`; returns whether there was an nth. */
static bool survives(const char* text, const char* sidecar, rlk_door_id_t door, bool every_finding, uint64_t nth,
                     bool lasting, outcome_t due) {
  const char* name = rlk_door_info(door)->name;
  rlk_judging_t judging;
  start(&judging, every_finding, sidecar);
  rlk_fault_arm(nth, lasting);
  const outcome_t disturbed = read_and_judge(&judging, text, door);
  const bool refused = rlk_fault_relent();
  const outcome_t again = read_and_judge(&judging, text, door);
  rlk_judging_deinit(&judging);
  cr_expect(eq(sz, rlk_fault_disarm().live, 0), "%s leaks after allocation %llu", name, (unsigned long long)nth);
  expect_same(again, due, name, nth);
  if (!refused) {
    expect_same(disturbed, due, name, nth);
    return false;
  }
  cr_expect(eq(str, (char*)rowlock_code_name(disturbed.code), (char*)"NO_MEMORY"), "%s at allocation %llu", name,
            (unsigned long long)nth);
  return true;
}

static void expect_survival(const char* text, const char* sidecar, rlk_door_id_t door, bool every_finding) {
  rlk_judging_t judging;
  start(&judging, every_finding, sidecar);
  const outcome_t due = read_and_judge(&judging, text, door);
  rlk_judging_deinit(&judging);
  cr_assert(ne(i32, (int)due.code, ROWLOCK_NO_MEMORY));
  for (int lasting = 0; lasting < 2; ++lasting) {
    uint64_t nth = 1;
    while (survives(text, sidecar, door, every_finding, nth, lasting, due)) ++nth;
    cr_expect(lt(u64, 1, nth), "%s allocated nothing", rlk_door_info(door)->name);
  }
}

static void expect_survival_at_every_door(rlk_sample_t sample, const rlk_member_t* edits, size_t edit_count,
                                          rlk_level_t level, const char* sidecar) {
  char* text = rlk_sample_text(sample, edits, edit_count);
  cr_assert(not(zero(ptr, text)));
  for (rlk_door_id_t door = 0; door < RLK_DOOR_COUNT; ++door) {
    if (rlk_door_info(door)->level != level) continue;
    expect_survival(text, sidecar, door, false);
    expect_survival(text, sidecar, door, true);
  }
  free(text);
}

/* Escapes, an object large enough for its keys to be sorted, and more defects than the list of findings starts with. */
static const rlk_member_t many_defects[] = {
    {"ignored",
     "{\"\\u0061\": \"\\n\", \"b\": 0, \"c\": 0, \"d\": 0, \"e\": 0, \"f\": 0, \"g\": 0, \"h\": 0, \"i\": 0, \"j\": "
     "0,\n"
     " \"k\": 0, \"l\": 0, \"m\": 0, \"n\": 0, \"o\": 0, \"p\": 0, \"q\": 0, \"r\": 0, \"s\": 0, \"t\": 0, \"u\": 0,\n"
     " \"v\": 0, \"w\": 0, \"x\": 0, \"y\": 0, \"z\": 0}"},
    {"schema_version", "3"},
    {"arg_spec", "[[\"in\", \"a\"], [\"lookup\", \"a\"], [1, 2], [\"lookup\", \"b\"], 3, [\"uniform\", null]]"},
    {"buffers",
     "[{\"kind\": 1, \"name\": \"a\", \"dtype\": 2, \"shape\": [1], \"count\": 5}, {\"name\": \"c\", \"count\": 1},\n"
     "  {\"name\": \"d\", \"dtype\": \"float\", \"shape\": [1], \"count\": 1}]"},
    {"params", "[1, 2, 3]"},
};

enum { MANY_DEFECTS = sizeof many_defects / sizeof *many_defects };

Test(allocation, a_sound_sidecar_survives_every_failure) {
  expect_survival_at_every_door(RLK_SAMPLE_VECTOR, NULL, 0, RLK_LEVEL_SIDECAR, "{}");
}

Test(allocation, a_sidecar_of_many_defects_survives_every_failure) {
  expect_survival_at_every_door(RLK_SAMPLE_VECTOR, many_defects, MANY_DEFECTS, RLK_LEVEL_SIDECAR, "{}");
}

Test(allocation, a_sound_manifest_and_its_sidecars_survive_every_failure) {
  char* sidecar = rlk_sample_text(RLK_SAMPLE_VECTOR, NULL, 0);
  cr_assert(not(zero(ptr, sidecar)));
  expect_survival_at_every_door(RLK_SAMPLE_MANIFEST_V1, NULL, 0, RLK_LEVEL_MANIFEST, sidecar);
  free(sidecar);
}

Test(allocation, a_manifest_with_a_sidecar_of_many_defects_survives_every_failure) {
  char* sidecar = rlk_sample_text(RLK_SAMPLE_VECTOR, many_defects, MANY_DEFECTS);
  cr_assert(not(zero(ptr, sidecar)));
  const rlk_member_t broken[] = {{"version", "7"}, {"blocks", "{}"}};
  expect_survival_at_every_door(RLK_SAMPLE_MANIFEST_V1, broken, 2, RLK_LEVEL_MANIFEST, sidecar);
  free(sidecar);
}

Test(allocation, a_neural_deployment_survives_every_failure) {
  expect_survival_at_every_door(RLK_SAMPLE_NEURAL, NULL, 0, RLK_LEVEL_MANIFEST, "{}");
}

Test(allocation, a_text_that_is_no_json_survives_every_failure) {
  static const char* const texts[] = {"{\"a\": [\"\\n\", {\"b\": tru}]}", "{\"\\u0061\": 1, \"a\": 2}", ""};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    expect_survival(texts[i], "{}", RLK_DOOR_SHARED_VALIDATOR, false);
  }
}
