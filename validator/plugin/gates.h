/* Every gate and contract check, by the name that the door table (doors.def) uses. Each reads its subject and reports.
 */
#ifndef ROWLOCK_VALIDATOR_PLUGIN_GATES_H
#define ROWLOCK_VALIDATOR_PLUGIN_GATES_H

#include "validator/plugin/doors.h"

#define RLK_GATE(name) void rlk_gate_##name(rlk_judge_t* judge, const rlk_subject_t* subject);
#include "validator/plugin/doors.def"
#undef RLK_GATE

/* On a descriptor the format takes an empty forbidden field for absent; everywhere else null is a value of the wrong
 * type (plugin facts, sections 3 and 7). */
const rlk_node_t* rlk_present_member(const rlk_node_t* sidecar, const char* key);
bool rlk_is_descriptor(const rlk_node_t* sidecar);

/* What a document's version is to a loader: one that it reads, no integer, or beyond RLK_SCHEMA_VERSION_CEILING. */
typedef enum rlk_version_t { RLK_VERSION_READ, RLK_VERSION_NOT_INTEGER, RLK_VERSION_TOO_NEW } rlk_version_t;
rlk_version_t rlk_version_of(const rlk_node_t* version);

/* Reports what keeps `arg_spec` (an array) from being a list of [role, name] pairs of strings. */
void rlk_check_arg_pair(rlk_judge_t* judge, const rlk_node_t* pair);

/* The [role, name] pair's two strings; false when it is not one. */
bool rlk_arg_pair(const rlk_node_t* pair, const rlk_node_t** out_role, const rlk_node_t** out_name);

/* The member as an array of at most `limits.entries` elements, else NULL with a report. */
const rlk_node_t* rlk_bounded_list(rlk_judge_t* judge, const rlk_node_t* manifest, const char* key, rlk_rule_t absent,
                                   rlk_rule_t mistyped);

/* A manifest's entries that are objects, in order: NULL starts, NULL ends. */
const rlk_node_t* rlk_next_entry(const rlk_node_t* manifest, const rlk_node_t* entry);

/* The entry's member as a string, else NULL with a report. */
const rlk_node_t* rlk_entry_string(rlk_judge_t* judge, const rlk_node_t* entry, const char* key);

/* The files that a manifest's entries name: whether it is the first time, and a place among `capacity` for each. Lives
 * in the judge's set arena. False, with the judge's code, without memory. */
typedef struct rlk_file_slot_t rlk_file_slot_t;
typedef struct rlk_files_t {
  rlk_file_slot_t* slots; /* NULL for a judge without a source, who opens no entry */
  size_t capacity;
  rlk_word_t set_pattern, set_tag; /* of the manifest */
} rlk_files_t;

bool rlk_files_init(rlk_files_t* files, rlk_judge_t* judge, const rlk_node_t* manifest);
size_t rlk_files_slot(const rlk_files_t* files, const rlk_file_id_t* id, bool* out_known);

/* Opens an entry's sidecar and calls `visit` on it as the judge's document; reports what keeps it from being read. A
 * file that an earlier entry named is not opened again: what is to be said of it was said. */
typedef void (*rlk_entry_visit_fn)(rlk_judge_t* judge, const rlk_subject_t* sidecar, void* context);
void rlk_with_entry_sidecar(rlk_judge_t* judge, const rlk_files_t* files, const rlk_node_t* manifest,
                            const rlk_node_t* entry, rlk_entry_visit_fn visit, void* context);

#endif
