#include "harness/check/uri.h"

#include <stdbool.h>
#include <string.h>

static bool is_unreserved(unsigned char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
         (byte != '\0' && strchr("-._~", byte));
}

static const char* skip_here(const char* path) {
  while (path[0] == '.' && path[1] == '/') {
    path += 2;
    while (*path == '/') ++path;
  }
  return path;
}

void rlk_uri_put(rlk_text_t* out, const char* path) {
  path = skip_here(path);
  if (path[0] == '/') rlk_text_put(out, "file://", strlen("file://"));
  for (; *path; ++path) {
    const unsigned char byte = (unsigned char)*path;
    if (byte == '/' || is_unreserved(byte)) {
      rlk_text_put(out, path, 1);
    } else {
      rlk_text_printf(out, "%%%02X", byte);
    }
  }
}
