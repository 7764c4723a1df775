#define _GNU_SOURCE /* nftw, mkdtemp */
#include "harness/check/scratch_folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[4096];

/* A test without its files would prove nothing. */
static void need(bool done, const char* what) {
  if (done) return;
  fprintf(stderr, "scratch folder: %s: %s\n", what, strerror(errno));
  abort();
}

void rlk_scratch_enter(void) {
  const char* parent = getenv("TEST_TMPDIR");
  snprintf(folder, sizeof folder, "%s/check-XXXXXX", parent ? parent : "/tmp");
  need(mkdtemp(folder) != NULL, folder);
  need(chdir(folder) == 0, folder);
}

static int remove_one(const char* path, const struct stat* status, int type, struct FTW* where) {
  (void)status;
  (void)type;
  (void)where;
  return remove(path);
}

void rlk_scratch_leave(void) {
  need(chdir("/") == 0, "/");
  need(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0, folder);
}

void rlk_scratch_write(const char* path, const char* text) {
  char part[4096];
  need((size_t)snprintf(part, sizeof part, "%s", path) < sizeof part, path);
  for (char* slash = strchr(part, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    need(mkdir(part, 0777) == 0 || errno == EEXIST, part);
    *slash = '/';
  }
  FILE* out = fopen(path, "wb");
  need(out != NULL, path);
  need(fputs(text, out) >= 0, path);
  need(fclose(out) == 0, path);
}

void rlk_scratch_printf(const char* path, const char* format, ...) {
  char* text;
  va_list arguments;
  va_start(arguments, format);
  need(vasprintf(&text, format, arguments) >= 0, path);
  va_end(arguments);
  rlk_scratch_write(path, text);
  free(text);
}
