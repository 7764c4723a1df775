/* New files of a folder, made aside and moved in together: either all of them are there, whole, or none is. */
#ifndef ROWLOCK_HARNESS_CLI_STAGING_H
#define ROWLOCK_HARNESS_CLI_STAGING_H

#include <signal.h>

#include "loader/rowlock.h"

/* Zeroed is closed. */
/* Whether a part of the path of `folder`, which is below `root`, is a link: no run would find a row behind it, and who
 * made it may not know where it leads. */
bool rlk_lies_behind_link(const char* root, const char* folder);

typedef struct rlk_staging_t {
  char* folder; /* where the files go */
  char* aside;  /* a folder in it, with a name that begins with '.' */
  sigset_t signals;
} rlk_staging_t;

/* Until the close, an interrupt waits: what was half made would stay behind. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_staging_open(rlk_staging_t* staging, const char* folder, rowlock_error_t* err);

/* Removes whatever was not committed. */
void rlk_staging_close(rlk_staging_t* staging);

/* The path of a staged file, which the caller frees; NULL if memory is short. */
ROWLOCK_MUST_CHECK char* rlk_staging_path(const rlk_staging_t* staging, const char* name);

/* Copies a file to a name, which may have folders in it, or a folder with what is visible in it, byte by byte. Links in
 * the folder are refused: a copy would not be what was there. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_staging_copy(const rlk_staging_t* staging, const char* source, const char* name,
                                                   rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rlk_staging_write(const rlk_staging_t* staging, const char* name, const char* text,
                                                    rowlock_error_t* err);

/* Moves the two into the folder, where neither may be there yet. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_staging_commit(const rlk_staging_t* staging, const char* first,
                                                     const char* second, rowlock_error_t* err);

#endif
