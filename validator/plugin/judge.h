/* Judging a plugin's documents: a door is a list of gates, a gate reads the document and reports rules. Opens no file
 * itself: the sidecars that a manifest names come through rlk_source_t. */
#ifndef ROWLOCK_VALIDATOR_PLUGIN_JUDGE_H
#define ROWLOCK_VALIDATOR_PLUGIN_JUDGE_H

#include "validator/rules/findings.h"
#include "validator/wire/arena.h"
#include "validator/wire/document.h"

#define RLK_SCHEMA_VERSION_CEILING 2 /* plugin facts, section 1 */

typedef enum rlk_level_t { RLK_LEVEL_SIDECAR, RLK_LEVEL_MANIFEST } rlk_level_t;

/* Which file a path leads to. */
typedef struct rlk_file_id_t {
  uint64_t device, file;
} rlk_file_id_t;

/* Where the files beside a manifest come from. Paths are relative to its folder, as the manifest spells them.
 * ROWLOCK_REJECTED: the path leaves the folder; ROWLOCK_UNUSABLE: it cannot be read; `err` says how, without the path.
 */
typedef struct rlk_source_t {
  void* context;
  /* Tells which file it is: two paths of one file get the same numbers. NULL: no two are the same. */
  rowlock_code_t (*find)(void* context, const char* path, size_t length, rlk_file_id_t* out_id, rowlock_error_t* err);
  /* The text is valid until the next call; `*out_path` names the file in findings. */
  rowlock_code_t (*read)(void* context, const char* path, size_t length, const char** out_text, size_t* out_length,
                         const char** out_path, rowlock_error_t* err);
  /* Whether it is a regular file that can be opened; nothing is read. */
  rowlock_code_t (*probe)(void* context, const char* path, size_t length, rowlock_error_t* err);
} rlk_source_t;

/* Both arenas may be NULL where only the doors of sidecars are asked. */
typedef struct rlk_judge_t {
  rowlock_findings_t* findings;
  rlk_arena_t* entry_arena;   /* for the sidecars of a manifest, one at a time, and the names in what is judged */
  rlk_arena_t* set_arena;     /* for what is remembered from one sidecar to the next */
  const rlk_source_t* source; /* may be NULL when only sidecars are judged */
  rowlock_limits_t limits;    /* effective */
  rlk_rule_t switched_off;    /* RLK_RULE_NONE, or the one rule that a coverage test removes */
  bool every_finding;         /* false: the first failing gate decides, as at a door; true: report all */
  char* note;                 /* RLK_MESSAGE_SIZE bytes for the first note, with its file if that is another; or NULL */
  /* Set while judging: */
  const rlk_document_t* document;
  const char* path;
  uint64_t path_hash;
  rlk_position_t position; /* of the latest finding in the document */
  int door;                /* bit of the findings; negative for contract checks */
  const char* main_path;   /* of the document itself */
  bool refused;            /* at this door */
  bool noted;              /* the document is not for this door */
  bool out_of_bounds;      /* a list is too long: no further gate of this door may walk it */
  uint64_t entry_bytes;    /* of sidecars read at this door */
  rowlock_code_t code;     /* what stopped the judge itself */
} rlk_judge_t;

/* What a gate looks at. */
typedef struct rlk_subject_t {
  const rlk_node_t* root;          /* the sidecar, inline descriptor or manifest: always an object */
  const rlk_node_t* manifest;      /* of a sidecar that is judged as an entry, else NULL */
  rlk_word_t set_pattern, set_tag; /* of that manifest: its keys may be many, and so may its entries */
} rlk_subject_t;

typedef void (*rlk_gate_fn)(rlk_judge_t* judge, const rlk_subject_t* subject);

typedef struct rlk_gate_t {
  const char* name;
  rlk_gate_fn run;
} rlk_gate_t;

/* Goes over to another document, from its beginning. */
void rlk_judge_turn_to(rlk_judge_t* judge, const rlk_document_t* document, const char* path);

/* Reports a rule at a node. After a refusal at a door, later reports are dropped: gates need not return early. So are
 * those of the other pass: a rule's tier decides whether it comes from a door or from the contract checks. */
void rlk_report(rlk_judge_t* judge, rlk_rule_t rule, const rlk_node_t* at, const rlk_slot_t* slots, size_t slot_count);

/* The same at a place that is known already. */
void rlk_report_at(rlk_judge_t* judge, rlk_rule_t rule, const rlk_place_t* place, const rlk_slot_t* slots,
                   size_t slot_count);

/* Reports at either pass that the document is no object: reading comes before both. */
void rlk_report_not_object(rlk_judge_t* judge, const rlk_node_t* root);

/* Runs the gates in order, up to the first that refuses unless every finding is wanted. */
void rlk_run_gates(rlk_judge_t* judge, const rlk_gate_t* gates, size_t count, const rlk_subject_t* subject);

/* The value as a message shows it: a string in single quotes, anything else as its JSON text; `absent` for NULL. */
rlk_slot_t rlk_slot_value(const rlk_judge_t* judge, const char* name, const rlk_node_t* node);

/* The same without quotes, for messages whose clause has its own. */
rlk_slot_t rlk_slot_bare(const rlk_judge_t* judge, const char* name, const rlk_node_t* node);

/* "Find, test the type, report at the pointer" in one call. Returns the member if it is there and of `kind`, else NULL.
 * `absent` and `mistyped` may be RLK_RULE_NONE (no defect). Their messages may use {key}, {value}, {where}, {index}. */
typedef struct rlk_expectation_t {
  rlk_kind_t kind;
  rlk_rule_t absent, mistyped;
  const char* where; /* "the sidecar", "buffers[3]" */
  int64_t index;
} rlk_expectation_t;

const rlk_node_t* rlk_expect(rlk_judge_t* judge, const rlk_node_t* object, const char* key,
                             const rlk_expectation_t* expectation);

/* The member's word of the list; RLK_WORD_NONE when it is absent, no string, or not in the list. */
rlk_word_t rlk_member_word(const rlk_node_t* object, const char* key, rlk_vocabulary_t vocabulary);
rlk_word_t rlk_node_word(const rlk_node_t* node, rlk_vocabulary_t vocabulary);

#endif
