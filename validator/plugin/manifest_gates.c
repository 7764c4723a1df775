/* Gates on the manifest itself (plugin facts, section 4). What is done entry by entry with sidecars is in
 * entry_gates.c. Names with `dispatch` belong to the dispatching loader's door, the others to the registries'. */
#include <string.h>

#include "validator/plugin/gates.h"
#include "validator/plugin/name_index.h"
#include "validator/rules/text.h"

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static void check_entry_keys(rlk_judge_t* judge, const rlk_node_t* entry) {
  static const struct {
    const char* key;
    rlk_kind_t kind;
    rlk_rule_t mistyped;
  } keys[] = {
      {"id", RLK_STRING, RLK_RULE_MANIFEST_ENTRY_KEY_NOT_STRING},
      {"order", RLK_NUMBER, RLK_RULE_MANIFEST_ENTRY_ORDER_NOT_INTEGER},
      {"enabled", RLK_BOOLEAN, RLK_RULE_MANIFEST_ENTRY_ENABLED_NOT_BOOLEAN},
      {"artifact", RLK_STRING, RLK_RULE_MANIFEST_ENTRY_KEY_NOT_STRING},
      {"sidecar", RLK_STRING, RLK_RULE_MANIFEST_ENTRY_KEY_NOT_STRING},
      {"format", RLK_STRING, RLK_RULE_MANIFEST_ENTRY_KEY_NOT_STRING},
  };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    const rlk_node_t* member = rlk_expect(judge, entry, keys[i].key,
                                          &(rlk_expectation_t){.kind = keys[i].kind,
                                                               .absent = RLK_RULE_MANIFEST_ENTRY_KEY_MISSING,
                                                               .mistyped = keys[i].mistyped,
                                                               .index = entry->index});
    if (member && keys[i].kind == RLK_NUMBER && member->number == RLK_NUMBER_OTHER) {
      rlk_report(judge, keys[i].mistyped, member,
                 RLK_SLOTS(rlk_slot_integer("index", entry->index), rlk_slot_value(judge, "value", member)));
    }
  }
}

const rlk_node_t* rlk_bounded_list(rlk_judge_t* judge, const rlk_node_t* manifest, const char* key, rlk_rule_t absent,
                                   rlk_rule_t mistyped) {
  const rlk_node_t* list =
      rlk_expect(judge, manifest, key, &(rlk_expectation_t){.kind = RLK_ARRAY, .absent = absent, .mistyped = mistyped});
  if (list && list->count > judge->limits.entries) {
    rlk_report(judge, RLK_RULE_MANIFEST_LIST_TOO_LONG, list,
               RLK_SLOTS(rlk_slot_prose("key", key), rlk_slot_integer("count", list->count),
                         rlk_slot_integer("limit", judge->limits.entries)));
    if (judge->switched_off == RLK_RULE_MANIFEST_LIST_TOO_LONG) return list;
    judge->out_of_bounds = true;
    return NULL;
  }
  return list;
}

static const rlk_node_t* plugins_array(rlk_judge_t* judge, const rlk_node_t* manifest, rlk_rule_t absent) {
  return rlk_bounded_list(judge, manifest, "plugins", absent, RLK_RULE_MANIFEST_PLUGINS_NOT_ARRAY);
}

static bool check_entry_object(rlk_judge_t* judge, const rlk_node_t* entry) {
  if (entry->kind == RLK_OBJECT) return true;
  rlk_report(judge, RLK_RULE_MANIFEST_ENTRY_NOT_OBJECT, entry,
             RLK_SLOTS(rlk_slot_integer("index", entry->index), rlk_slot_value(judge, "value", entry)));
  return false;
}

void rlk_gate_manifest_reading(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* plugins = plugins_array(judge, subject->root, RLK_RULE_MANIFEST_PLUGINS_MISSING);
  if (!plugins) return;
  if (plugins->count == 0) rlk_report(judge, RLK_RULE_MANIFEST_PLUGINS_EMPTY, plugins, NULL, 0);
  for (const rlk_node_t* entry = plugins->first; entry; entry = entry->next) {
    if (check_entry_object(judge, entry)) check_entry_keys(judge, entry);
  }
}

const rlk_node_t* rlk_next_entry(const rlk_node_t* manifest, const rlk_node_t* entry) {
  const rlk_node_t* plugins;
  if (entry) {
    entry = entry->next;
  } else if (rlk_node_get(manifest, "plugins", RLK_ARRAY, &plugins) == RLK_FOUND) {
    entry = plugins->first;
  }
  while (entry && entry->kind != RLK_OBJECT) entry = entry->next;
  return entry;
}

/* --- Schema version and execution axis ---------------------------------------------------------------------------- */

typedef enum reader_t { REGISTRY, DISPATCHER } reader_t;

/* The member that states the version: `schema_version`, or the legacy key in its absence. A registry takes 0 for absent
 * (plugin facts, section 7). NULL: nothing states it, so it is 1. */
static const rlk_node_t* version_member(const rlk_node_t* manifest, reader_t reader, const char** out_key) {
  static const char* const keys[] = {"schema_version", "version"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    const rlk_node_t* member = rlk_node_member(manifest, keys[i]);
    if (!member || (reader == REGISTRY && rlk_node_is_integer(member) && member->integer == 0)) continue;
    *out_key = keys[i];
    return member;
  }
  return NULL;
}

static void check_version(rlk_judge_t* judge, const rlk_node_t* manifest, reader_t reader) {
  const char* key;
  const rlk_node_t* version = version_member(manifest, reader, &key);
  if (!version) return;
  const rlk_version_t state = rlk_version_of(version);
  if (state == RLK_VERSION_NOT_INTEGER) {
    rlk_report(judge, RLK_RULE_MANIFEST_SCHEMA_VERSION_NOT_INTEGER, version,
               RLK_SLOTS(rlk_slot_prose("key", key), rlk_slot_value(judge, "value", version)));
  } else if (state == RLK_VERSION_TOO_NEW) {
    rlk_report(judge, RLK_RULE_MANIFEST_SCHEMA_VERSION_TOO_NEW, version,
               RLK_SLOTS(rlk_slot_bare(judge, "value", version), rlk_slot_prose("key", key),
                         rlk_slot_integer("ceiling", RLK_SCHEMA_VERSION_CEILING)));
  }
}

void rlk_gate_manifest_schema_version(rlk_judge_t* judge, const rlk_subject_t* subject) {
  check_version(judge, subject->root, REGISTRY);
}

void rlk_gate_manifest_dispatch_schema_version(rlk_judge_t* judge, const rlk_subject_t* subject) {
  check_version(judge, subject->root, DISPATCHER);
}

/* The execution keys that are there, or that are not, as "a, b"; `op` says whether exec_op is asked for too. */
static void list_exec_keys(const rlk_node_t* manifest, bool present, bool op, rlk_text_t* out) {
  static const char* const keys[] = {"exec_targets", "exec_access", "exec_op"};
  for (size_t i = 0; i < (op ? 3 : 2); ++i) {
    if ((rlk_node_member(manifest, keys[i]) != NULL) == present) {
      rlk_text_printf(out, "%s%s", out->length > 0 ? ", " : "", keys[i]);
    }
  }
}

static void check_exec_key_presence(rlk_judge_t* judge, const rlk_node_t* manifest, bool is_v2) {
  char names[64];
  rlk_text_t keys = rlk_text_over(names, sizeof names);
  list_exec_keys(manifest, !is_v2, !is_v2, &keys);
  if (keys.length > 0) {
    rlk_report(judge, is_v2 ? RLK_RULE_MANIFEST_EXEC_KEYS_MISSING : RLK_RULE_MANIFEST_EXEC_KEYS_FORBIDDEN, manifest,
               RLK_SLOTS(rlk_slot_prose("keys", names)));
  }
}

/* Only a known tag can disagree with the version; an unknown one is the tag gate's business. */
static void check_tag_agrees(rlk_judge_t* judge, const rlk_node_t* manifest, const rlk_node_t* version) {
  const rlk_word_t tag = rlk_member_word(manifest, "aether_abi", RLK_VOCABULARY_AETHER_ABI);
  if (tag == RLK_WORD_NONE) return;
  const int64_t number = !version ? 1 : version->number == RLK_NUMBER_INTEGER ? version->integer : 0;
  const rlk_word_t expected = number == 1 ? RLK_WORD_ABI_1 : number == 2 ? RLK_WORD_ABI_2 : RLK_WORD_NONE;
  if (tag == expected) return;
  rlk_report(judge, RLK_RULE_MANIFEST_ABI_VERSION_DISAGREE, rlk_node_member(manifest, "aether_abi"),
             RLK_SLOTS(version ? rlk_slot_bare(judge, "version", version) : rlk_slot_integer("version", 1),
                       rlk_slot_prose("expected",
                                      expected == RLK_WORD_NONE ? "of a published version" : rlk_word_text(expected)),
                       rlk_slot_prose("value", rlk_word_text(tag))));
}

static void check_exec_targets(rlk_judge_t* judge, const rlk_node_t* manifest) {
  const rlk_node_t* targets = rlk_node_member(manifest, "exec_targets");
  const rlk_slot_t known = rlk_slot_words("known", RLK_VOCABULARY_EXEC_TARGET);
  if (!targets) return;
  if (targets->kind != RLK_ARRAY || targets->count == 0) {
    rlk_report(judge, RLK_RULE_MANIFEST_EXEC_TARGETS_MALFORMED, targets,
               RLK_SLOTS(known, rlk_slot_value(judge, "value", targets)));
    return;
  }
  bool seen[RLK_WORD_COUNT] = {false};
  for (const rlk_node_t* target = targets->first; target; target = target->next) {
    const rlk_word_t word = rlk_node_word(target, RLK_VOCABULARY_EXEC_TARGET);
    if (word == RLK_WORD_NONE) {
      rlk_report(judge, RLK_RULE_MANIFEST_EXEC_TARGET_UNKNOWN, target,
                 RLK_SLOTS(known, rlk_slot_value(judge, "value", target)));
    } else if (seen[word]) {
      rlk_report(judge, RLK_RULE_MANIFEST_EXEC_TARGET_DUPLICATE, target,
                 RLK_SLOTS(rlk_slot_prose("value", rlk_word_text(word))));
    } else {
      seen[word] = true;
    }
  }
}

static void check_exec_access_and_op(rlk_judge_t* judge, const rlk_node_t* manifest) {
  const rlk_node_t* access = rlk_node_member(manifest, "exec_access");
  const rlk_node_t* op = rlk_node_member(manifest, "exec_op");
  const rlk_word_t access_word = rlk_node_word(access, RLK_VOCABULARY_ACCESS_CLASS);
  if (access && access_word == RLK_WORD_NONE) {
    rlk_report(judge, RLK_RULE_MANIFEST_EXEC_ACCESS, access,
               RLK_SLOTS(rlk_slot_value(judge, "value", access), rlk_slot_words("known", RLK_VOCABULARY_ACCESS_CLASS)));
  }
  if (access_word == RLK_WORD_NONE) return;
  const rlk_slot_t known = rlk_slot_words("known", RLK_VOCABULARY_REDUCTION_OP);
  if (access_word != RLK_WORD_MAPREDUCE) {
    if (op) { /* null is a value: the key is present (plugin facts, section 7) */
      rlk_report(judge, RLK_RULE_MANIFEST_EXEC_OP_FORBIDDEN, op,
                 RLK_SLOTS(rlk_slot_prose("access", rlk_word_text(access_word))));
    }
  } else if (!op) {
    rlk_report(judge, RLK_RULE_MANIFEST_EXEC_OP_MISSING, access, RLK_SLOTS(known));
  } else if (rlk_node_word(op, RLK_VOCABULARY_REDUCTION_OP) == RLK_WORD_NONE) {
    rlk_report(judge, RLK_RULE_MANIFEST_EXEC_OP_UNKNOWN, op, RLK_SLOTS(rlk_slot_value(judge, "value", op), known));
  }
}

static void check_axis(rlk_judge_t* judge, const rlk_node_t* manifest, reader_t reader) {
  const char* key;
  const rlk_node_t* version = version_member(manifest, reader, &key);
  if (version && rlk_version_of(version) != RLK_VERSION_READ) return; /* refused already */
  const bool is_v2 = version && version->number == RLK_NUMBER_INTEGER && version->integer == 2;
  check_exec_key_presence(judge, manifest, is_v2);
  check_tag_agrees(judge, manifest, version);
  if (!is_v2) return;
  check_exec_targets(judge, manifest);
  check_exec_access_and_op(judge, manifest);
}

void rlk_gate_manifest_execution_axis(rlk_judge_t* judge, const rlk_subject_t* subject) {
  check_axis(judge, subject->root, REGISTRY);
}

void rlk_gate_manifest_dispatch_execution_axis(rlk_judge_t* judge, const rlk_subject_t* subject) {
  check_axis(judge, subject->root, DISPATCHER);
}

/* --- Pattern ------------------------------------------------------------------------------------------------------ */

static const rlk_node_t* pattern_string(rlk_judge_t* judge, const rlk_node_t* manifest, rlk_rule_t absent) {
  return rlk_expect(
      judge, manifest, "pattern",
      &(rlk_expectation_t){.kind = RLK_STRING, .absent = absent, .mistyped = RLK_RULE_MANIFEST_PATTERN_NOT_STRING});
}

void rlk_gate_manifest_launch_certification(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* pattern = pattern_string(judge, subject->root, RLK_RULE_NONE);
  if (!pattern || pattern->text_length == 0) return; /* the registries take "" for absent */
  const rlk_word_t word = rlk_node_word(pattern, RLK_VOCABULARY_PATTERN);
  if (word == RLK_WORD_NONE) {
    rlk_report(
        judge, RLK_RULE_MANIFEST_PATTERN_UNKNOWN, pattern,
        RLK_SLOTS(rlk_slot_bare(judge, "value", pattern), rlk_slot_words("known", RLK_VOCABULARY_LAUNCHABLE_PATTERN)));
  } else if (!rlk_word_is_in(word, RLK_VOCABULARY_LAUNCHABLE_PATTERN)) {
    rlk_report(judge, RLK_RULE_MANIFEST_NOT_LAUNCHABLE, pattern, RLK_SLOTS(rlk_slot_bare(judge, "value", pattern)));
  }
}

void rlk_gate_manifest_dispatch_pattern(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* pattern = rlk_node_member(subject->root, "pattern");
  if (pattern && !pattern_string(judge, subject->root, RLK_RULE_NONE)) return;
  if (rlk_node_word(pattern, RLK_VOCABULARY_PATTERN) != RLK_WORD_NONE) return;
  rlk_report(judge, RLK_RULE_MANIFEST_PATTERN_NOT_DISPATCHED, pattern ? pattern : subject->root,
             RLK_SLOTS(rlk_slot_value(judge, "value", pattern), rlk_slot_words("known", RLK_VOCABULARY_PATTERN)));
}

/* --- Ids, formats, blocks ----------------------------------------------------------------------------------------- */

static const rlk_node_t* string_member(const rlk_node_t* object, const char* key) {
  const rlk_node_t* member;
  return rlk_node_get(object, key, RLK_STRING, &member) == RLK_FOUND ? member : NULL;
}

/* The ids of all entries; false without memory. */
static bool index_ids(rlk_judge_t* judge, const rlk_node_t* manifest, rlk_name_index_t* out_ids) {
  const rlk_node_t* plugins;
  const bool any = rlk_node_get(manifest, "plugins", RLK_ARRAY, &plugins) == RLK_FOUND;
  if (!rlk_name_index_init(out_ids, judge, any ? plugins->count : 0)) return false;
  for (const rlk_node_t* entry = rlk_next_entry(manifest, NULL); entry; entry = rlk_next_entry(manifest, entry)) {
    const rlk_node_t* id = string_member(entry, "id");
    if (id) rlk_name_index_put(out_ids, id, entry);
  }
  rlk_name_index_sort(out_ids);
  return true;
}

static void check_duplicate_id(rlk_judge_t* judge, const rlk_name_index_t* ids, const rlk_node_t* entry) {
  const rlk_node_t* id = string_member(entry, "id");
  const rlk_node_t* first = id ? rlk_name_index_find(ids, id->text, id->text_length) : NULL;
  if (!first || first == entry) return;
  rlk_report(judge, RLK_RULE_MANIFEST_DUPLICATE_ID, id,
             RLK_SLOTS(rlk_slot_bare(judge, "value", id), rlk_slot_integer("first", first->index),
                       rlk_slot_integer("index", entry->index)));
}

static void check_entry_format(rlk_judge_t* judge, const rlk_node_t* entry) {
  const rlk_node_t* format = string_member(entry, "format");
  if (!format || rlk_node_word(format, RLK_VOCABULARY_ARTIFACT_FORMAT) != RLK_WORD_NONE) return;
  rlk_report(judge, RLK_RULE_MANIFEST_ENTRY_FORMAT, format,
             RLK_SLOTS(rlk_slot_bare(judge, "value", format), rlk_slot_bare(judge, "id", rlk_node_member(entry, "id")),
                       rlk_slot_words("known", RLK_VOCABULARY_ARTIFACT_FORMAT)));
}

void rlk_gate_manifest_duplicate_ids(rlk_judge_t* judge, const rlk_subject_t* subject) {
  rlk_name_index_t ids;
  if (!index_ids(judge, subject->root, &ids)) return;
  for (const rlk_node_t* entry = rlk_next_entry(subject->root, NULL); entry;
       entry = rlk_next_entry(subject->root, entry)) {
    check_duplicate_id(judge, &ids, entry);
  }
}

void rlk_gate_manifest_entry_formats(rlk_judge_t* judge, const rlk_subject_t* subject) {
  for (const rlk_node_t* entry = rlk_next_entry(subject->root, NULL); entry;
       entry = rlk_next_entry(subject->root, entry)) {
    check_entry_format(judge, entry);
  }
}

const rlk_node_t* rlk_entry_string(rlk_judge_t* judge, const rlk_node_t* entry, const char* key) {
  return rlk_expect(judge, entry, key,
                    &(rlk_expectation_t){.kind = RLK_STRING,
                                         .absent = RLK_RULE_MANIFEST_ENTRY_KEY_MISSING,
                                         .mistyped = RLK_RULE_MANIFEST_ENTRY_KEY_NOT_STRING,
                                         .index = entry->index});
}

/* The dispatching loader's pre-load pass: entry by entry, it needs an id and a format and no list at all. Whether an
 * entry is enabled is asked later, where it decides what is read. */
void rlk_gate_manifest_ids_and_formats(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* plugins = plugins_array(judge, subject->root, RLK_RULE_NONE);
  rlk_name_index_t ids;
  if (!plugins || !index_ids(judge, subject->root, &ids)) return;
  for (const rlk_node_t* entry = plugins->first; entry; entry = entry->next) {
    if (!check_entry_object(judge, entry)) continue;
    rlk_entry_string(judge, entry, "id");
    check_duplicate_id(judge, &ids, entry);
    rlk_entry_string(judge, entry, "format");
    check_entry_format(judge, entry);
  }
}

static void check_orphaned_blocks(rlk_judge_t* judge, const rlk_node_t* manifest, bool empty_is_absent) {
  const rlk_node_t* blocks = rlk_node_member(manifest, "blocks");
  if (!blocks || (empty_is_absent && rlk_node_is_empty(blocks)) || rlk_is_descriptor(manifest)) return;
  rlk_report(judge, RLK_RULE_MANIFEST_ORPHANED_BLOCKS, blocks, NULL, 0);
}

void rlk_gate_manifest_orphaned_blocks(rlk_judge_t* judge, const rlk_subject_t* subject) {
  check_orphaned_blocks(judge, subject->root, false);
}

void rlk_gate_manifest_dispatch_orphaned_blocks(rlk_judge_t* judge, const rlk_subject_t* subject) {
  check_orphaned_blocks(judge, subject->root, true);
}
