/* Scalars that the strict reader takes, and what it keeps of them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "validator/rules/text.h"
#include "validator/wire/reading.h"

static rlk_reading_t reading;

static void teardown(void) {
  rlk_reading_deinit(&reading);
  reading = (rlk_reading_t){0};
}

TestSuite(number, .fini = teardown);
TestSuite(string, .fini = teardown);
TestSuite(literal, .fini = teardown);

static const rlk_node_t* value_of(const char* text, size_t length) {
  rlk_reading_deinit(&reading);
  reading = rlk_reading_of(text, length, NULL);
  cr_assert(eq(i32, (int)reading.code, ROWLOCK_OK), "%s was not read", text);
  return reading.document.root;
}

/* --- Numbers ------------------------------------------------------------------------------------------------------ */

static void expect_number(const char* text, rlk_number_t kind) {
  const rlk_node_t* node = value_of(text, strlen(text));
  cr_expect(eq(i32, node->kind, RLK_NUMBER), "%s", text);
  cr_expect(eq(i32, node->number, (int)kind), "%s", text);
  cr_assert(eq(u32, node->text_length, (uint32_t)strlen(text)), "%s", text);
  cr_expect(zero(i32, memcmp(node->text, text, node->text_length)), "%s lost its spelling", text);
}

static void expect_integer(const char* text, int64_t value) {
  expect_number(text, RLK_NUMBER_INTEGER);
  cr_expect(eq(i64, reading.document.root->integer, value), "%s", text);
}

Test(number, small_integers_have_their_value) {
  expect_integer("0", 0);
  expect_integer("1", 1);
  expect_integer("-1", -1);
  expect_integer("10", 10);
  expect_integer("-1234567890", -1234567890);
}

Test(number, minus_zero_is_the_integer_zero_and_keeps_its_spelling) { expect_integer("-0", 0); }

Test(number, the_integers_at_both_ends_fit) {
  expect_integer("9223372036854775807", INT64_MAX);
  expect_integer("-9223372036854775808", INT64_MIN);
}

Test(number, one_beyond_either_end_is_big) {
  expect_number("9223372036854775808", RLK_NUMBER_BIG_INTEGER);
  expect_number("-9223372036854775809", RLK_NUMBER_BIG_INTEGER);
}

Test(number, far_beyond_is_big_and_never_wraps) {
  expect_number("18446744073709551616", RLK_NUMBER_BIG_INTEGER);
  expect_number("18446744073709551617", RLK_NUMBER_BIG_INTEGER);
  expect_number("92233720368547758070", RLK_NUMBER_BIG_INTEGER);
  expect_number("-100000000000000000000000000000000000000000", RLK_NUMBER_BIG_INTEGER);
}

Test(number, a_point_or_an_exponent_makes_another_spelling) {
  expect_number("1.0", RLK_NUMBER_OTHER);
  expect_number("1e0", RLK_NUMBER_OTHER);
  expect_number("1E0", RLK_NUMBER_OTHER);
  expect_number("1e+0", RLK_NUMBER_OTHER);
  expect_number("-0.0", RLK_NUMBER_OTHER);
  expect_number("0e0", RLK_NUMBER_OTHER);
  expect_number("0.5", RLK_NUMBER_OTHER);
  expect_number("12.50e-03", RLK_NUMBER_OTHER);
  expect_number("1e999", RLK_NUMBER_OTHER);
}

Test(number, what_follows_is_not_part_of_it) {
  const rlk_node_t* node = value_of("[1,2.5]", 7)->first;
  cr_expect(eq(u32, node->text_length, 1));
  cr_expect(eq(i64, node->integer, 1));
  cr_expect(eq(u32, node->next->text_length, 3));
}

/* --- Strings ------------------------------------------------------------------------------------------------------ */

static void expect_string(const char* text, const char* expected, size_t length) {
  const rlk_node_t* node = value_of(text, strlen(text));
  cr_expect(eq(i32, node->kind, RLK_STRING), "%s", text);
  cr_assert(eq(u32, node->text_length, (uint32_t)length), "%s", text);
  cr_expect(zero(i32, memcmp(node->text, expected, length)), "%s is another string", text);
}

#define EXPECT_STRING(text, literal) expect_string(text, literal, sizeof(literal) - 1)

Test(string, without_escapes_is_the_text_itself) {
  EXPECT_STRING("\"\"", "");
  EXPECT_STRING("\" a'/\x7F\xC3\xA9\xF0\x9F\x98\x80\"", " a'/\x7F\xC3\xA9\xF0\x9F\x98\x80");
}

Test(string, every_short_escape_is_decoded) { EXPECT_STRING("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"); }

Test(string, hexadecimal_escapes_take_both_cases) {
  EXPECT_STRING("\"\\u00e9\\u00E9\\u20aC\"", "\xC3\xA9\xC3\xA9\xE2\x82\xAC");
}

Test(string, a_nul_escape_is_a_byte_like_any_other) {
  EXPECT_STRING("\"\\u0000\"", "\0");
  EXPECT_STRING("\"a\\u0000b\\u0000\"", "a\0b\0");
}

Test(string, an_escape_at_each_length_s_boundary_is_exact) {
  EXPECT_STRING("\"\\u007F\\u0080\\u07FF\\u0800\\uFFFF\"", "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF");
  EXPECT_STRING("\"\\uD7FF\\uE000\"", "\xED\x9F\xBF\xEE\x80\x80");
}

Test(string, a_pair_of_surrogates_is_one_character) {
  EXPECT_STRING("\"\\uD800\\uDC00\"", "\xF0\x90\x80\x80");
  EXPECT_STRING("\"\\ud83d\\ude00x\"", "\xF0\x9F\x98\x80x");
  EXPECT_STRING("\"\\uDBFF\\uDFFF\"", "\xF4\x8F\xBF\xBF");
}

Test(string, every_pair_of_surrogates_gives_its_character) {
  for (uint32_t code_point = 0x10000; code_point <= 0x10FFFF; code_point += 0x101) {
    char text[16], expected[4];
    const uint32_t high = 0xD800 + ((code_point - 0x10000) >> 10), low = 0xDC00 + ((code_point - 0x10000) & 0x3FF);
    snprintf(text, sizeof text, "\"\\u%04" PRIX32 "\\u%04" PRIx32 "\"", high, low);
    const size_t length = rlk_utf8_encode(code_point, expected);
    expect_string(text, expected, length);
  }
}

Test(string, an_escaped_backslash_hides_what_follows_it) { EXPECT_STRING("\"\\\\u0041\\\\\"", "\\u0041\\"); }

Test(string, keys_that_differ_behind_a_nul_are_two_keys) {
  static const char text[] = "{\"a\": 1, \"a\\u0000\": 2, \"a\\u0000b\": 3}";
  const rlk_node_t* member = value_of(text, sizeof text - 1)->first;
  cr_expect(eq(u32, member->key_length, 1));
  cr_expect(eq(u32, member->next->key_length, 2));
  cr_assert(eq(u32, member->next->next->key_length, 3));
  cr_expect(zero(i32, memcmp(member->next->next->key, "a\0b", 3)));
}

/* --- Literals ----------------------------------------------------------------------------------------------------- */

Test(literal, each_has_its_kind_and_value) {
  cr_expect(eq(i32, value_of("null", 4)->kind, RLK_NULL));
  cr_expect(eq(i32, value_of("true", 4)->kind, RLK_BOOLEAN));
  cr_expect(eq(i32, value_of("true", 4)->boolean, 1));
  cr_expect(eq(i32, value_of("false", 5)->kind, RLK_BOOLEAN));
  cr_expect(eq(i32, value_of("false", 5)->boolean, 0));
}

Test(literal, blanks_around_a_value_are_not_part_of_it) {
  const rlk_node_t* node = value_of(" \t\r\nnull\n ", 10);
  cr_expect(eq(u32, node->begin, 4));
  cr_expect(eq(u32, node->end, 8));
}
