#define _GNU_SOURCE /* S_ISCHR */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/report/report.h"
#include "harness/report/report_file.h"

bool rlk_report_same_file(const char* path, const char* other) {
  struct stat a, b;
  const bool there = stat(path, &a) == 0, other_there = stat(other, &b) == 0;
  if (there && other_there) return !S_ISCHR(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  if (there || other_there) return false;
  char* place = rlk_report_place_of_new(path);
  char* other_place = rlk_report_place_of_new(other);
  const bool same = place && other_place && strcmp(place, other_place) == 0;
  free(place);
  free(other_place);
  return same;
}
