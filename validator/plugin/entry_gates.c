/* What the manifest doors do entry by entry: sidecars, inline descriptors and the references between them. */
#include <string.h>

#include "validator/plugin/gates.h"
#include "validator/plugin/name_index.h"
#include "validator/wire/reader.h"

static void report_unreadable(rlk_judge_t* judge, const rlk_node_t* entry, const rlk_node_t* path, rowlock_code_t code,
                              const rowlock_error_t* problem) {
  if (code != ROWLOCK_REJECTED && code != ROWLOCK_UNUSABLE) {
    judge->code = code;
    return;
  }
  rlk_report(judge, code == ROWLOCK_REJECTED ? RLK_RULE_MANIFEST_SIDECAR_ESCAPES : RLK_RULE_MANIFEST_SIDECAR_UNREADABLE,
             path,
             RLK_SLOTS(rlk_slot_bare(judge, "value", path), rlk_slot_integer("index", entry->index),
                       rlk_slot_text("problem", problem->message, strlen(problem->message))));
}

/* --- Files -------------------------------------------------------------------------------------------------------- */

struct rlk_file_slot_t {
  rlk_file_id_t id;
  bool taken;
};

bool rlk_files_init(rlk_files_t* files, rlk_judge_t* judge, const rlk_node_t* manifest) {
  const rlk_node_t* plugins;
  size_t capacity = 16;
  if (rlk_node_get(manifest, "plugins", RLK_ARRAY, &plugins) == RLK_FOUND) {
    while (capacity < 2 * (size_t)plugins->count) capacity *= 2;
  }
  *files = (rlk_files_t){.capacity = judge->source ? capacity : 0,
                         .set_pattern = rlk_member_word(manifest, "pattern", RLK_VOCABULARY_PATTERN),
                         .set_tag = rlk_member_word(manifest, "aether_abi", RLK_VOCABULARY_AETHER_ABI)};
  if (!judge->source) return true; /* no entry is opened */
  files->slots = rlk_arena_alloc(judge->set_arena, capacity * sizeof *files->slots);
  if (!files->slots) {
    judge->code = ROWLOCK_NO_MEMORY;
    return false;
  }
  memset(files->slots, 0, capacity * sizeof *files->slots);
  return true;
}

size_t rlk_files_slot(const rlk_files_t* files, const rlk_file_id_t* id, bool* out_known) {
  size_t at = (size_t)((id->file ^ id->device << 32) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (files->capacity - 1);
  rlk_file_slot_t* slot = &files->slots[at];
  while (slot->taken && (slot->id.file != id->file || slot->id.device != id->device)) {
    at = (at + 1) & (files->capacity - 1);
    slot = &files->slots[at];
  }
  *out_known = slot->taken;
  *slot = (rlk_file_slot_t){.id = *id, .taken = true};
  return at;
}

/* --- Sidecars ----------------------------------------------------------------------------------------------------- */

/* Whether the entry's sidecar can be read, and was not by an earlier entry's. */
static bool is_new_file(rlk_judge_t* judge, const rlk_files_t* files, const rlk_node_t* entry, const rlk_node_t* path) {
  if (!judge->source->find) return true;
  rlk_file_id_t id;
  rowlock_error_t problem;
  const rowlock_code_t code = judge->source->find(judge->source->context, path->text, path->text_length, &id, &problem);
  bool known = true;
  if (code) {
    report_unreadable(judge, entry, path, code, &problem);
  } else {
    rlk_files_slot(files, &id, &known);
  }
  return !known;
}

/* Whether the file still fits into what is read at one door. */
static bool take_from_budget(rlk_judge_t* judge, const rlk_node_t* entry, const rlk_node_t* path, size_t length) {
  judge->entry_bytes += length;
  if (judge->entry_bytes <= judge->limits.size_bytes || length > judge->limits.size_bytes ||
      judge->switched_off == RLK_RULE_MANIFEST_SIDECARS_TOO_LARGE) {
    return true; /* a file that is too large by itself is the reader's business */
  }
  rlk_report(
      judge, RLK_RULE_MANIFEST_SIDECARS_TOO_LARGE, path,
      RLK_SLOTS(rlk_slot_integer("index", entry->index), rlk_slot_integer("limit", (int64_t)judge->limits.size_bytes)));
  judge->out_of_bounds = true; /* no further file is opened at this door */
  return false;
}

static void visit_document(rlk_judge_t* judge, const rlk_document_t* sidecar, const char* path,
                           const rlk_node_t* manifest, const rlk_files_t* files, rlk_entry_visit_fn visit,
                           void* context) {
  const rlk_document_t* manifest_document = judge->document;
  const char* manifest_path = judge->path;
  const rlk_position_t manifest_position = judge->position;
  rlk_judge_turn_to(judge, sidecar, path);
  if (sidecar->root->kind == RLK_OBJECT) {
    const rlk_subject_t subject = {
        .root = sidecar->root, .manifest = manifest, .set_pattern = files->set_pattern, .set_tag = files->set_tag};
    visit(judge, &subject, context);
  } else {
    rlk_report(judge, RLK_RULE_JSON_NOT_OBJECT, sidecar->root,
               RLK_SLOTS(rlk_slot_prose("kind", rlk_kind_phrase((rlk_kind_t)sidecar->root->kind))));
  }
  rlk_judge_turn_to(judge, manifest_document, manifest_path);
  judge->position = manifest_position;
}

void rlk_with_entry_sidecar(rlk_judge_t* judge, const rlk_files_t* files, const rlk_node_t* manifest,
                            const rlk_node_t* entry, rlk_entry_visit_fn visit, void* context) {
  if (judge->code || judge->out_of_bounds || (judge->refused && !judge->every_finding)) return;
  const rlk_node_t* path = rlk_entry_string(judge, entry, "sidecar");
  if (!path || !files->slots || !is_new_file(judge, files, entry, path)) return;
  const char *text, *shown_path;
  size_t length;
  rowlock_error_t problem;
  rowlock_code_t code =
      judge->source->read(judge->source->context, path->text, path->text_length, &text, &length, &shown_path, &problem);
  if (code) {
    report_unreadable(judge, entry, path, code, &problem);
    return;
  }
  if (!take_from_budget(judge, entry, path, length)) return;
  rlk_document_t sidecar;
  const rlk_read_options_t options = {
      .path = shown_path, .limits = judge->limits, .door = judge->door, .switched_off = judge->switched_off};
  rlk_arena_reset(judge->entry_arena);
  code = rlk_read(text, length, &options, judge->entry_arena, judge->findings, &sidecar);
  if (code == ROWLOCK_REJECTED) {
    judge->refused = true;
  } else if (code) {
    judge->code = code;
  } else {
    visit_document(judge, &sidecar, shown_path, manifest, files, visit, context);
  }
}

static void run_gates(rlk_judge_t* judge, const rlk_subject_t* sidecar, void* context) {
  rlk_run_entry_gates(judge, *(const rlk_entry_gates_t*)context, sidecar);
}

/* An entry that does not say is enabled. */
static bool is_enabled(rlk_judge_t* judge, const rlk_node_t* entry) {
  const rlk_node_t* enabled = rlk_expect(judge, entry, "enabled",
                                         &(rlk_expectation_t){.kind = RLK_BOOLEAN,
                                                              .absent = RLK_RULE_NONE,
                                                              .mistyped = RLK_RULE_MANIFEST_ENTRY_ENABLED_NOT_BOOLEAN,
                                                              .index = entry->index});
  return !enabled || enabled->boolean;
}

static void visit_entries(rlk_judge_t* judge, const rlk_node_t* manifest, rlk_entry_gates_t gates, bool only_enabled) {
  rlk_files_t files;
  if (!rlk_files_init(&files, judge, manifest)) return;
  for (const rlk_node_t* entry = rlk_next_entry(manifest, NULL); entry; entry = rlk_next_entry(manifest, entry)) {
    if (only_enabled && !is_enabled(judge, entry)) continue;
    rlk_entry_string(judge, entry, "artifact"); /* the registries have seen to it; the dispatching loader has not */
    rlk_with_entry_sidecar(judge, &files, manifest, entry, run_gates, &gates);
  }
}

void rlk_gate_host_entries(rlk_judge_t* judge, const rlk_subject_t* subject) {
  visit_entries(judge, subject->root, RLK_ENTRY_HOST, false);
}

void rlk_gate_device_entries(rlk_judge_t* judge, const rlk_subject_t* subject) {
  visit_entries(judge, subject->root, RLK_ENTRY_DEVICE, false);
}

/* A disabled entry's sidecar is not read here, and a neural deployment's road ends at its references. */
void rlk_gate_dispatch_entries(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_word_t pattern = rlk_member_word(subject->root, "pattern", RLK_VOCABULARY_LAUNCHABLE_PATTERN);
  if (pattern == RLK_WORD_NONE) return;
  visit_entries(judge, subject->root, pattern == RLK_WORD_VECTOR ? RLK_ENTRY_DISPATCH_VECTOR : RLK_ENTRY_DISPATCH_PURE,
                true);
}

/* --- The neural road ---------------------------------------------------------------------------------------------- */

static const rlk_node_t* inline_blocks(const rlk_node_t* manifest) {
  const rlk_node_t* blocks;
  const bool found = rlk_is_descriptor(manifest) && rlk_node_get(manifest, "blocks", RLK_ARRAY, &blocks) == RLK_FOUND;
  return found ? blocks : NULL;
}

void rlk_gate_manifest_blocks(rlk_judge_t* judge, const rlk_subject_t* subject) {
  if (!rlk_is_descriptor(subject->root)) return;
  const rlk_node_t* blocks =
      rlk_bounded_list(judge, subject->root, "blocks", RLK_RULE_NONE, RLK_RULE_MANIFEST_BLOCKS_NOT_ARRAY);
  const rlk_door_t* validator = rlk_door_info(RLK_DOOR_SHARED_VALIDATOR);
  for (const rlk_node_t* block = blocks ? blocks->first : NULL; block; block = block->next) {
    if (block->kind == RLK_OBJECT) {
      rlk_run_gates(judge, validator->gates, validator->gate_count,
                    &(rlk_subject_t){.root = block, .manifest = subject->root});
    } else {
      rlk_report(judge, RLK_RULE_MANIFEST_BLOCK_NOT_OBJECT, block,
                 RLK_SLOTS(rlk_slot_integer("index", block->index), rlk_slot_value(judge, "value", block)));
    }
  }
}

/* What the dispatching loader would find under an id: the enabled entries. */
static bool index_enabled(rlk_judge_t* judge, const rlk_node_t* manifest, rlk_name_index_t* out_ids) {
  const rlk_node_t* plugins;
  const bool any = rlk_node_get(manifest, "plugins", RLK_ARRAY, &plugins) == RLK_FOUND;
  if (!rlk_name_index_init(out_ids, judge, any ? plugins->count : 0)) return false;
  for (const rlk_node_t* entry = rlk_next_entry(manifest, NULL); entry; entry = rlk_next_entry(manifest, entry)) {
    const rlk_node_t* id;
    if (is_enabled(judge, entry) && rlk_node_get(entry, "id", RLK_STRING, &id) == RLK_FOUND) {
      rlk_name_index_put(out_ids, id, entry);
    }
  }
  rlk_name_index_sort(out_ids);
  return true;
}

static void resolve_block(rlk_judge_t* judge, const rlk_name_index_t* ids, const rlk_node_t* block) {
  for (rlk_word_t leg = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_EXEC, RLK_WORD_NONE); leg != RLK_WORD_NONE;
       leg = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_EXEC, leg)) {
    const rlk_node_t* kernel;
    const rlk_node_t* reference = rlk_node_member(block, rlk_word_text(leg));
    if (rlk_node_get(reference, "kernel", RLK_STRING, &kernel) != RLK_FOUND) continue;
    if (rlk_name_index_find(ids, kernel->text, kernel->text_length)) continue;
    rlk_report(judge, RLK_RULE_MANIFEST_EXEC_DANGLING, kernel,
               RLK_SLOTS(rlk_slot_integer("index", block->index), rlk_slot_prose("leg", rlk_word_text(leg)),
                         rlk_slot_bare(judge, "value", kernel)));
  }
}

void rlk_gate_manifest_resolve_exec(rlk_judge_t* judge, const rlk_subject_t* subject) {
  if (!rlk_is_descriptor(subject->root)) return;
  rlk_name_index_t ids;
  if (!index_enabled(judge, subject->root, &ids)) return;
  const rlk_node_t* blocks = inline_blocks(subject->root);
  for (const rlk_node_t* block = blocks ? blocks->first : NULL; block; block = block->next) {
    resolve_block(judge, &ids, block);
  }
}
