/* A document from a string, judged with the files beside it from strings too. For tests. */
#ifndef ROWLOCK_VALIDATOR_PLUGIN_JUDGING_H
#define ROWLOCK_VALIDATOR_PLUGIN_JUDGING_H

#include "validator/plugin/doors.h"
#include "validator/plugin/samples.h"
#include "validator/wire/reader.h"

typedef struct rlk_judging_file_t {
  char *path, *text;
  size_t length;
} rlk_judging_file_t;

typedef struct rlk_judging_t {
  /* The caller's to set: init gives the default limits, and first failure wins with every rule on. */
  rowlock_limits_t limits;
  rlk_rule_t switched_off;
  bool every_finding;
  /* What came of it. */
  rowlock_findings_t* findings; /* of everything since they were cleared */
  rlk_document_t document;
  size_t lookups; /* of files, whether there or not */
  /* Its own. */
  rlk_judging_file_t* files;
  size_t file_count;
  rlk_arena_t arena, entry_arena, set_arena;
} rlk_judging_t;

/* Like each of the others: ROWLOCK_NO_MEMORY leaves what deinit takes. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judging_init(rlk_judging_t* judging);
void rlk_judging_deinit(rlk_judging_t* judging);

/* Puts a copy of the text beside the document, in place of an earlier one of that path. A path that none has is
 * ROWLOCK_UNUSABLE to the judge, and one that begins with ".." leaves the folder. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judging_put_file(rlk_judging_t* judging, const char* path, const char* text,
                                                       size_t length);

/* Puts every file that the sample manifests name. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judging_put_sample_files(rlk_judging_t* judging);

/* Reads the text (borrowed until the next call) as "main.json". */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judging_read(rlk_judging_t* judging, const char* text, size_t length);

/* Judges what was read last. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judging_run(rlk_judging_t* judging, rlk_door_id_t door);

#endif
