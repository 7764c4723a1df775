/* A path that rows were asked for, and its place in the corpus that a rows.lock covers. */
#ifndef ROWLOCK_HARNESS_ROWS_SCOPE_H
#define ROWLOCK_HARNESS_ROWS_SCOPE_H

#include "loader/rowlock.h"
#include "validator/wire/arena.h"

#define RLK_LOCK_NAME "rows.lock"

/* Strings live in the arena that the scope was opened with. */
typedef struct rlk_scope_t {
  const char* root;      /* the folder as it was named, without trailing slashes; of a row's file, the file's folder */
  const char* stem;      /* of the one row that was named; NULL for all that lie below the folder */
  const char* real;      /* the folder, links resolved */
  const char* lock_path; /* of the lock in the folder or the nearest one above that has one; NULL if none has */
  const char* below;     /* the folder's place below that lock's: "", or "sidecar" */
} rlk_scope_t;

/* Takes `root` and `stem`, which may be NULL, as they are, and fills the rest. ROWLOCK_UNUSABLE: the folder cannot be
 * resolved. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_scope_open(rlk_scope_t* scope, rlk_arena_t* arena, const char* root,
                                                 const char* stem, rowlock_error_t* err);

/* Whether all that lies in `other` lies in the scope as well. */
bool rlk_scope_covers(const rlk_scope_t* scope, const rlk_scope_t* other);

/* Whether the folder, as a path that begins with a root as it was named, lies in the scope. */
bool rlk_scope_has_folder(const rlk_scope_t* scope, const char* folder);

/* Whether a lock's path ("sidecar/row41a_role_capital") lies in the scope. */
bool rlk_scope_has_place(const rlk_scope_t* scope, const char* place);

#endif
