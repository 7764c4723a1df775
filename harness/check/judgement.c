#include "harness/check/judgement.h"

#include <string.h>

#include "loader/files.h"
#include "loader/host/container.h"
#include "validator/rules/text.h"

static rlk_door_id_t find_door(const char* name) {
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    const rlk_door_t* info = rlk_door_info((rlk_door_id_t)door);
    if (!info->contract && strcmp(info->name, name) == 0) return (rlk_door_id_t)door;
  }
  return RLK_DOOR_NONE;
}

static rowlock_code_t fail_unknown_door(const char* name, rowlock_error_t* err) {
  rlk_error_clear(err);
  rlk_text_t text = rlk_text_over(err->message, sizeof err->message);
  rlk_text_printf(&text, "there is no door '%.64s'; the doors are", name);
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    const rlk_door_t* info = rlk_door_info((rlk_door_id_t)door);
    if (!info->contract) rlk_text_printf(&text, "%s %s", door ? "," : "", info->name);
  }
  return ROWLOCK_UNUSABLE;
}

rowlock_code_t rlk_judgement_init(rlk_judgement_t* judgement, const char* door, bool gates_only, rowlock_error_t* err) {
  *judgement = (rlk_judgement_t){.door = door ? find_door(door) : RLK_DOOR_NONE, .gates_only = gates_only};
  if (door && judgement->door == RLK_DOOR_NONE) return fail_unknown_door(door, err);
  judgement->artifacts.tables = &judgement->tables;
  judgement->findings = rowlock_findings_create();
  if (!judgement->findings) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for findings");
  return rowlock_checker_create(&judgement->checker, err);
}

void rlk_judgement_deinit(rlk_judgement_t* judgement) {
  rowlock_checker_destroy(judgement->checker);
  rowlock_findings_destroy(judgement->findings);
  rlk_arena_deinit(&judgement->arena);
  rlk_arena_deinit(&judgement->tables.arena);
  judgement->checker = NULL;
  judgement->findings = NULL;
}

const rlk_node_t* rlk_judgement_root(const rlk_judgement_t* judgement) {
  return rlk_checker_document(judgement->checker)->root;
}

static void begin(rlk_judgement_t* judgement, const char* path) {
  rowlock_findings_clear(judgement->findings);
  rlk_tables_clear(&judgement->tables);
  judgement->path = path;
  judgement->level_known = false;
  judgement->is_artifact = false;
}

rowlock_code_t rlk_judgement_read(rlk_judgement_t* judgement, const char* path, rowlock_error_t* err) {
  begin(judgement, path);
  const int door = judgement->door == RLK_DOOR_NONE ? -1 : (int)judgement->door;
  const rowlock_code_t code = rlk_checker_open(judgement->checker, path, door, judgement->findings, err);
  if (code == ROWLOCK_REJECTED) return ROWLOCK_OK;
  if (code) return code;
  judgement->level_known = rlk_judgement_root(judgement)->kind == RLK_OBJECT;
  judgement->level = rlk_checker_level(judgement->checker);
  return ROWLOCK_OK;
}

bool rlk_judgement_fits_door(const rlk_judgement_t* judgement) {
  return judgement->door == RLK_DOOR_NONE || !judgement->level_known ||
         rlk_door_info(judgement->door)->level == judgement->level;
}

/* --- Asking ------------------------------------------------------------------------------------------------------- */

static rowlock_code_t ask(rlk_judgement_t* judgement, rlk_door_id_t door, bool every_finding, rowlock_error_t* err) {
  const rowlock_code_t code = rlk_checker_run(judgement->checker, door, every_finding, judgement->findings);
  if (code && code != ROWLOCK_REJECTED) return rlk_fail(err, code, "no memory to judge '%s'", judgement->path);
  judgement->answers[door] = code ? RLK_ANSWER_REFUSE : RLK_ANSWER_ACCEPT;
  return ROWLOCK_OK;
}

/* Takes over what a door with the same gates, which was asked, has answered. */
static void answer_alike(rlk_judgement_t* judgement, rlk_door_id_t original, rlk_door_id_t door) {
  judgement->answers[door] = judgement->answers[original];
  memcpy(judgement->reasons[door], judgement->reasons[original], RLK_REASON_SIZE);
  rlk_findings_add_door(judgement->findings, (int)original, (int)door);
}

/* Asks the doors of the document's level, but for those left out. A door that notes that the document is not for it
 * does not refuse it; these are told as a mask. */
static rowlock_code_t ask_doors(rlk_judgement_t* judgement, uint32_t left_out, uint32_t* out_not_for,
                                rowlock_error_t* err) {
  *out_not_for = 0;
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    const uint32_t bit = UINT32_C(1) << door;
    const rlk_door_t* info = rlk_door_info((rlk_door_id_t)door);
    if (info->contract || info->level != judgement->level || left_out & bit) continue;
    const rlk_door_id_t original = rlk_door_original((rlk_door_id_t)door);
    if ((int)original != door) {
      answer_alike(judgement, original, (rlk_door_id_t)door);
      *out_not_for |= judgement->answers[door] == RLK_ANSWER_NOT_FOR ? bit : 0;
      continue;
    }
    const rowlock_code_t code = ask(judgement, original, true, err);
    if (code) return code;
    const char* note = rlk_checker_note(judgement->checker);
    if (!note) continue;
    *out_not_for |= bit;
    judgement->answers[door] = RLK_ANSWER_NOT_FOR;
    rlk_text_t reason = rlk_text_over(judgement->reasons[door], RLK_REASON_SIZE);
    rlk_text_put(&reason, note, strlen(note));
  }
  return ROWLOCK_OK;
}

static bool has_only_notes(const rowlock_findings_t* findings) {
  for (size_t i = 0; i < rowlock_findings_count(findings); ++i) {
    if (rowlock_findings_at(findings, i)->severity != ROWLOCK_SEVERITY_NOTE) return false;
  }
  return rowlock_findings_dropped(findings) == 0;
}

/* What a door reports of a document that is not for it would be noise, and could fill the list or hide, as equal, what
 * a contract check says: where there is more than notes, the other doors alone are asked again. */
static rowlock_code_t ask_every_door(rlk_judgement_t* judgement, rowlock_error_t* err) {
  uint32_t not_for, none;
  const rowlock_code_t code = ask_doors(judgement, 0, &not_for, err);
  if (code || !not_for || has_only_notes(judgement->findings)) return code;
  rowlock_findings_clear(judgement->findings);
  return ask_doors(judgement, not_for, &none, err);
}

static rowlock_code_t ask_contract(rlk_judgement_t* judgement, rowlock_error_t* err) {
  const rlk_door_id_t door =
      judgement->level == RLK_LEVEL_MANIFEST ? RLK_DOOR_MANIFEST_CONTRACT : RLK_DOOR_SIDECAR_CONTRACT;
  const rowlock_code_t code = ask(judgement, door, true, err);
  judgement->answers[door] = RLK_ANSWER_NONE; /* it is no door */
  return code;
}

static rowlock_code_t ask_all(rlk_judgement_t* judgement, rowlock_error_t* err) {
  rowlock_code_t code = ROWLOCK_OK;
  if (judgement->door != RLK_DOOR_NONE) {
    if (rlk_judgement_root(judgement)) {
      code = ask(judgement, judgement->door, false, err);
    } else {
      judgement->answers[judgement->door] = RLK_ANSWER_REFUSE;
    }
  } else if (judgement->level_known) {
    code = ask_every_door(judgement, err);
  }
  if (code || !rlk_judgement_root(judgement)) return code;
  /* What is no object has no doors of its own; the contract checks say what it is. */
  const bool needed = !judgement->gates_only || (!judgement->level_known && judgement->door == RLK_DOOR_NONE);
  if (needed) code = ask_contract(judgement, err);
  const bool proves = !judgement->gates_only && judgement->door == RLK_DOOR_NONE && judgement->level_known &&
                      judgement->level == RLK_LEVEL_MANIFEST;
  if (code || !proves) return code;
  return rlk_deployment_prove(judgement->checker, &judgement->artifacts, judgement->findings, err);
}

/* --- What came of it ---------------------------------------------------------------------------------------------- */

static void count_findings(rlk_judgement_t* judgement) {
  bool errors = false;
  memset(judgement->findings_of, 0, sizeof judgement->findings_of);
  judgement->findings_dropped = rowlock_findings_dropped(judgement->findings);
  for (size_t i = 0; i < rowlock_findings_count(judgement->findings); ++i) {
    if (!rlk_judgement_counts(judgement, i)) continue;
    const rlk_rule_info_t* rule = rlk_rule_info(rlk_findings_rule(judgement->findings, i));
    ++judgement->findings_of[rule->tier];
    errors |= rule->tier == RLK_TIER_GATE && rule->severity == ROWLOCK_SEVERITY_ERROR;
  }
  judgement->accepted = judgement->door == RLK_DOOR_NONE
                            ? !errors && rlk_judgement_answer_count(judgement, RLK_ANSWER_REFUSE) == 0
                            : judgement->answers[judgement->door] == RLK_ANSWER_ACCEPT;
}

/* --- An artifact -------------------------------------------------------------------------------------------------- */

static bool is_artifact(rlk_container_t container) {
  return container == RLK_CONTAINER_ELF || container == RLK_CONTAINER_PTX || container == RLK_CONTAINER_FATBIN ||
         container == RLK_CONTAINER_FATBIN_WRAPPED;
}

static bool is_called_artifact(const char* path) {
  static const char* const extensions[] = {".ptx", ".cubin", ".fatbin", ".so"};
  const size_t length = strlen(path);
  for (size_t i = 0; i < sizeof extensions / sizeof *extensions; ++i) {
    const size_t suffix = strlen(extensions[i]);
    if (length > suffix && path[length - suffix - 1] != '/' && strcmp(path + length - suffix, extensions[i]) == 0) {
      return true;
    }
  }
  return false;
}

bool rlk_judgement_take_artifact(rlk_judgement_t* judgement, const char* path) {
  if (!is_called_artifact(path)) return false;
  begin(judgement, path);
  judgement->is_artifact = true;
  return true;
}

rowlock_code_t rlk_judgement_try_artifact(rlk_judgement_t* judgement, rowlock_error_t* err) {
  enum { HEAD_BYTES = 1 << 16 };
  rlk_file_buffer_t head = {0};
  const rowlock_code_t code = rlk_file_read(judgement->path, HEAD_BYTES, &head, err);
  judgement->is_artifact = !code && is_artifact(rlk_container_of(head.bytes, head.length));
  rlk_file_buffer_deinit(&head);
  return code == ROWLOCK_NO_MEMORY ? code : ROWLOCK_OK; /* it is not JSON, whatever else it is */
}

/* An artifact is one place: its messages say where in it. */
static rlk_place_t whole_artifact(const rlk_judgement_t* judgement) {
  return (rlk_place_t){.path = judgement->path, .json_pointer = "", .line = 1, .column = 1};
}

static rowlock_code_t repeat_refusal(void* context, const rowlock_error_t* problem) {
  const rlk_judgement_t* judgement = context;
  const rlk_place_t place = whole_artifact(judgement);
  return rlk_findings_repeat(judgement->findings, problem, -1, &place);
}

static rowlock_code_t report_machine(void* context, rlk_rule_t rule, int argument, const rlk_slot_t* slots,
                                     size_t slot_count) {
  const rlk_judgement_t* judgement = context;
  const rlk_place_t place = whole_artifact(judgement);
  (void)argument;
  return rlk_findings_add(judgement->findings, rule, -1, &place, slots, slot_count);
}

static rowlock_code_t decide_artifact(rlk_judgement_t* judgement, rowlock_error_t* err) {
  if (judgement->door != RLK_DOOR_NONE) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "'%.300s' is an artifact, the door %s takes a %s", judgement->path,
                    rlk_door_info(judgement->door)->name, rlk_level_name(rlk_door_info(judgement->door)->level));
  }
  const rlk_proof_listener_t listener = {.context = judgement, .report = report_machine, .repeat = repeat_refusal};
  rowlock_error_t problem;
  memset(judgement->answers, 0, sizeof judgement->answers);
  rowlock_findings_clear(judgement->findings); /* that it is not JSON */
  rlk_arena_reset(&judgement->arena);
  rowlock_code_t code = rlk_artifact_open(judgement->path, &judgement->arena, &judgement->artifact, &problem);
  const bool is_whole = code == ROWLOCK_OK;
  if (is_whole) {
    code = rlk_prove_machine(&judgement->artifact, &judgement->artifacts.machine, &listener);
  } else if (code == ROWLOCK_REJECTED) {
    judgement->artifact = (rlk_artifact_t){0};
    code = repeat_refusal(judgement, &problem);
  } else {
    return rlk_fail(err, code, "'%.300s': %s", judgement->path, problem.message);
  }
  if (code) return rlk_fail(err, code, "no memory to judge '%.300s'", judgement->path);
  count_findings(judgement);
  judgement->accepted = is_whole;
  return ROWLOCK_OK;
}

rowlock_code_t rlk_judgement_decide(rlk_judgement_t* judgement, rowlock_error_t* err) {
  if (judgement->is_artifact) return decide_artifact(judgement, err);
  if (!rlk_judgement_fits_door(judgement)) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "'%.300s' is a %s, the door %s takes a %s", judgement->path,
                    rlk_level_name(judgement->level), rlk_door_info(judgement->door)->name,
                    rlk_level_name(rlk_door_info(judgement->door)->level));
  }
  memset(judgement->answers, 0, sizeof judgement->answers);
  const rowlock_code_t code = ask_all(judgement, err);
  if (!code) count_findings(judgement);
  return code;
}

bool rlk_judgement_counts(const rlk_judgement_t* judgement, size_t index) {
  const rowlock_finding_t* finding = rowlock_findings_at(judgement->findings, index);
  if (finding->severity != ROWLOCK_SEVERITY_NOTE) return true;
  return judgement->door != RLK_DOOR_NONE && finding->doors & UINT32_C(1) << judgement->door;
}

uint64_t rlk_judgement_finding_count(const rlk_judgement_t* judgement) {
  uint64_t count = judgement->findings_dropped;
  for (int tier = 0; tier < RLK_TIER_COUNT; ++tier) count += judgement->findings_of[tier];
  return count;
}

int rlk_judgement_answer_count(const rlk_judgement_t* judgement, rlk_answer_t answer) {
  int count = 0;
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) count += judgement->answers[door] == answer;
  return count;
}

/* The registries do not take a descriptor's manifest and the neural road opens no sidecar: only the contract checks do.
 */
bool rlk_judgement_covers_sidecars(const rlk_judgement_t* judgement) {
  if (!judgement->gates_only) return true;
  const rlk_word_t pattern = rlk_member_word(rlk_judgement_root(judgement), "pattern", RLK_VOCABULARY_PATTERN);
  return pattern == RLK_WORD_NONE || rlk_word_is_in(pattern, RLK_VOCABULARY_LAUNCHABLE_PATTERN);
}

rlk_manifest_facts_t rlk_judgement_manifest_facts(const rlk_judgement_t* judgement) {
  const rlk_node_t* root = rlk_judgement_root(judgement);
  rlk_manifest_facts_t facts = {.schema_version = rlk_node_member(root, "schema_version"),
                                .pattern = rlk_node_member(root, "pattern")};
  if (!facts.schema_version) facts.schema_version = rlk_node_member(root, "version");
  if (rlk_node_get(root, "plugins", RLK_ARRAY, &facts.plugins) != RLK_FOUND) facts.plugins = NULL;
  return facts;
}

const char* rlk_judgement_kind(const rlk_judgement_t* judgement) {
  if (judgement->is_artifact) return "artifact";
  return judgement->level_known ? rlk_level_name(judgement->level) : NULL;
}
