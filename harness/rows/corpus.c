#define _GNU_SOURCE /* access, PATH_MAX */
#include "harness/rows/corpus.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/rows/grow.h"
#include "harness/rows/links.h"
#include "validator/rules/text.h"

enum { PATH_BYTES = PATH_MAX, SHOWN_PATH = 700 };

void rlk_corpus_deinit(rlk_corpus_t* corpus) {
  free(corpus->rows);
  free(corpus->scopes);
  rlk_tree_deinit(&corpus->tree);
  rlk_arena_deinit(&corpus->arena);
  *corpus = (rlk_corpus_t){0};
}

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static rowlock_code_t add_row(rlk_corpus_t* corpus, const char* expect_path, rlk_defects_t* defects) {
  rlk_row_t* rows = rlk_grown(corpus->rows, &corpus->capacity, corpus->count, sizeof *rows);
  if (!rows) return ROWLOCK_NO_MEMORY;
  corpus->rows = rows;
  return rlk_row_read(expect_path, &corpus->arena, defects, &corpus->rows[corpus->count++]);
}

/* --- Which files belong to rows ----------------------------------------------------------------------------------- */

/* Whether `FOLDER/STEM.expect.json` is there for the path's first `length` bytes, FOLDER/STEM. */
static bool has_row(const char* path, size_t length) {
  char expect[PATH_BYTES];
  rlk_text_t text = rlk_text_over(expect, sizeof expect);
  rlk_text_put(&text, path, length);
  rlk_text_put(&text, RLK_EXPECT_SUFFIX, strlen(RLK_EXPECT_SUFFIX));
  return text.length < sizeof expect && access(expect, F_OK) == 0;
}

/* A name that claims to be a row's: row<digit>..., or a fixture's suffix. */
static bool claims_row(const char* name, size_t length) {
  return length > 3 && strncmp(name, "row", 3) == 0 && name[3] >= '0' && name[3] <= '9';
}

static bool is_deployments(const char* name, size_t length) {
  return length == strlen(RLK_DEPLOYMENTS_FOLDER) && memcmp(name, RLK_DEPLOYMENTS_FOLDER, length) == 0;
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
    if (is_deployments(path + begin, length)) return false; /* check_deployments looks at them */
    begin += length + 1;
  }
  if (rlk_path_ends_with(path, ".sidecar.json") || rlk_path_ends_with(path, ".manifest.json")) {
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

/* Reads the rows of a folder; what claims to be a row's and is not is reported. */
static rowlock_code_t load_folder(rlk_corpus_t* corpus, const char* root, const rlk_tree_t* tree,
                                  rlk_defects_t* defects) {
  const size_t root_length = strlen(root);
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < tree->count && !code; ++i) {
    const char* path = tree->paths[i];
    size_t claim;
    if (rlk_path_ends_with(path, RLK_EXPECT_SUFFIX) && !is_inside_row(path, root_length)) {
      code = add_row(corpus, path, defects);
    } else if (!belongs(path, root_length, &claim) && claim > 0) {
      report_unpaired(path, claim, defects);
    }
  }
  return code;
}

static rowlock_code_t load_scope(rlk_corpus_t* corpus, const rlk_scope_t* scope, const char* path,
                                 rlk_defects_t* defects) {
  rlk_tree_t tree = {0};
  rowlock_error_t err;
  rowlock_code_t code =
      rlk_tree_walk_row(&tree, scope->root, scope->stem, RLK_CORPUS_FILES_MAX, RLK_CORPUS_DEPTH_MAX, &err);
  if (code == ROWLOCK_UNUSABLE) {
    rlk_defects_add(defects, RLK_DEFECT_CORPUS_UNREADABLE, scope->root, 0, 0,
                    RLK_SLOTS(rlk_slot_text("problem", err.message, strlen(err.message))));
    code = ROWLOCK_OK;
  }
  const size_t before = corpus->count;
  if (!code) code = scope->stem ? add_row(corpus, path, defects) : load_folder(corpus, scope->root, &tree, defects);
  if (!code && corpus->count == before && !rlk_defects_any(defects)) {
    rlk_defects_add(defects, RLK_DEFECT_CORPUS_EMPTY, path, 0, 0, NULL, 0);
  }
  if (!code) code = rlk_tree_take(&corpus->tree, &tree);
  rlk_tree_deinit(&tree);
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

/* --- Deployments -------------------------------------------------------------------------------------------------- */

/* The length of FOLDER/deployments/NAME at the beginning of a path below the root, or 0. */
static size_t deployment_length(const char* path, size_t root_length) {
  static const char part[] = "/" RLK_DEPLOYMENTS_FOLDER "/";
  const char* at = strstr(path + root_length, part);
  if (!at) return 0;
  const char* name = at + sizeof part - 1;
  return (size_t)(name - path) + strcspn(name, "/");
}

static bool is_used(const rlk_corpus_t* corpus, const char* path, size_t length) {
  for (size_t i = 0; i < corpus->count; ++i) {
    const char* deployment = corpus->rows[i].deployment;
    if (deployment && strlen(deployment) == length && memcmp(deployment, path, length) == 0) return true;
  }
  return false;
}

/* A deployment that no row launches would look as if it were tested. */
static void check_deployments(const rlk_corpus_t* corpus, rlk_defects_t* defects) {
  if (!corpus->whole) return;
  const size_t root_length = strlen(corpus->root);
  const char* last = "";
  size_t last_length = 0;
  for (size_t i = 0; i < corpus->tree.count; ++i) {
    const char* path = corpus->tree.paths[i];
    const size_t length = deployment_length(path, root_length);
    size_t claim;
    if (length == 0 || belongs(path, root_length, &claim)) continue;
    if (length == last_length && memcmp(path, last, length) == 0) continue;
    last = path;
    last_length = length;
    if (is_used(corpus, path, length)) continue;
    rlk_defects_add(defects, RLK_DEFECT_ROW_DEPLOYMENT_UNUSED, path, 0, 0,
                    RLK_SLOTS(rlk_slot_text("value", path + root_length + 1, length - root_length - 1)));
  }
}

/* --- The paths ---------------------------------------------------------------------------------------------------- */

static const char* copy_text(rlk_corpus_t* corpus, const char* text, size_t length) {
  char* copy = rlk_arena_alloc(&corpus->arena, length + 1);
  if (copy) {
    memcpy(copy, text, length);
    copy[length] = '\0';
  }
  return copy;
}

/* The path is no folder and no row's file. Someone who names a fixture means its row. */
static void report_file(const char* path, rlk_defects_t* defects) {
  const char* base = base_name(path);
  size_t length = (size_t)(base - path) + strcspn(base, ".");
  const bool inside = strcmp(base, "manifest.json") == 0 || strcmp(base, "sidecar.json") == 0;
  if (inside && base > path) length = (size_t)(base - path) - 1;
  if (!has_row(path, length)) {
    rlk_defects_add(defects, RLK_DEFECT_ROW_STEM, path, 0, 0, RLK_SLOTS(rlk_slot_text("stem", base, strlen(base))));
    return;
  }
  char expected[2 * SHOWN_PATH];
  rlk_text_t text = rlk_text_over(expected, sizeof expected);
  rlk_text_put_shown(&text, path, length, SHOWN_PATH);
  rlk_text_put(&text, RLK_EXPECT_SUFFIX, strlen(RLK_EXPECT_SUFFIX));
  rlk_defects_add(defects, RLK_DEFECT_ROW_FIXTURE_NAMED, path, 0, 0, RLK_SLOTS(rlk_slot_prose("expected", expected)));
}

/* Root and stem of the path; no root when it is not usable. */
static rowlock_code_t split_path(rlk_corpus_t* corpus, const char* path, const char** out_root, const char** out_stem,
                                 rlk_defects_t* defects) {
  *out_root = *out_stem = NULL;
  struct stat status;
  if (!*path || stat(path, &status) != 0) {
    const char* problem = *path ? strerror(errno) : "the path is empty";
    rlk_defects_add(defects, RLK_DEFECT_CORPUS_UNREADABLE, *path ? path : "''", 0, 0,
                    RLK_SLOTS(rlk_slot_prose("problem", problem)));
    return ROWLOCK_OK;
  }
  if (S_ISDIR(status.st_mode)) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') --length;
    *out_root = copy_text(corpus, path, length);
    return *out_root ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
  }
  const char* base = base_name(path);
  if (!rlk_path_ends_with(base, RLK_EXPECT_SUFFIX)) {
    report_file(path, defects);
    return ROWLOCK_OK;
  }
  /* As rlk_row_read names the row's folder. */
  const size_t folder = base - path > 1 ? (size_t)(base - path) - 1 : (size_t)(base - path);
  *out_root = folder > 0 ? copy_text(corpus, path, folder) : ".";
  *out_stem = copy_text(corpus, base, strlen(base) - strlen(RLK_EXPECT_SUFFIX));
  return *out_root && *out_stem ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
}

/* Opens the path's scope unless another covers it; `paths` keeps its path at the scope's index. */
static rowlock_code_t open_scope(rlk_corpus_t* corpus, const char* path, const char** paths, rlk_defects_t* defects) {
  const char *root, *stem;
  rowlock_error_t err;
  rlk_scope_t scope;
  rowlock_code_t code = split_path(corpus, path, &root, &stem, defects);
  if (code || !root) return code;
  code = rlk_scope_open(&scope, &corpus->arena, root, stem, &err);
  if (code == ROWLOCK_UNUSABLE) {
    rlk_defects_add(defects, RLK_DEFECT_CORPUS_UNREADABLE, path, 0, 0,
                    RLK_SLOTS(rlk_slot_text("problem", err.message, strlen(err.message))));
    return ROWLOCK_OK;
  }
  if (code) return code;
  size_t kept = 0;
  for (size_t i = 0; i < corpus->scope_count; ++i) {
    if (rlk_scope_covers(&corpus->scopes[i], &scope)) return ROWLOCK_OK;
    if (rlk_scope_covers(&scope, &corpus->scopes[i])) continue;
    paths[kept] = paths[i];
    corpus->scopes[kept++] = corpus->scopes[i];
  }
  paths[kept] = path;
  corpus->scopes[kept] = scope;
  corpus->scope_count = kept + 1;
  return ROWLOCK_OK;
}

static rowlock_code_t load_paths(rlk_corpus_t* corpus, char* const* given, size_t count, const char** paths,
                                 rlk_defects_t* defects) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < count && !code; ++i) code = open_scope(corpus, given[i], paths, defects);
  for (size_t i = 0; i < corpus->scope_count && !code; ++i) {
    code = load_scope(corpus, &corpus->scopes[i], paths[i], defects);
  }
  return code;
}

rowlock_code_t rlk_corpus_load(rlk_corpus_t* corpus, char* const* paths, size_t path_count, rlk_defects_t* defects) {
  const char** kept = calloc(path_count, sizeof *kept);
  corpus->scopes = calloc(path_count, sizeof *corpus->scopes);
  corpus->scope_count = 0;
  const rowlock_code_t code =
      kept && corpus->scopes ? load_paths(corpus, paths, path_count, kept, defects) : ROWLOCK_NO_MEMORY;
  free(kept);
  if (code) return code;
  const rlk_scope_t* first = corpus->scopes;
  if (corpus->scope_count == 1 && !first->stem) {
    corpus->whole = true;
    corpus->root = first->root;
    if (!*first->below) corpus->lock_path = first->lock_path;
  }
  if (corpus->count > 0) qsort(corpus->rows, corpus->count, sizeof *corpus->rows, compare_rows);
  rlk_tree_sort(&corpus->tree);
  check_rows(corpus, defects);
  rlk_corpus_check_links(corpus, defects);
  check_deployments(corpus, defects);
  return defects->code;
}

const rlk_scope_t* rlk_corpus_scope(const rlk_corpus_t* corpus, const rlk_row_t* row) {
  for (size_t i = 0; i < corpus->scope_count; ++i) {
    const rlk_scope_t* scope = &corpus->scopes[i];
    if (scope->stem && strcmp(scope->stem, row->stem) != 0) continue;
    if (rlk_scope_has_folder(scope, row->folder)) return scope;
  }
  return NULL;
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
