#include "loader/artifact/ptx_scanner.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TestSuite(ptx_scanner, .timeout = 60);

static rlk_ptx_scanner_t scan(const char* text) { return (rlk_ptx_scanner_t){.at = text, .end = text + strlen(text)}; }

/* The words of `text` are these, which NULL ends. */
static void expect_words(const char* text, const char* const* due) {
  rlk_ptx_scanner_t scanner = scan(text);
  for (size_t i = 0; due[i]; ++i) {
    const rlk_ptx_word_t peeked = rlk_ptx_peek(&scanner), word = rlk_ptx_next(&scanner);
    cr_expect(rlk_ptx_is(word, due[i]), "'%s': word %zu is '%.*s', not '%s'", text, i, (int)word.length, word.text,
              due[i]);
    cr_expect(peeked.text == word.text && peeked.length == word.length, "a look ahead sees another word");
  }
  cr_expect(zero(sz, rlk_ptx_next(&scanner).length), "'%s' goes on", text);
  cr_expect(zero(sz, rlk_ptx_next(&scanner).length), "the end is not the end");
  cr_expect(not(scanner.is_open), "'%s'", text);
}

#define WORDS(...) ((const char* const[]){__VA_ARGS__, NULL})

Test(ptx_scanner, words_are_told_apart) {
  expect_words(".entry k$_1(.param .u64 a)", WORDS(".entry", "k$_1", "(", ".param", ".u64", "a", ")"));
  expect_words(".version 8.4", WORDS(".version", "8", ".4"));
  expect_words("%r1+0x1F;", WORDS("%r1", "+", "0x1F", ";"));
  expect_words(".a.b..", WORDS(".a", ".b", ".", "."));
  expect_words("@@DWARF", WORDS("@", "@", "DWARF"));
  expect_words("\xC3\xA4", WORDS("\xC3", "\xA4"));
}

Test(ptx_scanner, blanks_and_comments_are_nothing) {
  expect_words(" \t\r\n\f\va", WORDS("a"));
  expect_words("a//b\nc", WORDS("a", "c"));
  expect_words("a//b", WORDS("a"));
  expect_words("a/* b * / ** */c", WORDS("a", "c"));
  expect_words("/**/a/***/", WORDS("a"));
  expect_words("/*//*/a//*/", WORDS("a"));
  expect_words("a/b", WORDS("a", "/", "b"));
  expect_words("/", WORDS("/"));
}

Test(ptx_scanner, strings_are_whole) {
  expect_words("\"a b\"c", WORDS("\"a b\"", "c"));
  expect_words("\"a\\\"b\" c", WORDS("\"a\\\"b\"", "c"));
  expect_words("\"//\"", WORDS("\"//\""));
  expect_words("\"\"\"\"", WORDS("\"\"", "\"\""));
}

Test(ptx_scanner, what_does_not_end_is_open) {
  static const char* const open[] = {"a /* b", "a /*/", "a /*", "a \"b", "a \"", "a \"\\", "a \"\\\"", "a /* *"};
  for (size_t i = 0; i < sizeof open / sizeof *open; ++i) {
    rlk_ptx_scanner_t scanner = scan(open[i]);
    cr_expect(rlk_ptx_is(rlk_ptx_next(&scanner), "a"));
    while (rlk_ptx_next(&scanner).length > 0) {
    }
    cr_expect(scanner.is_open, "'%s'", open[i]);
    cr_expect(scanner.at == scanner.end, "'%s'", open[i]);
  }
}

static void expect_skipped(const char* text, const char* rest) {
  rlk_ptx_scanner_t scanner = scan(text);
  cr_assert(rlk_ptx_is(rlk_ptx_next(&scanner), "{"));
  cr_expect(eq(int, rlk_ptx_skip_block(&scanner), rest != NULL), "'%s'", text);
  if (rest) cr_expect(eq(str, (char*)scanner.at, (char*)rest), "'%s'", text);
}

Test(ptx_scanner, blocks_are_skipped) {
  expect_skipped("{}x", "x");
  expect_skipped("{{}{{}}}x", "x");
  expect_skipped("{ // }\n}x", "x");
  expect_skipped("{ /* } */ }x", "x");
  expect_skipped("{ \"}\" }x", "x");
  expect_skipped("{ a / b }x", "x");
  expect_skipped("{", NULL);
  expect_skipped("{{}", NULL);
  expect_skipped("{ /* }", NULL);
  expect_skipped("{ \"}", NULL);
  expect_skipped("{ // }", NULL);
}

Test(ptx_scanner, lines_are_skipped) {
  rlk_ptx_scanner_t scanner = scan("a { \" /*\nb");
  rlk_ptx_skip_line(&scanner);
  cr_expect(rlk_ptx_is(rlk_ptx_next(&scanner), "b"));
  rlk_ptx_skip_line(&scanner);
  cr_expect(scanner.at == scanner.end);
}
