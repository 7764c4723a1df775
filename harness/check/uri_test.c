#include "harness/check/uri.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

static void expect_uri(const char* path, const char* due) {
  char text[128];
  cr_assert(le(sz, RLK_URI_SIZE(strlen(path)), sizeof text));
  rlk_text_t out = rlk_text_over(text, RLK_URI_SIZE(strlen(path)));
  rlk_uri_put(&out, path);
  cr_expect(eq(str, text, (char*)due), "of '%s'", path);
}

Test(uri, unreserved_characters_and_slashes_stay) { expect_uri("a-B/c.d_9~e.json", "a-B/c.d_9~e.json"); }

Test(uri, every_other_byte_is_encoded) {
  expect_uri("a b%c?d#e&f", "a%20b%25c%3Fd%23e%26f");
  expect_uri("\xC3\xA9\xFF\x01", "%C3%A9%FF%01");
}

Test(uri, a_colon_makes_no_scheme) { expect_uri("c:d.json", "c%3Ad.json"); }

Test(uri, an_absolute_path_is_a_file_uri) {
  expect_uri("/a/b.json", "file:///a/b.json");
  expect_uri("//a", "file:////a");
}

Test(uri, the_folder_itself_is_left_out_in_front_only) {
  expect_uri("./a.json", "a.json");
  expect_uri(".//./a.json", "a.json");
  expect_uri("../a/./b.json", "../a/./b.json");
  expect_uri(".hidden", ".hidden");
}

Test(uri, the_longest_reference_has_room) { expect_uri("/\xFF\xFF\xFF", "file:///%FF%FF%FF"); }
