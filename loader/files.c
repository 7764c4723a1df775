#define _GNU_SOURCE /* realpath, O_CLOEXEC, O_PATH */
#include "loader/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "validator/rules/text.h"

struct rlk_folder_t {
  const char* document_path;
  uint64_t most;
  char real[PATH_MAX]; /* the document's folder, "" until it is first needed */
  char shown[2 * PATH_MAX];
  rlk_file_buffer_t buffer;
  rlk_source_t source;
};

void rlk_file_buffer_deinit(rlk_file_buffer_t* buffer) {
  free(buffer->bytes);
  *buffer = (rlk_file_buffer_t){0};
}

static rowlock_code_t reserve(rlk_file_buffer_t* buffer, size_t capacity, rowlock_error_t* err) {
  if (buffer->capacity >= capacity) return ROWLOCK_OK;
  char* bytes = realloc(buffer->bytes, capacity);
  if (!bytes) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a file of %zu bytes", capacity);
  buffer->bytes = bytes;
  buffer->capacity = capacity;
  return ROWLOCK_OK;
}

static rowlock_code_t open_regular(const char* path, int* out_fd, uint64_t* out_size, rowlock_error_t* err) {
  /* O_NONBLOCK: opening a pipe without a writer must not wait. */
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return rlk_fail(err, ROWLOCK_UNUSABLE, "%s", strerror(errno));
  struct stat status = {0};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    const bool folder = S_ISDIR(status.st_mode);
    close(fd);
    return rlk_fail(err, ROWLOCK_UNUSABLE, folder ? "it is a folder" : "it is not a regular file");
  }
  *out_fd = fd;
  *out_size = (uint64_t)status.st_size;
  return ROWLOCK_OK;
}

static rowlock_code_t read_all(int fd, uint64_t most, rlk_file_buffer_t* buffer, rowlock_error_t* err) {
  while (buffer->length < buffer->capacity) {
    size_t want = buffer->capacity - buffer->length;
    if (want > most + 1 - buffer->length) want = (size_t)(most + 1 - buffer->length);
    if (want == 0) return ROWLOCK_OK;
    const ssize_t got = read(fd, buffer->bytes + buffer->length, want);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return rlk_fail(err, ROWLOCK_UNUSABLE, "%s", strerror(errno));
    if (got == 0) return ROWLOCK_OK;
    buffer->length += (size_t)got;
    if (buffer->length == buffer->capacity) { /* it grew while it was read */
      const rowlock_code_t code = reserve(buffer, 2 * buffer->capacity, err);
      if (code) return code;
    }
  }
  return ROWLOCK_OK;
}

rowlock_code_t rlk_file_read(const char* path, uint64_t most, rlk_file_buffer_t* buffer, rowlock_error_t* err) {
  int fd = -1;
  uint64_t size = 0;
  buffer->length = 0;
  rowlock_code_t code = open_regular(path, &fd, &size, err);
  if (code) return code;
  code = reserve(buffer, (size_t)(size > most ? most : size) + 2, err);
  if (!code) code = read_all(fd, most, buffer, err);
  close(fd);
  return code;
}

/* --- The folder of a document ------------------------------------------------------------------------------------- */

const char* rlk_path_problem(const char* path, size_t length) {
  if (length == 0) return "is empty";
  if (memchr(path, '\0', length)) return "holds a NUL";
  if (path[0] == '/') return "is absolute";
  for (size_t begin = 0; begin <= length;) {
    const char* slash = memchr(path + begin, '/', length - begin);
    const size_t end = slash ? (size_t)(slash - path) : length;
    if (end - begin == 2 && path[begin] == '.' && path[begin + 1] == '.') return "climbs with '..'";
    begin = end + 1;
  }
  return NULL;
}

/* Fills `real` with the folder in which the document really is. */
static rowlock_code_t find_folder(rlk_folder_t* folder, rowlock_error_t* err) {
  if (folder->real[0]) return ROWLOCK_OK;
  if (!realpath(folder->document_path, folder->real)) {
    folder->real[0] = '\0';
    return rlk_fail(err, ROWLOCK_UNUSABLE, "the manifest's own folder: %s", strerror(errno));
  }
  char* slash = strrchr(folder->real, '/');
  slash[slash == folder->real] = '\0';
  return ROWLOCK_OK;
}

/* Where the path really leads, as realpath says: it looks at every folder on the way from the beginning, which takes
 * minutes for thousands of deep paths, and the kernel has the answer for a file that is open. */
static bool real_path(const char* path, char out_real[PATH_MAX], struct stat* out_status) {
  const int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return false;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, out_real, PATH_MAX);
  const bool known = fstat(fd, out_status) == 0;
  const int error = errno;
  close(fd);
  errno = error;
  if (!known) return false;
  if (length > 0 && length < PATH_MAX && out_real[0] == '/') {
    out_real[length] = '\0';
    return true;
  }
  return realpath(path, out_real) != NULL; /* without /proc */
}

static rowlock_code_t resolve(rlk_folder_t* folder, const char* path, size_t length, char* out_real,
                              struct stat* out_status, rowlock_error_t* err) {
  const char* problem = rlk_path_problem(path, length);
  if (problem) return rlk_fail(err, ROWLOCK_REJECTED, "%s", problem);
  const rowlock_code_t code = find_folder(folder, err);
  if (code) return code;
  char joined[2 * PATH_MAX];
  const size_t folder_length = strlen(folder->real);
  if (folder_length + 1 + length >= sizeof joined) return rlk_fail(err, ROWLOCK_UNUSABLE, "the path is too long");
  memcpy(joined, folder->real, folder_length);
  joined[folder_length] = '/';
  memcpy(joined + folder_length + 1, path, length);
  joined[folder_length + 1 + length] = '\0';
  if (!real_path(joined, out_real, out_status)) return rlk_fail(err, ROWLOCK_UNUSABLE, "%s", strerror(errno));
  const size_t prefix = folder->real[1] ? folder_length : 0; /* the folder "/" holds everything */
  /* The folder itself is inside, and no file: opening it says so. */
  const bool inside = strncmp(out_real, folder->real, prefix) == 0 && (out_real[prefix] == '/' || !out_real[prefix]);
  return inside ? ROWLOCK_OK : rlk_fail(err, ROWLOCK_REJECTED, "is a link that leaves");
}

rowlock_code_t rlk_folder_resolve(rlk_folder_t* folder, const char* path, size_t length, char* out_real,
                                  rowlock_error_t* err) {
  struct stat status;
  return resolve(folder, path, length, out_real, &status, err);
}

/* The path as a finding shows it: relative to the document as the user named it. */
static const char* show(rlk_folder_t* folder, const char* path, size_t length) {
  const char* slash = strrchr(folder->document_path, '/');
  rlk_text_t shown = rlk_text_over(folder->shown, sizeof folder->shown);
  if (slash) rlk_text_put(&shown, folder->document_path, (size_t)(slash - folder->document_path) + 1);
  rlk_text_put(&shown, path, length);
  return folder->shown;
}

static rowlock_code_t source_find(void* context, const char* path, size_t length, rlk_file_id_t* out_id,
                                  rowlock_error_t* err) {
  char real[PATH_MAX];
  struct stat status;
  const rowlock_code_t code = resolve(context, path, length, real, &status, err);
  if (!code) *out_id = (rlk_file_id_t){.device = status.st_dev, .file = status.st_ino};
  return code;
}

static rowlock_code_t source_read(void* context, const char* path, size_t length, const char** out_text,
                                  size_t* out_length, const char** out_path, rowlock_error_t* err) {
  rlk_folder_t* folder = context;
  char real[PATH_MAX];
  rowlock_code_t code = rlk_folder_resolve(folder, path, length, real, err);
  if (!code) code = rlk_file_read(real, folder->most, &folder->buffer, err);
  if (code) return code;
  *out_text = folder->buffer.bytes;
  *out_length = folder->buffer.length;
  *out_path = show(folder, path, length);
  return ROWLOCK_OK;
}

static rowlock_code_t source_probe(void* context, const char* path, size_t length, rowlock_error_t* err) {
  char real[PATH_MAX];
  int fd = -1;
  uint64_t size;
  rowlock_code_t code = rlk_folder_resolve(context, path, length, real, err);
  if (!code) code = open_regular(real, &fd, &size, err);
  if (fd >= 0) close(fd);
  return code;
}

rowlock_code_t rlk_folder_create(rlk_folder_t** out_folder, rowlock_error_t* err) {
  *out_folder = NULL;
  rlk_folder_t* folder = calloc(1, sizeof *folder);
  if (!folder) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a folder");
  folder->source = (rlk_source_t){.context = folder, .find = source_find, .read = source_read, .probe = source_probe};
  *out_folder = folder;
  return ROWLOCK_OK;
}

void rlk_folder_destroy(rlk_folder_t* folder) {
  if (!folder) return;
  rlk_file_buffer_deinit(&folder->buffer);
  free(folder);
}

void rlk_folder_set_document(rlk_folder_t* folder, const char* document_path, uint64_t most) {
  folder->document_path = document_path;
  folder->most = most;
  folder->real[0] = '\0';
}

const rlk_source_t* rlk_folder_source(rlk_folder_t* folder) { return &folder->source; }
