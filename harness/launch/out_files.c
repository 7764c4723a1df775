#define _GNU_SOURCE /* O_DIRECTORY, getrandom, NAME_MAX */
#include "harness/launch/out_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/gate/npy.h"
#include "validator/rules/text.h"

enum { PART_NAME_SIZE = 48, FILE_NAME_SIZE = NAME_MAX + 2 };

typedef struct out_file_t {
  const char* output;        /* of the report */
  char name[FILE_NAME_SIZE]; /* as it is to be; longer than any file's if that is no name */
  char part[PART_NAME_SIZE]; /* as it is; "" if it is not there */
  rlk_array_t array;         /* without its data */
  off_t offset;              /* of that in the file without a name */
} out_file_t;

struct rlk_out_files_t {
  int folder, bytes;
  json_object* report; /* has the names */
  out_file_t* list;
  size_t count;
};

static rowlock_code_t refuse(const out_file_t* file, const char* why, rowlock_error_t* err) {
  return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot write output '%.100s': %s", file->output, why);
}

/* A file that was not there, under a name that could not be put in its way. */
static int make_part(int folder, int access, char name[PART_NAME_SIZE]) {
  uint64_t number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) return -1;
  snprintf(name, PART_NAME_SIZE, ".rowlock-%016" PRIx64 ".part", number);
  return openat(folder, name, access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

static bool open_all(rlk_out_files_t* files, const char* folder) {
  char name[PART_NAME_SIZE];
  files->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  files->bytes = files->folder < 0 ? -1 : make_part(files->folder, O_RDWR, name);
  return files->bytes >= 0 && unlinkat(files->folder, name, 0) == 0;
}

rowlock_code_t rlk_out_files_create(rlk_out_files_t** out_files, const char* folder, rowlock_error_t* err) {
  *out_files = NULL;
  rlk_out_files_t* files = calloc(1, sizeof *files);
  if (!files) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for the outputs");
  if (open_all(files, folder)) {
    *out_files = files;
    return ROWLOCK_OK;
  }
  const int error = errno;
  rlk_out_files_destroy(files);
  return rlk_fail(err, ROWLOCK_UNUSABLE, "cannot write to '%.400s': %s", folder, strerror(error));
}

void rlk_out_files_discard(rlk_out_files_t* files) {
  if (!files) return;
  for (size_t i = 0; i < files->count; ++i) {
    if (files->list[i].part[0]) unlinkat(files->folder, files->list[i].part, 0);
  }
  free(files->list);
  json_object_put(files->report);
  files->list = NULL;
  files->report = NULL;
  files->count = 0;
}

void rlk_out_files_destroy(rlk_out_files_t* files) {
  if (!files) return;
  rlk_out_files_discard(files);
  if (files->bytes >= 0) close(files->bytes);
  if (files->folder >= 0) close(files->folder);
  free(files);
}

const int* rlk_out_files_descriptor(const rlk_out_files_t* files) { return &files->bytes; }

/* --- What the report says ----------------------------------------------------------------------------------------- */

static json_object* member(json_object* object, const char* key, json_type type) {
  json_object* value;
  const bool found = json_object_object_get_ex(object, key, &value) && json_object_is_type(value, type);
  return found ? value : NULL;
}

static const char* text_of(json_object* object, const char* key) {
  json_object* value = member(object, key, json_type_string);
  return value ? json_object_get_string(value) : "";
}

static bool find_dtype(const char* name, rlk_dtype_t* out) {
  for (int i = 0; i < RLK_DTYPE_COUNT; ++i) {
    *out = (rlk_dtype_t)i;
    if (strcmp(name, rlk_dtype_name(*out)) == 0) return true;
  }
  return false;
}

static bool read_array(json_object* output, rlk_array_t* out) {
  json_object* shape = member(output, "shape", json_type_array);
  *out = (rlk_array_t){0};
  if (!shape || !find_dtype(text_of(output, "dtype"), &out->dtype)) return false;
  const size_t rank = json_object_array_length(shape);
  if (rank > RLK_RANK_MAX) return false;
  out->rank = (uint32_t)rank;
  for (size_t i = 0; i < rank; ++i) {
    json_object* extent = json_object_array_get_idx(shape, i);
    if (!json_object_is_type(extent, json_type_int) || json_object_get_int64(extent) < 0) return false;
    out->shape[i] = json_object_get_uint64(extent);
  }
  return rlk_shape_count(out->shape, out->rank, &out->element_count);
}

/* False if that is no output. */
static bool read_output(json_object* output, out_file_t* out) {
  *out = (out_file_t){.output = text_of(output, "name")};
  const bool is_result = strcmp(text_of(output, "as"), "result") == 0;
  rlk_text_t name = rlk_text_over(out->name, sizeof out->name);
  rlk_text_printf(&name, "%s%s", out->output, is_result ? ".result.npy" : ".npy");
  return member(output, "name", json_type_string) && read_array(output, &out->array);
}

static rowlock_code_t read_report(rlk_out_files_t* files, json_object* report, rowlock_error_t* err) {
  json_object* outputs = member(report, "outputs", json_type_array);
  const size_t count = outputs ? json_object_array_length(outputs) : 0;
  files->report = json_object_get(report);
  files->list = calloc(count > 0 ? count : 1, sizeof *files->list);
  if (!files->list) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for the outputs");
  off_t offset = 0;
  for (; files->count < count; ++files->count) {
    out_file_t* file = &files->list[files->count];
    if (!read_output(json_object_array_get_idx(outputs, files->count), file)) {
      return rlk_fail(err, ROWLOCK_INTERNAL, "output %zu of the report is malformed", files->count);
    }
    file->offset = offset;
    offset += (off_t)rlk_array_size(&file->array);
  }
  return ROWLOCK_OK;
}

/* --- The files ---------------------------------------------------------------------------------------------------- */

static const char* find_obstacle(const rlk_out_files_t* files, size_t index) {
  const char* name = files->list[index].name;
  if (strchr(name, '/')) return "it names no file";
  for (size_t i = 0; i < index; ++i) {
    if (strcmp(name, files->list[i].name) == 0) return "another output has that file";
  }
  struct stat status;
  if (fstatat(files->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT ? NULL : strerror(errno);
  return S_ISREG(status.st_mode) || S_ISLNK(status.st_mode) ? NULL : "what is there is no file";
}

static bool read_at(int file, char* bytes, size_t size, off_t offset) {
  for (size_t done = 0; done < size;) {
    const ssize_t length = pread(file, bytes + done, size - done, offset + (off_t)done);
    if (length == 0 || (length < 0 && errno != EINTR)) return false;
    if (length > 0) done += (size_t)length;
  }
  return true;
}

static rowlock_code_t write_part(const rlk_out_files_t* files, out_file_t* file, rowlock_error_t* err) {
  const int part = make_part(files->folder, O_WRONLY, file->part);
  if (part < 0) {
    file->part[0] = '\0';
    return refuse(file, strerror(errno), err);
  }
  rowlock_error_t cause;
  const rowlock_code_t code = rlk_npy_write(part, &file->array, &cause);
  if (close(part) != 0 && !code) return refuse(file, strerror(errno), err);
  return code ? refuse(file, cause.message, err) : ROWLOCK_OK;
}

static rowlock_code_t make_file(const rlk_out_files_t* files, out_file_t* file, rowlock_error_t* err) {
  const size_t size = rlk_array_size(&file->array);
  file->array.data = malloc(size > 0 ? size : 1);
  if (!file->array.data) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for output '%.100s'", file->output);
  const bool whole = read_at(files->bytes, file->array.data, size, file->offset);
  const rowlock_code_t code =
      whole ? write_part(files, file, err) : refuse(file, "the process did not write all of it", err);
  free(file->array.data);
  file->array.data = NULL;
  return code;
}

rowlock_code_t rlk_out_files_make(rlk_out_files_t* files, json_object* report, rowlock_error_t* err) {
  rlk_out_files_discard(files);
  rowlock_code_t code = read_report(files, report, err);
  for (size_t i = 0; i < files->count && !code; ++i) {
    const char* obstacle = find_obstacle(files, i);
    code = obstacle ? refuse(&files->list[i], obstacle, err) : make_file(files, &files->list[i], err);
  }
  return code;
}

rowlock_code_t rlk_out_files_place(rlk_out_files_t* files, rowlock_error_t* err) {
  for (size_t i = 0; i < files->count; ++i) {
    out_file_t* file = &files->list[i];
    if (renameat(files->folder, file->part, files->folder, file->name) != 0) {
      return refuse(file, strerror(errno), err);
    }
    file->part[0] = '\0';
  }
  return ROWLOCK_OK;
}
