/* A folder for one test: filled by it and removed with everything in it. */
#ifndef ROWLOCK_LOADER_TEST_FOLDER_H
#define ROWLOCK_LOADER_TEST_FOLDER_H

#include <stddef.h>

typedef struct rlk_test_folder_t {
  char path[256];
} rlk_test_folder_t;

/* Each of these ends the process, and so fails the test, when the file system does not do what it is told. Names are
 * relative to the folder; the folders on their way must be there. */
void rlk_test_folder_create(rlk_test_folder_t* folder);
void rlk_test_folder_remove(rlk_test_folder_t* folder);
void rlk_test_folder_write(const rlk_test_folder_t* folder, const char* name, const char* bytes, size_t length);
void rlk_test_folder_make(const rlk_test_folder_t* folder, const char* name);
void rlk_test_folder_pipe(const rlk_test_folder_t* folder, const char* name);

/* A symbolic link of that name to `target`, which stays as it is spelled. */
void rlk_test_folder_link(const rlk_test_folder_t* folder, const char* name, const char* target);

/* The path of the name in the folder, until the next call. */
const char* rlk_test_folder_at(const rlk_test_folder_t* folder, const char* name);

#endif
