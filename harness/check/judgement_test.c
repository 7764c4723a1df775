#include "harness/check/judgement.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check/scratch_folder.h"

TestSuite(judgement, .init = rlk_scratch_enter, .fini = rlk_scratch_leave);

/* Judges the document at `path`; the caller deinits. */
static void judge(rlk_judgement_t* judgement, const char* door, bool gates_only, const char* path) {
  rowlock_error_t err;
  cr_assert(eq(int, rlk_judgement_init(judgement, door, gates_only, &err), ROWLOCK_OK), "%s", err.message);
  cr_assert(eq(int, rlk_judgement_read(judgement, path, &err), ROWLOCK_OK), "%s", err.message);
  cr_assert(eq(int, rlk_judgement_decide(judgement, &err), ROWLOCK_OK), "%s", err.message);
}

static bool has_finding(const rlk_judgement_t* judgement, const char* rule) {
  for (size_t i = 0; i < rowlock_findings_count(judgement->findings); ++i) {
    if (!rlk_judgement_counts(judgement, i)) continue;
    if (strcmp(rowlock_findings_at(judgement->findings, i)->rule_id, rule) == 0) return true;
  }
  return false;
}

Test(judgement, a_door_for_another_kind_does_not_count_against_a_sound_document) {
  rlk_judgement_t judgement;
  rlk_scratch_write("a.json", RLK_SCRATCH_SIDECAR);
  judge(&judgement, NULL, false, "a.json");
  cr_expect(judgement.accepted);
  cr_expect(eq(u64, rlk_judgement_finding_count(&judgement), 0));
  cr_expect(eq(int, rlk_judgement_answer_count(&judgement, RLK_ANSWER_ACCEPT), 4));
  cr_expect(eq(int, judgement.answers[RLK_DOOR_LOADED_PURE], RLK_ANSWER_NOT_FOR));
  cr_expect(strstr(judgement.reasons[RLK_DOOR_LOADED_PURE], "not a pure plugin") != NULL);
  rlk_judgement_deinit(&judgement);
}

Test(judgement, at_one_door_the_note_is_why_it_refuses) {
  rlk_judgement_t judgement;
  rlk_scratch_write("a.json", RLK_SCRATCH_SIDECAR);
  judge(&judgement, "loaded_pure", true, "a.json");
  cr_expect(not(judgement.accepted));
  cr_expect(has_finding(&judgement, "sidecar.not-pure"));
  cr_expect(eq(int, judgement.answers[RLK_DOOR_LOADED_PURE], RLK_ANSWER_REFUSE));
  cr_expect(eq(int, rlk_judgement_answer_count(&judgement, RLK_ANSWER_NONE), RLK_DOOR_COUNT - 1));
  rlk_judgement_deinit(&judgement);
}

/* Registries need `order`, the neural road does not; a neural set is not for registries. */
Test(judgement, what_only_a_door_for_other_kinds_reports_is_dropped) {
  rlk_judgement_t judgement;
  rlk_scratch_write("manifest.json",
                    RLK_SCRATCH_MANIFEST("neural_block", "{\"id\": \"a\", \"format\": \"cubin\"}", ""));
  judge(&judgement, NULL, true, "manifest.json");
  cr_expect(judgement.accepted);
  cr_expect(eq(u64, rlk_judgement_finding_count(&judgement), 0));
  cr_expect(eq(int, rlk_judgement_answer_count(&judgement, RLK_ANSWER_NOT_FOR), 3));
  cr_expect(eq(int, judgement.answers[RLK_DOOR_PY_LOAD_MANIFEST], RLK_ANSWER_ACCEPT));
  rlk_judgement_deinit(&judgement);
}

/* The registries report the missing sidecar too, first, and do not take the set: the contract's own report must stay.
 */
Test(judgement, what_keeps_a_kernel_of_a_neural_set_from_loading_is_a_contract_finding) {
  rlk_judgement_t judgement;
  rlk_scratch_write("manifest.json", RLK_SCRATCH_MANIFEST("neural_block", RLK_SCRATCH_ENTRY("a", "gone.json"), ""));
  judge(&judgement, NULL, false, "manifest.json");
  cr_expect(has_finding(&judgement, "manifest.kernel-refused"));
  cr_expect(not(has_finding(&judgement, "manifest.sidecar-unreadable")));
  cr_expect(judgement.accepted);
  cr_expect(eq(sz, judgement.findings_of[RLK_TIER_GATE], 0));
  cr_expect(eq(int, judgement.answers[RLK_DOOR_PY_LOAD_MANIFEST], RLK_ANSWER_ACCEPT));
  rlk_judgement_deinit(&judgement);
}

/* The host door notes every float32 sidecar and would fill the list before the device door is asked. */
Test(judgement, notes_do_not_crowd_out_what_other_doors_report) {
  enum { COUNT = ROWLOCK_FINDINGS_MAX + 1, ENTRY_SIZE = 200 };
  char* entries = malloc((size_t)COUNT * ENTRY_SIZE);
  size_t length = 0;
  for (int i = 0; i < COUNT; ++i) {
    char name[32];
    snprintf(name, sizeof name, "%d.json", i);
    rlk_scratch_write(name, RLK_SCRATCH_SIDECAR_WITH("float32"));
    length +=
        (size_t)snprintf(entries + length, ENTRY_SIZE, "%s" RLK_SCRATCH_ENTRY("%d", "%d.json"), i ? ",\n" : "", i, i);
  }
  rlk_scratch_printf("manifest.json", RLK_SCRATCH_MANIFEST("vector", "%s", ""), entries);
  rlk_scratch_write("1000.json", "{\"scalar_type\": \"float32\", \"aether_abi\": \"aether-abi/2\"}");
  free(entries);
  rlk_judgement_t judgement;
  judge(&judgement, NULL, true, "manifest.json");
  cr_expect(has_finding(&judgement, "sidecar.abi-generation"));
  cr_expect(eq(int, judgement.answers[RLK_DOOR_HOST_LOAD_MANIFEST], RLK_ANSWER_NOT_FOR));
  cr_expect(eq(int, judgement.answers[RLK_DOOR_DEVICE_LOAD_MANIFEST], RLK_ANSWER_REFUSE));
  cr_expect(eq(u64, judgement.findings_dropped, 0));
  cr_expect(not(judgement.accepted));
  rlk_judgement_deinit(&judgement);
}

/* A vector sidecar of that many unknown roles. */
static void write_roles(int count) {
  char* roles = malloc((size_t)count * 16 + 1);
  size_t length = 0;
  for (int i = 0; i < count; ++i) length += (size_t)sprintf(roles + length, "%s[\"x\", \"%d\"]", i ? "," : "", i);
  rlk_scratch_printf("roles.json",
                     "{\"pattern\": \"vector\", \"aether_abi\": \"aether-abi/1\", \"kernel\": \"k\",\n"
                     " \"vector_inputs\": [], \"params\": [], \"arg_spec\": [%s]}",
                     roles);
  free(roles);
}

/* The note that a door is for another kind comes last, when the list of findings may long be full. */
Test(judgement, what_the_doors_answer_does_not_depend_on_how_many_findings_are_kept) {
  static const int counts[] = {3, ROWLOCK_FINDINGS_MAX, ROWLOCK_FINDINGS_MAX + 1, 3 * ROWLOCK_FINDINGS_MAX};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    rlk_judgement_t judgement;
    write_roles(counts[i]);
    judge(&judgement, NULL, true, "roles.json");
    cr_expect(eq(int, judgement.answers[RLK_DOOR_LOADED_PURE], RLK_ANSWER_NOT_FOR), "%d", counts[i]);
    cr_expect(eq(int, judgement.answers[RLK_DOOR_LOADED_VECTOR], RLK_ANSWER_REFUSE), "%d", counts[i]);
    cr_expect(eq(int, rlk_judgement_answer_count(&judgement, RLK_ANSWER_REFUSE), 4), "%d", counts[i]);
    cr_expect(eq(u64, rlk_judgement_finding_count(&judgement), (uint64_t)counts[i]), "each role counts once");
    rlk_judgement_deinit(&judgement);
  }
}

Test(judgement, a_reason_names_the_sidecar_it_is_about) {
  rlk_judgement_t judgement;
  rlk_scratch_write("set/manifest.json", RLK_SCRATCH_MANIFEST("vector", RLK_SCRATCH_ENTRY("a", "a.json"), ""));
  rlk_scratch_write("set/a.json", RLK_SCRATCH_SIDECAR_WITH("float32"));
  judge(&judgement, NULL, true, "set/manifest.json");
  cr_expect(judgement.accepted);
  cr_expect(eq(int, judgement.answers[RLK_DOOR_DEVICE_LOAD_MANIFEST], RLK_ANSWER_ACCEPT));
  const char* reason = judgement.reasons[RLK_DOOR_HOST_LOAD_MANIFEST];
  cr_expect(strncmp(reason, "set/a.json: the host loader", 27) == 0, "%s", reason);
  rlk_judgement_deinit(&judgement);
}

Test(judgement, one_door_decides_alone_and_contract_checks_still_report) {
  rlk_judgement_t judgement;
  rlk_scratch_write("a.json", "{\"kernel\": \"\", \"arg_spec\": [], \"aether_abi\": \"aether-abi/1\"}");
  judge(&judgement, "shared_validator", false, "a.json");
  cr_expect(judgement.accepted);
  cr_expect(has_finding(&judgement, "sidecar.kernel-empty"));
  cr_expect(eq(sz, judgement.findings_of[RLK_TIER_GATE], 0));
  rlk_judgement_deinit(&judgement);
  judge(&judgement, "shared_validator", true, "a.json");
  cr_expect(eq(u64, rlk_judgement_finding_count(&judgement), 0));
  rlk_judgement_deinit(&judgement);
}

Test(judgement, what_is_no_object_is_refused_by_no_door_in_particular) {
  static const char* const texts[] = {"", "[1]", "{\"a\": 1,}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    rlk_judgement_t judgement;
    rlk_scratch_write("a.json", texts[i]);
    judge(&judgement, NULL, true, "a.json");
    cr_expect(not(judgement.accepted), "%s", texts[i]);
    cr_expect(eq(u64, rlk_judgement_finding_count(&judgement), 1), "%s", texts[i]);
    cr_expect(eq(int, rlk_judgement_answer_count(&judgement, RLK_ANSWER_NONE), RLK_DOOR_COUNT), "%s", texts[i]);
    cr_expect(rlk_judgement_kind(&judgement) == NULL, "%s", texts[i]);
    rlk_judgement_deinit(&judgement);
    judge(&judgement, "py_load_manifest", true, "a.json");
    cr_expect(eq(int, judgement.answers[RLK_DOOR_PY_LOAD_MANIFEST], RLK_ANSWER_REFUSE), "%s", texts[i]);
    cr_expect(eq(u64, rlk_judgement_finding_count(&judgement), 1), "%s", texts[i]);
    rlk_judgement_deinit(&judgement);
  }
}

Test(judgement, is_used_again_without_a_trace_of_the_last_document) {
  rlk_judgement_t judgement;
  rowlock_error_t err;
  rlk_scratch_write("bad.json", "{");
  rlk_scratch_write("a.json", RLK_SCRATCH_SIDECAR);
  judge(&judgement, NULL, false, "bad.json");
  cr_assert(eq(int, rlk_judgement_read(&judgement, "gone.json", &err), ROWLOCK_UNUSABLE));
  cr_assert(eq(int, rlk_judgement_read(&judgement, "a.json", &err), ROWLOCK_OK));
  cr_assert(eq(int, rlk_judgement_decide(&judgement, &err), ROWLOCK_OK));
  cr_expect(judgement.accepted);
  cr_expect(eq(u64, rlk_judgement_finding_count(&judgement), 0));
  rlk_judgement_deinit(&judgement);
}

Test(judgement, sidecars_of_a_neural_set_are_judged_by_the_contract_checks_alone) {
  static const struct {
    const char* pattern;
    bool gates_only, covers;
  } cases[] = {{"vector", false, true},
               {"vector", true, true},
               {"unknown", true, true},
               {"neural_block", false, true},
               {"neural_block", true, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    rlk_judgement_t judgement;
    rlk_scratch_printf("manifest.json", RLK_SCRATCH_MANIFEST("%s", "", ""), cases[i].pattern);
    judge(&judgement, NULL, cases[i].gates_only, "manifest.json");
    cr_expect(eq(int, rlk_judgement_covers_sidecars(&judgement), cases[i].covers), "%s", cases[i].pattern);
    rlk_judgement_deinit(&judgement);
  }
}
