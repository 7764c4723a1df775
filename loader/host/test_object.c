#include "loader/host/test_object.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

const char* rlk_test_object_path(const char* name) {
  static char path[256];
  const int length = snprintf(path, sizeof path, "loader/host/testdata/%s", name);
  cr_assert(lt(i32, length, (int)sizeof path), "%s", name);
  return path;
}

void rlk_test_object_read(const char* name, rlk_file_buffer_t* out_buffer) {
  rowlock_error_t err;
  *out_buffer = (rlk_file_buffer_t){0};
  const rowlock_code_t code = rlk_file_read(rlk_test_object_path(name), 1 << 24, out_buffer, &err);
  cr_assert(eq(i32, (int)code, ROWLOCK_OK), "%s: %s", name, err.message);
  cr_assert(lt(sz, 64, out_buffer->length), "%s", name);
}

void rlk_test_expect_refused(rowlock_code_t code, const rowlock_error_t* err, rlk_rule_t due, const char* words,
                             const char* subject) {
  cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)"REJECTED"), "%s", subject);
  if (code != ROWLOCK_REJECTED) return;
  cr_expect(eq(str, (char*)err->rule_id, (char*)rlk_rule_info(due)->id), "%s: %s", subject, err->message);
  cr_expect(strstr(err->message, words) != NULL, "%s: '%s' does not hold '%s'", subject, err->message, words);
}
