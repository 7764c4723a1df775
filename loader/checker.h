/* A document on disk, read once and judged at as many doors as wanted. */
#ifndef ROWLOCK_LOADER_CHECKER_H
#define ROWLOCK_LOADER_CHECKER_H

#include "validator/plugin/doors.h"

/* Reads the document at `path` (borrowed until the next open). ROWLOCK_REJECTED: it is not strict JSON, one finding
 * says so; `door` is noted in it. ROWLOCK_UNUSABLE: it cannot be read, `err` says why with the path. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_checker_open(rowlock_checker_t* checker, const char* path, int door,
                                                   rowlock_findings_t* findings, rowlock_error_t* err);

/* Judges the open document. With `every_finding`, gates go on after the first that refuses. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_checker_run(rowlock_checker_t* checker, rlk_door_id_t door, bool every_finding,
                                                  rowlock_findings_t* findings);

/* Why the door of the latest run does not take documents of this kind, whatever else is wrong with it; NULL if it does.
 */
const char* rlk_checker_note(const rowlock_checker_t* checker);

/* The open document. Its level is what its file is called, else what its keys tell. */
const char* rlk_checker_path(const rowlock_checker_t* checker);
const rlk_document_t* rlk_checker_document(const rowlock_checker_t* checker);
rlk_level_t rlk_checker_level(const rowlock_checker_t* checker);

/* Removes one rule's check, so that a test can prove that a row needs it; RLK_RULE_NONE restores all. */
void rlk_checker_switch_off(rowlock_checker_t* checker, rlk_rule_t rule);
rlk_rule_t rlk_checker_switched_off(const rowlock_checker_t* checker);

#endif
