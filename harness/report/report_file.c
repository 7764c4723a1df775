#define _GNU_SOURCE /* realpath, readlink, asprintf, getrandom, AT_EACCESS, O_TMPFILE */
#include "harness/report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_DESCRIPTORS "/proc/self/fd"

enum { LINKS_MAX = 40 };

/* --- Where it is -------------------------------------------------------------------------------------------------- */

static size_t folder_length(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Where the link leads; NULL if it is none or memory is short. */
static char* follow(const char* link) {
  char target[PATH_MAX];
  const ssize_t length = readlink(link, target, sizeof target - 1);
  if (length < 0) return NULL;
  target[length] = '\0';
  char* next;
  const int folder = *target == '/' ? 0 : (int)folder_length(link);
  return asprintf(&next, "%.*s%s", folder, link, target) < 0 ? NULL : next;
}

/* The real path of the folder that holds the path; to be freed. */
static char* real_folder(const char* path) {
  const size_t length = folder_length(path);
  char* folder = length > 0 ? strndup(path, length) : strdup(".");
  char* real = folder ? realpath(folder, NULL) : NULL;
  free(folder);
  return real;
}

char* rlk_report_place_of_new(const char* path) {
  char* at = strdup(path);
  for (int links = 0; at && links < LINKS_MAX; ++links) {
    char* next = follow(at);
    if (!next) break;
    free(at);
    at = next;
  }
  char* folder = at ? real_folder(at) : NULL;
  char* place = NULL;
  if (folder && asprintf(&place, "%s/%s", folder, at + folder_length(at)) < 0) place = NULL;
  free(folder);
  free(at);
  return place;
}

/* Whether the path is by way of a process's descriptors, as /dev/stdout is: whoever opened the file waits for it there,
 * and another under its name would not reach them. */
static bool is_descriptor(const char* path) {
  static const char proc[] = "/proc/";
  bool found = false;
  char* at = strdup(path);
  for (int links = 0; at && !found && links < LINKS_MAX; ++links) {
    char* folder = real_folder(at);
    found = folder && strncmp(folder, proc, strlen(proc)) == 0;
    free(folder);
    char* next = follow(at);
    free(at);
    at = next;
  }
  free(at);
  return found;
}

/* --- Its parts ---------------------------------------------------------------------------------------------------- */

static bool open_itself(const char* path, rlk_report_file_t* file) {
  *file = (rlk_report_file_t){.out = fopen(path, "we")};
  return file->out != NULL;
}

static void forget(rlk_report_file_t* file) {
  const int error = errno;
  free(file->part);
  free(file->target);
  *file = (rlk_report_file_t){0};
  errno = error;
}

/* The name that the part has, or is to have: one that could not be put in its way. */
static bool name_part(rlk_report_file_t* file) {
  uint64_t number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return false;
  const int folder = (int)folder_length(file->target);
  if (asprintf(&file->part, "%.*s.rowlock-%016" PRIx64 ".part", folder, file->target, number) >= 0) return true;
  file->part = NULL;
  return false;
}

/* A file without a name yet, of which nothing stays if this process is killed; -1 where the system has none. */
static int open_nameless(const rlk_report_file_t* file) {
  char* folder = strndup(file->target, folder_length(file->target));
  const bool can_be_named = folder && access(OWN_DESCRIPTORS, X_OK) == 0;
  const int part = can_be_named ? open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666) : -1;
  free(folder);
  return part;
}

static bool give_name(const rlk_report_file_t* file) {
  char descriptor[64];
  snprintf(descriptor, sizeof descriptor, OWN_DESCRIPTORS "/%d", fileno(file->out));
  return linkat(AT_FDCWD, descriptor, AT_FDCWD, file->part, AT_SYMLINK_FOLLOW) == 0;
}

static bool open_part(rlk_report_file_t* file) {
  if (!name_part(file)) return false;
  int part = open_nameless(file);
  file->is_nameless = part >= 0;
  if (part < 0) part = open(file->part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  file->out = part >= 0 ? fdopen(part, "w") : NULL;
  if (file->out || part < 0) return file->out != NULL;
  const int error = errno;
  close(part);
  unlink(file->part);
  errno = error;
  return false;
}

/* As far as this user may: who is to read the report still can. */
static bool take_mode(const rlk_report_file_t* file, const struct stat* replaced) {
  const int part = fileno(file->out);
  struct stat status;
  if (fstat(part, &status) != 0) return false;
  const bool other_owner = status.st_uid != replaced->st_uid || status.st_gid != replaced->st_gid;
  const bool is_owners = !other_owner || fchown(part, replaced->st_uid, replaced->st_gid) == 0;
  /* Rights that come with an owner do not go to another. */
  const mode_t mode = replaced->st_mode & (is_owners ? 07777 : 0777);
  return (status.st_mode & 07777) == mode || fchmod(part, mode) == 0;
}

bool rlk_report_file_open(const char* path, rlk_report_file_t* file) {
  *file = (rlk_report_file_t){0};
  struct stat status;
  const bool there = stat(path, &status) == 0;
  if (!there && errno != ENOENT) return false;
  if ((there && !S_ISREG(status.st_mode)) || is_descriptor(path)) return open_itself(path, file);
  if (there && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) return false;
  file->target = there ? realpath(path, NULL) : rlk_report_place_of_new(path);
  if (!file->target) return open_itself(path, file); /* which fails, and says why */
  const bool opened = open_part(file);
  if (opened && there && !take_mode(file, &status)) {
    const int error = errno;
    rlk_report_file_close(file, false);
    errno = error;
    return false;
  }
  if (!opened) forget(file);
  return opened;
}

bool rlk_report_file_close(rlk_report_file_t* file, bool keep) {
  errno = 0;
  bool written = fflush(file->out) == 0 && !ferror(file->out);
  if (written && keep && file->is_nameless) written = give_name(file);
  int error = errno ? errno : EIO; /* what failed before has left no more than a mark */
  if (fclose(file->out) != 0 && written) {
    written = false;
    error = errno;
  }
  if (written && keep && file->part && rename(file->part, file->target) != 0) {
    written = false;
    error = errno;
  }
  if (file->part && !(written && keep)) unlink(file->part);
  forget(file);
  errno = error;
  return written || !keep;
}
