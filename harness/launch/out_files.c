#define _GNU_SOURCE /* lstat, PATH_MAX */
#include "harness/launch/out_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/gate/npy.h"
#include "validator/rules/text.h"

typedef struct out_files_t {
  const char* folder;
  const rlk_buffers_t* buffers;
  const rlk_outputs_t* outputs;
  rowlock_error_t* err;
} out_files_t;

static const char* suffix_of(const rlk_buffer_t* buffer) {
  return buffer->binding == ROWLOCK_BINDING_RESULT ? ".result.npy" : ".npy";
}

/* Where the output goes; "" if its name is that of no file there. */
static void put_path(const out_files_t* files, const rlk_buffer_t* buffer, const char* ending, char out[PATH_MAX]) {
  rlk_text_t text = rlk_text_over(out, PATH_MAX);
  rlk_text_printf(&text, "%s/%s%s%s", files->folder, buffer->name, suffix_of(buffer), ending);
  if (strchr(buffer->name, '/') || text.length >= PATH_MAX) out[0] = '\0';
}

static const char* find_obstacle(const out_files_t* files, size_t index, char path[PATH_MAX]) {
  const rlk_buffer_t* buffer = &files->buffers->list[index];
  put_path(files, buffer, "", path);
  if (!path[0]) return "it names no file";
  for (size_t i = 0; i < index; ++i) {
    const rlk_buffer_t* other = &files->buffers->list[i];
    if (!other->is_written) continue;
    char other_path[PATH_MAX];
    put_path(files, other, "", other_path);
    if (strcmp(path, other_path) == 0) return "another output has that file";
  }
  struct stat status;
  const bool replaceable = lstat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISLNK(status.st_mode);
  return replaceable ? NULL : "what is there is no file";
}

static rowlock_code_t write_aside(const out_files_t* files, size_t index) {
  const rlk_buffer_t* buffer = &files->buffers->list[index];
  char path[PATH_MAX];
  rowlock_error_t cause;
  const char* obstacle = find_obstacle(files, index, path);
  put_path(files, buffer, ".part", path);
  if (!obstacle && !path[0]) obstacle = strerror(ENAMETOOLONG);
  const rlk_array_t array = rlk_outputs_array(files->outputs, files->buffers, index);
  const rowlock_code_t code =
      obstacle ? rlk_fail(&cause, ROWLOCK_UNUSABLE, "%s", obstacle) : rlk_npy_write(path, &array, &cause);
  return code ? rlk_fail(files->err, code, "cannot write output '%.100s': %.300s", buffer->name, cause.message)
              : ROWLOCK_OK;
}

static rowlock_code_t put_in_place(const out_files_t* files, size_t index) {
  const rlk_buffer_t* buffer = &files->buffers->list[index];
  char part[PATH_MAX], path[PATH_MAX];
  put_path(files, buffer, ".part", part);
  put_path(files, buffer, "", path);
  if (rename(part, path) == 0) return ROWLOCK_OK;
  return rlk_fail(files->err, ROWLOCK_UNUSABLE, "cannot write output '%.100s': %s", buffer->name, strerror(errno));
}

rowlock_code_t rlk_out_files_write(const char* folder, const rlk_buffers_t* buffers, const rlk_outputs_t* outputs,
                                   rowlock_error_t* err) {
  const out_files_t files = {folder, buffers, outputs, err};
  rowlock_code_t code = ROWLOCK_OK;
  size_t begun = 0;
  for (; begun < buffers->count && !code; ++begun) {
    if (buffers->list[begun].is_written) code = write_aside(&files, begun);
  }
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    if (buffers->list[i].is_written) code = put_in_place(&files, i);
  }
  for (size_t i = 0; code && i < begun; ++i) {
    char part[PATH_MAX];
    put_path(&files, &buffers->list[i], ".part", part);
    if (buffers->list[i].is_written && part[0]) unlink(part);
  }
  return code;
}
