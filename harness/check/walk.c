#define _GNU_SOURCE /* fstatat, dirfd, d_type */
#include "harness/check/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loader/files.h"
#include "validator/rules/text.h"

enum { DEFAULT_DEPTH = 32, DEFAULT_NAMES = 200000, NAME_FOLDER = RLK_WALK_UNNAMED + 1, NAME_NONE };

typedef struct name_t {
  char* text;
  int kind; /* rlk_walk_name_t or NAME_FOLDER */
} name_t;

typedef struct file_id_t {
  dev_t device;
  ino_t inode;
} file_id_t;

/* A folder that is being walked. A claim ends with the folder of its manifest, which holds whatever was claimed. */
typedef struct level_t {
  const struct level_t* outer;
  uint32_t depth;
  name_t* names;
  size_t name_count, name_capacity;
  bool takes_any;    /* other files than sidecars by name */
  file_id_t* claims; /* sorted once the manifests have been visited */
  size_t claim_count, claim_capacity;
} level_t;

struct rlk_walk_t {
  const rlk_walk_visitor_t* visitor;
  rlk_walk_limits_t limits;
  rlk_folder_t* folder;
  level_t* level; /* of the manifest that is being visited */
  uint32_t names_left;
  bool is_over; /* the limit of names was passed */
  char path[PATH_MAX];
};

/* --- Names -------------------------------------------------------------------------------------------------------- */

static bool ends_in(const char* name, const char* suffix) {
  const size_t length = strlen(name), suffix_length = strlen(suffix);
  return length >= suffix_length && strcmp(name + length - suffix_length, suffix) == 0;
}

static int kind_of_file(const char* name) {
  if (!ends_in(name, ".json") || ends_in(name, ".expect.json")) return NAME_NONE;
  if (strcmp(name, "manifest.json") == 0 || ends_in(name, ".manifest.json")) return RLK_WALK_MANIFEST;
  return ends_in(name, ".sidecar.json") ? RLK_WALK_SIDECAR : RLK_WALK_BESIDE;
}

/* A pipe or a link to nothing that is named like a document is kept: whoever reads it says what is wrong. */
static int kind_of(int folder_fd, const struct dirent* entry) {
  if (entry->d_name[0] == '.') return NAME_NONE;
  if (entry->d_type == DT_DIR) return NAME_FOLDER;
  const int kind = kind_of_file(entry->d_name);
  if (entry->d_type == DT_REG || (entry->d_type != DT_UNKNOWN && kind == NAME_NONE)) return kind;
  struct stat itself, target;
  if (fstatat(folder_fd, entry->d_name, &itself, AT_SYMLINK_NOFOLLOW) != 0) return NAME_NONE; /* gone meanwhile */
  if (S_ISDIR(itself.st_mode)) return NAME_FOLDER;
  const bool found = fstatat(folder_fd, entry->d_name, &target, 0) == 0;
  if (found && S_ISDIR(target.st_mode)) return NAME_NONE;
  return kind != RLK_WALK_BESIDE || (found && S_ISREG(target.st_mode)) ? kind : NAME_NONE;
}

static rowlock_code_t add_name(level_t* level, const char* text, int kind) {
  if (level->name_count == level->name_capacity) {
    const size_t capacity = level->name_capacity ? 2 * level->name_capacity : 16;
    name_t* names = realloc(level->names, capacity * sizeof *names);
    if (!names) return ROWLOCK_NO_MEMORY;
    level->names = names;
    level->name_capacity = capacity;
  }
  char* copy = strdup(text);
  if (!copy) return ROWLOCK_NO_MEMORY;
  level->names[level->name_count++] = (name_t){.text = copy, .kind = kind};
  return ROWLOCK_OK;
}

static int compare_names(const void* a, const void* b) {
  return strcmp(((const name_t*)a)->text, ((const name_t*)b)->text);
}

static rowlock_code_t report(rlk_walk_t* walk, const char* format, ...) ROWLOCK_PRINTF(2, 3);
static rowlock_code_t report(rlk_walk_t* walk, const char* format, ...) {
  char sentence[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  return walk->visitor->problem(walk->visitor->context, walk->path, sentence);
}

static rowlock_code_t read_names(rlk_walk_t* walk, level_t* level) {
  DIR* stream = opendir(walk->path);
  if (!stream) {
    return errno == ENOMEM ? ROWLOCK_NO_MEMORY : report(walk, "the folder cannot be opened: %s", strerror(errno));
  }
  rowlock_code_t code = ROWLOCK_OK;
  const struct dirent* entry;
  while (!code && !walk->is_over && (errno = 0, entry = readdir(stream)) != NULL) {
    const int kind = kind_of(dirfd(stream), entry);
    if (kind == NAME_NONE) continue;
    if (walk->names_left == 0) {
      walk->is_over = true;
      code = report(walk, "more than %u documents and folders in one walk, which ends here", walk->limits.names);
    } else {
      --walk->names_left;
      code = add_name(level, entry->d_name, kind);
    }
  }
  if (!code && !walk->is_over && errno) code = report(walk, "the folder cannot be read: %s", strerror(errno));
  closedir(stream);
  if (level->name_count > 0) qsort(level->names, level->name_count, sizeof *level->names, compare_names);
  return code;
}

/* --- Claims ------------------------------------------------------------------------------------------------------- */

static int compare_ids(const void* a, const void* b) {
  const file_id_t *x = a, *y = b;
  if (x->device != y->device) return x->device < y->device ? -1 : 1;
  return (x->inode > y->inode) - (x->inode < y->inode);
}

rowlock_code_t rlk_walk_claim(rlk_walk_t* walk, const char* path, size_t length) {
  char real[PATH_MAX];
  struct stat status;
  rlk_folder_set_document(walk->folder, walk->path, 0);
  if (rlk_folder_resolve(walk->folder, path, length, real, NULL) || stat(real, &status) != 0) return ROWLOCK_OK;
  level_t* level = walk->level;
  if (level->claim_count == level->claim_capacity) {
    const size_t capacity = level->claim_capacity ? 2 * level->claim_capacity : 16;
    file_id_t* claims = realloc(level->claims, capacity * sizeof *claims);
    if (!claims) return ROWLOCK_NO_MEMORY;
    level->claims = claims;
    level->claim_capacity = capacity;
  }
  level->claims[level->claim_count++] = (file_id_t){.device = status.st_dev, .inode = status.st_ino};
  return ROWLOCK_OK;
}

static bool is_claimed(const rlk_walk_t* walk, const level_t* level) {
  struct stat status;
  bool known = false;
  for (; level; level = level->outer) {
    if (level->claim_count == 0) continue;
    if (!known && stat(walk->path, &status) != 0) return false;
    known = true;
    const file_id_t id = {.device = status.st_dev, .inode = status.st_ino};
    if (bsearch(&id, level->claims, level->claim_count, sizeof id, compare_ids)) return true;
  }
  return false;
}

/* --- The walk ----------------------------------------------------------------------------------------------------- */

static rowlock_code_t walk_level(rlk_walk_t* walk, const level_t* outer);

/* Visits the name, whose path is `walk->path`. */
static rowlock_code_t visit(rlk_walk_t* walk, level_t* level, int kind) {
  if (kind == NAME_FOLDER) return walk_level(walk, level);
  if (kind == RLK_WALK_SIDECAR || kind == RLK_WALK_BESIDE) {
    const bool claimed = is_claimed(walk, level);
    if (claimed && !walk->visitor->visits_claimed) return ROWLOCK_OK;
    if (claimed) kind = RLK_WALK_SIDECAR;
    if (kind == RLK_WALK_BESIDE && !level->takes_any) return ROWLOCK_OK;
  }
  walk->level = level;
  return walk->visitor->visit(walk->visitor->context, walk, walk->path, (rlk_walk_name_t)kind);
}

/* Visits the names of the kinds `from` to `to` as what they are, or as `as` unless that is NAME_NONE. The path is the
 * folder's again afterwards. */
static rowlock_code_t visit_kinds(rlk_walk_t* walk, level_t* level, int from, int to, int as) {
  const size_t length = strlen(walk->path);
  const char* separator = length > 0 && walk->path[length - 1] == '/' ? "" : "/";
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < level->name_count && !code && !walk->is_over; ++i) {
    const name_t* name = &level->names[i];
    if (name->kind < from || name->kind > to) continue;
    const size_t room = sizeof walk->path - length;
    if (strlen(separator) + strlen(name->text) >= room) {
      code = report(walk, "the path of something in it is longer than %d bytes", PATH_MAX - 1);
      continue;
    }
    snprintf(walk->path + length, room, "%s%s", separator, name->text);
    code = visit(walk, level, as == NAME_NONE ? name->kind : as);
    walk->path[length] = '\0';
  }
  return code;
}

static rowlock_code_t visit_names(rlk_walk_t* walk, level_t* level) {
  level->takes_any = !level->outer;
  for (size_t i = 0; i < level->name_count; ++i) level->takes_any |= level->names[i].kind == RLK_WALK_MANIFEST;
  rowlock_code_t code = visit_kinds(walk, level, RLK_WALK_MANIFEST, RLK_WALK_MANIFEST, NAME_NONE);
  if (!code && !level->outer) code = visit_kinds(walk, level, RLK_WALK_BESIDE, RLK_WALK_BESIDE, RLK_WALK_UNNAMED);
  if (level->claim_count > 0) qsort(level->claims, level->claim_count, sizeof *level->claims, compare_ids);
  if (!code) code = visit_kinds(walk, level, RLK_WALK_SIDECAR, RLK_WALK_BESIDE, NAME_NONE);
  return code ? code : visit_kinds(walk, level, NAME_FOLDER, NAME_FOLDER, NAME_NONE);
}

static rowlock_code_t walk_level(rlk_walk_t* walk, const level_t* outer) {
  level_t level = {.outer = outer, .depth = outer ? outer->depth + 1 : 0};
  if (level.depth > walk->limits.depth) return report(walk, "more than %u folders in folders", walk->limits.depth);
  rowlock_code_t code = read_names(walk, &level);
  if (!code) code = visit_names(walk, &level);
  for (size_t i = 0; i < level.name_count; ++i) free(level.names[i].text);
  free(level.names);
  free(level.claims);
  return code;
}

rowlock_code_t rlk_walk_folder(const char* folder, const rlk_walk_limits_t* limits, const rlk_walk_visitor_t* visitor,
                               rowlock_error_t* err) {
  rlk_walk_t* walk = calloc(1, sizeof *walk);
  if (!walk) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory to walk a folder");
  if (limits) walk->limits = *limits;
  if (walk->limits.depth == 0) walk->limits.depth = DEFAULT_DEPTH;
  if (walk->limits.names == 0) walk->limits.names = DEFAULT_NAMES;
  walk->visitor = visitor;
  walk->names_left = walk->limits.names;
  rowlock_code_t code = rlk_folder_create(&walk->folder, err);
  if (!code) {
    const int length = snprintf(walk->path, sizeof walk->path, "%s", folder);
    if ((size_t)length < sizeof walk->path) {
      code = walk_level(walk, NULL);
    } else {
      code = report(walk, "the path is longer than %d bytes", PATH_MAX - 1);
    }
    if (code == ROWLOCK_NO_MEMORY) rlk_fail(err, code, "no memory to walk a folder");
  }
  rlk_folder_destroy(walk->folder);
  free(walk);
  return code;
}
