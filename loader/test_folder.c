#define _GNU_SOURCE /* mkdtemp, nftw, symlink */
#include "loader/test_folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void require(int ok, const char* what, const char* path) {
  if (ok) return;
  fprintf(stderr, "test folder: %s ", what);
  perror(path);
  abort();
}

const char* rlk_test_folder_at(const rlk_test_folder_t* folder, const char* name) {
  static char path[8192];
  const int length = snprintf(path, sizeof path, "%s/%s", folder->path, name);
  require(length > 0 && (size_t)length < sizeof path, "too long a name for", name);
  return path;
}

void rlk_test_folder_create(rlk_test_folder_t* folder) {
  const char* above = getenv("TEST_TMPDIR");
  const int length = snprintf(folder->path, sizeof folder->path, "%s/folder-XXXXXX", above ? above : "/tmp");
  require(length > 0 && (size_t)length < sizeof folder->path && mkdtemp(folder->path) != NULL, "cannot make",
          folder->path);
}

static int remove_one(const char* path, const struct stat* status, int type, struct FTW* place) {
  (void)status, (void)type, (void)place;
  return remove(path);
}

void rlk_test_folder_remove(rlk_test_folder_t* folder) {
  require(nftw(folder->path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0, "cannot remove", folder->path);
}

void rlk_test_folder_write(const rlk_test_folder_t* folder, const char* name, const char* bytes, size_t length) {
  const char* path = rlk_test_folder_at(folder, name);
  FILE* file = fopen(path, "wb");
  require(file != NULL, "cannot open", path);
  const size_t written = fwrite(bytes, 1, length, file);
  require(fclose(file) == 0 && written == length, "cannot write", path);
}

void rlk_test_folder_make(const rlk_test_folder_t* folder, const char* name) {
  const char* path = rlk_test_folder_at(folder, name);
  require(mkdir(path, 0700) == 0, "cannot make", path);
}

void rlk_test_folder_pipe(const rlk_test_folder_t* folder, const char* name) {
  const char* path = rlk_test_folder_at(folder, name);
  require(mkfifo(path, 0600) == 0, "cannot make", path);
}

void rlk_test_folder_link(const rlk_test_folder_t* folder, const char* name, const char* target) {
  const char* path = rlk_test_folder_at(folder, name);
  require(symlink(target, path) == 0, "cannot link", path);
}
