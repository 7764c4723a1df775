/* Contract checks of a deployment: the manifest against itself, its sidecars and the presence of its artifacts. */
#include <stdlib.h>
#include <string.h>

#include "validator/plugin/contract.h"
#include "validator/plugin/gates.h"

static void check_artifact(rlk_judge_t* judge, const rlk_node_t* entry) {
  const rlk_node_t* path;
  if (!judge->source || rlk_node_get(entry, "artifact", RLK_STRING, &path) != RLK_FOUND) return;
  rowlock_error_t problem;
  const rowlock_code_t code = judge->source->probe(judge->source->context, path->text, path->text_length, &problem);
  if (code == ROWLOCK_OK) return;
  if (code != ROWLOCK_REJECTED && code != ROWLOCK_UNUSABLE) {
    judge->code = code;
    return;
  }
  rlk_report(judge, code == ROWLOCK_REJECTED ? RLK_RULE_MANIFEST_ARTIFACT_ESCAPES : RLK_RULE_MANIFEST_ARTIFACT_MISSING,
             path,
             RLK_SLOTS(rlk_slot_bare(judge, "value", path), rlk_slot_integer("index", entry->index),
                       rlk_slot_text("problem", problem.message, strlen(problem.message))));
}

void rlk_gate_contract_manifest(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* manifest = subject->root;
  rlk_bounded_list(judge, manifest, "plugins", RLK_RULE_NONE, RLK_RULE_NONE);
  rlk_bounded_list(judge, manifest, "blocks", RLK_RULE_NONE, RLK_RULE_NONE);
  if (judge->out_of_bounds) return;
  const rlk_node_t* legacy = rlk_node_member(manifest, "version");
  if (legacy && !(rlk_node_is_integer(legacy) && legacy->integer == 1)) {
    rlk_report(judge, RLK_RULE_MANIFEST_LEGACY_VERSION, legacy, RLK_SLOTS(rlk_slot_value(judge, "value", legacy)));
  }
  for (const rlk_node_t* entry = rlk_next_entry(manifest, NULL); entry; entry = rlk_next_entry(manifest, entry)) {
    const rlk_slot_t index = rlk_slot_integer("index", entry->index);
    const rlk_node_t* id = rlk_node_member(entry, "id");
    if (rlk_node_is_string(id, "")) rlk_report(judge, RLK_RULE_MANIFEST_ID_EMPTY, id, RLK_SLOTS(index));
    const rlk_node_t* order = rlk_node_member(entry, "order");
    if (order && !(rlk_node_is_integer(order) && order->integer == entry->index)) {
      rlk_report(judge, RLK_RULE_MANIFEST_ORDER_NOT_INDEX, order,
                 RLK_SLOTS(index, rlk_slot_value(judge, "value", order)));
    }
    check_artifact(judge, entry);
  }
}

/* Inline descriptors are sidecars without a file of their own; a kernel among them names no block. */
void rlk_gate_contract_blocks(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* blocks;
  if (rlk_node_get(subject->root, "blocks", RLK_ARRAY, &blocks) != RLK_FOUND || judge->out_of_bounds) return;
  for (const rlk_node_t* block = blocks->first; block; block = block->next) {
    if (block->kind != RLK_OBJECT) continue;
    if (!rlk_is_descriptor(block)) {
      rlk_report(judge, RLK_RULE_MANIFEST_BLOCK_NOT_DESCRIPTOR, block,
                 RLK_SLOTS(rlk_slot_integer("index", block->index),
                           rlk_slot_value(judge, "value", rlk_node_member(block, "pattern"))));
    }
    rlk_run_entry_gates(judge, RLK_ENTRY_CONTRACT, &(rlk_subject_t){.root = block, .manifest = subject->root});
  }
}

/* --- Entries against their sidecars ------------------------------------------------------------------------------- */

/* A table that a sidecar of the set declared; strings are copies, since one sidecar is in memory at a time. */
typedef struct table_t {
  char* name;
  size_t name_length;
  int64_t count;
  const rlk_node_t* id;
} table_t;

typedef struct visit_t {
  const rlk_node_t* entry;
  rlk_slot_t id; /* shown */
  table_t* tables;
  size_t table_count, table_capacity;
} visit_t;

static void check_agreement(rlk_judge_t* judge, const rlk_subject_t* sidecar, const visit_t* visit) {
  const rlk_node_t* format = rlk_node_member(sidecar->root, "format");
  const rlk_word_t own_format = rlk_node_word(format, RLK_VOCABULARY_ARTIFACT_FORMAT);
  const rlk_word_t entry_format = rlk_member_word(visit->entry, "format", RLK_VOCABULARY_ARTIFACT_FORMAT);
  if (own_format != RLK_WORD_NONE && entry_format != RLK_WORD_NONE && own_format != entry_format) {
    rlk_report(judge, RLK_RULE_MANIFEST_FORMAT_DISAGREES, format,
               RLK_SLOTS(visit->id, rlk_slot_prose("value", rlk_word_text(entry_format)),
                         rlk_slot_prose("sidecar", rlk_word_text(own_format))));
  }
  const rlk_node_t* pattern = rlk_node_member(sidecar->root, "pattern");
  const rlk_word_t own_pattern = rlk_node_word(pattern, RLK_VOCABULARY_PATTERN);
  const rlk_word_t set_pattern = rlk_member_word(sidecar->manifest, "pattern", RLK_VOCABULARY_PATTERN);
  /* The kernels of a neural deployment are ordinary pure plugins. */
  const rlk_word_t due = set_pattern == RLK_WORD_NEURAL_BLOCK ? RLK_WORD_PURE : set_pattern;
  if (own_pattern != RLK_WORD_NONE && due != RLK_WORD_NONE && own_pattern != due) {
    rlk_report(judge, RLK_RULE_MANIFEST_PATTERN_DISAGREES, pattern,
               RLK_SLOTS(visit->id, rlk_slot_value(judge, "value", pattern),
                         rlk_slot_prose("expected", rlk_word_text(set_pattern))));
  }
  const rlk_node_t* tag = rlk_node_member(sidecar->root, "aether_abi");
  const rlk_word_t own_tag = rlk_node_word(tag, RLK_VOCABULARY_AETHER_ABI);
  const rlk_word_t set_tag = rlk_member_word(sidecar->manifest, "aether_abi", RLK_VOCABULARY_AETHER_ABI);
  if (own_tag != RLK_WORD_NONE && set_tag != RLK_WORD_NONE && own_tag != set_tag) {
    rlk_report(
        judge, RLK_RULE_MANIFEST_ABI_DISAGREES, tag,
        RLK_SLOTS(visit->id, rlk_slot_value(judge, "value", tag), rlk_slot_prose("expected", rlk_word_text(set_tag))));
  }
}

static void remember_table(rlk_judge_t* judge, visit_t* visit, const rlk_node_t* name, int64_t count) {
  if (visit->table_count == visit->table_capacity) {
    const size_t capacity = visit->table_capacity ? 2 * visit->table_capacity : 16;
    table_t* tables = realloc(visit->tables, capacity * sizeof *tables);
    if (!tables) {
      judge->code = ROWLOCK_NO_MEMORY;
      return;
    }
    visit->tables = tables;
    visit->table_capacity = capacity;
  }
  char* copy = malloc(name->text_length + 1);
  if (!copy) {
    judge->code = ROWLOCK_NO_MEMORY;
    return;
  }
  memcpy(copy, name->text, name->text_length);
  copy[name->text_length] = '\0';
  visit->tables[visit->table_count++] = (table_t){
      .name = copy, .name_length = name->text_length, .count = count, .id = rlk_node_member(visit->entry, "id")};
}

static const table_t* find_table(const visit_t* visit, const rlk_node_t* name) {
  for (size_t i = 0; i < visit->table_count; ++i) {
    if (rlk_text_equal(visit->tables[i].name, visit->tables[i].name_length, name->text, name->text_length)) {
      return &visit->tables[i];
    }
  }
  return NULL;
}

static void check_tables(rlk_judge_t* judge, const rlk_subject_t* sidecar, visit_t* visit) {
  if (!rlk_is_comparable(judge, sidecar->root, "buffers")) return;
  const rlk_node_t *name, *buffer = NULL;
  while (!judge->code && (buffer = rlk_next_named(sidecar->root, "buffers", buffer, &name)) != NULL) {
    const int64_t count = rlk_buffer_count(buffer);
    const table_t* known = find_table(visit, name);
    if (count < 0) continue;
    if (!known) {
      /* Beyond the bound a deployment's tables are no longer compared: quadratic work must end. */
      if (visit->table_count < judge->limits.entries) remember_table(judge, visit, name, count);
    } else if (known->count != count) {
      const rlk_node_t* first_id = known->id;
      rlk_report(judge, RLK_RULE_MANIFEST_TABLE_COUNTS, name,
                 RLK_SLOTS(rlk_slot_bare(judge, "name", name), rlk_slot_integer("first", known->count),
                           first_id && first_id->kind == RLK_STRING
                               ? rlk_slot_text("first_id", first_id->text, first_id->text_length)
                               : rlk_slot_prose("first_id", "?"),
                           rlk_slot_integer("value", count), visit->id));
    }
  }
}

static void visit_sidecar(rlk_judge_t* judge, const rlk_subject_t* sidecar, void* context) {
  visit_t* visit = context;
  check_agreement(judge, sidecar, visit);
  check_tables(judge, sidecar, visit);
  /* The neural road opens no sidecar, so nothing else judges the kernels of such a set. */
  if (rlk_is_descriptor(sidecar->manifest)) rlk_run_entry_gates(judge, RLK_ENTRY_DISPATCH_PURE, sidecar);
  rlk_run_entry_gates(judge, RLK_ENTRY_CONTRACT, sidecar);
}

void rlk_gate_contract_entries(rlk_judge_t* judge, const rlk_subject_t* subject) {
  visit_t visit = {0};
  const rlk_node_t* entry = rlk_next_entry(subject->root, NULL);
  for (; entry; entry = rlk_next_entry(subject->root, entry)) {
    const rlk_node_t* id = rlk_node_member(entry, "id");
    visit.entry = entry;
    visit.id =
        id && id->kind == RLK_STRING ? rlk_slot_text("id", id->text, id->text_length) : rlk_slot_prose("id", "?");
    rlk_with_entry_sidecar(judge, subject->root, entry, visit_sidecar, &visit);
  }
  for (size_t i = 0; i < visit.table_count; ++i) free(visit.tables[i].name);
  free(visit.tables);
}
