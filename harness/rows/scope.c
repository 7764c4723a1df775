#define _GNU_SOURCE /* realpath, access */
#include "harness/rows/scope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "validator/rules/text.h"

/* What follows the folder and a slash in the path: "" for the folder itself, NULL if it lies elsewhere. */
static const char* after(const char* path, const char* folder) {
  const size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0) return NULL;
  const char* rest = path + length;
  if (length > 0 && folder[length - 1] == '/') return rest;
  if (*rest == '/') return rest + 1;
  return *rest ? NULL : rest;
}

static char* copy(rlk_arena_t* arena, const char* text, size_t length) {
  char* out = rlk_arena_alloc(arena, length + 1);
  if (!out) return NULL;
  memcpy(out, text, length);
  out[length] = '\0';
  return out;
}

static char* join_lock(rlk_arena_t* arena, const char* folder, size_t length) {
  const size_t size = length + sizeof "/" RLK_LOCK_NAME;
  char* path = rlk_arena_alloc(arena, size);
  if (!path) return NULL;
  rlk_text_t text = rlk_text_over(path, size);
  rlk_text_put(&text, folder, length);
  rlk_text_put(&text, "/" RLK_LOCK_NAME, sizeof "/" RLK_LOCK_NAME - 1);
  return path;
}

/* The lock's path as a user would write it: from the root as it was named, where its end is the place below the lock.
 */
static rowlock_code_t name_lock(rlk_scope_t* scope, rlk_arena_t* arena, const char* lock_folder) {
  const size_t root = strlen(scope->root), below = strlen(scope->below);
  if (below == 0) {
    scope->lock_path = join_lock(arena, scope->root, root);
  } else if (root > below + 1 && scope->root[root - below - 1] == '/' &&
             strcmp(scope->root + root - below, scope->below) == 0) {
    scope->lock_path = join_lock(arena, scope->root, root - below - 1);
  } else {
    scope->lock_path = join_lock(arena, lock_folder, strlen(lock_folder));
  }
  return scope->lock_path ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
}

static rowlock_code_t find_lock(rlk_scope_t* scope, rlk_arena_t* arena) {
  char* folder = copy(arena, scope->real, strlen(scope->real));
  if (!folder) return ROWLOCK_NO_MEMORY;
  for (;;) {
    char* lock = join_lock(arena, folder, strlen(folder));
    if (!lock) return ROWLOCK_NO_MEMORY;
    if (access(lock, F_OK) == 0) {
      scope->below = after(scope->real, folder);
      return name_lock(scope, arena, folder);
    }
    if (!*folder) return ROWLOCK_OK;
    *strrchr(folder, '/') = '\0'; /* of "/" remains "", whose lock is "/rows.lock" */
  }
}

rowlock_code_t rlk_scope_open(rlk_scope_t* scope, rlk_arena_t* arena, const char* root, const char* stem,
                              rowlock_error_t* err) {
  *scope = (rlk_scope_t){.root = root, .stem = stem, .below = ""};
  char* real = realpath(root, NULL);
  if (!real && errno == ENOMEM) return ROWLOCK_NO_MEMORY;
  if (!real) return rlk_fail(err, ROWLOCK_UNUSABLE, "%s", strerror(errno));
  scope->real = copy(arena, real, strcmp(real, "/") == 0 ? 0 : strlen(real));
  free(real);
  return scope->real ? find_lock(scope, arena) : ROWLOCK_NO_MEMORY;
}

bool rlk_scope_covers(const rlk_scope_t* scope, const rlk_scope_t* other) {
  if (!scope->stem) return after(other->real, scope->real) != NULL;
  return other->stem && strcmp(scope->stem, other->stem) == 0 && strcmp(scope->real, other->real) == 0;
}

bool rlk_scope_has_folder(const rlk_scope_t* scope, const char* folder) {
  return scope->stem ? strcmp(folder, scope->root) == 0 : after(folder, scope->root) != NULL;
}

bool rlk_scope_has_place(const rlk_scope_t* scope, const char* place) {
  const char* rest = *scope->below ? after(place, scope->below) : place;
  return rest && (!scope->stem || strcmp(rest, scope->stem) == 0);
}
