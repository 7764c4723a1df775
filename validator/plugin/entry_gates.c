/* What the manifest doors do entry by entry: sidecars, inline descriptors and the references between them. */
#include <string.h>

#include "validator/plugin/gates.h"
#include "validator/wire/reader.h"

static void report_unreadable(rlk_judge_t* judge, const rlk_node_t* entry, const rlk_node_t* path, rlk_rule_t rule,
                              const char* problem) {
  rlk_report(judge, rule, path,
             RLK_SLOTS(rlk_slot_bare(judge, "value", path), rlk_slot_integer("index", entry->index),
                       rlk_slot_text("problem", problem, strlen(problem))));
}

void rlk_with_entry_sidecar(rlk_judge_t* judge, const rlk_node_t* manifest, const rlk_node_t* entry,
                            rlk_entry_visit_fn visit, void* context) {
  if (judge->code || judge->out_of_bounds || (judge->refused && !judge->every_finding)) return;
  const rlk_node_t* path = rlk_entry_string(judge, entry, "sidecar");
  if (!path || !judge->source) return;
  const char *text, *shown_path;
  size_t length;
  rowlock_error_t problem;
  rowlock_code_t code =
      judge->source->read(judge->source->context, path->text, path->text_length, &text, &length, &shown_path, &problem);
  if (code == ROWLOCK_REJECTED || code == ROWLOCK_UNUSABLE) {
    report_unreadable(
        judge, entry, path,
        code == ROWLOCK_REJECTED ? RLK_RULE_MANIFEST_SIDECAR_ESCAPES : RLK_RULE_MANIFEST_SIDECAR_UNREADABLE,
        problem.message);
    return;
  }
  judge->entry_bytes += code ? 0 : length;
  if (judge->entry_bytes > judge->limits.size_bytes && length <= judge->limits.size_bytes &&
      judge->switched_off != RLK_RULE_MANIFEST_SIDECARS_TOO_LARGE) {
    rlk_report(judge, RLK_RULE_MANIFEST_SIDECARS_TOO_LARGE, path,
               RLK_SLOTS(rlk_slot_integer("index", entry->index),
                         rlk_slot_integer("limit", (int64_t)judge->limits.size_bytes)));
    judge->out_of_bounds = true; /* no further file is opened at this door */
    return;
  }
  rlk_document_t sidecar;
  const rlk_read_options_t options = {
      .path = shown_path, .limits = judge->limits, .door = judge->door, .switched_off = judge->switched_off};
  rlk_arena_reset(judge->entry_arena);
  if (!code) code = rlk_read(text, length, &options, judge->entry_arena, judge->findings, &sidecar);
  if (code == ROWLOCK_REJECTED) {
    judge->refused = true;
    return;
  }
  if (code) {
    judge->code = code;
    return;
  }
  const rlk_document_t* manifest_document = judge->document;
  const char* manifest_path = judge->path;
  const rlk_position_t manifest_position = judge->position;
  judge->document = &sidecar;
  judge->path = shown_path;
  judge->position = (rlk_position_t){0};
  const rlk_subject_t subject = {.root = sidecar.root, .manifest = manifest};
  if (sidecar.root->kind == RLK_OBJECT) {
    visit(judge, &subject, context);
  } else {
    rlk_report(judge, RLK_RULE_JSON_NOT_OBJECT, sidecar.root,
               RLK_SLOTS(rlk_slot_prose("kind", rlk_kind_phrase((rlk_kind_t)sidecar.root->kind))));
  }
  judge->document = manifest_document;
  judge->path = manifest_path;
  judge->position = manifest_position;
}

static void run_gates(rlk_judge_t* judge, const rlk_subject_t* sidecar, void* context) {
  rlk_run_entry_gates(judge, *(const rlk_entry_gates_t*)context, sidecar);
}

static bool is_enabled(const rlk_node_t* entry) {
  const rlk_node_t* enabled;
  return rlk_node_get(entry, "enabled", RLK_BOOLEAN, &enabled) != RLK_FOUND || enabled->boolean;
}

static void visit_entries(rlk_judge_t* judge, const rlk_node_t* manifest, rlk_entry_gates_t gates, bool only_enabled) {
  for (const rlk_node_t* entry = rlk_next_entry(manifest, NULL); entry; entry = rlk_next_entry(manifest, entry)) {
    if (only_enabled && !is_enabled(entry)) continue;
    rlk_entry_string(judge, entry, "artifact"); /* the registries have seen to it; the dispatching loader has not */
    rlk_with_entry_sidecar(judge, manifest, entry, run_gates, &gates);
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

static bool resolves(const rlk_node_t* manifest, const rlk_node_t* kernel) {
  for (const rlk_node_t* entry = rlk_next_entry(manifest, NULL); entry; entry = rlk_next_entry(manifest, entry)) {
    const rlk_node_t* id;
    if (is_enabled(entry) && rlk_node_get(entry, "id", RLK_STRING, &id) == RLK_FOUND &&
        rlk_text_equal(id->text, id->text_length, kernel->text, kernel->text_length)) {
      return true;
    }
  }
  return false;
}

static void resolve_block(rlk_judge_t* judge, const rlk_node_t* manifest, const rlk_node_t* block) {
  for (rlk_word_t leg = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_EXEC, RLK_WORD_NONE); leg != RLK_WORD_NONE;
       leg = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_EXEC, leg)) {
    const rlk_node_t* kernel;
    const rlk_node_t* reference = rlk_node_member(block, rlk_word_text(leg));
    if (rlk_node_get(reference, "kernel", RLK_STRING, &kernel) != RLK_FOUND || resolves(manifest, kernel)) continue;
    rlk_report(judge, RLK_RULE_MANIFEST_EXEC_DANGLING, kernel,
               RLK_SLOTS(rlk_slot_integer("index", block->index), rlk_slot_prose("leg", rlk_word_text(leg)),
                         rlk_slot_bare(judge, "value", kernel)));
  }
}

void rlk_gate_manifest_resolve_exec(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* blocks = inline_blocks(subject->root);
  for (const rlk_node_t* block = blocks ? blocks->first : NULL; block; block = block->next) {
    resolve_block(judge, subject->root, block);
  }
}
