#define _GNU_SOURCE /* access */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/rows/corpus.h"
#include "validator/rules/text.h"

static bool has_file(const char* path, size_t length, const char* suffix) {
  char name[4096];
  rlk_text_t text = rlk_text_over(name, sizeof name);
  rlk_text_put(&text, path, length);
  rlk_text_put(&text, suffix, strlen(suffix));
  return text.length < sizeof name && access(name, F_OK) == 0;
}

/* Whether what the file is made from is beside it: NAME.c of NAME.so, or FILE.derived.json, a recipe. */
static bool is_built(const char* path) {
  const size_t length = strlen(path);
  const bool is_object = length > 3 && strcmp(path + length - 3, ".so") == 0;
  return (is_object && has_file(path, length - 3, ".c")) || has_file(path, length, ".derived.json");
}

/* Adds a copy of the path, or takes nothing. */
static rowlock_code_t add_copy(rlk_tree_t* files, const char* path) {
  char* copy = strdup(path);
  char** paths = malloc(sizeof *paths);
  if (!copy || !paths) {
    free(copy);
    free(paths);
    return ROWLOCK_NO_MEMORY;
  }
  *paths = copy;
  rlk_tree_t one = {.paths = paths, .count = 1, .capacity = 1};
  return rlk_tree_take(files, &one);
}

rowlock_code_t rlk_corpus_list_files(const rlk_corpus_t* corpus, const rlk_row_t* row, rlk_tree_t* out_files,
                                     rowlock_error_t* err) {
  size_t begin, end;
  rlk_corpus_files(corpus, row, &begin, &end);
  rlk_tree_t shared = {0};
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = begin; i < end && !code; ++i) {
    if (!is_built(corpus->tree.paths[i])) code = add_copy(out_files, corpus->tree.paths[i]);
  }
  if (!code && row->deployment) {
    code = rlk_tree_walk(&shared, row->deployment, RLK_CORPUS_FILES_MAX, RLK_CORPUS_DEPTH_MAX, err);
    if (code == ROWLOCK_UNUSABLE) return code;
  }
  for (size_t i = 0; i < shared.count && !code; ++i) {
    if (!is_built(shared.paths[i])) code = add_copy(out_files, shared.paths[i]);
  }
  rlk_tree_deinit(&shared);
  rlk_tree_sort(out_files);
  return code ? rlk_fail(err, code, "no memory to list the files of %s", row->stem) : ROWLOCK_OK;
}
