#define _GNU_SOURCE /* symlink, mkfifo */
#include "harness/check/walk.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/check/scratch_folder.h"

TestSuite(walk, .init = rlk_scratch_enter, .fini = rlk_scratch_leave);

/* What came of a walk, "M:path;" a manifest, "S:" a sidecar, "B:" a file beside, "U:" one that is no more than *.json,
 * "!path: sentence;" a problem. */
typedef struct seen_t {
  char text[3 * PATH_MAX];
  const char* claim; /* by every manifest */
  rowlock_code_t stop_with;
} seen_t;

static void note(seen_t* seen, const char* mark, const char* path, const char* rest) {
  const size_t length = strlen(seen->text);
  snprintf(seen->text + length, sizeof seen->text - length, "%s%s%s;", mark, path, rest);
}

static rowlock_code_t visit(void* context, rlk_walk_t* walk, const char* path, rlk_walk_name_t name) {
  static const char* const marks[] = {"M:", "S:", "B:", "U:"};
  seen_t* seen = context;
  note(seen, marks[name], path, "");
  if (seen->stop_with) return seen->stop_with;
  return name == RLK_WALK_MANIFEST && seen->claim ? rlk_walk_claim(walk, seen->claim, strlen(seen->claim)) : ROWLOCK_OK;
}

static rowlock_code_t problem(void* context, const char* path, const char* sentence) {
  char rest[300];
  snprintf(rest, sizeof rest, ": %s", sentence);
  note(context, "!", path, rest);
  return ROWLOCK_OK;
}

static void expect_walk(seen_t* seen, const rlk_walk_limits_t* limits, const char* due) {
  const rlk_walk_visitor_t visitor = {.context = seen, .visit = visit, .problem = problem};
  rowlock_error_t err;
  cr_assert(eq(int, rlk_walk_folder(".", limits, &visitor, &err), seen->stop_with));
  cr_expect(eq(str, seen->text, (char*)due));
}

static void write_all(const char* const* paths, size_t count) {
  for (size_t i = 0; i < count; ++i) rlk_scratch_write(paths[i], "");
}
#define WRITE_ALL(...) \
  write_all((const char* const[]){__VA_ARGS__}, sizeof((const char* const[]){__VA_ARGS__}) / sizeof(const char*))

Test(walk, manifests_come_first_then_files_then_folders_each_by_name) {
  WRITE_ALL("b.json", "a.sidecar.json", "z.manifest.json", "manifest.json", "c/x.sidecar.json", "a/x.sidecar.json");
  expect_walk(&(seen_t){0}, NULL,
              "M:./manifest.json;M:./z.manifest.json;U:./b.json;S:./a.sidecar.json;B:./b.json;"
              "S:./a/x.sidecar.json;S:./c/x.sidecar.json;");
}

Test(walk, other_json_counts_beside_a_manifest_and_in_the_folder_itself) {
  WRITE_ALL("a.json", "b.sidecar.json", "set/manifest.json", "set/c.json", "set/below/d.json");
  expect_walk(&(seen_t){0}, NULL, "U:./a.json;B:./a.json;S:./b.sidecar.json;M:./set/manifest.json;B:./set/c.json;");
}

Test(walk, a_claimed_file_is_visited_as_a_sidecar_where_that_is_wanted) {
  WRITE_ALL("manifest.json", "parts/a.json", "parts/b.json", "parts/c.sidecar.json");
  seen_t seen = {.claim = "parts/a.json"};
  const rlk_walk_visitor_t visitor = {.context = &seen, .visit = visit, .problem = problem, .visits_claimed = true};
  cr_assert(eq(int, rlk_walk_folder(".", NULL, &visitor, NULL), ROWLOCK_OK));
  cr_expect(eq(str, seen.text, (char*)"M:./manifest.json;S:./parts/a.json;S:./parts/c.sidecar.json;"));
}

Test(walk, hidden_names_expectations_and_links_to_folders_are_left_out) {
  WRITE_ALL(".a.sidecar.json", ".git/a.sidecar.json", "row01_a.expect.json", "manifest.json.txt",
            "real/a.sidecar.json");
  cr_assert(eq(int, symlink(".", "loop"), 0));
  cr_assert(eq(int, symlink("real", "link.sidecar.json"), 0));
  cr_assert(eq(int, symlink("real/a.sidecar.json", "file.sidecar.json"), 0));
  expect_walk(&(seen_t){0}, NULL, "S:./file.sidecar.json;S:./real/a.sidecar.json;");
}

Test(walk, what_is_named_like_a_document_and_is_none_is_visited_so_that_somebody_says_so) {
  WRITE_ALL("manifest.json");
  cr_assert(eq(int, symlink("gone", "a.sidecar.json"), 0));
  cr_assert(eq(int, mkfifo("b.sidecar.json", 0600), 0));
  cr_assert(eq(int, mkfifo("c.json", 0600), 0));
  expect_walk(&(seen_t){0}, NULL, "M:./manifest.json;S:./a.sidecar.json;S:./b.sidecar.json;");
}

Test(walk, a_claimed_file_is_not_visited_by_whatever_name) {
  WRITE_ALL("manifest.json", "parts/a.json", "b.sidecar.json");
  cr_assert(eq(int, symlink("parts/a.json", "c.sidecar.json"), 0));
  expect_walk(&(seen_t){.claim = ".//parts/a.json"}, NULL, "M:./manifest.json;S:./b.sidecar.json;");
}

Test(walk, a_claim_below_the_manifest_holds) {
  WRITE_ALL("manifest.json", "parts/a.sidecar.json", "parts/b.sidecar.json");
  expect_walk(&(seen_t){.claim = "parts/a.sidecar.json"}, NULL, "M:./manifest.json;S:./parts/b.sidecar.json;");
}

Test(walk, a_claim_ends_with_its_folder) {
  WRITE_ALL("one/manifest.json", "one/a.sidecar.json", "two/a.sidecar.json");
  expect_walk(&(seen_t){.claim = "a.sidecar.json"}, NULL, "M:./one/manifest.json;S:./two/a.sidecar.json;");
}

Test(walk, a_claim_outside_the_folder_or_of_nothing_claims_nothing) {
  static const char* const claims[] = {"../b.sidecar.json", "/etc/passwd", "gone.json", ""};
  WRITE_ALL("a/manifest.json", "b.sidecar.json");
  for (size_t i = 0; i < sizeof claims / sizeof *claims; ++i) {
    expect_walk(&(seen_t){.claim = claims[i]}, NULL, "S:./b.sidecar.json;M:./a/manifest.json;");
  }
}

Test(walk, as_deep_as_the_limit_and_no_deeper) {
  WRITE_ALL("1/2/a.sidecar.json", "1/2/3/b.sidecar.json", "z/c.sidecar.json");
  expect_walk(&(seen_t){0}, &(rlk_walk_limits_t){.depth = 2},
              "S:./1/2/a.sidecar.json;!./1/2/3: more than 2 folders in folders;S:./z/c.sidecar.json;");
  expect_walk(&(seen_t){0}, &(rlk_walk_limits_t){.depth = 3},
              "S:./1/2/a.sidecar.json;S:./1/2/3/b.sidecar.json;S:./z/c.sidecar.json;");
}

Test(walk, as_many_names_as_the_limit_and_no_more) {
  WRITE_ALL("1/a.sidecar.json", "1/b.sidecar.json", "1/notes.txt");
  expect_walk(&(seen_t){0}, &(rlk_walk_limits_t){.names = 3}, "S:./1/a.sidecar.json;S:./1/b.sidecar.json;");
  expect_walk(&(seen_t){0}, &(rlk_walk_limits_t){.names = 2},
              "!./1: more than 2 documents and folders in one walk, which ends here;");
}

Test(walk, ends_with_the_code_of_the_visitor) {
  WRITE_ALL("a.sidecar.json", "b.sidecar.json");
  expect_walk(&(seen_t){.stop_with = ROWLOCK_NO_MEMORY}, NULL, "S:./a.sidecar.json;");
}

Test(walk, as_long_a_path_as_the_system_takes_and_no_longer) {
  char folder[PATH_MAX], due[3 * PATH_MAX];
  for (size_t i = 0; i < sizeof folder; ++i) folder[i] = i % 2 ? '/' : '.';
  const size_t length = sizeof folder - 1 - strlen("/aa.sidecar.json"); /* odd: it ends in a dot */
  folder[length] = '\0';
  WRITE_ALL("aa.sidecar.json", "aab.sidecar.json");
  seen_t seen = {0};
  const rlk_walk_visitor_t visitor = {.context = &seen, .visit = visit, .problem = problem};
  cr_assert(eq(int, rlk_walk_folder(folder, NULL, &visitor, NULL), ROWLOCK_OK));
  snprintf(due, sizeof due, "S:%s/aa.sidecar.json;!%s: the path of something in it is longer than %d bytes;", folder,
           folder, PATH_MAX - 1);
  cr_expect(eq(str, seen.text, due));
}
