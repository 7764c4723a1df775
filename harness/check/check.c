#include "harness/check/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/check/shown.h"
#include "validator/rules/text.h"
#include "validator/wire/reader.h"

typedef struct check_t {
  const rlk_check_options_t* options;
  rlk_judgement_t judgement;
  rlk_check_summary_t summary;
} check_t;

uint64_t rlk_check_summary_findings(const rlk_check_summary_t* summary) {
  uint64_t count = summary->findings_dropped;
  for (int tier = 0; tier < RLK_TIER_COUNT; ++tier) count += summary->findings_of[tier];
  return count;
}

static void raise_status(check_t* check, rowlock_code_t code) {
  const int status = rowlock_code_exit_status(code);
  if (status > check->summary.exit_status) check->summary.exit_status = status;
}

static void complain(check_t* check, rowlock_code_t code, const char* sentence) {
  char shown[RLK_SHOWN_SIZE];
  rlk_text_t text = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&text, sentence, strlen(sentence), RLK_SHOWN_MAX);
  raise_status(check, code);
  check->options->complain(check->options->context, code, shown);
}

/* Reports a path that cannot be judged. */
static rowlock_code_t give_up(check_t* check, const char* path, const char* sentence) {
  complain(check, ROWLOCK_UNUSABLE, sentence);
  ++check->summary.unreadable;
  return check->options->report->unreadable(check->options->report, path, sentence);
}

/* --- A document --------------------------------------------------------------------------------------------------- */

static rowlock_code_t report_judgement(check_t* check) {
  const rlk_judgement_t* judgement = &check->judgement;
  rlk_check_summary_t* summary = &check->summary;
  ++summary->documents;
  ++*(judgement->accepted ? &summary->accepted : &summary->refused);
  for (int tier = 0; tier < RLK_TIER_COUNT; ++tier) summary->findings_of[tier] += judgement->findings_of[tier];
  summary->findings_dropped += judgement->findings_dropped;
  if (rlk_judgement_finding_count(judgement) > 0) raise_status(check, ROWLOCK_REJECTED);
  return check->options->report->document(check->options->report, judgement);
}

/* Judges and reports the document that was read. */
static rowlock_code_t judge(check_t* check, rowlock_error_t* err) {
  const rowlock_code_t code = rlk_judgement_decide(&check->judgement, err);
  if (code == ROWLOCK_UNUSABLE) return give_up(check, check->judgement.path, err->message);
  return code ? code : report_judgement(check);
}

/* --- A folder ----------------------------------------------------------------------------------------------------- */

/* Whether a file that is named for neither is what the walk takes it for. */
static bool looks_like(const rlk_judgement_t* judgement, rlk_walk_name_t name) {
  const rlk_node_t* root = rlk_judgement_root(judgement);
  if (!judgement->level_known) return false;
  if (judgement->level == RLK_LEVEL_MANIFEST) return name == RLK_WALK_UNNAMED && rlk_node_member(root, "plugins");
  return name == RLK_WALK_BESIDE && (rlk_node_member(root, "arg_spec") || rlk_node_member(root, "kernel"));
}

/* The sidecars that the manifest names: judged with it, or to be judged at a door of sidecars. */
static rowlock_code_t claim_sidecars(const rlk_judgement_t* judgement, rlk_walk_t* walk) {
  const rlk_manifest_facts_t facts = rlk_judgement_manifest_facts(judgement);
  if (!facts.plugins || facts.plugins->count > RLK_DEFAULT_ENTRIES) return ROWLOCK_OK;
  for (const rlk_node_t* entry = facts.plugins->first; entry; entry = entry->next) {
    const rlk_node_t* sidecar;
    if (rlk_node_get(entry, "sidecar", RLK_STRING, &sidecar) != RLK_FOUND) continue;
    const rowlock_code_t code = rlk_walk_claim(walk, sidecar->text, sidecar->text_length);
    if (code) return code;
  }
  return ROWLOCK_OK;
}

static rowlock_code_t visit(void* context, rlk_walk_t* walk, const char* path, rlk_walk_name_t name) {
  check_t* check = context;
  rlk_judgement_t* judgement = &check->judgement;
  rowlock_error_t err;
  rowlock_code_t code = rlk_judgement_read(judgement, path, &err);
  /* An unnamed file is visited once more, and then somebody says that it cannot be read. */
  if (code == ROWLOCK_UNUSABLE) return name == RLK_WALK_UNNAMED ? ROWLOCK_OK : give_up(check, path, err.message);
  if (code) return code;
  if ((name == RLK_WALK_BESIDE || name == RLK_WALK_UNNAMED) && !looks_like(judgement, name)) return ROWLOCK_OK;
  const bool fits = rlk_judgement_fits_door(judgement); /* the door is asked about what it takes */
  if (fits) code = judge(check, &err);
  const bool manifest = (name == RLK_WALK_MANIFEST || name == RLK_WALK_UNNAMED) && judgement->level_known &&
                        judgement->level == RLK_LEVEL_MANIFEST;
  if (code || !manifest) return code;
  return !fits || rlk_judgement_covers_sidecars(judgement) ? claim_sidecars(judgement, walk) : ROWLOCK_OK;
}

static rowlock_code_t report_problem(void* context, const char* path, const char* sentence) {
  char whole[RLK_SHOWN_MAX];
  rlk_text_t text = rlk_text_over(whole, sizeof whole);
  rlk_text_put(&text, "'", 1);
  rlk_text_put(&text, path, strlen(path));
  rlk_text_printf(&text, "': %s", sentence);
  return give_up(context, path, whole);
}

static rowlock_code_t check_folder(check_t* check, const char* path, rowlock_error_t* err) {
  const rlk_door_id_t door = check->judgement.door;
  const bool sidecars = door != RLK_DOOR_NONE && rlk_door_info(door)->level == RLK_LEVEL_SIDECAR;
  const rlk_walk_visitor_t visitor = {
      .context = check, .visit = visit, .problem = report_problem, .visits_claimed = sidecars};
  const uint64_t before = check->summary.documents + check->summary.unreadable;
  const rowlock_code_t code = rlk_walk_folder(path, &check->options->walk_limits, &visitor, err);
  if (code || check->summary.documents + check->summary.unreadable > before) return code;
  char sentence[64];
  snprintf(sentence, sizeof sentence, "the folder holds no %s",
           door == RLK_DOOR_NONE ? "manifest and no sidecar" : rlk_level_name(rlk_door_info(door)->level));
  return report_problem(check, path, sentence);
}

/* --- Every path --------------------------------------------------------------------------------------------------- */

static bool is_folder(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Most paths are documents: only what cannot be read, is not JSON, or is called otherwise is looked at twice. */
static rowlock_code_t check_path(check_t* check, const char* path, rowlock_error_t* err) {
  if (!is_folder(path) && rlk_judgement_take_artifact(&check->judgement, path)) return judge(check, err);
  rowlock_code_t code = rlk_judgement_read(&check->judgement, path, err);
  if (code == ROWLOCK_UNUSABLE) {
    return is_folder(path) ? check_folder(check, path, err) : give_up(check, path, err->message);
  }
  if (!code && !rlk_judgement_root(&check->judgement)) code = rlk_judgement_try_artifact(&check->judgement, err);
  return code ? code : judge(check, err);
}

static void check_paths(check_t* check, char* const* paths) {
  rlk_check_report_t* report = check->options->report;
  rowlock_error_t err = {.message = ""};
  rowlock_code_t code = report->begin(report);
  for (; *paths && !code; ++paths) code = check_path(check, *paths, &err);
  if (code) complain(check, code, err.message[0] ? err.message : "no memory for the output");
  code = report->end(report, &check->summary);
  if (code) complain(check, code, "no memory for the end of the output");
}

int rlk_check_run(const rlk_check_options_t* options, char* const* paths) {
  check_t* check = calloc(1, sizeof *check);
  if (!check) {
    options->complain(options->context, ROWLOCK_NO_MEMORY, "no memory to begin");
    return rowlock_code_exit_status(ROWLOCK_NO_MEMORY);
  }
  check->options = options;
  rowlock_error_t err;
  const rowlock_code_t code = rlk_judgement_init(&check->judgement, options->door, options->gates_only, &err);
  check->judgement.artifacts.machine = options->machine;
  if (code) {
    complain(check, code, err.message);
  } else {
    check_paths(check, paths);
  }
  const int status = check->summary.exit_status;
  rlk_judgement_deinit(&check->judgement);
  free(check);
  return status;
}
