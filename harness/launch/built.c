#define _GNU_SOURCE /* realpath, lstat, PATH_MAX */
#include "harness/launch/built.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "validator/rules/text.h"

static bool is_link(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

/* The length of the path without its last part, 0 for none. */
static size_t parent_length(const char* path, size_t length) {
  while (length > 0 && path[length - 1] != '/') --length;
  return length > 1 ? length - 1 : 0;
}

static bool has_file(const char* folder, size_t length, const char* name) {
  char path[PATH_MAX];
  rlk_text_t text = rlk_text_over(path, sizeof path);
  rlk_text_put(&text, folder, length);
  rlk_text_printf(&text, "/%s", name);
  return text.length < sizeof path && access(path, F_OK) == 0;
}

/* The length of the workspace that the folder is in, 0 if it is in none. */
static size_t workspace_length(const char* folder) {
  static const char* const marks[] = {"WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel"};
  for (size_t length = strlen(folder); length > 0; length = parent_length(folder, length)) {
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) {
      if (has_file(folder, length, marks[i])) return length;
    }
  }
  return 0;
}

bool rlk_built_folder(const char* document_path, const char* built, char* out_folder) {
  rlk_text_t out = rlk_text_over(out_folder, PATH_MAX);
  const char* slash = strrchr(document_path, '/');
  if (!built && is_link(document_path)) {
    rlk_text_put(&out, slash ? document_path : ".", slash ? (size_t)(slash - document_path) : 1);
    return out.length < PATH_MAX;
  }
  char folder[PATH_MAX];
  if (!realpath(document_path, folder)) return false;
  folder[parent_length(folder, strlen(folder))] = '\0';
  const size_t workspace = workspace_length(folder);
  if (!built && workspace == 0) return false;
  if (built) {
    rlk_text_put(&out, built, strlen(built));
  } else {
    rlk_text_put(&out, folder, workspace);
    rlk_text_printf(&out, "/bazel-bin");
  }
  if (workspace > 0) rlk_text_put(&out, folder + workspace, strlen(folder + workspace));
  return out.length < PATH_MAX;
}
