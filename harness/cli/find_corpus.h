/* Which corpus a command means when none is named. */
#ifndef ROWLOCK_HARNESS_CLI_FIND_CORPUS_H
#define ROWLOCK_HARNESS_CLI_FIND_CORPUS_H

#include "harness/cli/options.h"
#include "harness/rows/corpus.h"

/* The nearest folder `corpus` that holds a rows.lock, here or in a folder above; the caller frees it. NULL: none. */
char* rlk_find_corpus(void);

/* Prints every defect of a malformed corpus on stderr and how many there are; returns the exit status. */
int rlk_complain_of_defects(const rlk_command_t* command, const rlk_defects_t* defects);

#endif
