/* What must hold of any bytes that are read as an artifact: the invariants of the damage tests and of the fuzzers. */
#ifndef ROWLOCK_LOADER_ARTIFACT_TRIAL_H
#define ROWLOCK_LOADER_ARTIFACT_TRIAL_H

#include "loader/artifact/artifact.h"

/* Zeroed before the first use; rlk_arena_deinit takes its arena. */
typedef struct rlk_artifact_trial_t {
  rlk_arena_t arena;
  rlk_artifact_t artifact; /* of the last bytes, if they were read */
  rowlock_error_t err;     /* of the last bytes, if they were refused */
  rowlock_code_t code;
  const char* problem; /* NULL while every invariant holds */
  size_t findings;     /* of the proof against a small sidecar */
} rlk_artifact_trial_t;

/* Whether every invariant holds of the bytes:
 *   - they are read, or refused by a rule with a message of printable UTF-8
 *   - of what is read, numbers are within their limits, each entry is found by its name, parameters follow each other
 * in their block, and compressed modules say what they are
 *   - the proof and the questions about a machine come to an end */
bool rlk_artifact_trial_holds(rlk_artifact_trial_t* trial, const void* bytes, size_t length);

#endif
