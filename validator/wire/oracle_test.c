/* The strict reader against json-c on hand-made documents; the mutation test does the same on a great many others. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "validator/wire/oracle_check.h"
#include "validator/wire/reading.h"

/* What the two readers disagree on, or "". */
static char* difference_of(const char* text, size_t length, uint32_t depth) {
  static char difference[256];
  const rowlock_limits_t limits = {.depth = depth};
  rlk_reading_t reading = rlk_reading_of(text, length, &limits);
  cr_assert(eq(i32, (int)reading.code, ROWLOCK_OK), "the strict reader refuses %s", text);
  const bool agrees = rlk_oracle_agrees(&reading.document, depth, difference, sizeof difference);
  cr_expect(eq(i32, agrees, difference[0] == '\0'));
  rlk_reading_deinit(&reading);
  return difference;
}

static void expect_agreement(const char* const* texts, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    cr_expect(eq(str, difference_of(texts[i], strlen(texts[i]), 64), (char*)""), "%s", texts[i]);
  }
}

#define EXPECT_AGREEMENT(...) \
  expect_agreement((const char* const[]){__VA_ARGS__}, sizeof((const char* const[]){__VA_ARGS__}) / sizeof(char*))

Test(oracle, agrees_on_integers_of_every_size) {
  EXPECT_AGREEMENT("0", "-0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
                   "-9223372036854775809", "18446744073709551615", "18446744073709551616",
                   "123456789012345678901234567890");
}

Test(oracle, agrees_on_other_numbers) {
  EXPECT_AGREEMENT("1.0", "1e0", "-0.0", "12.5e-3", "1E+2", "0.1", "1e400", "-1e400", "5e-324", "0e0");
}

Test(oracle, agrees_on_strings_and_escapes) {
  EXPECT_AGREEMENT("\"\"", "\"a\\u0000b\"", "\"\\ud83d\\ude00\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                   "\"\\uFFFF\\u0080\"", "\"\xF0\x9F\x98\x80\x7F\"", "\"\\\\u0041\"");
}

Test(oracle, agrees_on_literals_and_structure) {
  EXPECT_AGREEMENT("null", " true ", "\nfalse\n", "[]", "{}", "[[], {}, [null, [1, \"x\"]]]",
                   "{\"b\": {\"a\": [true]}, \"a\": null, \"\": 0}");
}

Test(oracle, agrees_on_the_deepest_document_of_a_limit) {
  cr_expect(eq(str, difference_of("[[[1]]]", 7, 3), (char*)""));
  cr_expect(eq(str, difference_of("[[[]]]", 6, 3), (char*)""));
}

Test(oracle, passes_over_members_beside_a_key_with_a_nul) {
  static const char text[] = "{\"a\": 1, \"a\\u0000b\": 2}";
  cr_expect(eq(str, difference_of(text, sizeof text - 1, 64), (char*)""));
}

/* --- A check that cannot fail would prove nothing -------------------------------------------------------------------
 */

/* Reads `text`, lets json-c read `other` in its place, and expects that difference. */
static void expect_difference(const char* text, const char* other, const char* expected) {
  char difference[256];
  rlk_reading_t reading = rlk_reading_of(text, strlen(text), NULL);
  cr_assert(eq(i32, (int)reading.code, ROWLOCK_OK), "the strict reader refuses %s", text);
  rlk_document_t document = reading.document;
  document.text = other;
  document.length = strlen(other);
  const bool agrees = rlk_oracle_agrees(&document, 64, difference, sizeof difference);
  cr_expect(not(agrees), "%s and %s", text, other);
  cr_expect(eq(str, difference, (char*)expected));
  rlk_reading_deinit(&reading);
}

Test(oracle, sees_another_value_of_every_kind) {
  expect_difference("[1]", "[2]", "another number at '/0'");
  expect_difference("[1]", "[1.0]", "another number at '/0'");
  expect_difference("[1.5]", "[1.25]", "another number at '/0'");
  expect_difference("[9223372036854775808]", "[9223372036854775809]", "another number at '/0'");
  expect_difference("{\"a\": \"x\"}", "{\"a\": \"x\\u0000\"}", "another string at '/a'");
  expect_difference("{\"a\": true}", "{\"a\": false}", "another boolean at '/a'");
  expect_difference("[null]", "[0]", "no null at '/0'");
  expect_difference("[[]]", "[null]", "another array at '/0'");
  expect_difference("[{}]", "[[]]", "no object at '/0'");
}

Test(oracle, sees_another_structure) {
  expect_difference("[1, 2]", "[1]", "another array at ''");
  expect_difference("{\"a\": 1, \"b\": 2}", "{\"a\": 1}", "another object at ''");
  expect_difference("{\"a\": 1, \"b\": 2}", "{\"b\": 2, \"a\": 1}", "another key at '/a'");
}

Test(oracle, sees_what_json_c_refuses) {
  expect_difference("[1]", "[1,]", "json-c refuses it at byte 3: unexpected character");
  expect_difference("[1]", "[1] 2", "json-c refuses it at byte 4: unexpected character");
}
