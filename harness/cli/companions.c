#define _GNU_SOURCE /* realpath, strdup, strndup, PATH_MAX */
#include "harness/cli/companions.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "loader/checker.h"
#include "loader/files.h"

void rlk_companions_deinit(rlk_companions_t* companions) {
  for (size_t i = 0; i < companions->count; ++i) {
    free(companions->files[i].name);
    free(companions->files[i].path);
  }
  free(companions->files);
  *companions = (rlk_companions_t){0};
}

static bool is_there(const rlk_companions_t* companions, const char* name) {
  for (size_t i = 0; i < companions->count; ++i) {
    if (strcmp(companions->files[i].name, name) == 0) return true;
  }
  return false;
}

static bool is_file(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Two spellings of one place, "a.json" and "./a.json", would be one file of the copy. */
static char* plain_name(const char* text, size_t length) {
  char* name = strndup(text, length);
  if (!name) return NULL;
  char* out = name;
  for (const char* at = name; *at;) {
    const size_t step = strcspn(at, "/");
    const bool counts = step > 0 && !(step == 1 && *at == '.');
    if (counts && out > name) *out++ = '/';
    if (counts) memmove(out, at, step);
    if (counts) out += step;
    at += step + (at[step] == '/');
  }
  *out = '\0';
  return name;
}

static rowlock_code_t take(rlk_companions_t* companions, rlk_folder_t* folder, const char* manifest,
                           const rlk_node_t* sidecar) {
  char path[PATH_MAX], own[PATH_MAX];
  rowlock_error_t unused;
  if (rlk_folder_resolve(folder, sidecar->text, sidecar->text_length, path, &unused) != ROWLOCK_OK) return ROWLOCK_OK;
  if (!is_file(path) || (realpath(manifest, own) && strcmp(own, path) == 0)) return ROWLOCK_OK;
  rlk_companion_t file = {.name = plain_name(sidecar->text, sidecar->text_length), .path = strdup(path)};
  if (file.name && file.path && !is_there(companions, file.name)) {
    companions->files[companions->count++] = file;
    return ROWLOCK_OK;
  }
  const bool whole = file.name && file.path;
  free(file.name);
  free(file.path);
  return whole ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
}

static rowlock_code_t take_all(rlk_companions_t* companions, rlk_folder_t* folder, const char* manifest,
                               const rlk_document_t* document) {
  const rlk_node_t* plugins = rlk_node_member(document->root, "plugins");
  if (!plugins || plugins->kind != RLK_ARRAY || plugins->count == 0) return ROWLOCK_OK;
  *companions = (rlk_companions_t){.files = calloc(plugins->count, sizeof *companions->files)};
  if (!companions->files) return ROWLOCK_NO_MEMORY;
  rlk_folder_set_document(folder, manifest, 0);
  rowlock_code_t code = ROWLOCK_OK;
  for (const rlk_node_t* entry = plugins->first; entry && !code; entry = entry->next) {
    const rlk_node_t* sidecar = rlk_node_member(entry, "sidecar");
    if (sidecar && sidecar->kind == RLK_STRING) code = take(companions, folder, manifest, sidecar);
  }
  return code;
}

rowlock_code_t rlk_companions_find(rlk_companions_t* companions, const char* manifest, rowlock_error_t* err) {
  rowlock_checker_t* checker = NULL;
  rlk_folder_t* folder = NULL;
  rowlock_findings_t* findings = rowlock_findings_create();
  rowlock_code_t code = findings ? rowlock_checker_create(&checker, err) : ROWLOCK_NO_MEMORY;
  if (!code) code = rlk_folder_create(&folder, err);
  if (!code) {
    rowlock_error_t unused;
    const rowlock_code_t opened = rlk_checker_open(checker, manifest, -1, findings, &unused);
    if (!opened) code = take_all(companions, folder, manifest, rlk_checker_document(checker));
    if (opened == ROWLOCK_NO_MEMORY) code = opened;
  }
  rlk_folder_destroy(folder);
  rowlock_checker_destroy(checker);
  rowlock_findings_destroy(findings);
  return code;
}
