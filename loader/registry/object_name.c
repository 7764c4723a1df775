#include "loader/registry/object_name.h"

#include <string.h>

/* The length of the path without the extension of its last part; a dot that the name begins with begins none. */
static size_t stem_length(const char* path, size_t length) {
  size_t stem = length;
  while (stem > 0 && path[stem - 1] != '.' && path[stem - 1] != '/') --stem;
  const bool has_extension = stem > 1 && path[stem - 1] == '.' && path[stem - 2] != '/';
  return has_extension ? stem - 1 : length;
}

/* NAME of NAME.sidecar.json and of NAME.json. */
static size_t sidecar_stem_length(const char* path) {
  static const char suffix[] = ".sidecar";
  const size_t length = stem_length(path, strlen(path)), shorter = stem_length(path, length);
  const bool has_suffix =
      length - shorter == sizeof suffix - 1 && memcmp(path + shorter, suffix, length - shorter) == 0;
  return has_suffix ? shorter : length;
}

void rlk_object_name_put(rlk_text_t* text, const char* path, size_t length) {
  rlk_text_put(text, path, stem_length(path, length));
  rlk_text_printf(text, ".so");
}

void rlk_object_name_put_of_sidecar(rlk_text_t* text, const char* path, const char* extension) {
  rlk_text_put(text, path, sidecar_stem_length(path));
  rlk_text_printf(text, ".%s", extension);
}
