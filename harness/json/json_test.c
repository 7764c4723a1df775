#define _GNU_SOURCE /* open_memstream */
#include "harness/json/json.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

/* Takes over `value`. */
static void expect_written(json_object* value, const char* due) {
  char* written;
  size_t size;
  FILE* out = open_memstream(&written, &size);
  cr_assert(out != NULL);
  rlk_json_write(out, value);
  fclose(out);
  cr_expect(eq(str, written, (char*)due));
  free(written);
  json_object_put(value);
}

static void expect_string(const char* text, const char* due) { expect_written(json_object_new_string(text), due); }

Test(json, every_kind_of_value_is_written) {
  static const char text[] = "{\"a\":[],\"b\":{},\"c\":[true,false,null,-1,0,9223372036854775807],\"d\":{\"\":\"\"}}";
  expect_written(json_tokener_parse(text), text);
  expect_written(json_object_new_uint64(UINT64_MAX), "18446744073709551615");
  expect_written(json_object_new_int64(INT64_MIN), "-9223372036854775808");
  expect_written(NULL, "null");
}

Test(json, strings_are_quoted) { expect_string("a\"b\\c", "\"a\\\"b\\\\c\""); }

Test(json, text_is_written_as_it_is) {
  expect_string("a/b 'c'", "\"a/b 'c'\"");
  expect_string("\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80", "\"\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80\"");
  expect_string("\xC2\xA0", "\"\xC2\xA0\"");
}

Test(json, controls_are_escaped_those_too_that_json_allows) {
  expect_string("\x1B[2J\n", "\"\\u001b[2J\\u000a\"");
  expect_string("\x7F", "\"\\u007f\"");
  expect_string("\xC2\x80\xC2\x9F", "\"\\u0080\\u009f\"");
  expect_string(
      "a\xE2\x80\xAE"
      "b",
      "\"a\\u202eb\"");
  expect_string("\xF3\xA0\x80\x81", "\"\\udb40\\udc01\"");
}

Test(json, bytes_that_are_not_utf8_are_shown) { expect_string("a\x9B\xC3(\xFF", "\"a\\\\x9B\\\\xC3(\\\\xFF\""); }

static void expect_safe(const char* json, const char* due) {
  char* written;
  size_t size;
  FILE* out = open_memstream(&written, &size);
  cr_assert(out != NULL);
  rlk_json_write_safely(out, json);
  fclose(out);
  cr_expect(eq(str, written, (char*)due));
  free(written);
}

Test(json, what_json_c_has_written_is_made_safe) {
  expect_safe("{\n  \"a\": \"\xC3\xA9\\n\"\n}", "{\n  \"a\": \"\xC3\xA9\\n\"\n}");
  expect_safe("\"a\x9B\xC3(\xFF\"", "\"a\\\\x9B\\\\xC3(\\\\xFF\"");
  expect_safe("\"\x7F\xC2\x80\xE2\x80\xAE\xF3\xA0\x80\x81\"", "\"\\u007f\\u0080\\u202e\\udb40\\udc01\"");
  expect_safe("\xE2\x80", "\\\\xE2\\\\x80"); /* it ends inside a character */
  expect_safe("", "");
}

Test(json, what_could_not_be_made_is_a_failure) {
  json_object* object = json_object_new_object();
  json_object* array = json_object_new_array();
  cr_expect(not(rlk_json_member(object, "a", NULL)));
  cr_expect(not(rlk_json_element(array, NULL)));
  cr_expect(not(rlk_json_member_text(NULL, "a", "text")));
  cr_expect(rlk_json_member_null(object, "null"));
  cr_expect(eq(int, json_object_object_length(object), 1));
  cr_expect(eq(sz, json_object_array_length(array), 0));
  json_object_put(object);
  json_object_put(array);
}
