/* Contract checks of a deployment: the manifest against itself, its sidecars and the presence of its artifacts. */
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

/* What keeps the id from being the name of a file, or NULL. */
static const char* id_problem(const rlk_node_t* id) {
  if (rlk_node_is_string(id, ".") || rlk_node_is_string(id, "..")) return "names a folder";
  for (uint32_t i = 0; i < id->text_length; ++i) {
    const unsigned char c = (unsigned char)id->text[i];
    if (c == '/') return "holds a '/'";
    if (c < 0x20 || c == 0x7F) return c == 0 ? "holds a NUL" : "holds a control character";
  }
  return NULL;
}

static void check_id(rlk_judge_t* judge, const rlk_node_t* entry) {
  const rlk_slot_t index = rlk_slot_integer("index", entry->index);
  const rlk_node_t* id = rlk_node_member(entry, "id");
  if (!id || id->kind != RLK_STRING) return; /* a door says so */
  if (id->text_length == 0) rlk_report(judge, RLK_RULE_MANIFEST_ID_EMPTY, id, RLK_SLOTS(index));
  const char* problem = id_problem(id);
  if (!problem) return;
  rlk_report(judge, RLK_RULE_MANIFEST_ID_NOT_COMPONENT, id,
             RLK_SLOTS(index, rlk_slot_value(judge, "value", id), rlk_slot_prose("problem", problem)));
}

/* The registries ask for these at their doors, and take no neural deployment. */
static void check_neural_entry(rlk_judge_t* judge, const rlk_node_t* entry) {
  static const struct {
    const char* key;
    bool any_kind; /* another check looks at the value */
  } keys[] = {{"artifact", false}, {"order", true}, {"sidecar", false}};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    const rlk_node_t* value = rlk_node_member(entry, keys[i].key);
    if (value && (keys[i].any_kind || value->kind == RLK_STRING)) continue;
    rlk_report(judge, RLK_RULE_MANIFEST_ENTRY_INCOMPLETE, value ? value : entry,
               RLK_SLOTS(rlk_slot_prose("key", keys[i].key), rlk_slot_integer("index", entry->index),
                         rlk_slot_value(judge, "value", value)));
  }
}

static void check_neural_blocks(rlk_judge_t* judge, const rlk_node_t* manifest) {
  const rlk_node_t* blocks = rlk_node_member(manifest, "blocks");
  if (blocks && (blocks->kind != RLK_ARRAY || blocks->count > 0)) return; /* another kind is refused at the door */
  rlk_report(judge, RLK_RULE_MANIFEST_BLOCKS_MISSING, blocks ? blocks : manifest, NULL, 0);
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
  const bool neural = rlk_is_descriptor(manifest);
  if (neural) check_neural_blocks(judge, manifest);
  for (const rlk_node_t* entry = rlk_next_entry(manifest, NULL); entry; entry = rlk_next_entry(manifest, entry)) {
    const rlk_slot_t index = rlk_slot_integer("index", entry->index);
    check_id(judge, entry);
    if (neural) check_neural_entry(judge, entry);
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
    rlk_arena_reset(judge->entry_arena); /* the names of one block at a time */
    rlk_run_entry_gates(judge, RLK_ENTRY_CONTRACT, &(rlk_subject_t){.root = block, .manifest = subject->root});
  }
}

/* --- Entries against their sidecars ------------------------------------------------------------------------------- */

/* A table that a sidecar of the set declared; strings are copies, since one sidecar is in memory at a time. */
typedef struct table_t {
  const char* name;
  uint32_t name_length;
  int64_t count;
  const struct entry_t* entry;
} table_t;

/* An entry, and the next one that names the same sidecar. */
typedef struct entry_t {
  const rlk_node_t *node, *id; /* looked up once: an entry may have many keys */
  struct entry_t* next_of_file;
  bool first_of_file;
} entry_t;

typedef struct visit_t {
  entry_t* entries;
  uint32_t entry_count;
  const entry_t* entry; /* the first of those whose sidecar is open */
  table_t* tables;      /* sorted by length and name */
  uint32_t table_count;
  rowlock_findings_t* refusals; /* what a door would say of the sidecar */
} visit_t;

static rlk_slot_t id_slot(const char* name, const entry_t* entry) {
  const rlk_node_t* id = entry->id;
  return id && id->kind == RLK_STRING ? rlk_slot_text(name, id->text, id->text_length) : rlk_slot_prose(name, "?");
}

static void check_agreement(rlk_judge_t* judge, const rlk_subject_t* sidecar, const entry_t* entry) {
  const rlk_slot_t id = id_slot("id", entry);
  const rlk_node_t* format = rlk_node_member(sidecar->root, "format");
  const rlk_word_t own_format = rlk_node_word(format, RLK_VOCABULARY_ARTIFACT_FORMAT);
  const rlk_word_t entry_format = rlk_member_word(entry->node, "format", RLK_VOCABULARY_ARTIFACT_FORMAT);
  if (own_format != RLK_WORD_NONE && entry_format != RLK_WORD_NONE && own_format != entry_format) {
    rlk_report(judge, RLK_RULE_MANIFEST_FORMAT_DISAGREES, format,
               RLK_SLOTS(id, rlk_slot_prose("value", rlk_word_text(entry_format)),
                         rlk_slot_prose("sidecar", rlk_word_text(own_format))));
  }
  const rlk_node_t* pattern = rlk_node_member(sidecar->root, "pattern");
  const rlk_word_t own_pattern = rlk_node_word(pattern, RLK_VOCABULARY_PATTERN);
  const rlk_word_t set_pattern = sidecar->set_pattern;
  /* The kernels of a neural deployment are ordinary pure plugins. */
  const rlk_word_t due = set_pattern == RLK_WORD_NEURAL_BLOCK ? RLK_WORD_PURE : set_pattern;
  if (own_pattern != RLK_WORD_NONE && due != RLK_WORD_NONE && own_pattern != due) {
    rlk_report(
        judge, RLK_RULE_MANIFEST_PATTERN_DISAGREES, pattern,
        RLK_SLOTS(id, rlk_slot_value(judge, "value", pattern), rlk_slot_prose("expected", rlk_word_text(set_pattern))));
  }
  const rlk_node_t* tag = rlk_node_member(sidecar->root, "aether_abi");
  const rlk_word_t own_tag = rlk_node_word(tag, RLK_VOCABULARY_AETHER_ABI);
  const rlk_word_t set_tag = sidecar->set_tag;
  if (own_tag != RLK_WORD_NONE && set_tag != RLK_WORD_NONE && own_tag != set_tag) {
    rlk_report(judge, RLK_RULE_MANIFEST_ABI_DISAGREES, tag,
               RLK_SLOTS(id, rlk_slot_value(judge, "value", tag), rlk_slot_prose("expected", rlk_word_text(set_tag))));
  }
}

/* Where the table of that name is, or is due. */
static uint32_t table_place(const visit_t* visit, const rlk_node_t* name, bool* out_known) {
  uint32_t low = 0, high = visit->table_count;
  *out_known = false;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const table_t* table = &visit->tables[middle];
    const int order = table->name_length != name->text_length ? (table->name_length < name->text_length ? -1 : 1)
                                                              : memcmp(table->name, name->text, name->text_length);
    if (order == 0) *out_known = true;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void remember_table(rlk_judge_t* judge, visit_t* visit, uint32_t place, const rlk_node_t* name, int64_t count) {
  if (visit->table_count == judge->limits.entries) return; /* beyond the bound tables are no longer compared */
  char* copy = rlk_arena_alloc(judge->set_arena, name->text_length + 1);
  if (!copy) {
    judge->code = ROWLOCK_NO_MEMORY;
    return;
  }
  memcpy(copy, name->text, name->text_length);
  memmove(visit->tables + place + 1, visit->tables + place, (visit->table_count - place) * sizeof *visit->tables);
  visit->tables[place] =
      (table_t){.name = copy, .name_length = name->text_length, .count = count, .entry = visit->entry};
  ++visit->table_count;
}

static void check_tables(rlk_judge_t* judge, const rlk_subject_t* sidecar, visit_t* visit) {
  if (!rlk_is_comparable(judge, sidecar->root, "buffers")) return;
  const rlk_node_t *name, *buffer = NULL;
  while (!judge->code && (buffer = rlk_next_named(sidecar->root, "buffers", buffer, &name)) != NULL) {
    const int64_t count = rlk_buffer_count(buffer);
    if (count < 0) continue;
    bool known;
    const uint32_t place = table_place(visit, name, &known);
    const table_t* table = &visit->tables[place];
    if (!known) {
      remember_table(judge, visit, place, name, count);
    } else if (table->count != count) {
      rlk_report(
          judge, RLK_RULE_MANIFEST_TABLE_COUNTS, name,
          RLK_SLOTS(rlk_slot_bare(judge, "name", name), rlk_slot_integer("first", table->count),
                    id_slot("first_id", table->entry), rlk_slot_integer("value", count), id_slot("id", visit->entry)));
    }
  }
}

/* A rule of the gates comes from a door, and no door opens the sidecars of a neural deployment: its kernels are pure
 * plugins that nothing else judges, so the contract says that the loader of pure plugins would refuse one, and why. */
static void tell_refusal(rlk_judge_t* judge, rlk_word_t set_pattern, const visit_t* visit) {
  if (rowlock_findings_count(visit->refusals) > 0 && set_pattern == RLK_WORD_NEURAL_BLOCK) {
    const rowlock_finding_t* first = rowlock_findings_at(visit->refusals, 0);
    const rlk_place_t place = {.path = first->path,
                               .json_pointer = first->json_pointer,
                               .byte_offset = first->byte_offset,
                               .line = first->line,
                               .column = first->column};
    rlk_report_at(judge, RLK_RULE_MANIFEST_KERNEL_REFUSED, &place,
                  RLK_SLOTS(id_slot("id", visit->entry), rlk_slot_prose("rule", first->rule_id),
                            rlk_slot_prose("problem", first->message)));
  }
  rowlock_findings_clear(visit->refusals);
}

/* What the judge reports between these two is a door's affair and goes to the refusals. */
typedef struct aside_t {
  rowlock_findings_t* findings;
  int door;
  bool refused, every_finding;
} aside_t;

static aside_t step_aside(rlk_judge_t* judge, rowlock_findings_t* refusals) {
  const aside_t kept = {judge->findings, judge->door, judge->refused, judge->every_finding};
  judge->findings = refusals;
  judge->door = RLK_DOOR_PY_LOAD_MANIFEST;
  judge->refused = judge->every_finding = false;
  return kept;
}

static void step_back(rlk_judge_t* judge, const aside_t* kept) {
  judge->findings = kept->findings;
  judge->door = kept->door;
  judge->refused = kept->refused;
  judge->every_finding = kept->every_finding;
}

typedef struct opened_t {
  visit_t* visit;
  aside_t kept;
} opened_t;

static void visit_sidecar(rlk_judge_t* judge, const rlk_subject_t* sidecar, void* context) {
  const opened_t* opened = context;
  visit_t* visit = opened->visit;
  if (sidecar->set_pattern == RLK_WORD_NEURAL_BLOCK) rlk_run_entry_gates(judge, RLK_ENTRY_DISPATCH_PURE, sidecar);
  step_back(judge, &opened->kept);
  tell_refusal(judge, sidecar->set_pattern, visit);
  const entry_t* entry = visit->entry;
  do {
    check_agreement(judge, sidecar, entry);
    entry = entry->next_of_file;
  } while (entry);
  check_tables(judge, sidecar, visit);
  rlk_run_entry_gates(judge, RLK_ENTRY_CONTRACT, sidecar);
}

/* Which entries name the same file; those whose sidecar cannot be found stay alone. */
static bool group_by_file(rlk_judge_t* judge, const rlk_node_t* manifest, visit_t* visit) {
  rlk_files_t files;
  if (!rlk_files_init(&files, judge, manifest)) return false;
  entry_t** last = rlk_arena_alloc(judge->set_arena, (files.capacity + 1) * sizeof *last);
  if (!last) return false;
  for (const rlk_node_t* node = rlk_next_entry(manifest, NULL); node; node = rlk_next_entry(manifest, node)) {
    entry_t* entry = &visit->entries[visit->entry_count++];
    *entry = (entry_t){.node = node, .id = rlk_node_member(node, "id"), .first_of_file = true};
    const rlk_node_t* path;
    rlk_file_id_t id;
    rowlock_error_t problem;
    if (rlk_node_get(node, "sidecar", RLK_STRING, &path) != RLK_FOUND || !judge->source || !judge->source->find ||
        judge->source->find(judge->source->context, path->text, path->text_length, &id, &problem) != ROWLOCK_OK) {
      continue;
    }
    bool known;
    const size_t slot = rlk_files_slot(&files, &id, &known);
    if (known) last[slot]->next_of_file = entry;
    entry->first_of_file = !known;
    last[slot] = entry;
  }
  return true;
}

static bool begin_visit(rlk_judge_t* judge, const rlk_node_t* manifest, visit_t* visit) {
  const rlk_node_t* plugins;
  const bool any = rlk_node_get(manifest, "plugins", RLK_ARRAY, &plugins) == RLK_FOUND;
  *visit = (visit_t){.refusals = rowlock_findings_create(),
                     .entries = rlk_arena_alloc(judge->set_arena, (any ? plugins->count : 0) * sizeof *visit->entries),
                     .tables = rlk_arena_alloc(judge->set_arena, (judge->limits.entries + 1) * sizeof *visit->tables)};
  return visit->refusals && visit->entries && visit->tables && group_by_file(judge, manifest, visit);
}

void rlk_gate_contract_entries(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* manifest = subject->root;
  visit_t visit;
  rlk_files_t files;
  if (!begin_visit(judge, manifest, &visit) || !rlk_files_init(&files, judge, manifest)) {
    judge->code = ROWLOCK_NO_MEMORY;
  }
  for (uint32_t i = 0; i < visit.entry_count && !judge->code; ++i) {
    visit.entry = &visit.entries[i];
    const rlk_node_t* path;
    if (!visit.entry->first_of_file || rlk_node_get(visit.entry->node, "sidecar", RLK_STRING, &path) != RLK_FOUND) {
      continue; /* it was opened for an earlier entry, or there is nothing to open */
    }
    const bool decided = judge->refused && !judge->every_finding;
    opened_t opened = {.visit = &visit, .kept = step_aside(judge, visit.refusals)};
    if (!decided) rlk_with_entry_sidecar(judge, &files, manifest, visit.entry->node, visit_sidecar, &opened);
    if (judge->findings == visit.refusals) {
      step_back(judge, &opened.kept);
      tell_refusal(judge, files.set_pattern, &visit);
    }
  }
  rowlock_findings_destroy(visit.refusals);
}
