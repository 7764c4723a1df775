#define _GNU_SOURCE /* PATH_MAX */
#include "loader/files.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/test_folder.h"

static rlk_test_folder_t home;
static rlk_file_buffer_t buffer;
static rlk_folder_t* folder;
static rowlock_error_t err;
static char document_path[512];

static void use_document(const char* path) {
  snprintf(document_path, sizeof document_path, "%s", path);
  rlk_folder_set_document(folder, document_path, 1000);
}

static void setup(void) {
  rlk_test_folder_create(&home);
  rlk_test_folder_make(&home, "set");
  rlk_test_folder_make(&home, "set/below");
  rlk_test_folder_write(&home, "set/manifest.json", "{}", 2);
  rlk_test_folder_write(&home, "set/a.json", "[1]", 3);
  rlk_test_folder_write(&home, "set/below/b.json", "[2]", 3);
  rlk_test_folder_write(&home, "outside.json", "[3]", 3);
  cr_assert(eq(i32, (int)rlk_folder_create(&folder, &err), ROWLOCK_OK));
  use_document(rlk_test_folder_at(&home, "set/manifest.json"));
}

static void teardown(void) {
  rlk_folder_destroy(folder);
  rlk_file_buffer_deinit(&buffer);
  rlk_test_folder_remove(&home);
}

TestSuite(file, .init = setup, .fini = teardown, .timeout = 60);
TestSuite(folder, .init = setup, .fini = teardown, .timeout = 60);

static void expect_code(rowlock_code_t got, rowlock_code_t due, const char* path) {
  cr_expect(eq(str, (char*)rowlock_code_name(got), (char*)rowlock_code_name(due)), "%s", path);
}

/* --- One file ----------------------------------------------------------------------------------------------------- */

static void expect_read(const char* name, uint64_t most, rowlock_code_t code, size_t length) {
  expect_code(rlk_file_read(rlk_test_folder_at(&home, name), most, &buffer, &err), code, name);
  if (code == ROWLOCK_OK) cr_expect(eq(sz, buffer.length, length), "%s, at most %llu", name, (unsigned long long)most);
}

Test(file, is_read_whole) {
  expect_read("set/a.json", 1000, ROWLOCK_OK, 3);
  cr_expect(zero(i32, memcmp(buffer.bytes, "[1]", 3)));
}

Test(file, may_be_empty) {
  rlk_test_folder_write(&home, "empty", "", 0);
  expect_read("empty", 1000, ROWLOCK_OK, 0);
  expect_read("empty", 0, ROWLOCK_OK, 0);
}

Test(file, of_the_limit_is_read_whole) { expect_read("set/a.json", 3, ROWLOCK_OK, 3); }

Test(file, one_byte_over_the_limit_gives_that_byte_too) { expect_read("set/a.json", 2, ROWLOCK_OK, 3); }

Test(file, far_over_the_limit_gives_one_byte_over_and_no_more) {
  static char large[100000];
  memset(large, ' ', sizeof large);
  rlk_test_folder_write(&home, "large", large, sizeof large);
  expect_read("large", 10, ROWLOCK_OK, 11);
  expect_read("large", sizeof large - 1, ROWLOCK_OK, sizeof large);
  expect_read("large", sizeof large, ROWLOCK_OK, sizeof large);
  expect_read("large", 0, ROWLOCK_OK, 1);
}

Test(file, without_a_known_size_is_read_to_its_end) {
  /* The kernel gives these a size of 0. */
  expect_code(rlk_file_read("/proc/self/status", 1000000, &buffer, &err), ROWLOCK_OK, "/proc/self/status");
  cr_expect(lt(sz, 100, buffer.length));
  expect_code(rlk_file_read("/proc/self/status", 10, &buffer, &err), ROWLOCK_OK, "/proc/self/status");
  cr_expect(eq(sz, buffer.length, 11));
}

Test(file, that_is_missing_is_unusable_and_the_cause_is_told) {
  expect_read("absent", 1000, ROWLOCK_UNUSABLE, 0);
  cr_expect(eq(str, err.message, (char*)"No such file or directory"));
}

Test(file, that_is_a_folder_is_unusable) {
  expect_read("set", 1000, ROWLOCK_UNUSABLE, 0);
  cr_expect(eq(str, err.message, (char*)"it is a folder"));
}

Test(file, that_is_a_pipe_is_unusable_and_nobody_waits_for_its_writer) {
  rlk_test_folder_pipe(&home, "pipe");
  expect_read("pipe", 1000, ROWLOCK_UNUSABLE, 0);
  cr_expect(eq(str, err.message, (char*)"it is not a regular file"));
}

Test(file, that_is_a_device_is_unusable) {
  expect_code(rlk_file_read("/dev/zero", 1000, &buffer, &err), ROWLOCK_UNUSABLE, "/dev/zero");
  cr_expect(eq(str, err.message, (char*)"it is not a regular file"));
}

Test(file, that_is_a_link_is_followed) {
  rlk_test_folder_link(&home, "link", "set/a.json");
  expect_read("link", 1000, ROWLOCK_OK, 3);
}

Test(file, takes_the_buffer_of_an_earlier_one) {
  static char large[5000];
  memset(large, 'x', sizeof large);
  rlk_test_folder_write(&home, "large", large, sizeof large);
  expect_read("large", 10000, ROWLOCK_OK, sizeof large);
  const char* bytes = buffer.bytes;
  expect_read("set/a.json", 10000, ROWLOCK_OK, 3);
  cr_expect(buffer.bytes == bytes, "the buffer was allocated again");
  cr_expect(zero(i32, memcmp(buffer.bytes, "[1]", 3)));
}

/* --- The folder of a document ------------------------------------------------------------------------------------- */

static rowlock_code_t resolve(const char* path, size_t length) {
  static char real[PATH_MAX];
  err.message[0] = '\0';
  return rlk_folder_resolve(folder, path, length, real, &err);
}

static void expect_resolved(const char* path) { expect_code(resolve(path, strlen(path)), ROWLOCK_OK, path); }

static void expect_problem(const char* path, rowlock_code_t code, const char* message) {
  expect_code(resolve(path, strlen(path)), code, path);
  cr_expect(eq(str, err.message, (char*)message), "%s", path);
}

Test(folder, takes_a_file_in_it_and_below) {
  expect_resolved("a.json");
  expect_resolved("./a.json");
  expect_resolved("below/b.json");
  expect_resolved("below/./b.json");
  expect_resolved("manifest.json");
}

Test(folder, refuses_a_path_that_climbs) {
  static const char* const paths[] = {"..", "../outside.json", "below/../a.json", "below/..", "./../set/a.json"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    expect_problem(paths[i], ROWLOCK_REJECTED, "climbs with '..'");
  }
}

Test(folder, two_dots_in_a_name_do_not_climb) {
  rlk_test_folder_write(&home, "set/..a", "", 0);
  rlk_test_folder_write(&home, "set/a..", "", 0);
  rlk_test_folder_write(&home, "set/...", "", 0);
  expect_resolved("..a");
  expect_resolved("a..");
  expect_resolved("...");
}

Test(folder, refuses_an_absolute_path_even_into_it) {
  expect_problem("/etc/passwd", ROWLOCK_REJECTED, "is absolute");
  expect_problem(rlk_test_folder_at(&home, "set/a.json"), ROWLOCK_REJECTED, "is absolute");
  expect_problem("/", ROWLOCK_REJECTED, "is absolute");
}

Test(folder, refuses_an_empty_path) { expect_problem("", ROWLOCK_REJECTED, "is empty"); }

Test(folder, refuses_a_nul) {
  expect_code(resolve("a.json\0", 7), ROWLOCK_REJECTED, "a.json and NUL");
  cr_expect(eq(str, err.message, (char*)"holds a NUL"));
  expect_code(resolve("a.json\0../x", 11), ROWLOCK_REJECTED, "a.json, NUL and more");
}

Test(folder, reads_only_the_given_length_of_a_path) {
  expect_code(resolve("a.json/../../outside.json", 6), ROWLOCK_OK, "a.json");
}

Test(folder, refuses_a_link_that_leaves) {
  rlk_test_folder_link(&home, "set/leaves.json", "../outside.json");
  rlk_test_folder_link(&home, "set/far.json", "/etc/passwd");
  rlk_test_folder_link(&home, "set/above", "..");
  expect_problem("leaves.json", ROWLOCK_REJECTED, "is a link that leaves");
  expect_problem("far.json", ROWLOCK_REJECTED, "is a link that leaves");
  expect_problem("above/outside.json", ROWLOCK_REJECTED, "is a link that leaves");
}

Test(folder, refuses_a_link_into_a_neighbour_whose_name_begins_alike) {
  rlk_test_folder_make(&home, "set-two");
  rlk_test_folder_write(&home, "set-two/a.json", "", 0);
  rlk_test_folder_link(&home, "set/alike.json", "../set-two/a.json");
  expect_problem("alike.json", ROWLOCK_REJECTED, "is a link that leaves");
}

Test(folder, takes_a_link_that_stays) {
  rlk_test_folder_link(&home, "set/stays.json", "below/b.json");
  rlk_test_folder_link(&home, "set/round.json", "../set/a.json");
  expect_resolved("stays.json");
  expect_resolved("round.json");
}

Test(folder, a_link_in_a_circle_is_unusable) {
  rlk_test_folder_link(&home, "set/circle", "circle");
  expect_problem("circle", ROWLOCK_UNUSABLE, "Too many levels of symbolic links");
}

Test(folder, a_missing_file_is_unusable) {
  expect_problem("absent.json", ROWLOCK_UNUSABLE, "No such file or directory");
  expect_problem("a.json/b", ROWLOCK_UNUSABLE, "Not a directory");
}

Test(folder, a_path_that_is_too_long_is_unusable) {
  static char path[3 * PATH_MAX];
  memset(path, 'x', sizeof path - 1);
  expect_problem(path, ROWLOCK_UNUSABLE, "the path is too long");
  path[PATH_MAX] = '\0';
  expect_problem(path, ROWLOCK_UNUSABLE, "File name too long");
}

Test(folder, is_where_the_document_really_is) {
  rlk_test_folder_link(&home, "elsewhere.json", "set/manifest.json");
  use_document(rlk_test_folder_at(&home, "elsewhere.json"));
  expect_resolved("a.json");
  expect_problem("outside.json", ROWLOCK_UNUSABLE, "No such file or directory");
}

Test(folder, changes_with_the_document) {
  expect_resolved("below/b.json");
  rlk_test_folder_write(&home, "set/below/manifest.json", "{}", 2);
  use_document(rlk_test_folder_at(&home, "set/below/manifest.json"));
  expect_resolved("b.json");
  expect_problem("a.json", ROWLOCK_UNUSABLE, "No such file or directory");
}

Test(folder, of_a_missing_document_is_unusable) {
  rlk_folder_set_document(folder, "/absent/manifest.json", 1000);
  expect_problem("a.json", ROWLOCK_UNUSABLE, "the manifest's own folder: No such file or directory");
}

/* --- As the judge sees it ----------------------------------------------------------------------------------------- */

static rowlock_code_t source_read(const char* path, const char** out_text, size_t* out_length, const char** out_path) {
  const rlk_source_t* source = rlk_folder_source(folder);
  return source->read(source->context, path, strlen(path), out_text, out_length, out_path, &err);
}

Test(folder, gives_the_judge_the_text_and_the_path_as_the_user_would_write_it) {
  const char *text, *path;
  size_t length;
  expect_code(source_read("below/b.json", &text, &length, &path), ROWLOCK_OK, "below/b.json");
  cr_assert(eq(sz, length, 3));
  cr_expect(zero(i32, memcmp(text, "[2]", 3)));
  cr_expect(eq(str, (char*)path, (char*)rlk_test_folder_at(&home, "set/below/b.json")));
}

Test(folder, gives_the_judge_one_byte_over_the_limit_at_most) {
  const char *text, *path;
  size_t length;
  rlk_folder_set_document(folder, document_path, 1);
  expect_code(source_read("a.json", &text, &length, &path), ROWLOCK_OK, "a.json");
  cr_expect(eq(sz, length, 2));
}

Test(folder, itself_is_no_file_of_it) {
  const char *text, *path;
  size_t length;
  static const char* const names[] = {".", "below", "below/", "./"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    expect_code(source_read(names[i], &text, &length, &path), ROWLOCK_UNUSABLE, names[i]);
    cr_expect(eq(str, err.message, (char*)"it is a folder"), "%s", names[i]);
  }
}

Test(folder, probes_without_reading) {
  const rlk_source_t* source = rlk_folder_source(folder);
  rlk_test_folder_pipe(&home, "set/pipe");
  expect_code(source->probe(source->context, "a.json", 6, &err), ROWLOCK_OK, "a.json");
  expect_code(source->probe(source->context, "pipe", 4, &err), ROWLOCK_UNUSABLE, "pipe");
  expect_code(source->probe(source->context, "below", 5, &err), ROWLOCK_UNUSABLE, "below");
  expect_code(source->probe(source->context, "absent", 6, &err), ROWLOCK_UNUSABLE, "absent");
  expect_code(source->probe(source->context, "../x", 4, &err), ROWLOCK_REJECTED, "../x");
}

Test(folder, destroying_null_does_nothing) {
  rlk_folder_destroy(NULL);
  expect_resolved("a.json");
}
