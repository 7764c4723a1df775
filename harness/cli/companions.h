/* The sidecars that a manifest names, to be taken along with it. */
#ifndef ROWLOCK_HARNESS_CLI_COMPANIONS_H
#define ROWLOCK_HARNESS_CLI_COMPANIONS_H

#include <stddef.h>

#include "loader/rowlock.h"

typedef struct rlk_companion_t {
  char* name; /* relative to the manifest's folder, as the manifest spells it */
  char* path; /* the file itself */
} rlk_companion_t;

/* Zeroed is empty. */
typedef struct rlk_companions_t {
  rlk_companion_t* files;
  size_t count;
} rlk_companions_t;

void rlk_companions_deinit(rlk_companions_t* companions);

/* Finds each sidecar once that an entry names and that lies in the manifest's folder. What is not there, or may not be
 * taken, is left out, as the judge will say; so is everything when the manifest cannot be read. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_companions_find(rlk_companions_t* companions, const char* manifest,
                                                      rowlock_error_t* err);

#endif
