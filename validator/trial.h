/* What must hold of any bytes, put to the reader, to every door and to the contract checks: the invariants of the
 * mutation test and of the fuzzer. */
#ifndef ROWLOCK_VALIDATOR_TRIAL_H
#define ROWLOCK_VALIDATOR_TRIAL_H

#include "validator/plugin/judging.h"

typedef struct rlk_trial_t {
  rlk_judging_t judging; /* the files beside the document are the caller's to put */
  char problem[1024];    /* "" while every invariant holds */
  /* Counts, so that a test sees that its documents are neither all sound nor all broken. */
  uint64_t bytes, texts, read, accepted;
  uint64_t fired[RLK_RULE_COUNT];
} rlk_trial_t;

/* False when memory is short; deinit takes it either way. */
bool rlk_trial_init(rlk_trial_t* trial);
void rlk_trial_deinit(rlk_trial_t* trial);

/* Whether every invariant holds of the text; `problem` says which does not:
 *   - reading gives OK and no finding, or REJECTED and one finding of a reading rule; never anything else
 *   - what is read, json-c reads too, with the same values
 *   - a door gives OK and no finding, or REJECTED and one; with every finding wanted it gives the same answer, and the
 *     first finding is that one
 *   - a finding has a rule of its door's tier, a place inside its file with the right line and column, and a message of
 *     printable UTF-8 in which every slot is filled */
bool rlk_trial_holds(rlk_trial_t* trial, const char* text, size_t length);

#endif
