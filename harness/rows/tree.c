#define _GNU_SOURCE /* scandir, asprintf */
#include "harness/rows/tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/rows/grow.h"
#include "validator/rules/text.h"

bool rlk_path_ends_with(const char* path, const char* suffix) {
  const size_t length = strlen(path), suffix_length = strlen(suffix);
  return length >= suffix_length && strcmp(path + length - suffix_length, suffix) == 0;
}

void rlk_tree_deinit(rlk_tree_t* tree) {
  for (size_t i = 0; i < tree->count; ++i) free(tree->paths[i]);
  free(tree->paths);
  *tree = (rlk_tree_t){0};
}

/* Takes over `path`. */
static rowlock_code_t add(rlk_tree_t* tree, char* path) {
  char** paths = rlk_grown(tree->paths, &tree->capacity, tree->count, sizeof *paths);
  if (!paths) {
    free(path);
    return ROWLOCK_NO_MEMORY;
  }
  tree->paths = paths;
  tree->paths[tree->count++] = path;
  return ROWLOCK_OK;
}

static int is_visible(const struct dirent* entry) { return entry->d_name[0] != '.'; }

typedef struct walk_t {
  rlk_tree_t* tree;
  size_t files_max;
  unsigned depth_max;
  const char* stem; /* in the first folder, only the files of this row; NULL: all of them */
  rowlock_error_t* err;
} walk_t;

static rowlock_code_t walk_folder(const walk_t* walk, const char* folder, unsigned depth);

static rowlock_code_t walk_entry(const walk_t* walk, const char* folder, const char* name, unsigned depth) {
  char* path;
  if (asprintf(&path, "%s/%s", folder, name) < 0) return ROWLOCK_NO_MEMORY;
  struct stat status;
  if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
    const rowlock_code_t code = walk_folder(walk, path, depth + 1);
    free(path);
    return code;
  }
  /* A dangling link is listed too: whoever reads it says that it is not there. */
  if (walk->tree->count == walk->files_max) {
    free(path);
    return rlk_fail(walk->err, ROWLOCK_UNUSABLE, "more than %zu files below '%s'", walk->files_max, folder);
  }
  if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) return add(walk->tree, path);
  char* link;
  const bool made = asprintf(&link, "%s/", path) >= 0;
  free(path);
  return made ? add(walk->tree, link) : ROWLOCK_NO_MEMORY;
}

static bool is_of_row(const char* name, const char* stem) {
  const size_t length = stem ? strlen(stem) : 0;
  return !stem || (strncmp(name, stem, length) == 0 && (!name[length] || name[length] == '.'));
}

static rowlock_code_t walk_folder(const walk_t* walk, const char* folder, unsigned depth) {
  if (depth > walk->depth_max) {
    return rlk_fail(walk->err, ROWLOCK_UNUSABLE, "'%s' is more than %u folders deep", folder, walk->depth_max);
  }
  struct dirent** entries;
  const int count = scandir(folder, &entries, is_visible, NULL);
  if (count < 0) {
    if (errno == ENOMEM) return ROWLOCK_NO_MEMORY;
    return rlk_fail(walk->err, ROWLOCK_UNUSABLE, "cannot read the folder '%s': %s", folder, strerror(errno));
  }
  rowlock_code_t code = ROWLOCK_OK;
  for (int i = 0; i < count; ++i) {
    if (!code && (depth > 0 || is_of_row(entries[i]->d_name, walk->stem)))
      code = walk_entry(walk, folder, entries[i]->d_name, depth);
    free(entries[i]);
  }
  free(entries);
  return code;
}

static int compare_paths(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

void rlk_tree_sort(rlk_tree_t* tree) {
  if (tree->count > 0) qsort(tree->paths, tree->count, sizeof *tree->paths, compare_paths);
}

rowlock_code_t rlk_tree_walk_row(rlk_tree_t* tree, const char* root, const char* stem, size_t files_max,
                                 unsigned depth_max, rowlock_error_t* err) {
  const walk_t walk = {.tree = tree, .files_max = files_max, .depth_max = depth_max, .stem = stem, .err = err};
  const rowlock_code_t code = walk_folder(&walk, root, 0);
  if (code == ROWLOCK_NO_MEMORY) return rlk_fail(err, code, "no memory to list '%s'", root);
  rlk_tree_sort(tree);
  return code;
}

rowlock_code_t rlk_tree_walk(rlk_tree_t* tree, const char* root, size_t files_max, unsigned depth_max,
                             rowlock_error_t* err) {
  return rlk_tree_walk_row(tree, root, NULL, files_max, depth_max, err);
}

rowlock_code_t rlk_tree_take(rlk_tree_t* tree, rlk_tree_t* other) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < other->count && !code; ++i) {
    code = add(tree, other->paths[i]);
    other->paths[i] = NULL; /* taken, or freed */
  }
  rlk_tree_deinit(other);
  return code;
}
