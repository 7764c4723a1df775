/* JSON: one value, written element by element. */
#include <inttypes.h>
#include <stdlib.h>

#include "harness/check/door_names.h"
#include "harness/check/parameter_tables.h"
#include "harness/check/report.h"
#include "harness/json/json.h"
#include "validator/rules/text.h"

typedef struct json_report_t {
  rlk_check_report_t base;
  bool any; /* a document was written */
} json_report_t;

static rowlock_code_t begin(rlk_check_report_t* report) {
  fputs("{\"documents\":[", report->out);
  return ROWLOCK_OK;
}

/* Writes the element, which it takes over. */
static rowlock_code_t put_element(rlk_check_report_t* report, json_object* element, bool complete) {
  json_report_t* json = (json_report_t*)report;
  if (complete && element) {
    fputs(json->any ? ",\n" : "\n", report->out);
    json->any = true;
    rlk_json_write(report->out, element);
  }
  json_object_put(element);
  return complete && element ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
}

/* --- Doors -------------------------------------------------------------------------------------------------------- */

static json_object* door_answers(const rlk_judgement_t* judgement, bool* complete) {
  static const char* const words[] = {
      [RLK_ANSWER_ACCEPT] = "accept", [RLK_ANSWER_REFUSE] = "refuse", [RLK_ANSWER_NOT_FOR] = "not-for-this-door"};
  json_object* answers = json_object_new_object();
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    if (judgement->answers[door] == RLK_ANSWER_NONE) continue;
    *complete &=
        rlk_json_member_text(answers, rlk_door_info((rlk_door_id_t)door)->name, words[judgement->answers[door]]);
  }
  return answers;
}

static json_object* door_reasons(const rlk_judgement_t* judgement, bool* complete) {
  json_object* reasons = json_object_new_object();
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    if (judgement->answers[door] != RLK_ANSWER_NOT_FOR) continue;
    *complete &= rlk_json_member_text(reasons, rlk_door_info((rlk_door_id_t)door)->name, judgement->reasons[door]);
  }
  return reasons;
}

/* --- Findings ----------------------------------------------------------------------------------------------------- */

static json_object* finding_object(const rlk_judgement_t* judgement, size_t index, bool* complete) {
  const rowlock_finding_t* finding = rowlock_findings_at(judgement->findings, index);
  const rlk_rule_info_t* rule = rlk_rule_info(rlk_findings_rule(judgement->findings, index));
  const rlk_tables_t* tables = rlk_tables_find(&judgement->tables, index);
  json_object* object = json_object_new_object();
  *complete &= rlk_json_member_text(object, "rule", finding->rule_id) &&
               rlk_json_member_text(object, "tier", rlk_tier_name(rule->tier)) &&
               rlk_json_member_text(object, "class", rlk_class_name(rule->class_)) &&
               rlk_json_member_text(object, "severity", rlk_severity_name(finding->severity)) &&
               rlk_json_member_text(object, "message", finding->message) &&
               rlk_json_member_text(object, "path", finding->path) &&
               rlk_json_member_text(object, "pointer", finding->json_pointer) &&
               rlk_json_member_number(object, "line", finding->line) &&
               rlk_json_member_number(object, "column", finding->column) &&
               rlk_json_member_number(object, "byte_offset", finding->byte_offset);
  *complete &= rlk_json_member(object, "doors", rlk_door_names(finding->doors, complete));
  if (tables) *complete &= rlk_json_member(object, "parameters", rlk_tables_to_json(tables));
  return object;
}

static json_object* finding_objects(const rlk_judgement_t* judgement, bool* complete) {
  json_object* objects = json_object_new_array();
  for (size_t i = 0; i < rowlock_findings_count(judgement->findings) && *complete; ++i) {
    if (!rlk_judgement_counts(judgement, i)) continue;
    *complete &= rlk_json_element(objects, finding_object(judgement, i, complete));
  }
  return objects;
}

/* --- Documents ---------------------------------------------------------------------------------------------------- */

/* What the manifest says, where it is of the kind that is due; null otherwise. */
static bool put_manifest_facts(json_object* object, const rlk_judgement_t* judgement) {
  const rlk_manifest_facts_t facts = rlk_judgement_manifest_facts(judgement);
  bool complete = rlk_node_is_integer(facts.schema_version)
                      ? rlk_json_member(object, "schema_version", json_object_new_int64(facts.schema_version->integer))
                      : rlk_json_member_null(object, "schema_version");
  complete &= facts.pattern && facts.pattern->kind == RLK_STRING
                  ? rlk_json_member(object, "pattern",
                                    json_object_new_string_len(facts.pattern->text, (int)facts.pattern->text_length))
                  : rlk_json_member_null(object, "pattern");
  complete &= facts.plugins ? rlk_json_member_number(object, "plugins", facts.plugins->count)
                            : rlk_json_member_null(object, "plugins");
  return complete;
}

/* What an artifact holds, by the names alone: `rowlock inspect` says more. */
static json_object* module_object(const rlk_module_t* module, bool* complete) {
  char words[64];
  rlk_text_t text = rlk_text_over(words, sizeof words);
  rlk_module_put(&text, module);
  json_object* entries = json_object_new_array();
  for (size_t i = 0; i < module->entry_count && *complete; ++i) {
    *complete = rlk_json_element(entries, json_object_new_string(module->entries[i].name));
  }
  json_object* object = json_object_new_object();
  *complete &= rlk_json_member_text(object, "module", words);
  *complete &= rlk_json_member(object, "entries", entries);
  return object;
}

static bool put_artifact_facts(json_object* object, const rlk_artifact_t* artifact) {
  if (artifact->module_count == 0) return true; /* it was refused */
  bool complete = rlk_json_member_text(object, "container", rlk_artifact_kind_word(artifact->kind));
  json_object* modules = json_object_new_array();
  for (size_t i = 0; i < artifact->module_count && complete; ++i) {
    complete = rlk_json_element(modules, module_object(&artifact->modules[i], &complete)) && complete;
  }
  return rlk_json_member(object, "modules", modules) && complete;
}

static rowlock_code_t document(rlk_check_report_t* report, const rlk_judgement_t* judgement) {
  json_object* object = json_object_new_object();
  const char* kind = rlk_judgement_kind(judgement);
  bool complete = rlk_json_member_text(object, "path", judgement->path);
  complete &= kind ? rlk_json_member_text(object, "kind", kind) : rlk_json_member_null(object, "kind");
  if (judgement->is_artifact) complete &= put_artifact_facts(object, &judgement->artifact);
  if (judgement->level_known && judgement->level == RLK_LEVEL_MANIFEST) {
    complete &= put_manifest_facts(object, judgement);
  }
  complete &= rlk_json_member_text(object, "verdict", judgement->accepted ? "accepted" : "refused");
  complete &= rlk_json_member(object, "doors", door_answers(judgement, &complete));
  complete &= rlk_json_member(object, "reasons", door_reasons(judgement, &complete));
  complete &= rlk_json_member(object, "findings", finding_objects(judgement, &complete));
  complete &= rlk_json_member_number(object, "findings_dropped", judgement->findings_dropped);
  return put_element(report, object, complete);
}

static rowlock_code_t unreadable(rlk_check_report_t* report, const char* path, const char* sentence) {
  json_object* object = json_object_new_object();
  const bool complete = rlk_json_member_text(object, "path", path) && rlk_json_member_text(object, "error", sentence);
  return put_element(report, object, complete);
}

/* "gate_findings" and the like, of the tiers that files can have findings of. */
static bool put_findings_by_tier(json_object* object, const rlk_check_summary_t* summary) {
  bool complete = true;
  for (int tier = 0; tier < RLK_TIER_COUNT && complete; ++tier) {
    if (!rlk_tier_is_of_files((rlk_tier_t)tier)) continue;
    char key[32];
    snprintf(key, sizeof key, "%s_findings", rlk_tier_name((rlk_tier_t)tier));
    complete = rlk_json_member_number(object, key, summary->findings_of[tier]);
  }
  return complete;
}

static rowlock_code_t end(rlk_check_report_t* report, const rlk_check_summary_t* summary) {
  json_object* object = json_object_new_object();
  bool complete = rlk_json_member_number(object, "documents", summary->documents) &&
                  rlk_json_member_number(object, "accepted", summary->accepted) &&
                  rlk_json_member_number(object, "refused", summary->refused) &&
                  rlk_json_member_number(object, "unreadable", summary->unreadable) &&
                  rlk_json_member_number(object, "findings", rlk_check_summary_findings(summary)) &&
                  put_findings_by_tier(object, summary) &&
                  rlk_json_member_number(object, "findings_dropped", summary->findings_dropped) &&
                  rlk_json_member_number(object, "exit_status", (uint64_t)summary->exit_status);
  fputs("\n],\n\"summary\":", report->out);
  if (complete) {
    rlk_json_write(report->out, object);
  } else {
    fputs("null", report->out);
  }
  fputs("}\n", report->out);
  json_object_put(object);
  return complete ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
}

static void destroy(rlk_check_report_t* report) { free(report); }

rlk_check_report_t* rlk_check_json_report_create(FILE* out) {
  json_report_t* report = calloc(1, sizeof *report);
  if (!report) return NULL;
  report->base = (rlk_check_report_t){
      .begin = begin, .document = document, .unreadable = unreadable, .end = end, .destroy = destroy, .out = out};
  return &report->base;
}
