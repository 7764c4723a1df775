/* A corpus: rows found below paths, checked against each other. */
#ifndef ROWLOCK_HARNESS_ROWS_CORPUS_H
#define ROWLOCK_HARNESS_ROWS_CORPUS_H

#include "harness/rows/row.h"
#include "harness/rows/scope.h"
#include "harness/rows/tree.h"

#define RLK_CORPUS_FILES_MAX 200000u
#define RLK_CORPUS_DEPTH_MAX 32u

typedef struct rlk_corpus_t {
  rlk_arena_t arena; /* of every string below */
  rlk_row_t* rows;   /* by number and letter */
  size_t count, capacity;
  rlk_scope_t* scopes; /* the paths that were given, without those that another covers */
  size_t scope_count;
  rlk_tree_t tree;       /* the files of all of them */
  bool whole;            /* a single folder was given: rows may refer to each other */
  const char* root;      /* that folder */
  const char* lock_path; /* root/rows.lock if it is there, else NULL */
} rlk_corpus_t;

/* Zeroed is empty. */
void rlk_corpus_deinit(rlk_corpus_t* corpus);

/* Finds rows below each path: a folder, walked recursively; or one row's *.expect.json. What makes the corpus malformed
 * is added to `defects`; the rows may be used only if nothing was. ROWLOCK_OK or ROWLOCK_NO_MEMORY. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_corpus_load(rlk_corpus_t* corpus, char* const* paths, size_t path_count,
                                                  rlk_defects_t* defects);

/* The row of that stem, or NULL. */
const rlk_row_t* rlk_corpus_find(const rlk_corpus_t* corpus, const char* stem);

/* The path among those given that the row lies in. */
const rlk_scope_t* rlk_corpus_scope(const rlk_corpus_t* corpus, const rlk_row_t* row);

/* The files of a row, as a range of `tree`: its own, its fixture's, companions `<stem>.*`. */
void rlk_corpus_files(const rlk_corpus_t* corpus, const rlk_row_t* row, size_t* out_begin, size_t* out_end);

/* All that the row's outcome depends on, sorted: those files, and what lies in a deployment that it shares. Objects
 * that are built from a source beside them are left out: the source is there. The tree is empty before; the caller
 * deinits it in any case. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_corpus_list_files(const rlk_corpus_t* corpus, const rlk_row_t* row,
                                                        rlk_tree_t* out_files, rowlock_error_t* err);

#endif
