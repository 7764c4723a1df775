#define _GNU_SOURCE /* lstat, realpath, strdup */
#include "harness/rows/links.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "validator/rules/text.h"

enum { SHOWN_PATH = 700 };

static bool begins_with(const char* text, const char* prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

/* Whether the real path is of one of the row's files: beside its real expectation as FOLDER/STEM.*, FOLDER/STEM/..., or
 * in the deployment. */
static bool is_of_row(const char* real, const rlk_row_t* row, const char* real_expect) {
  const size_t folder = (size_t)(strrchr(real_expect, '/') - real_expect);
  if (strncmp(real, real_expect, folder + 1) != 0) return false;
  const char* below = real + folder + 1;
  const size_t stem = strlen(row->stem);
  if (begins_with(below, row->stem) && (below[stem] == '.' || below[stem] == '/')) return true;
  const char* deployment = row->deployment ? row->deployment + strlen(row->folder) + 1 : NULL;
  return deployment && begins_with(below, deployment) && below[strlen(deployment)] == '/';
}

/* Whether the link leads to a row's file. A build tool's tree of links has each file under the name and place of what
 * it leads to, which may be a source or built; the row's own file is a link there. */
static bool stays(const char* path, const char* real, const rlk_row_t* row, const char* real_expect) {
  if (is_of_row(real, row, real_expect)) return true;
  struct stat status;
  const bool tree_of_links = lstat(row->expect_path, &status) == 0 && S_ISLNK(status.st_mode);
  return tree_of_links && rlk_path_ends_with(real, path + strlen(row->folder)); /* "/STEM..." */
}

/* What is wrong with where the link leads, or NULL. */
static const char* problem_of(const char* path, const char* real, const rlk_row_t* row) {
  if (path[strlen(path) - 1] == '/') return "leads to a folder: a fixture has files alone";
  char* real_expect = realpath(row->expect_path, NULL);
  const bool leaves = !real_expect || !stays(path, real, row, real_expect);
  free(real_expect);
  return leaves ? "leaves the row's own files" : NULL;
}

static void check_link(const rlk_row_t* row, const char* path, rlk_defects_t* defects) {
  struct stat status;
  char* real = realpath(path, NULL);
  if (!real && stat(path, &status) != 0) return; /* it leads nowhere: whoever reads it says so */
  if (!real) real = strdup("a file without a name");
  if (!real) {
    defects->code = ROWLOCK_NO_MEMORY;
    return;
  }
  const char* problem = problem_of(path, real, row);
  if (problem) {
    char target[2 * SHOWN_PATH];
    rlk_text_t text = rlk_text_over(target, sizeof target);
    rlk_text_put_shown(&text, real, strlen(real), SHOWN_PATH);
    rlk_defects_add(defects, RLK_DEFECT_ROW_LINK, path, 0, 0,
                    RLK_SLOTS(rlk_slot_prose("problem", problem), rlk_slot_prose("target", target)));
  }
  free(real);
}

static bool is_link(const char* path) {
  struct stat status;
  return path[strlen(path) - 1] == '/' || (lstat(path, &status) == 0 && S_ISLNK(status.st_mode));
}

static void check_files(const rlk_row_t* row, const rlk_tree_t* tree, size_t begin, size_t end,
                        rlk_defects_t* defects) {
  for (size_t i = begin; i < end; ++i) {
    if (is_link(tree->paths[i]) && strcmp(tree->paths[i], row->expect_path) != 0) {
      check_link(row, tree->paths[i], defects);
    }
  }
}

static void check_deployment(const rlk_row_t* row, rlk_defects_t* defects) {
  rlk_tree_t files = {0};
  rowlock_error_t err;
  const rowlock_code_t code = rlk_tree_walk(&files, row->deployment, RLK_CORPUS_FILES_MAX, RLK_CORPUS_DEPTH_MAX, &err);
  if (code == ROWLOCK_NO_MEMORY) defects->code = code; /* a folder that is not there is a missing fixture */
  check_files(row, &files, 0, files.count, defects);
  rlk_tree_deinit(&files);
}

void rlk_corpus_check_links(const rlk_corpus_t* corpus, rlk_defects_t* defects) {
  for (size_t i = 0; i < corpus->count && !defects->code; ++i) {
    const rlk_row_t* row = &corpus->rows[i];
    size_t begin, end;
    rlk_corpus_files(corpus, row, &begin, &end);
    check_files(row, &corpus->tree, begin, end, defects);
    if (row->deployment) check_deployment(row, defects);
  }
}
