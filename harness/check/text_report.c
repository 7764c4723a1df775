/* Text: findings as compilers print them, a line for each document that has none, and a table. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check/parameter_tables.h"
#include "harness/check/report.h"
#include "harness/check/shown.h"
#include "harness/check/table.h"
#include "validator/rules/text.h"

/* Of an artifact; and of tables of parameters. */
enum { SHOWN_MODULES = 16, SHOWN_ENTRIES = 12, TABLE_INDENT = 4 };

typedef struct text_report_t {
  rlk_check_report_t base;
  rlk_table_t table;
} text_report_t;

static rowlock_code_t begin(rlk_check_report_t* report) {
  (void)report;
  return ROWLOCK_OK;
}

static const char* plural(uint64_t count) { return count == 1 ? "" : "s"; }

/* --- What the document is ----------------------------------------------------------------------------------------- */

/* A string or a number as it is, anything else by its kind. */
static void put_value(FILE* out, const rlk_node_t* node) {
  char shown[6 * RLK_SLOT_TEXT_MAX + 4];
  rlk_text_t text = rlk_text_over(shown, sizeof shown);
  if (node->kind == RLK_STRING || node->kind == RLK_NUMBER) {
    rlk_text_put_shown(&text, node->text, node->text_length, RLK_SLOT_TEXT_MAX);
    fputs(shown, out);
  } else {
    fprintf(out, "(%s)", rlk_kind_phrase((rlk_kind_t)node->kind));
  }
}

static void put_facts(FILE* out, const rlk_judgement_t* judgement) {
  const char* kind = rlk_judgement_kind(judgement);
  fputs(kind ? kind : "document", out);
  if (judgement->is_artifact && judgement->artifact.module_count > 0) {
    fprintf(out, ", %s of %" PRIu64 " bytes", rlk_artifact_kind_name(judgement->artifact.kind),
            judgement->artifact.bytes);
  }
  if (!judgement->level_known || judgement->level != RLK_LEVEL_MANIFEST) return;
  const rlk_manifest_facts_t facts = rlk_judgement_manifest_facts(judgement);
  fputs(facts.schema_version ? ", schema v" : ", schema v1 by default", out);
  if (facts.schema_version) put_value(out, facts.schema_version);
  fputs(facts.pattern ? ", pattern " : ", no pattern", out);
  if (facts.pattern) put_value(out, facts.pattern);
  const uint32_t plugins = facts.plugins ? facts.plugins->count : 0;
  fprintf(out, ", %" PRIu32 " plugin%s", plugins, plural(plugins));
}

/* A line for each module, with its entries. */
static void put_modules(FILE* out, const rlk_artifact_t* artifact) {
  for (size_t i = 0; i < artifact->module_count && i < SHOWN_MODULES; ++i) {
    const rlk_module_t* module = &artifact->modules[i];
    char words[64];
    rlk_text_t text = rlk_text_over(words, sizeof words);
    rlk_module_put(&text, module);
    fprintf(out, "  %s: %s", words, module->entry_count > 0 ? "" : "no entry");
    for (size_t j = 0; j < module->entry_count && j < SHOWN_ENTRIES; ++j) {
      fputs(j > 0 ? ", " : "", out);
      rlk_put_shown(out, module->entries[j].name);
      if (module->entries[j].has_parameters) fprintf(out, " (%zu parameters)", module->entries[j].parameter_count);
    }
    if (module->entry_count > SHOWN_ENTRIES) fprintf(out, " and %zu more", module->entry_count - SHOWN_ENTRIES);
    fputc('\n', out);
  }
  if (artifact->module_count > SHOWN_MODULES) {
    fprintf(out, "  and %zu more modules\n", artifact->module_count - SHOWN_MODULES);
  }
}

/* --- Doors -------------------------------------------------------------------------------------------------------- */

/* "BEFORE a, b": the doors that answered so; nothing if none did. */
static void put_doors(FILE* out, const rlk_judgement_t* judgement, rlk_answer_t answer, const char* before) {
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    if (judgement->answers[door] != answer) continue;
    fprintf(out, "%s%s", before, rlk_door_info((rlk_door_id_t)door)->name);
    before = ", ";
  }
}

static void put_door_lines(FILE* out, const rlk_judgement_t* judgement) {
  put_doors(out, judgement, RLK_ANSWER_ACCEPT, "  accepted by ");
  if (rlk_judgement_answer_count(judgement, RLK_ANSWER_ACCEPT) > 0) fputc('\n', out);
  put_doors(out, judgement, RLK_ANSWER_REFUSE, "  refused by ");
  if (rlk_judgement_answer_count(judgement, RLK_ANSWER_REFUSE) > 0) fputc('\n', out);
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    if (judgement->answers[door] != RLK_ANSWER_NOT_FOR) continue;
    fprintf(out, "  not for %s: ", rlk_door_info((rlk_door_id_t)door)->name);
    rlk_put_shown(out, judgement->reasons[door]);
    fputc('\n', out);
  }
}

/* --- Documents ---------------------------------------------------------------------------------------------------- */

static void put_finding(FILE* out, const rlk_judgement_t* judgement, size_t index) {
  const rowlock_finding_t* finding = rowlock_findings_at(judgement->findings, index);
  rlk_put_shown(out, finding->path);
  fprintf(out, ":%" PRIu32 ":%" PRIu32 ": %s: ", finding->line, finding->column, rlk_severity_name(finding->severity));
  rlk_put_message(out, finding->message, rlk_findings_rule(judgement->findings, index),
                  rlk_tables_find(&judgement->tables, index), TABLE_INDENT);
}

static void put_block(FILE* out, const rlk_judgement_t* judgement, uint64_t findings) {
  fprintf(out, ": %s, %" PRIu64 " finding%s\n", judgement->accepted ? "accepted" : "refused", findings,
          plural(findings));
  for (size_t i = 0; i < rowlock_findings_count(judgement->findings); ++i) {
    if (rlk_judgement_counts(judgement, i)) put_finding(out, judgement, i);
  }
  if (judgement->findings_dropped > 0) {
    const char* least = judgement->findings_dropped == ROWLOCK_FINDINGS_DROPPED_MAX ? "at least " : "";
    fprintf(out, "  and %s%" PRIu64 " more finding%s: only the first %d of a document are kept\n", least,
            judgement->findings_dropped, plural(judgement->findings_dropped), ROWLOCK_FINDINGS_MAX);
  }
  put_door_lines(out, judgement);
  if (judgement->is_artifact) put_modules(out, &judgement->artifact);
  fputc('\n', out);
}

static rowlock_code_t document(rlk_check_report_t* report, const rlk_judgement_t* judgement) {
  FILE* out = report->out;
  const uint64_t findings = rlk_judgement_finding_count(judgement);
  rlk_put_shown(out, judgement->path);
  fputs(": ", out);
  put_facts(out, judgement);
  if (findings > 0) {
    put_block(out, judgement, findings);
  } else {
    put_doors(out, judgement, RLK_ANSWER_ACCEPT, ": accepted by ");
    put_doors(out, judgement, RLK_ANSWER_NOT_FOR, "; not for ");
    fputc('\n', out);
    if (judgement->is_artifact) put_modules(out, &judgement->artifact);
  }
  const int accepting = rlk_judgement_answer_count(judgement, RLK_ANSWER_ACCEPT);
  const char* kind = rlk_judgement_kind(judgement);
  rlk_table_row_t row = {.kind = kind ? kind : "-",
                         .verdict = judgement->accepted ? "accepted" : "refused",
                         .accepting = accepting,
                         .asked = accepting + rlk_judgement_answer_count(judgement, RLK_ANSWER_REFUSE),
                         .is_notable = findings > 0};
  for (int tier = 0; tier < RLK_TIER_COUNT; ++tier) row.findings_of[tier] = judgement->findings_of[tier];
  rlk_table_add(&((text_report_t*)report)->table, judgement->path, &row);
  return ROWLOCK_OK;
}

/* The sentence goes to the diagnostics, not here. */
static rowlock_code_t unreadable(rlk_check_report_t* report, const char* path, const char* sentence) {
  (void)sentence;
  rlk_table_add(&((text_report_t*)report)->table, path,
                &(rlk_table_row_t){.kind = "-", .verdict = "unread", .is_notable = true});
  return ROWLOCK_OK;
}

static rowlock_code_t end(rlk_check_report_t* report, const rlk_check_summary_t* summary) {
  FILE* out = report->out;
  rlk_table_print(&((text_report_t*)report)->table, out);
  if (summary->unreadable > 0) {
    fprintf(out, "%" PRIu64 " path%s could not be judged\n", summary->unreadable, plural(summary->unreadable));
  }
  const uint64_t findings = rlk_check_summary_findings(summary);
  fprintf(out, "%" PRIu64 " document%s, %" PRIu64 " accepted, %" PRIu64 " refused, %" PRIu64 " finding%s\n",
          summary->documents, plural(summary->documents), summary->accepted, summary->refused, findings,
          plural(findings));
  return ROWLOCK_OK;
}

static void destroy(rlk_check_report_t* report) { free(report); }

rlk_check_report_t* rlk_check_text_report_create(FILE* out) {
  text_report_t* report = calloc(1, sizeof *report);
  if (!report) return NULL;
  report->base = (rlk_check_report_t){
      .begin = begin, .document = document, .unreadable = unreadable, .end = end, .destroy = destroy, .out = out};
  return &report->base;
}
