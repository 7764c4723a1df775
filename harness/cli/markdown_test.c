#define _GNU_SOURCE /* open_memstream */
#include "harness/cli/markdown.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

static char* put(const char* text, bool code, bool in_table) {
  char* bytes = NULL;
  size_t length;
  FILE* out = open_memstream(&bytes, &length);
  cr_assert(not(zero(ptr, out)));
  if (code) {
    rlk_markdown_put_code(out, text, in_table);
  } else {
    rlk_markdown_put_text(out, text);
  }
  fclose(out);
  return bytes;
}

static void expect_text(const char* text, const char* due) {
  char* got = put(text, false, false);
  cr_expect(eq(str, got, (char*)due), "of %s", text);
  free(got);
}

static void expect_code(const char* text, bool in_table, const char* due) {
  char* got = put(text, true, in_table);
  cr_expect(eq(str, got, (char*)due), "of %s", text);
  free(got);
}

Test(text, is_left_alone_where_nothing_is_markup) {
  expect_text("A loader, 'so' (it is said).", "A loader, 'so' (it is said).");
}

Test(text, loses_no_markup_character) {
  expect_text("a*b_c`d\\e", "a\\*b\\_c\\`d\\\\e");
  expect_text("blocks[] | <b> & ~x~ $y$", "blocks\\[\\] \\| \\<b\\> \\& \\~x\\~ \\$y\\$");
}

Test(text, starts_no_heading_list_or_quote) {
  expect_text("# one", "\\# one");
  expect_text("- one", "\\- one");
  expect_text("+ one", "\\+ one");
  expect_text("> one", "\\> one");
  expect_text("=== one", "\\=== one");
  expect_text("one # - +", "one # - +");
}

Test(text, starts_no_numbered_list) {
  expect_text("1. one", "1\\. one");
  expect_text("20) one", "20\\) one");
  expect_text("01, +1", "01, +1");
  expect_text("2", "2");
  expect_text("", "");
}

Test(code, is_shown_as_it_is) {
  expect_code("unknown arg role '{value}' *", false, "`unknown arg role '{value}' *`");
  expect_code("a | b", false, "`a | b`");
}

Test(code, marks_bars_in_a_table) { expect_code("a | b", true, "`a \\| b`"); }

Test(code, takes_a_fence_that_is_not_in_the_text) {
  expect_code("a ` b", false, "``a ` b``");
  expect_code("a `` b ` c", false, "```a `` b ` c```");
}

Test(code, is_padded_where_the_edge_would_be_lost) {
  expect_code("`a", false, "`` `a ``");
  expect_code("a`", false, "`` a` ``");
  expect_code(" a", false, "`  a `");
  expect_code("  ", false, "`  `");
}
