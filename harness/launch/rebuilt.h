/* The same plugins from other artifacts: what a launch's `rebuilt` names. */
#ifndef ROWLOCK_HARNESS_LAUNCH_REBUILT_H
#define ROWLOCK_HARNESS_LAUNCH_REBUILT_H

#include "loader/files.h"

/* Where a document that the launch names beside the first one (the folder's) is; `out_path` has room for PATH_MAX
 * bytes. ROWLOCK_UNUSABLE: nowhere, or outside; `what` cannot be done without it. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_find_beside(rlk_folder_t* folder, const char* what, const char* name,
                                                  char* out_path, rowlock_error_t* err);

/* The same for `rebuilt`, which must be another document than `launched`: what is compared with itself is always the
 * same. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_rebuilt_find(rlk_folder_t* folder, const char* launched, const char* name,
                                                   char* out_path, rowlock_error_t* err);

/* The same plugins in the same order, of which at least one that runs is of another file: else ROWLOCK_UNUSABLE. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_rebuilt_check(const rowlock_registry_t* launched,
                                                    const rowlock_registry_t* rebuilt, rowlock_error_t* err);

#endif
