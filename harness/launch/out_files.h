/* The outputs of a launch as files. The process that launches writes them into a file that has no name; only once its
 * answer is taken, files with names are made of that, here. */
#ifndef ROWLOCK_HARNESS_LAUNCH_OUT_FILES_H
#define ROWLOCK_HARNESS_LAUNCH_OUT_FILES_H

#include <json-c/json.h>

#include "loader/rowlock.h"

typedef struct rlk_out_files_t rlk_out_files_t;

/* Opens the folder, which stays the same one whatever becomes of its path. The caller destroys what it gets.
 * ROWLOCK_UNUSABLE: nothing can be written there. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_out_files_create(rlk_out_files_t** out_files, const char* folder,
                                                       rowlock_error_t* err);

/* Discards, too. NULL does nothing. */
void rlk_out_files_destroy(rlk_out_files_t* files);

/* The descriptor that the outputs are written to: see out_bytes.h. It lives as long as `files`. */
const int* rlk_out_files_descriptor(const rlk_out_files_t* files);

/* Makes a file of each output that the report of the launch names, under names that nobody knows beforehand.
 * ROWLOCK_UNUSABLE with the output's name: all are as they were. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_out_files_make(rlk_out_files_t* files, json_object* report, rowlock_error_t* err);

/* Removes what was made and not put in place. NULL does nothing. */
void rlk_out_files_discard(rlk_out_files_t* files);

/* Gives them their names: NAME.npy, and NAME.result.npy for what a mapreduce output is folded to. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_out_files_place(rlk_out_files_t* files, rowlock_error_t* err);

#endif
