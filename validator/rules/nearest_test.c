#include "validator/rules/nearest.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdint.h>

static char listed[256];

/* What is listed for `text` among three ids. */
static const char* near(const char* text) {
  rlk_nearest_t nearest = {.text = text};
  const char* const names[] = {"sidecar.role-unknown", "sidecar.role-foreign", "manifest.exec-access"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) rlk_nearest_offer(&nearest, names[i], names[i]);
  if (!rlk_nearest_list(&nearest, listed, sizeof listed)) return "";
  return listed;
}

Test(edit_distance, counts_letters_added_taken_away_and_changed) {
  static const struct {
    const char *a, *b;
    size_t distance;
  } cases[] = {
      {"", "", 0},        {"", "abc", 3},   {"abc", "", 3},           {"abc", "abc", 0},   {"abc", "abd", 1},
      {"abc", "abcd", 1}, {"abc", "ac", 1}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"abcd", "badc", 3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    cr_expect(eq(sz, rlk_edit_distance(cases[i].a, cases[i].b), cases[i].distance), "%s to %s", cases[i].a, cases[i].b);
    cr_expect(eq(sz, rlk_edit_distance(cases[i].b, cases[i].a), cases[i].distance), "%s to %s", cases[i].b, cases[i].a);
  }
}

Test(edit_distance, is_measured_up_to_64_letters) {
  const char* long_text = "0123456789012345678901234567890123456789012345678901234567890123x";
  cr_expect(eq(sz, rlk_edit_distance(long_text + 1, ""), 64));
  cr_expect(eq(sz, rlk_edit_distance(long_text + 1, long_text + 1), 0));
  cr_expect(eq(sz, rlk_edit_distance(long_text, ""), SIZE_MAX));
  cr_expect(eq(sz, rlk_edit_distance("", long_text), SIZE_MAX));
}

Test(nearest, finds_the_misspelt_name) {
  cr_expect(eq(str, (char*)near("sidecar.role-unknwon"), "sidecar.role-unknown"));
  cr_expect(eq(str, (char*)near("manifest.exec_access"), "manifest.exec-access"));
}

Test(nearest, finds_nothing_for_a_foreign_word) {
  cr_expect(eq(str, (char*)near("xyzzy"), ""));
  cr_expect(eq(str, (char*)near(""), ""));
}

/* An id of 20 letters: up to 1 + 20 / 6 may differ. */
Test(nearest, allows_four_letters_of_twenty) {
  cr_expect(eq(str, (char*)near("manifest.exec-acXXXX"), "manifest.exec-access"));
  cr_expect(eq(str, (char*)near("manifest.exec-aXXXXX"), ""));
}

Test(nearest, lists_three_nearest_first) {
  rlk_nearest_t nearest = {.text = "aaaaaaaaaaaa"};
  rlk_nearest_offer(&nearest, "aaaaaaaaaabb", "aaaaaaaaaabb");
  rlk_nearest_offer(&nearest, "aaaaaaaaabbb", "aaaaaaaaabbb");
  rlk_nearest_offer(&nearest, "aaaaaaaaaaab", "aaaaaaaaaaab");
  rlk_nearest_offer(&nearest, "aaaaaaaaaaaa", "aaaaaaaaaaaa");
  rlk_nearest_offer(&nearest, "aaaaaaaaabcc", "aaaaaaaaabcc");
  cr_assert(rlk_nearest_list(&nearest, listed, sizeof listed));
  cr_expect(eq(str, listed, "aaaaaaaaaaaa, aaaaaaaaaaab, aaaaaaaaaabb"));
}

Test(nearest, keeps_a_name_once_at_its_better_spelling) {
  rlk_nearest_t nearest = {.text = "role-unknown"};
  rlk_nearest_offer(&nearest, "first", "role-unknowns");
  rlk_nearest_offer(&nearest, "second", "role-unknowXX");
  rlk_nearest_offer(&nearest, "second", "role-unknown");
  rlk_nearest_offer(&nearest, "second", "role-unknowX");
  cr_assert(rlk_nearest_list(&nearest, listed, sizeof listed));
  cr_expect(eq(str, listed, "second, first"));
}
