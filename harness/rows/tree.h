/* The files below a folder, sorted, bounded. */
#ifndef ROWLOCK_HARNESS_ROWS_TREE_H
#define ROWLOCK_HARNESS_ROWS_TREE_H

#include "loader/rowlock.h"

typedef struct rlk_tree_t {
  char** paths; /* regular files, `root` in front, sorted by bytes */
  size_t count, capacity;
} rlk_tree_t;

/* Zeroed is empty. */
void rlk_tree_deinit(rlk_tree_t* tree);

/* Adds the regular files below `root`; links are followed, names that begin with '.' are not looked at.
 * ROWLOCK_UNUSABLE: a folder cannot be read, or a bound is passed; `err` says which. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_tree_walk(rlk_tree_t* tree, const char* root, size_t files_max,
                                                unsigned depth_max, rowlock_error_t* err);

#endif
