#define _GNU_SOURCE /* access */
#include "harness/rows/corpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "validator/rules/text.h"

void rlk_corpus_deinit(rlk_corpus_t* corpus) {
  free(corpus->rows);
  rlk_tree_deinit(&corpus->tree);
  rlk_arena_deinit(&corpus->arena);
  *corpus = (rlk_corpus_t){0};
}

static bool ends_with(const char* text, const char* suffix) {
  const size_t length = strlen(text), suffix_length = strlen(suffix);
  return length > suffix_length && strcmp(text + length - suffix_length, suffix) == 0;
}

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static rowlock_code_t add_row(rlk_corpus_t* corpus, const char* expect_path, rlk_defects_t* defects) {
  if (corpus->count == corpus->capacity) {
    const size_t capacity = corpus->capacity ? 2 * corpus->capacity : 64;
    rlk_row_t* rows = realloc(corpus->rows, capacity * sizeof *rows);
    if (!rows) return ROWLOCK_NO_MEMORY;
    corpus->rows = rows;
    corpus->capacity = capacity;
  }
  return rlk_row_read(expect_path, &corpus->arena, defects, &corpus->rows[corpus->count++]);
}

/* --- Which files belong to rows ----------------------------------------------------------------------------------- */

/* Whether `FOLDER/STEM.expect.json` is there for the path's first `length` bytes, FOLDER/STEM. */
static bool has_row(const char* path, size_t length) {
  char expect[4096];
  rlk_text_t text = rlk_text_over(expect, sizeof expect);
  rlk_text_put(&text, path, length);
  rlk_text_put(&text, RLK_EXPECT_SUFFIX, strlen(RLK_EXPECT_SUFFIX));
  return text.length < sizeof expect && access(expect, F_OK) == 0;
}

/* A name that claims to be a row's: row<digit>..., or a fixture's suffix. */
static bool claims_row(const char* name, size_t length) {
  return length > 3 && strncmp(name, "row", 3) == 0 && name[3] >= '0' && name[3] <= '9';
}

/* The part of the file's path below `root` that names a row: a folder on the way, or the file up to its first dot.
 * Returns whether there is such a row; `*out_claim` is the length of FOLDER/STEM that claims to be one, 0 if nothing
 * does. */
static bool belongs(const char* path, size_t root_length, size_t* out_claim) {
  *out_claim = 0;
  for (size_t begin = root_length + 1; path[begin];) {
    const size_t length = strcspn(path + begin, "/");
    const bool last = path[begin + length] == '\0';
    const size_t stem = last ? strcspn(path + begin, ".") : length;
    if (claims_row(path + begin, stem)) {
      *out_claim = begin + stem;
      return has_row(path, begin + stem);
    }
    if (last) break;
    begin += length + 1;
  }
  if (ends_with(path, ".sidecar.json") || ends_with(path, ".manifest.json")) {
    *out_claim = (size_t)(base_name(path) - path) + strcspn(base_name(path), ".");
  }
  return false;
}

/* Whether the file lies in a row's folder, where *.expect.json files would be data. */
static bool is_inside_row(const char* path, size_t root_length) {
  size_t claim;
  return belongs(path, root_length, &claim) && path[claim] == '/';
}

static void report_unpaired(const char* path, size_t claim, rlk_defects_t* defects) {
  char expected[512];
  rlk_text_t text = rlk_text_over(expected, sizeof expected);
  const size_t stem = (size_t)(base_name(path) - path) < claim ? (size_t)(base_name(path) - path) : 0;
  rlk_text_put_shown(&text, path + stem, claim - stem, 400);
  rlk_text_put(&text, RLK_EXPECT_SUFFIX, strlen(RLK_EXPECT_SUFFIX));
  rlk_defects_add(
      defects, RLK_DEFECT_ROW_FIXTURE_UNPAIRED, path, 0, 0,
      RLK_SLOTS(rlk_slot_text("file", base_name(path), strlen(base_name(path))), rlk_slot_prose("expected", expected)));
}

static rowlock_code_t load_folder(rlk_corpus_t* corpus, const char* root, bool keep, rlk_defects_t* defects) {
  rlk_tree_t tree = {0};
  rowlock_error_t err;
  const size_t root_length = strlen(root);
  rowlock_code_t code = rlk_tree_walk(&tree, root, RLK_CORPUS_FILES_MAX, RLK_CORPUS_DEPTH_MAX, &err);
  if (code == ROWLOCK_UNUSABLE) {
    rlk_defects_add(defects, RLK_DEFECT_CORPUS_UNREADABLE, root, 0, 0,
                    RLK_SLOTS(rlk_slot_text("problem", err.message, strlen(err.message))));
    code = ROWLOCK_OK;
  }
  for (size_t i = 0; i < tree.count && !code; ++i) {
    const char* path = tree.paths[i];
    size_t claim;
    if (ends_with(path, RLK_EXPECT_SUFFIX) && !is_inside_row(path, root_length)) {
      code = add_row(corpus, path, defects);
    } else if (!belongs(path, root_length, &claim) && claim > 0) {
      report_unpaired(path, claim, defects);
    }
  }
  if (keep) {
    corpus->tree = tree;
  } else {
    rlk_tree_deinit(&tree);
  }
  return code;
}

/* --- Rows against each other -------------------------------------------------------------------------------------- */

static int compare_rows(const void* left, const void* right) {
  const rlk_row_t *a = left, *b = right;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  if (a->letter != b->letter) return a->letter < b->letter ? -1 : 1;
  return strcmp(a->expect_path, b->expect_path);
}

const rlk_row_t* rlk_corpus_find(const rlk_corpus_t* corpus, const char* stem) {
  for (size_t i = 0; i < corpus->count; ++i) {
    if (strcmp(corpus->rows[i].stem, stem) == 0) return &corpus->rows[i];
  }
  return NULL;
}

static void check_twin(const rlk_corpus_t* corpus, const rlk_row_t* row, rlk_defects_t* defects) {
  if (!row->twin || !corpus->whole) return;
  const rlk_row_t* twin = rlk_corpus_find(corpus, row->twin);
  const bool accepted = twin && !twin->expected.reject && twin->level == row->level && twin != row;
  if (accepted) return;
  rlk_defects_add(defects, twin ? RLK_DEFECT_ROW_TWIN_NOT_ACCEPTED : RLK_DEFECT_ROW_TWIN_UNKNOWN, row->expect_path, 0,
                  0, RLK_SLOTS(rlk_slot_text("value", row->twin, strlen(row->twin))));
}

static void check_rows(const rlk_corpus_t* corpus, rlk_defects_t* defects) {
  for (size_t i = 0; i < corpus->count; ++i) {
    const rlk_row_t* row = &corpus->rows[i];
    const rlk_row_t* before = i > 0 ? &corpus->rows[i - 1] : NULL;
    if (before && before->number == row->number && before->letter == row->letter) {
      char label[16];
      rlk_defects_add(defects, RLK_DEFECT_ROW_NUMBER_REPEATED, row->expect_path, 0, 0,
                      RLK_SLOTS(rlk_slot_prose("number", rlk_row_label(row->number, row->letter, label)),
                                rlk_slot_prose("other", before->expect_path)));
    }
    check_twin(corpus, row, defects);
  }
}

/* The folder without trailing slashes, in the arena. */
static const char* copy_root(rlk_corpus_t* corpus, const char* path) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') --length;
  char* copy = rlk_arena_alloc(&corpus->arena, length + 1);
  if (copy) {
    memcpy(copy, path, length);
    copy[length] = '\0';
  }
  return copy;
}

static rowlock_code_t find_lock(rlk_corpus_t* corpus) {
  const size_t size = strlen(corpus->root) + sizeof RLK_LOCK_NAME + 1;
  char* path = rlk_arena_alloc(&corpus->arena, size);
  if (!path) return ROWLOCK_NO_MEMORY;
  snprintf(path, size, "%s/" RLK_LOCK_NAME, corpus->root);
  if (access(path, F_OK) == 0) corpus->lock_path = path;
  return ROWLOCK_OK;
}

static rowlock_code_t load_path(rlk_corpus_t* corpus, const char* path, bool only, rlk_defects_t* defects) {
  struct stat status;
  if (stat(path, &status) != 0) {
    const char* problem = strerror(errno);
    rlk_defects_add(defects, RLK_DEFECT_CORPUS_UNREADABLE, path, 0, 0, RLK_SLOTS(rlk_slot_prose("problem", problem)));
    return ROWLOCK_OK;
  }
  if (!S_ISDIR(status.st_mode)) return add_row(corpus, path, defects);
  const char* root = copy_root(corpus, path);
  if (!root) return ROWLOCK_NO_MEMORY;
  const size_t before = corpus->count;
  rowlock_code_t code = load_folder(corpus, root, only, defects);
  if (!code && corpus->count == before && !rlk_defects_any(defects)) {
    rlk_defects_add(defects, RLK_DEFECT_CORPUS_EMPTY, path, 0, 0, NULL, 0);
  }
  if (!code && only) {
    corpus->whole = true;
    corpus->root = root;
    code = find_lock(corpus);
  }
  return code;
}

rowlock_code_t rlk_corpus_load(rlk_corpus_t* corpus, char* const* paths, size_t path_count, rlk_defects_t* defects) {
  for (size_t i = 0; i < path_count; ++i) {
    const rowlock_code_t code = load_path(corpus, paths[i], path_count == 1, defects);
    if (code) return code;
  }
  if (corpus->count > 0) qsort(corpus->rows, corpus->count, sizeof *corpus->rows, compare_rows);
  check_rows(corpus, defects);
  return defects->code;
}

/* --- A row's files ------------------------------------------------------------------------------------------------ */

/* Order of a path against FOLDER/STEM: the row's files are those that go on with '.' or '/', and sort next to each
 * other. */
static int compare_to_row(const char* path, const rlk_row_t* row) {
  const size_t folder = strlen(row->folder), stem = strlen(row->stem);
  int order = strncmp(path, row->folder, folder);
  if (order == 0) order = path[folder] - '/';
  if (order == 0) order = strncmp(path + folder + 1, row->stem, stem);
  if (order != 0) return order;
  const char next = path[folder + 1 + stem];
  return next < '.' ? -1 : next > '/';
}

void rlk_corpus_files(const rlk_corpus_t* corpus, const rlk_row_t* row, size_t* out_begin, size_t* out_end) {
  size_t low = 0, high = corpus->tree.count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (compare_to_row(corpus->tree.paths[middle], row) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  *out_begin = low;
  while (low < corpus->tree.count && compare_to_row(corpus->tree.paths[low], row) == 0) ++low;
  *out_end = low;
}
