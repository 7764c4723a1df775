#include "validator/wire/document.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "validator/wire/reading.h"

static rlk_reading_t reading;

static void teardown(void) { rlk_reading_deinit(&reading); }

TestSuite(lookup, .fini = teardown);
TestSuite(pointer, .fini = teardown);

static const rlk_node_t* root_of(const char* text) {
  reading = rlk_reading_of(text, strlen(text), NULL);
  cr_assert(eq(i32, (int)reading.code, ROWLOCK_OK), "'%s' was not read", text);
  return reading.document.root;
}

/* --- Looking up --------------------------------------------------------------------------------------------------- */

static void expect_lookup(const rlk_node_t* object, const char* key, rlk_kind_t kind, rlk_lookup_t answer,
                          const rlk_node_t* member) {
  const rlk_node_t* found = object;
  cr_expect(eq(i32, (int)rlk_node_get(object, key, kind, &found), (int)answer), "'%s'", key);
  cr_expect(found == member, "'%s' gave another node", key);
}

Test(lookup, a_key_that_is_not_there_is_absent) {
  const rlk_node_t* root = root_of("{\"a\": 1}");
  expect_lookup(root, "b", RLK_NUMBER, RLK_ABSENT, NULL);
  expect_lookup(root, "", RLK_NUMBER, RLK_ABSENT, NULL);
  expect_lookup(root, "aa", RLK_NUMBER, RLK_ABSENT, NULL);
}

Test(lookup, a_value_of_another_kind_is_mistyped_and_given) {
  const rlk_node_t* root = root_of("{\"a\": 1}");
  expect_lookup(root, "a", RLK_STRING, RLK_MISTYPED, root->first);
}

Test(lookup, a_value_of_the_kind_is_found) {
  const rlk_node_t* root = root_of("{\"a\": 1, \"b\": \"x\"}");
  expect_lookup(root, "b", RLK_STRING, RLK_FOUND, root->first->next);
}

Test(lookup, null_is_mistyped_and_not_absent) {
  const rlk_node_t* root = root_of("{\"a\": null}");
  expect_lookup(root, "a", RLK_STRING, RLK_MISTYPED, root->first);
  expect_lookup(root, "a", RLK_NULL, RLK_FOUND, root->first);
}

Test(lookup, what_is_no_object_has_no_members) {
  const rlk_node_t* root = root_of("[\"a\", 1, null]");
  expect_lookup(root, "a", RLK_STRING, RLK_ABSENT, NULL);
  expect_lookup(root->first, "a", RLK_STRING, RLK_ABSENT, NULL);
  expect_lookup(NULL, "a", RLK_STRING, RLK_ABSENT, NULL);
}

Test(lookup, a_nested_key_of_the_same_name_is_not_taken) {
  const rlk_node_t* root = root_of("{\"x\": {\"a\": 1}, \"a\": 2}");
  cr_expect(eq(i64, rlk_node_member(root, "a")->integer, 2));
}

Test(lookup, a_key_with_a_nul_is_another_key) {
  const rlk_node_t* root = root_of("{\"a\\u0000\": 1, \"a\": 2}");
  cr_expect(eq(i64, rlk_node_member(root, "a")->integer, 2));
}

Test(lookup, a_string_is_compared_whole) {
  const rlk_node_t* root = root_of("[\"abc\", \"abc\\u0000\", \"\", 1]");
  const rlk_node_t* with_nul = root->first->next;
  const rlk_node_t* empty = with_nul->next;
  cr_expect(rlk_node_is_string(root->first, "abc"));
  cr_expect(not(rlk_node_is_string(root->first, "ab")));
  cr_expect(not(rlk_node_is_string(root->first, "abcd")));
  cr_expect(not(rlk_node_is_string(with_nul, "abc")));
  cr_expect(rlk_node_is_string(empty, ""));
  cr_expect(not(rlk_node_is_string(empty->next, "1")));
  cr_expect(not(rlk_node_is_string(NULL, "")));
}

Test(lookup, empty_is_null_and_every_value_without_content) {
  static const char expected[] = "yyyynnnnnnn";
  const rlk_node_t* node =
      root_of("[null, \"\", [], {}, false, true, 0, \" \", \"\\u0000\", [null], {\"\": null}]")->first;
  for (size_t i = 0; node; node = node->next, ++i) {
    cr_expect(eq(i8, rlk_node_is_empty(node) ? 'y' : 'n', expected[i]), "element %zu", i);
  }
}

Test(lookup, only_an_integer_that_fits_is_one) {
  static const char expected[] = "ynnnn";
  const rlk_node_t* node = root_of("[1, 1.0, 1e0, 9223372036854775808, \"1\"]")->first;
  for (size_t i = 0; node; node = node->next, ++i) {
    cr_expect(eq(i8, rlk_node_is_integer(node) ? 'y' : 'n', expected[i]), "element %zu", i);
  }
  cr_expect(not(rlk_node_is_integer(NULL)));
}

Test(kind, each_has_its_phrase) {
  cr_expect(eq(str, (char*)rlk_kind_phrase(RLK_NULL), (char*)"null"));
  cr_expect(eq(str, (char*)rlk_kind_phrase(RLK_BOOLEAN), (char*)"a boolean"));
  cr_expect(eq(str, (char*)rlk_kind_phrase(RLK_NUMBER), (char*)"a number"));
  cr_expect(eq(str, (char*)rlk_kind_phrase(RLK_STRING), (char*)"a string"));
  cr_expect(eq(str, (char*)rlk_kind_phrase(RLK_ARRAY), (char*)"an array"));
  cr_expect(eq(str, (char*)rlk_kind_phrase(RLK_OBJECT), (char*)"an object"));
}

/* --- Pointers ----------------------------------------------------------------------------------------------------- */

static void expect_pointer(const rlk_node_t* node, const char* expected) {
  char* pointer = rlk_node_pointer(node);
  cr_assert(not(zero(ptr, pointer)));
  cr_expect(eq(str, pointer, (char*)expected));
  free(pointer);
}

Test(pointer, the_root_is_empty) {
  expect_pointer(root_of("{}"), "");
  expect_pointer(NULL, "");
}

Test(pointer, members_go_by_key_and_elements_by_index) {
  const rlk_node_t* root = root_of("{\"x\": 0, \"arg_spec\": [[], [], [\"role\", \"name\"]]}");
  expect_pointer(root->first, "/x");
  expect_pointer(root->first->next->first->next->next->first->next, "/arg_spec/2/1");
}

Test(pointer, an_empty_key_is_a_token_of_its_own) {
  const rlk_node_t* root = root_of("{\"\": {\"\": 1}}");
  expect_pointer(root->first, "/");
  expect_pointer(root->first->first, "//");
}

Test(pointer, tilde_and_slash_are_escaped) {
  const rlk_node_t* root = root_of("{\"a/b~c\": {\"~1\": 1, \"~/\": 2}}");
  expect_pointer(root->first, "/a~1b~0c");
  expect_pointer(root->first->first, "/a~1b~0c/~01");
  expect_pointer(root->first->first->next, "/a~1b~0c/~0~1");
}

Test(pointer, a_nul_is_shown_so_that_it_is_a_c_string) {
  const rlk_node_t* root = root_of("{\"a\\u0000b\": 1}");
  expect_pointer(root->first, "/a\\u0000b");
}

Test(pointer, every_other_control_character_stands_for_itself) {
  const rlk_node_t* root = root_of("{\"\\n\\u007F\\u009B\\u202E\": 1}");
  expect_pointer(root->first, "/\n\x7F\xC2\x9B\xE2\x80\xAE");
}

Test(pointer, other_characters_stand_for_themselves) {
  const rlk_node_t* root = root_of("{\"\xC3\xA9 \\u20ac\": 1}");
  expect_pointer(root->first, "/\xC3\xA9 \xE2\x82\xAC");
}

Test(pointer, a_deep_one_is_whole) {
  enum { DEPTH = 64 };
  char text[2 * DEPTH + 2], expected[2 * DEPTH + 1];
  memset(text, '[', DEPTH);
  text[DEPTH] = '1';
  memset(text + DEPTH + 1, ']', DEPTH);
  text[2 * DEPTH + 1] = '\0';
  for (size_t i = 0; i < DEPTH; ++i) memcpy(expected + 2 * i, "/0", 3);
  const rlk_node_t* node = root_of(text);
  while (node->first) node = node->first;
  expect_pointer(node, expected);
}

/* --- Positions ---------------------------------------------------------------------------------------------------- */

static void expect_position(const char* text, size_t length, size_t offset, uint32_t line, uint32_t column) {
  uint32_t got_line = 0, got_column = 0;
  rlk_text_position(text, length, offset, &got_line, &got_column);
  cr_expect(eq(u32, got_line, line), "line of byte %zu", offset);
  cr_expect(eq(u32, got_column, column), "column of byte %zu", offset);
}

Test(position, the_first_byte_is_line_1_column_1) {
  expect_position("", 0, 0, 1, 1);
  expect_position("abc", 3, 0, 1, 1);
}

Test(position, a_line_ends_behind_its_line_feed) {
  static const char text[] = "ab\n\nc";
  expect_position(text, 5, 2, 1, 3);
  expect_position(text, 5, 3, 2, 1);
  expect_position(text, 5, 4, 3, 1);
  expect_position(text, 5, 5, 3, 2);
}

Test(position, a_carriage_return_is_a_column) {
  static const char text[] = "a\r\nb\rc";
  expect_position(text, 6, 2, 1, 3);
  expect_position(text, 6, 3, 2, 1);
  expect_position(text, 6, 5, 2, 3);
}

Test(position, the_column_counts_characters_and_not_bytes) {
  static const char text[] = "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80x";
  expect_position(text, 10, 2, 1, 2);
  expect_position(text, 10, 5, 1, 3);
  expect_position(text, 10, 9, 1, 4);
}

/* Goes from place to place in a text of many lines of all lengths, forward and back. */
Test(position, moving_gives_what_counting_from_the_beginning_gives) {
  enum { LENGTH = 20000, MOVES = 2000 };
  static char text[LENGTH];
  uint32_t random = 1;
  for (size_t i = 0; i < LENGTH; ++i) {
    random = random * 1664525 + 1013904223;
    text[i] = (char)(random >> 24 < 4 ? '\n' : random >> 24 < 60 ? '\x80' : 'a');
  }
  static const size_t lengths[] = {0, 1, 255, 256, 257, LENGTH};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    rlk_position_t position = {.mark_count = 0};
    for (int move = 0; move < MOVES; ++move) {
      random = random * 1664525 + 1013904223;
      const size_t offset = (random >> 8) % (lengths[i] + 2);
      rlk_position_move(&position, text, lengths[i], offset);
      uint32_t line, column;
      rlk_text_position(text, lengths[i], offset, &line, &column);
      cr_assert(eq(u32, position.at.lines + 1, line), "byte %zu of %zu", offset, lengths[i]);
      cr_assert(eq(u32, position.at.columns + 1, column), "byte %zu of %zu", offset, lengths[i]);
    }
  }
}

Test(position, an_offset_beyond_the_text_is_its_end) { expect_position("ab\nc", 4, 100, 2, 2); }
