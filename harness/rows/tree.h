/* The files below a folder, sorted, bounded. */
#ifndef ROWLOCK_HARNESS_ROWS_TREE_H
#define ROWLOCK_HARNESS_ROWS_TREE_H

#include "loader/rowlock.h"

typedef struct rlk_tree_t {
  char** paths; /* what is no folder, `root` in front, sorted by bytes; a link to a folder ends in '/' */
  size_t count, capacity;
} rlk_tree_t;

bool rlk_path_ends_with(const char* path, const char* suffix);

/* Zeroed is empty. */
void rlk_tree_deinit(rlk_tree_t* tree);

/* Adds what lies below `root`; names that begin with '.' are not looked at. A link to a folder is listed and not
 * followed: it may lead anywhere, back to `root` too. ROWLOCK_UNUSABLE: a folder cannot be read, or a bound is passed;
 * `err` says which. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_tree_walk(rlk_tree_t* tree, const char* root, size_t files_max,
                                                unsigned depth_max, rowlock_error_t* err);

/* Adds the files of one row alone: `root`/`stem`.* and what lies below `root`/`stem`. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_tree_walk_row(rlk_tree_t* tree, const char* root, const char* stem,
                                                    size_t files_max, unsigned depth_max, rowlock_error_t* err);

/* Adds what `other` lists, which is empty then. The tree is to be sorted before it is looked into. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_tree_take(rlk_tree_t* tree, rlk_tree_t* other);
void rlk_tree_sort(rlk_tree_t* tree);

#endif
