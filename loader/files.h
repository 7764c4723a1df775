/* Reading files whose paths come from outside: bounded, regular files only, and contained in their folder. */
#ifndef ROWLOCK_LOADER_FILES_H
#define ROWLOCK_LOADER_FILES_H

#include "loader/rowlock.h"
#include "validator/plugin/judge.h"

/* A buffer that is used again for each file. Zeroed is empty. */
typedef struct rlk_file_buffer_t {
  char* bytes;
  size_t length, capacity;
} rlk_file_buffer_t;

void rlk_file_buffer_deinit(rlk_file_buffer_t* buffer);

/* Reads a regular file, at most `most` bytes and one more, so that the caller sees that it is too large. Directories,
 * devices and pipes are refused without blocking. ROWLOCK_UNUSABLE with the cause in `err`, without the path. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_file_read(const char* path, uint64_t most, rlk_file_buffer_t* buffer,
                                                rowlock_error_t* err);

/* The files beside a document. Its folder is where the document really is, links resolved: a manifest that is itself
 * reached through a link (a build tool's tree of links) finds the files beside the original. */
typedef struct rlk_folder_t rlk_folder_t;

ROWLOCK_MUST_CHECK rowlock_code_t rlk_folder_create(rlk_folder_t** out_folder, rowlock_error_t* err);
void rlk_folder_destroy(rlk_folder_t* folder);

/* Makes `document_path` (borrowed until the next call) the document that paths are relative to; at most `most` bytes
 * are read of a file beside it. Nothing is opened yet. */
void rlk_folder_set_document(rlk_folder_t* folder, const char* document_path, uint64_t most);

/* The judge's view of the folder; valid as long as it is. */
const rlk_source_t* rlk_folder_source(rlk_folder_t* folder);

/* Why a path, as it is spelled, is none inside a folder: "is absolute"; NULL if it may be one. */
const char* rlk_path_problem(const char* path, size_t length);

/* Resolves a path relative to the folder into the real path of a file inside it. `out_real` has room for PATH_MAX
 * bytes. ROWLOCK_REJECTED: absolute, climbing, or a link that leaves; ROWLOCK_UNUSABLE: not there. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_folder_resolve(rlk_folder_t* folder, const char* path, size_t length,
                                                     char* out_real, rowlock_error_t* err);

#endif
