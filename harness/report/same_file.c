#define _GNU_SOURCE /* realpath, readlink, asprintf */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/report/report.h"

enum { LINKS_MAX = 40 };

static size_t folder_length(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Where opening the path would make a file: the links of the last part followed, those of its folder resolved. To be
 * freed; NULL when there is no such folder or memory is short: opening it says so. */
static char* place_of_new(const char* path) {
  char* at = strdup(path);
  for (int links = 0; at && links < LINKS_MAX; ++links) {
    char target[PATH_MAX];
    const ssize_t length = readlink(at, target, sizeof target - 1);
    if (length < 0) break;
    target[length] = '\0';
    char* next;
    const int folder = *target == '/' ? 0 : (int)folder_length(at);
    if (asprintf(&next, "%.*s%s", folder, at, target) < 0) next = NULL;
    free(at);
    at = next;
  }
  if (!at) return NULL;
  const size_t folder = folder_length(at);
  char* name = strdup(at + folder);
  at[folder] = '\0';
  char* real = realpath(folder > 0 ? at : ".", NULL);
  char* place = NULL;
  if (name && real && asprintf(&place, "%s/%s", real, name) < 0) place = NULL;
  free(name);
  free(real);
  free(at);
  return place;
}

bool rlk_report_same_file(const char* path, const char* other) {
  struct stat a, b;
  const bool there = stat(path, &a) == 0, other_there = stat(other, &b) == 0;
  if (there && other_there) return !S_ISCHR(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  if (there || other_there) return false;
  char* place = place_of_new(path);
  char* other_place = place_of_new(other);
  const bool same = place && other_place && strcmp(place, other_place) == 0;
  free(place);
  free(other_place);
  return same;
}
