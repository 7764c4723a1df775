/* The plugins of testdata, for tests: where they are, their bytes, and what is due when one is refused. */
#ifndef ROWLOCK_LOADER_HOST_TEST_OBJECT_H
#define ROWLOCK_LOADER_HOST_TEST_OBJECT_H

#include "loader/files.h"
#include "validator/rules/findings.h"

/* Path of `name` (with its .so), until the next call. */
const char* rlk_test_object_path(const char* name);

/* Reads it; the caller gives the buffer back. The test fails if it cannot. */
void rlk_test_object_read(const char* name, rlk_file_buffer_t* out_buffer);

/* Fails the test unless the call was refused for that reason, in a message that holds `words`. */
void rlk_test_expect_refused(rowlock_code_t code, const rowlock_error_t* err, rlk_rule_t due, const char* words,
                             const char* subject);

#endif
