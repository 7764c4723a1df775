#include "validator/rules/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

/* --- UTF-8 lengths ------------------------------------------------------------------------------------------------ */

/* A string literal and its length, since it may hold NULs. */
#define BYTES(literal) (literal), sizeof(literal) - 1

static void expect_length(const char* bytes, size_t available, size_t expected) {
  cr_expect(eq(sz, rlk_utf8_length(bytes, available), expected), "%02X %02X, %zu available", (unsigned char)bytes[0],
            available > 1 ? (unsigned char)bytes[1] : 0u, available);
}

Test(utf8, takes_the_first_and_last_character_of_each_length) {
  expect_length(BYTES("\x00"), 1);
  expect_length(BYTES("\x7F"), 1);
  expect_length(BYTES("\xC2\x80"), 2);
  expect_length(BYTES("\xDF\xBF"), 2);
  expect_length(BYTES("\xE0\xA0\x80"), 3);
  expect_length(BYTES("\xEF\xBF\xBF"), 3);
  expect_length(BYTES("\xF0\x90\x80\x80"), 4);
  expect_length(BYTES("\xF4\x8F\xBF\xBF"), 4);
}

Test(utf8, takes_both_neighbours_of_the_surrogates) {
  expect_length(BYTES("\xED\x9F\xBF"), 3);
  expect_length(BYTES("\xEE\x80\x80"), 3);
}

Test(utf8, refuses_surrogates) {
  expect_length(BYTES("\xED\xA0\x80"), 0);
  expect_length(BYTES("\xED\xAF\xBF"), 0);
  expect_length(BYTES("\xED\xB0\x80"), 0);
  expect_length(BYTES("\xED\xBF\xBF"), 0);
}

Test(utf8, refuses_overlong_forms) {
  expect_length(BYTES("\xC0\x80"), 0);
  expect_length(BYTES("\xC1\xBF"), 0);
  expect_length(BYTES("\xE0\x80\x80"), 0);
  expect_length(BYTES("\xE0\x9F\xBF"), 0);
  expect_length(BYTES("\xF0\x80\x80\x80"), 0);
  expect_length(BYTES("\xF0\x8F\xBF\xBF"), 0);
}

Test(utf8, refuses_what_lies_beyond_the_last_code_point) {
  expect_length(BYTES("\xF4\x90\x80\x80"), 0);
  expect_length(BYTES("\xF5\x80\x80\x80"), 0);
  expect_length(BYTES("\xF7\xBF\xBF\xBF"), 0);
  expect_length(BYTES("\xFE\x80\x80\x80"), 0);
  expect_length(BYTES("\xFF\xFF\xFF\xFF"), 0);
}

Test(utf8, refuses_a_continuation_byte_that_leads) {
  for (unsigned byte = 0x80; byte <= 0xBF; ++byte) {
    const char bytes[] = {(char)byte, '\x80', '\x80', '\x80'};
    expect_length(bytes, sizeof bytes, 0);
  }
}

Test(utf8, refuses_a_wrong_byte_in_every_later_place) {
  static const char* const longest[] = {"\xDF\xBF", "\xE1\xBF\xBF", "\xF1\xBF\xBF\xBF"};
  for (size_t i = 0; i < sizeof longest / sizeof *longest; ++i) {
    const size_t length = i + 2;
    for (size_t place = 1; place < length; ++place) {
      char bytes[4];
      memcpy(bytes, longest[i], length);
      expect_length(bytes, length, length);
      bytes[place] = '\x7F';
      expect_length(bytes, length, 0);
      bytes[place] = '\xC0';
      expect_length(bytes, length, 0);
    }
  }
}

Test(utf8, refuses_a_character_that_is_cut) {
  static const char* const longest[] = {"\x7F", "\xDF\xBF", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF"};
  for (size_t i = 0; i < sizeof longest / sizeof *longest; ++i) {
    for (size_t available = 0; available <= i; ++available) expect_length(longest[i], available, 0);
    expect_length(longest[i], i + 1, i + 1);
  }
}

/* Independent of the table of lead bytes in text.c. */
static uint32_t decode(const char* bytes, size_t length) {
  static const unsigned char lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
  uint32_t code_point = (unsigned char)bytes[0] & lead_mask[length];
  for (size_t i = 1; i < length; ++i) code_point = code_point << 6 | ((unsigned char)bytes[i] & 0x3F);
  return code_point;
}

Test(utf8, every_code_point_comes_back_from_its_encoding) {
  for (uint32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point == 0xD800) code_point = 0xE000;
    char bytes[4];
    const size_t length = rlk_utf8_encode(code_point, bytes);
    const size_t due = code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    if (length == due && rlk_utf8_length(bytes, length) == due && decode(bytes, length) == code_point) continue;
    cr_fatal("U+%04X became %zu bytes that decode to U+%04X", code_point, length, decode(bytes, length));
  }
}

/* --- Bounded text ------------------------------------------------------------------------------------------------- */

Test(text, fills_a_buffer_to_the_last_byte_but_the_nul) {
  char buffer[6] = "......";
  rlk_text_t text = rlk_text_over(buffer, sizeof buffer);
  rlk_text_put(&text, "abcde", 5);
  cr_expect(eq(str, buffer, (char*)"abcde"));
  cr_expect(eq(sz, text.length, 5));
}

Test(text, cuts_one_byte_more_and_counts_it) {
  char buffer[6] = "......";
  rlk_text_t text = rlk_text_over(buffer, sizeof buffer);
  rlk_text_put(&text, "abc", 3);
  rlk_text_put(&text, "def", 3);
  cr_expect(eq(str, buffer, (char*)"abcde"));
  cr_expect(eq(sz, text.length, 6));
}

Test(text, writes_nothing_after_a_cut) {
  char buffer[4];
  rlk_text_t text = rlk_text_over(buffer, sizeof buffer);
  rlk_text_put(&text, "abcdef", 6);
  rlk_text_put(&text, "x", 1);
  rlk_text_printf(&text, "%d", 42);
  cr_expect(eq(str, buffer, (char*)"abc"));
  cr_expect(eq(sz, text.length, 9));
}

Test(text, a_buffer_of_one_byte_only_measures) {
  char buffer[2] = {'x', 'y'};
  rlk_text_t text = rlk_text_over(buffer, 1);
  rlk_text_put(&text, "abc", 3);
  rlk_text_printf(&text, "%d", 42);
  cr_expect(eq(i8, buffer[0], '\0'));
  cr_expect(eq(i8, buffer[1], 'y'), "the byte behind the buffer");
  cr_expect(eq(sz, text.length, 5));
}

Test(text, ends_in_nul_at_every_capacity) {
  const char whole[] = "one \xC3\xA9 two";
  for (size_t capacity = 1; capacity <= sizeof whole + 1; ++capacity) {
    char buffer[sizeof whole + 2];
    memset(buffer, '#', sizeof buffer);
    rlk_text_t text = rlk_text_over(buffer, capacity);
    rlk_text_put_shown(&text, whole, sizeof whole - 1, 100);
    cr_expect(eq(sz, text.length, sizeof whole - 1), "capacity %zu", capacity);
    cr_expect(not(zero(ptr, memchr(buffer, '\0', capacity))), "capacity %zu", capacity);
    cr_expect(eq(i8, buffer[capacity], '#'), "the byte behind a buffer of %zu", capacity);
    cr_expect(zero(i32, memcmp(buffer, whole, strlen(buffer))), "'%s' does not begin the text", buffer);
  }
}

Test(text, a_cut_never_splits_a_character) {
  for (size_t capacity = 1; capacity <= 6; ++capacity) {
    char buffer[8];
    rlk_text_t text = rlk_text_over(buffer, capacity);
    rlk_text_put(&text, "a\xF0\x9F\x98\x80", 5);
    cr_expect(eq(str, buffer,
                 (char*)(capacity == 1  ? ""
                         : capacity < 6 ? "a"
                                        : "a\xF0\x9F\x98\x80")),
              "capacity %zu", capacity);
    cr_expect(eq(sz, text.length, 5));
  }
}

Test(text, printf_counts_and_writes_a_long_text_whole) {
  char word[2001], buffer[2100];
  memset(word, 'w', sizeof word - 1);
  word[sizeof word - 1] = '\0';
  rlk_text_t text = rlk_text_over(buffer, sizeof buffer);
  rlk_text_printf(&text, "<%s>", word);
  cr_expect(eq(sz, text.length, 2002));
  cr_expect(eq(sz, strlen(buffer), 2002));
  cr_expect(eq(str, buffer + 1998, (char*)"www>"));
}

/* --- Text from outside -------------------------------------------------------------------------------------------- */

static char* show(char* buffer, size_t capacity, const char* bytes, size_t length) {
  rlk_text_t text = rlk_text_over(buffer, capacity);
  rlk_text_put_shown(&text, bytes, length, 120);
  return buffer;
}

static void expect_shown(const char* bytes, size_t length, const char* expected) {
  char buffer[1000];
  cr_expect(eq(str, show(buffer, sizeof buffer, bytes, length), (char*)expected));
}

Test(shown_text, printable_ascii_stands_for_itself) { expect_shown(BYTES(" !\"'/\\[]{}~az09"), " !\"'/\\[]{}~az09"); }

Test(shown_text, characters_beyond_the_controls_stand_for_themselves) {
  expect_shown(BYTES("\xC2\xA0\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), "\xC2\xA0\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

Test(shown_text, every_control_character_is_escaped) {
  for (unsigned code_point = 0; code_point < 0xA0; code_point = code_point == 0x1F ? 0x7F : code_point + 1) {
    char bytes[4], expected[16], buffer[16];
    const size_t length = rlk_utf8_encode(code_point, bytes);
    snprintf(expected, sizeof expected, "\\u%04X", code_point);
    cr_expect(eq(str, show(buffer, sizeof buffer, bytes, length), expected));
  }
}

Test(shown_text, what_turns_or_hides_its_neighbours_is_escaped) {
  expect_shown(BYTES("a\xE2\x80\xAE"
                     "b"),
               "a\\u202Eb");
  expect_shown(BYTES("\xD8\x9C\xE2\x80\x8B\xE2\x80\x8F\xE2\x80\xA8\xE2\x81\xA6\xE2\x81\xA9\xEF\xBB\xBF"),
               "\\u061C\\u200B\\u200F\\u2028\\u2066\\u2069\\uFEFF");
  expect_shown(BYTES("\xF3\xA0\x80\x81"), "\\uE0001");
  expect_shown(BYTES("\xE2\x80\x8A\xE2\x80\x90\xE2\x80\xA7\xE2\x80\xAF\xE2\x81\xB0"),
               "\xE2\x80\x8A\xE2\x80\x90\xE2\x80\xA7\xE2\x80\xAF\xE2\x81\xB0"); /* their neighbours */
}

Test(shown_text, bytes_that_are_not_utf8_are_escaped_one_by_one) {
  expect_shown(BYTES("a\xFF\xC3z\xED\xA0\x80"), "a\\xFF\\xC3z\\xED\\xA0\\x80");
}

Test(utf8, is_decoded_as_it_was_encoded) {
  static const uint32_t code_points[] = {0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF};
  for (size_t i = 0; i < sizeof code_points / sizeof *code_points; ++i) {
    char bytes[4];
    const size_t length = rlk_utf8_encode(code_points[i], bytes);
    cr_expect(eq(u32, rlk_utf8_decode(bytes, length), code_points[i]));
  }
}

Test(shown_text, exactly_the_most_is_shown_whole) {
  char bytes[120], expected[121], buffer[1000];
  memset(bytes, 'a', sizeof bytes);
  memset(expected, 'a', 120);
  expected[120] = '\0';
  cr_expect(eq(str, show(buffer, sizeof buffer, bytes, sizeof bytes), expected));
}

Test(shown_text, one_byte_more_than_the_most_is_cut_there) {
  char bytes[121], expected[124], buffer[1000];
  memset(bytes, 'a', sizeof bytes);
  memset(expected, 'a', 120);
  memcpy(expected + 120, "...", 4);
  cr_expect(eq(str, show(buffer, sizeof buffer, bytes, sizeof bytes), expected));
}

Test(shown_text, a_character_across_the_most_is_left_out) {
  static const char euro[] = {'\xE2', '\x82', '\xAC'};
  char bytes[122], expected[123], buffer[1000];
  memset(bytes, 'a', 119);
  memcpy(bytes + 119, euro, sizeof euro);
  memset(expected, 'a', 119);
  memcpy(expected + 119, "...", 4);
  cr_expect(eq(str, show(buffer, sizeof buffer, bytes, sizeof bytes), expected));
}

/* --- Errors ------------------------------------------------------------------------------------------------------- */

Test(fail, returns_the_code_and_fills_the_message) {
  rowlock_error_t err = {.rule_id = "load.id-taken"};
  const rowlock_code_t code = rlk_fail(&err, ROWLOCK_UNUSABLE, "cannot read '%s': %d", "x", 5);
  cr_expect(eq(i32, (int)code, ROWLOCK_UNUSABLE));
  cr_expect(eq(str, err.message, (char*)"cannot read 'x': 5"));
  cr_expect(zero(ptr, (void*)err.rule_id), "of an earlier refusal");
}

Test(fail, clearing_empties_the_message_and_the_rule) {
  rowlock_error_t err = {.message = "x", .rule_id = "load.id-taken"};
  rlk_error_clear(&err);
  cr_expect(eq(str, err.message, (char*)""));
  cr_expect(zero(ptr, (void*)err.rule_id));
  rlk_error_clear(NULL);
}

Test(fail, takes_no_error_to_fill) { cr_expect(eq(i32, (int)rlk_fail(NULL, ROWLOCK_INTERNAL, "x"), ROWLOCK_INTERNAL)); }

Test(text, is_cut_at_its_beginning_where_its_end_counts) {
  static const struct {
    const char *bytes, *shown;
  } cases[] = {{"", ""},
               {"abcd", "abcd"},
               {"xabcd", "...abcd"},
               {"x\xC3\xA9"
                "bcd",
                "...bcd"},
               {"\x1b"
                "abc",
                "\\u001Babc"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char shown[64];
    rlk_text_t text = rlk_text_over(shown, sizeof shown);
    rlk_text_put_shown_end(&text, cases[i].bytes, strlen(cases[i].bytes), 4);
    cr_expect(eq(str, shown, (char*)cases[i].shown));
  }
}

Test(fail, cuts_a_long_message) {
  rowlock_error_t err;
  char word[sizeof err.message + 100];
  memset(word, 'w', sizeof word - 1);
  word[sizeof word - 1] = '\0';
  const rowlock_code_t code = rlk_fail(&err, ROWLOCK_UNUSABLE, "%s", word);
  cr_expect(eq(i32, (int)code, ROWLOCK_UNUSABLE));
  cr_expect(eq(sz, strlen(err.message), sizeof err.message - 1));
}
