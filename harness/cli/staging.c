#define _GNU_SOURCE /* asprintf, mkdtemp, nftw, renameat2 */
#include "harness/cli/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/rows/tree.h"
#include "validator/rules/text.h"

enum { FILES_MAX = 10000, DEPTH_MAX = 16, BLOCK_BYTES = 1 << 16 };

bool rlk_lies_behind_link(const char* root, const char* folder) {
  char path[PATH_MAX];
  for (const char* end = folder; *end; end += *end == '/') {
    end += strcspn(end, "/");
    struct stat status;
    const int length = snprintf(path, sizeof path, "%s/%.*s", root, (int)(end - folder), folder);
    if (length >= PATH_MAX || (lstat(path, &status) == 0 && S_ISLNK(status.st_mode))) return true;
  }
  return false;
}

static rowlock_code_t no_memory(rowlock_error_t* err) {
  return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory to copy the fixture");
}

static char* join(const char* folder, const char* name) {
  char* path;
  return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* --- The folder aside --------------------------------------------------------------------------------------------- */

rowlock_code_t rlk_staging_open(rlk_staging_t* staging, const char* folder, rowlock_error_t* err) {
  *staging = (rlk_staging_t){.folder = strdup(folder), .aside = join(folder, ".new-row-XXXXXX")};
  if (!staging->folder || !staging->aside) {
    free(staging->folder);
    free(staging->aside);
    *staging = (rlk_staging_t){0};
    return no_memory(err);
  }
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGHUP);
  sigaddset(&interrupts, SIGINT);
  sigaddset(&interrupts, SIGTERM);
  sigprocmask(SIG_BLOCK, &interrupts, &staging->signals);
  if (mkdtemp(staging->aside)) return ROWLOCK_OK;
  const rowlock_code_t code =
      rlk_fail(err, ROWLOCK_UNUSABLE, "cannot make a folder in '%s': %s", folder, strerror(errno));
  rlk_staging_close(staging);
  return code;
}

static int remove_entry(const char* path, const struct stat* status, int type, struct FTW* place) {
  (void)status;
  (void)type;
  (void)place;
  return remove(path);
}

void rlk_staging_close(rlk_staging_t* staging) {
  if (!staging->aside) return;
  nftw(staging->aside, remove_entry, DEPTH_MAX, FTW_DEPTH | FTW_PHYS);
  free(staging->folder);
  free(staging->aside);
  const sigset_t signals = staging->signals;
  *staging = (rlk_staging_t){0};
  sigprocmask(SIG_SETMASK, &signals, NULL);
}

char* rlk_staging_path(const rlk_staging_t* staging, const char* name) { return join(staging->aside, name); }

/* --- Files into it ------------------------------------------------------------------------------------------------ */

static rowlock_code_t write_all(int fd, const char* bytes, size_t length, const char* path, rowlock_error_t* err) {
  while (length > 0) {
    const ssize_t written = write(fd, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot write '%s': %s", path, strerror(errno));
    bytes += written;
    length -= (size_t)written;
  }
  return ROWLOCK_OK;
}

static rowlock_code_t create_file(const char* path, int* out_fd, rowlock_error_t* err) {
  *out_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (*out_fd >= 0) return ROWLOCK_OK;
  return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot make '%s': %s", path, strerror(errno));
}

/* Some file systems tell only now that a write failed. */
static rowlock_code_t close_file(int fd, const char* path, rowlock_code_t code, rowlock_error_t* err) {
  if (close(fd) != 0 && !code) return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot write '%s': %s", path, strerror(errno));
  return code;
}

static rowlock_code_t copy_bytes(int from, const char* source, int to, const char* path, rowlock_error_t* err) {
  char block[BLOCK_BYTES];
  for (;;) {
    const ssize_t got = read(from, block, sizeof block);
    if (got == 0) return ROWLOCK_OK;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot read '%s': %s", source, strerror(errno));
    const rowlock_code_t code = write_all(to, block, (size_t)got, path, err);
    if (code) return code;
  }
}

static rowlock_code_t copy_file(const char* source, const char* path, rowlock_error_t* err) {
  /* O_NONBLOCK: opening a pipe without a writer must not wait. */
  const int from = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (from < 0) return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot read '%s': %s", source, strerror(errno));
  struct stat status;
  if (fstat(from, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(from);
    return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot read '%s': it is not a regular file", source);
  }
  int to;
  rowlock_code_t code = create_file(path, &to, err);
  if (!code) {
    code = copy_bytes(from, source, to, path, err);
    code = close_file(to, path, code, err);
  }
  close(from);
  return code;
}

/* Makes each folder between `path` and its first `root_length` bytes, which are a folder already. */
static rowlock_code_t make_folders(char* path, size_t root_length, rowlock_error_t* err) {
  for (char* slash = strchr(path + root_length + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
    const int problem = errno;
    if (!made) rlk_fail(err, ROWLOCK_UNUSABLE, "cannot make '%s': %s", path, strerror(problem));
    *slash = '/';
    if (!made) return ROWLOCK_UNUSABLE;
  }
  return ROWLOCK_OK;
}

/* `path` is in the folder `root` whose real path is `real_root`; a link on the way leads to another real path. */
static rowlock_code_t refuse_link(const char* path, const char* root, const char* real_root, rowlock_error_t* err) {
  char real[PATH_MAX];
  if (!realpath(path, real)) return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot read '%s': %s", path, strerror(errno));
  const size_t length = strlen(real_root);
  if (strncmp(real, real_root, length) == 0 && strcmp(real + length, path + strlen(root)) == 0) return ROWLOCK_OK;
  return rlk_fail(err, ROWLOCK_UNUSABLE, "'%s' is a link, or behind one: a fixture has files alone", path);
}

static rowlock_code_t copy_folder(const char* source, const char* path, rowlock_error_t* err) {
  char real_source[PATH_MAX];
  if (!realpath(source, real_source)) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot read '%s': %s", source, strerror(errno));
  }
  rlk_tree_t tree = {0};
  rowlock_code_t code = rlk_tree_walk(&tree, source, FILES_MAX, DEPTH_MAX, err);
  if (!code && mkdir(path, 0777) != 0) {
    code = rlk_fail(err, ROWLOCK_UNUSABLE, "cannot make '%s': %s", path, strerror(errno));
  }
  for (size_t i = 0; i < tree.count && !code; ++i) {
    code = refuse_link(tree.paths[i], source, real_source, err);
    if (code) break;
    char* copy = join(path, tree.paths[i] + strlen(source) + 1);
    if (!copy) {
      code = no_memory(err);
      break;
    }
    code = make_folders(copy, strlen(path), err);
    if (!code) code = copy_file(tree.paths[i], copy, err);
    free(copy);
  }
  rlk_tree_deinit(&tree);
  return code;
}

rowlock_code_t rlk_staging_copy(const rlk_staging_t* staging, const char* source, const char* name,
                                rowlock_error_t* err) {
  struct stat status;
  if (stat(source, &status) != 0) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot read '%s': %s", source, strerror(errno));
  }
  char* path = rlk_staging_path(staging, name);
  if (!path) return no_memory(err);
  rowlock_code_t code = make_folders(path, strlen(staging->aside), err);
  if (!code) code = S_ISDIR(status.st_mode) ? copy_folder(source, path, err) : copy_file(source, path, err);
  free(path);
  return code;
}

rowlock_code_t rlk_staging_write(const rlk_staging_t* staging, const char* name, const char* text,
                                 rowlock_error_t* err) {
  char* path = rlk_staging_path(staging, name);
  if (!path) return no_memory(err);
  int fd;
  rowlock_code_t code = create_file(path, &fd, err);
  if (!code) {
    code = write_all(fd, text, strlen(text), path, err);
    code = close_file(fd, path, code, err);
  }
  free(path);
  return code;
}

/* --- Out of it ---------------------------------------------------------------------------------------------------- */

/* Renames unless `to` is there; false with errno. */
static bool rename_new(const char* from, const char* to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  /* This file system cannot do both in one step. */
  struct stat status;
  if (lstat(to, &status) == 0) {
    errno = EEXIST;
    return false;
  }
  return rename(from, to) == 0;
}

static rowlock_code_t move(const rlk_staging_t* staging, const char* name, bool back, rowlock_error_t* err) {
  char* aside = rlk_staging_path(staging, name);
  char* place = join(staging->folder, name);
  rowlock_code_t code = ROWLOCK_OK;
  if (!aside || !place) {
    code = no_memory(err);
  } else if (back ? rename(place, aside) != 0 : !rename_new(aside, place)) {
    code = rlk_fail(err, ROWLOCK_UNUSABLE, "cannot %s '%s': %s", back ? "take back" : "make", place, strerror(errno));
  }
  free(aside);
  free(place);
  return code;
}

rowlock_code_t rlk_staging_commit(const rlk_staging_t* staging, const char* first, const char* second,
                                  rowlock_error_t* err) {
  rowlock_code_t code = move(staging, first, false, err);
  if (code) return code;
  rowlock_error_t cause, further;
  code = move(staging, second, false, &cause);
  if (!code) return ROWLOCK_OK;
  if (move(staging, first, true, &further)) {
    return rlk_fail(err, code, "%.240s; and %.240s", cause.message, further.message);
  }
  return rlk_fail(err, code, "%s", cause.message);
}
