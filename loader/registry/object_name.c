#include "loader/registry/object_name.h"

void rlk_object_name_put(rlk_text_t* text, const char* path, size_t length) {
  static const char extension[] = ".so";
  size_t stem = length;
  while (stem > 0 && path[stem - 1] != '.' && path[stem - 1] != '/') --stem;
  const bool has_extension = stem > 1 && path[stem - 1] == '.' && path[stem - 2] != '/';
  rlk_text_put(text, path, has_extension ? stem - 1 : length);
  rlk_text_put(text, extension, sizeof extension - 1);
}
