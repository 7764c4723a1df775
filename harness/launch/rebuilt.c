#include "harness/launch/rebuilt.h"

#include <string.h>
#include <sys/stat.h>

#include "validator/rules/text.h"

static bool is_same_file(const char* path, const char* other) {
  struct stat a, b;
  if (stat(path, &a) != 0 || stat(other, &b) != 0) return strcmp(path, other) == 0;
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

rowlock_code_t rlk_find_beside(rlk_folder_t* folder, const char* what, const char* name, char* out_path,
                               rowlock_error_t* err) {
  rowlock_error_t cause;
  const rowlock_code_t code = rlk_folder_resolve(folder, name, strlen(name), out_path, &cause);
  if (!code) return ROWLOCK_OK;
  if (code != ROWLOCK_REJECTED) return rlk_fail(err, code, "cannot %s '%.200s': %.200s", what, name, cause.message);
  return rlk_fail(err, ROWLOCK_UNUSABLE,
                  "cannot %s '%.200s': a path beside the first document is due, and this one %.200s", what, name,
                  cause.message);
}

rowlock_code_t rlk_rebuilt_find(rlk_folder_t* folder, const char* launched, const char* name, char* out_path,
                                rowlock_error_t* err) {
  const rowlock_code_t code = rlk_find_beside(folder, "launch", name, out_path, err);
  if (code || !is_same_file(launched, out_path)) return code;
  return rlk_fail(err, ROWLOCK_UNUSABLE,
                  "'rebuilt' must name another document than the one that is launched, and '%.200s' is that one", name);
}

static rowlock_code_t refuse(rowlock_error_t* err, const char* why) {
  return rlk_fail(err, ROWLOCK_UNUSABLE, "the same plugins from other artifacts are due: %s", why);
}

rowlock_code_t rlk_rebuilt_check(const rowlock_registry_t* launched, const rowlock_registry_t* rebuilt,
                                 rowlock_error_t* err) {
  char why[512];
  rlk_text_t text = rlk_text_over(why, sizeof why);
  const size_t due = rowlock_registry_plugin_count(launched), count = rowlock_registry_plugin_count(rebuilt);
  if (count != due) {
    rlk_text_printf(&text, "the launch has %zu and this document %zu", due, count);
    return refuse(err, why);
  }
  bool differs = false;
  for (size_t i = 0; i < count; ++i) {
    const rowlock_plugin_t want = rowlock_registry_plugin_at(launched, i);
    const rowlock_plugin_t got = rowlock_registry_plugin_at(rebuilt, i);
    if (strcmp(want.id, got.id) != 0) {
      rlk_text_printf(&text, "number %zu is '%.200s' in the launch and '%.200s' in this document", i + 1, want.id,
                      got.id);
      return refuse(err, why);
    }
    if (want.enabled != got.enabled) {
      rlk_text_printf(&text, "'%.200s' is enabled in one of the two alone", want.id);
      return refuse(err, why);
    }
    differs |= want.enabled && !is_same_file(want.object_path, got.object_path);
  }
  return differs ? ROWLOCK_OK : refuse(err, "every plugin that runs is of the same file in both");
}
