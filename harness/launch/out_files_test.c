#define _GNU_SOURCE /* pwrite, mkfifo */
/* Files that are made of a launch's outputs: by the report, whole, and all or none. */
#include "harness/launch/out_files.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/gate/npy.h"
#include "harness/rows/scratch.h"

static rlk_scratch_t scratch;
static rlk_out_files_t* files;
static rowlock_error_t err;

static void set_up(void) {
  rlk_scratch_create(&scratch);
  cr_assert_eq(rlk_out_files_create(&files, scratch.path, &err), ROWLOCK_OK, "%s", err.message);
}

static void tear_down(void) {
  rlk_out_files_destroy(files);
  rlk_scratch_remove(&scratch);
}

TestSuite(out_files, .init = set_up, .fini = tear_down);

static const char* below(const char* name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", scratch.path, name);
  return path;
}

static size_t count_files(void) {
  DIR* folder = opendir(scratch.path);
  cr_assert_not_null(folder);
  size_t count = 0;
  for (const struct dirent* entry; (entry = readdir(folder));) {
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  }
  closedir(folder);
  return count;
}

static void put_bytes(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const double number = (double)i;
    cr_assert_eq(pwrite(*rlk_out_files_descriptor(files), &number, 8, (off_t)(8 * i)), 8);
  }
}

static rowlock_code_t make(const char* text) {
  json_object* report = json_tokener_parse(text);
  const rowlock_code_t code = rlk_out_files_make(files, report, &err);
  json_object_put(report);
  return code;
}

#define OUTPUT(name, as, shape) "{\"name\":\"" name "\",\"as\":\"" as "\",\"dtype\":\"float64\",\"shape\":" shape "}"
#define OUTPUTS(list) "{\"outputs\":[" list "]}"

static void expect_numbers(const char* name, uint32_t rank, uint64_t count, double first) {
  rlk_array_t array;
  cr_assert_eq(rlk_npy_read(below(name), &array, &err), ROWLOCK_OK, "%s: %s", name, err.message);
  cr_expect_eq(array.rank, rank, "%s", name);
  cr_assert_eq(array.element_count, count, "%s", name);
  for (uint64_t i = 0; i < count; ++i) cr_expect_eq(((double*)array.data)[i], first + (double)i, "%s", name);
  rlk_array_deinit(&array);
}

Test(out_files, have_their_names_only_when_they_are_placed) {
  put_bytes(9);
  cr_expect_eq(count_files(), 0);
  cr_assert_eq(make(OUTPUTS(OUTPUT("a", "vector", "[2,3]") "," OUTPUT("a", "result", "[2]") "," OUTPUT(
                   "none", "vector", "[2,0]") "," OUTPUT("b", "handle", "[1]"))),
               ROWLOCK_OK, "%s", err.message);
  cr_expect_eq(count_files(), 4);
  cr_expect_neq(access(below("a.npy"), F_OK), 0);
  cr_assert_eq(rlk_out_files_place(files, &err), ROWLOCK_OK, "%s", err.message);
  cr_expect_eq(count_files(), 4);
  expect_numbers("a.npy", 2, 6, 0);
  expect_numbers("a.result.npy", 1, 2, 6);
  expect_numbers("none.npy", 2, 0, 0);
  expect_numbers("b.npy", 1, 1, 8);
}

Test(out_files, are_in_the_folder_that_was_opened) {
  char moved[520];
  put_bytes(1);
  snprintf(moved, sizeof moved, "%s.moved", scratch.path);
  cr_assert_eq(rename(scratch.path, moved), 0);
  cr_assert_eq(mkdir(scratch.path, 0700), 0);
  cr_assert_eq(make(OUTPUTS(OUTPUT("a", "handle", "[1]"))), ROWLOCK_OK, "%s", err.message);
  cr_assert_eq(rlk_out_files_place(files, &err), ROWLOCK_OK, "%s", err.message);
  cr_expect_eq(count_files(), 0);
  cr_assert_eq(rmdir(scratch.path), 0);
  cr_assert_eq(rename(moved, scratch.path), 0);
  expect_numbers("a.npy", 1, 1, 0);
}

Test(out_files, that_are_discarded_are_gone) {
  put_bytes(2);
  cr_assert_eq(make(OUTPUTS(OUTPUT("a", "handle", "[1]") "," OUTPUT("b", "handle", "[1]"))), ROWLOCK_OK);
  cr_expect_eq(count_files(), 2);
  rlk_out_files_discard(files);
  cr_expect_eq(count_files(), 0);
  cr_assert_eq(make(OUTPUTS(OUTPUT("a", "handle", "[1]"))), ROWLOCK_OK);
  cr_assert_eq(make(OUTPUTS(OUTPUT("b", "handle", "[1]"))), ROWLOCK_OK);
  cr_assert_eq(rlk_out_files_place(files, &err), ROWLOCK_OK);
  cr_expect_eq(count_files(), 1);
}

#define HUNDRED "tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt"

Test(out_files, are_all_refused_if_one_cannot_be) {
  static const struct {
    const char *report, *says;
    rowlock_code_t code;
  } faults[] = {
      {OUTPUTS(OUTPUT("a", "handle", "[1]") "," OUTPUT("x/b", "handle", "[1]")), "'x/b': it names no file",
       ROWLOCK_UNUSABLE},
      {OUTPUTS(OUTPUT("a", "handle", "[1]") "," OUTPUT("a", "handle", "[1]")), "'a': another output has that file",
       ROWLOCK_UNUSABLE},
      {OUTPUTS(OUTPUT("a", "result", "[1]") "," OUTPUT("a.result", "handle", "[1]")), "another output has that file",
       ROWLOCK_UNUSABLE},
      {OUTPUTS(OUTPUT("a", "handle", "[1]") "," OUTPUT("folder", "handle", "[1]")), "what is there is no file",
       ROWLOCK_UNUSABLE},
      {OUTPUTS(OUTPUT("a", "handle", "[1]") "," OUTPUT("pipe", "handle", "[1]")), "what is there is no file",
       ROWLOCK_UNUSABLE},
      {OUTPUTS(OUTPUT("a", "handle", "[1]") "," OUTPUT(HUNDRED HUNDRED HUNDRED, "handle", "[1]")), "name too long",
       ROWLOCK_UNUSABLE},
      {OUTPUTS(OUTPUT("a", "handle", "[1]") "," OUTPUT("b", "vector", "[2,1]")), "'b': the process did not write all",
       ROWLOCK_UNUSABLE},
      {OUTPUTS(OUTPUT("a", "handle", "[1]") ",5"), "output 1 of the report is malformed", ROWLOCK_INTERNAL},
      {OUTPUTS("{\"dtype\":\"float64\",\"shape\":[1]}"), "malformed", ROWLOCK_INTERNAL},
      {OUTPUTS("{\"name\":\"a\",\"dtype\":\"float\",\"shape\":[1]}"), "malformed", ROWLOCK_INTERNAL},
      {OUTPUTS("{\"name\":\"a\",\"dtype\":\"float64\",\"shape\":7}"), "malformed", ROWLOCK_INTERNAL},
      {OUTPUTS(OUTPUT("a", "handle", "[-1]")), "malformed", ROWLOCK_INTERNAL},
      {OUTPUTS(OUTPUT("a", "handle", "[\"1\"]")), "malformed", ROWLOCK_INTERNAL},
      {OUTPUTS(OUTPUT("a", "handle", "[4294967296,2]")), "malformed", ROWLOCK_INTERNAL},
      {OUTPUTS(OUTPUT("a", "handle", "[1,1,1,1,1,1,1,1,1]")), "malformed", ROWLOCK_INTERNAL},
  };
  put_bytes(2);
  cr_assert_eq(mkdir(below("folder.npy"), 0700), 0);
  cr_assert_eq(mkfifo(below("pipe.npy"), 0600), 0);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i) {
    cr_expect_eq(make(faults[i].report), faults[i].code, "%s: %s", faults[i].report, err.message);
    cr_expect_not_null(strstr(err.message, faults[i].says), "'%s' is not in: %s", faults[i].says, err.message);
    rlk_out_files_discard(files);
    cr_expect_eq(count_files(), 2, "%s leaves a file", faults[i].report);
  }
}

Test(out_files, of_a_report_without_outputs_are_none) {
  static const char* const reports[] = {
      "null", "5", "[]", "{}", "{\"outputs\":null}", "{\"outputs\":{}}", "{\"outputs\":[]}"};
  for (size_t i = 0; i < sizeof reports / sizeof *reports; ++i) {
    cr_expect_eq(make(reports[i]), ROWLOCK_OK, "%s: %s", reports[i], err.message);
    cr_expect_eq(rlk_out_files_place(files, &err), ROWLOCK_OK);
    cr_expect_eq(count_files(), 0);
  }
}

Test(out_files, need_a_folder) {
  rlk_out_files_t* none;
  rlk_scratch_write(&scratch, "file", "kept");
  static const char* const names[] = {"missing", "file"};
  for (int i = 0; i < 2; ++i) {
    cr_expect_eq(rlk_out_files_create(&none, below(names[i]), &err), ROWLOCK_UNUSABLE);
    cr_expect_null(none);
  }
}
