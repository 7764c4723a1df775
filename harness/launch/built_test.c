#define _GNU_SOURCE /* symlink, realpath, PATH_MAX */
/* Where built objects are looked for: in a workspace, outside of one, and among a build tool's links. */
#include "harness/launch/built.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/rows/scratch.h"

static rlk_scratch_t scratch;
static char root[PATH_MAX]; /* the scratch folder without links */

static void set_up(void) {
  rlk_scratch_create(&scratch);
  cr_assert_not_null(realpath(scratch.path, root));
}

static void tear_down(void) { rlk_scratch_remove(&scratch); }

TestSuite(built, .init = set_up, .fini = tear_down);

/* The folder for a document below the scratch folder; "none" where there is none. */
static const char* built_for(const char* document, const char* built) {
  static char folder[PATH_MAX];
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", scratch.path, document);
  if (!rlk_built_folder(path, built, folder)) return "none";
  return folder;
}

static void expect(const char* document, const char* built, const char* prefix, const char* due) {
  char whole[PATH_MAX];
  snprintf(whole, sizeof whole, "%s%s", prefix, due);
  cr_expect_str_eq(built_for(document, built), whole, "%s, built %s", document, built ? built : "unsaid");
}

Test(built, is_below_bazel_bin_at_the_path_of_the_source) {
  static const char* const marks[] = {"WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) {
    rlk_scratch_write(&scratch, marks[i], "");
    rlk_scratch_write(&scratch, "corpus/host/drag/manifest.json", "{}");
    rlk_scratch_write(&scratch, "manifest.json", "{}");
    expect("corpus/host/drag/manifest.json", NULL, root, "/bazel-bin/corpus/host/drag");
    expect("corpus/host/./drag/../drag/manifest.json", NULL, root, "/bazel-bin/corpus/host/drag");
    expect("manifest.json", NULL, root, "/bazel-bin");
    expect("corpus/host/drag/manifest.json", "/elsewhere", "", "/elsewhere/corpus/host/drag");
    expect("manifest.json", "else/where", "", "else/where");
    rlk_scratch_delete(&scratch, marks[i]);
  }
}

Test(built, is_in_the_nearest_workspace) {
  rlk_scratch_write(&scratch, "WORKSPACE", "");
  rlk_scratch_write(&scratch, "inner/MODULE.bazel", "");
  rlk_scratch_write(&scratch, "inner/rows/manifest.json", "{}");
  rlk_scratch_write(&scratch, "outer/rows/manifest.json", "{}");
  expect("inner/rows/manifest.json", NULL, root, "/inner/bazel-bin/rows");
  expect("outer/rows/manifest.json", NULL, root, "/bazel-bin/outer/rows");
}

/* The machine may have a workspace above its folder for temporary files; then there is nothing to see. */
Test(built, is_what_the_caller_says_outside_of_a_workspace) {
  rlk_scratch_write(&scratch, "rows/manifest.json", "{}");
  if (strcmp(built_for("rows/manifest.json", NULL), "none") != 0) cr_skip_test("the scratch folder is in a workspace");
  expect("rows/manifest.json", "/elsewhere", "", "/elsewhere");
}

Test(built, is_beside_the_link_where_a_build_tool_laid_out_links) {
  rlk_scratch_write(&scratch, "WORKSPACE", "");
  rlk_scratch_write(&scratch, "source/manifest.json", "{}");
  rlk_scratch_write(&scratch, "run/drag/.keep", "");
  char link[PATH_MAX];
  snprintf(link, sizeof link, "%s/run/drag/manifest.json", scratch.path);
  cr_assert_eq(symlink("../../source/manifest.json", link), 0);
  expect("run/drag/manifest.json", NULL, scratch.path, "/run/drag");
  expect("run/drag/manifest.json", "/elsewhere", "", "/elsewhere/source");
}

Test(built, needs_a_document_that_is_there) {
  rlk_scratch_write(&scratch, "WORKSPACE", "");
  cr_expect_str_eq(built_for("none/manifest.json", NULL), "none");
  cr_expect_str_eq(built_for("none/manifest.json", "/elsewhere"), "none");
}

Test(built, refuses_a_path_that_does_not_fit) {
  rlk_scratch_write(&scratch, "WORKSPACE", "");
  rlk_scratch_write(&scratch, "a/manifest.json", "{}");
  char built[PATH_MAX + 8];
  memset(built, 'b', sizeof built);
  built[PATH_MAX - 3] = '\0'; /* "/a" and the end of the string just fit */
  cr_expect_eq(strlen(built_for("a/manifest.json", built)), PATH_MAX - 1);
  built[PATH_MAX - 3] = 'b';
  built[PATH_MAX - 2] = '\0';
  cr_expect_str_eq(built_for("a/manifest.json", built), "none");
}
