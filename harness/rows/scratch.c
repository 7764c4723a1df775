#define _GNU_SOURCE /* mkdtemp, nftw */
#include "harness/rows/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void rlk_scratch_create(rlk_scratch_t* scratch) {
  const char* base = getenv("TEST_TMPDIR");
  snprintf(scratch->path, sizeof scratch->path, "%s/rowlock.XXXXXX", base ? base : "/tmp");
  cr_assert_not_null(mkdtemp(scratch->path), "%s: %s", scratch->path, strerror(errno));
}

static int remove_entry(const char* path, const struct stat* status, int type, struct FTW* walk) {
  (void)status, (void)type, (void)walk;
  return remove(path);
}

void rlk_scratch_remove(rlk_scratch_t* scratch) {
  cr_assert_eq(nftw(scratch->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0, "%s: %s", scratch->path,
               strerror(errno));
}

static void path_of(const rlk_scratch_t* scratch, const char* name, char* out, size_t size) {
  cr_assert_lt((size_t)snprintf(out, size, "%s/%s", scratch->path, name), size);
}

void rlk_scratch_write(const rlk_scratch_t* scratch, const char* name, const char* text) {
  char path[1024];
  path_of(scratch, name, path, sizeof path);
  for (char* slash = path + strlen(scratch->path) + 1; (slash = strchr(slash, '/')) != NULL; ++slash) {
    *slash = '\0';
    cr_assert(mkdir(path, 0755) == 0 || errno == EEXIST, "%s: %s", path, strerror(errno));
    *slash = '/';
  }
  FILE* out = fopen(path, "w");
  cr_assert_not_null(out, "%s: %s", path, strerror(errno));
  cr_assert_eq(fwrite(text, 1, strlen(text), out), strlen(text));
  cr_assert_eq(fclose(out), 0);
}

void rlk_scratch_delete(const rlk_scratch_t* scratch, const char* name) {
  char path[1024];
  path_of(scratch, name, path, sizeof path);
  cr_assert_eq(unlink(path), 0, "%s: %s", path, strerror(errno));
}
