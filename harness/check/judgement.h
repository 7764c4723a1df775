/* What `rowlock check` says of one document: which doors take it, and every defect that counts. An artifact has no
 * doors: it is whole or it is not. */
#ifndef ROWLOCK_HARNESS_CHECK_JUDGEMENT_H
#define ROWLOCK_HARNESS_CHECK_JUDGEMENT_H

#include "loader/artifact/deployment.h"
#include "loader/checker.h"

typedef enum rlk_answer_t {
  RLK_ANSWER_NONE, /* the door was not asked */
  RLK_ANSWER_ACCEPT,
  RLK_ANSWER_REFUSE,
  RLK_ANSWER_NOT_FOR, /* the document is sound, but this door does not take its kind */
} rlk_answer_t;

enum { RLK_REASON_SIZE = 1024 };

/* Used again for each document; the fields from `path` on describe the last one read and are only read by others. */
typedef struct rlk_judgement_t {
  rowlock_checker_t* checker;
  rowlock_findings_t* findings; /* those that count: rlk_judgement_counts */
  rlk_door_id_t door;           /* RLK_DOOR_NONE: every door of the document's level is asked */
  bool gates_only;
  rlk_deployment_options_t artifacts; /* how the artifacts of a manifest are proved */

  const char* path;           /* borrowed */
  bool is_artifact;           /* by its name or its content: no door is asked */
  rlk_tables_keeper_t tables; /* of findings, by their index */
  rlk_arena_t arena;
  rlk_artifact_t artifact; /* without modules if it was refused */
  bool level_known;        /* false: not JSON, or not an object */
  rlk_level_t level;       /* if known */
  rlk_answer_t answers[RLK_DOOR_COUNT];
  char reasons[RLK_DOOR_COUNT][RLK_REASON_SIZE]; /* of RLK_ANSWER_NOT_FOR */
  bool accepted;
  size_t findings_of[RLK_TIER_COUNT]; /* that count */
  uint64_t findings_dropped;          /* beyond what the list holds */
} rlk_judgement_t;

/* `door` is the name of the one door to ask, or NULL. ROWLOCK_UNUSABLE: there is none of that name; `err` lists the
 * doors. Whatever is returned, rlk_judgement_deinit is due. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judgement_init(rlk_judgement_t* judgement, const char* door, bool gates_only,
                                                     rowlock_error_t* err);
void rlk_judgement_deinit(rlk_judgement_t* judgement);

/* Reads the document at `path`. ROWLOCK_OK also when it is not JSON. ROWLOCK_UNUSABLE: it cannot be read. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judgement_read(rlk_judgement_t* judgement, const char* path,
                                                     rowlock_error_t* err);

/* Takes a file for an artifact because it is called *.ptx, *.cubin, *.fatbin or *.so: whatever it holds is judged as
 * one. False: it is not, and is to be read as a document. */
bool rlk_judgement_take_artifact(rlk_judgement_t* judgement, const char* path);

/* Looks whether what was read, and is not JSON, is an artifact: `is_artifact` is set then, and to decide reads it as
 * one. ROWLOCK_OK or ROWLOCK_NO_MEMORY. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judgement_try_artifact(rlk_judgement_t* judgement, rowlock_error_t* err);

/* The root of the document that was read; NULL when it is not JSON. */
const rlk_node_t* rlk_judgement_root(const rlk_judgement_t* judgement);

/* Whether the door to ask, if there is but one, takes documents of this one's level. */
bool rlk_judgement_fits_door(const rlk_judgement_t* judgement);

/* Judges the document that was read. ROWLOCK_OK whether it is accepted or refused. ROWLOCK_UNUSABLE: the door takes
 * documents of the other level. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judgement_decide(rlk_judgement_t* judgement, rowlock_error_t* err);

/* Whether the finding of that index counts. A note does not, unless it is why the one door that was asked refused. */
bool rlk_judgement_counts(const rlk_judgement_t* judgement, size_t index);

/* Every finding that counts, those included that the list did not hold. */
uint64_t rlk_judgement_finding_count(const rlk_judgement_t* judgement);

/* How many doors answered so. */
int rlk_judgement_answer_count(const rlk_judgement_t* judgement, rlk_answer_t answer);

/* Whether judging this manifest has judged the sidecars it names as well. */
bool rlk_judgement_covers_sidecars(const rlk_judgement_t* judgement);

/* What a manifest says of itself; NULL for what it does not say. Nodes live as long as the document. */
typedef struct rlk_manifest_facts_t {
  const rlk_node_t *schema_version, *pattern, *plugins; /* of any kind; `plugins` is an array */
} rlk_manifest_facts_t;

rlk_manifest_facts_t rlk_judgement_manifest_facts(const rlk_judgement_t* judgement);

/* "sidecar", "manifest", "artifact"; NULL when the level is not known. */
const char* rlk_judgement_kind(const rlk_judgement_t* judgement);

#endif
