/* .npy files: what numpy wrote is read and written byte for byte, and all else is refused with the place. */
#include "harness/gate/npy.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/gate/fence.h"
#include "harness/gate/npy_header.h"
#include "harness/rows/scratch.h"
#include "validator/rules/fault.h"

static rowlock_error_t err;

static void expect_code(rowlock_code_t code, rowlock_code_t due, const char* what) {
  cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)rowlock_code_name(due)), "%s: %s", what, err.message);
}

/* Writes the array to the file, anew. */
static rowlock_code_t write_file(const char* path, const rlk_array_t* array) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  cr_assert(ge(int, file, 0), "%s", path);
  const rowlock_code_t code = rlk_npy_write(file, array, &err);
  close(file);
  return code;
}

/* --- Files that numpy wrote --------------------------------------------------------------------------------------- */

static const double float64s[] = {0.0, -0.0, 1.5, INFINITY, DBL_TRUE_MIN, -1e300};
static const float float32s[] = {1, 4, 2, 5, 3, 6}; /* [[1, 2, 3], [4, 5, 6]] as it lies in Fortran order */
static const float tenth[] = {0.1F};
static const int64_t int64s[] = {INT64_MIN, -1, 0, INT64_MAX};
static const int64_t three[] = {0, 1, 2};
static const unsigned char bools[] = {1, 0, 1};

typedef struct golden_t {
  const char* name;
  rlk_array_t array;
} golden_t;

static golden_t goldens[] = {
    {"float64_c", {RLK_DTYPE_FLOAT64, 2, {2, 3}, false, 6, (void*)float64s, NULL}},
    {"float32_fortran", {RLK_DTYPE_FLOAT32, 2, {2, 3}, true, 6, (void*)float32s, NULL}},
    {"float32_eight", {RLK_DTYPE_FLOAT32, 8, {1, 1, 1, 1, 1, 1, 1, 1}, false, 1, (void*)tenth, NULL}},
    {"float64_empty", {RLK_DTYPE_FLOAT64, 3, {3, 0, 2}, false, 0, NULL, NULL}},
    {"int64_vector", {RLK_DTYPE_INT64, 1, {4}, false, 4, (void*)int64s, NULL}},
    {"bool_scalar", {RLK_DTYPE_BOOL, 0, {0}, false, 1, (void*)bools, NULL}},
    {"bool_column", {RLK_DTYPE_BOOL, 2, {3, 1}, false, 3, (void*)bools, NULL}},
};
enum { GOLDEN_COUNT = sizeof goldens / sizeof *goldens };

static const char* golden_path(const char* name) {
  static char path[256];
  snprintf(path, sizeof path, "harness/gate/testdata/%s.npy", name);
  return path;
}

/* The bytes of a file; the caller frees them. */
static char* slurp(const char* path, size_t* out_length) {
  FILE* in = fopen(path, "rb");
  cr_assert(not(zero(ptr, in)), "%s", path);
  enum { MOST = 1 << 20 };
  char* bytes = malloc(MOST);
  cr_assert(not(zero(ptr, bytes)));
  *out_length = fread(bytes, 1, MOST, in);
  cr_assert(lt(sz, *out_length, MOST));
  fclose(in);
  return bytes;
}

static void expect_array(const rlk_array_t* got, const rlk_array_t* due, const char* what) {
  cr_assert(eq(int, got->dtype, due->dtype), "%s", what);
  cr_assert(eq(int, got->fortran, due->fortran), "%s", what);
  cr_assert(rlk_array_same_shape(got, due), "%s", what);
  cr_assert(eq(u64, got->element_count, due->element_count), "%s", what);
  const size_t size = rlk_array_size(due);
  cr_expect(size == 0 || memcmp(got->data, due->data, size) == 0, "%s", what);
}

Test(golden, is_read) {
  for (int i = 0; i < GOLDEN_COUNT; ++i) {
    rlk_array_t array;
    expect_code(rlk_npy_read(golden_path(goldens[i].name), &array, &err), ROWLOCK_OK, goldens[i].name);
    expect_array(&array, &goldens[i].array, goldens[i].name);
    rlk_array_deinit(&array);
  }
}

Test(golden, of_version_2_is_read) {
  const rlk_array_t due = rlk_array_over(RLK_DTYPE_INT64, three, 3);
  rlk_array_t array;
  expect_code(rlk_npy_read(golden_path("int64_version2"), &array, &err), ROWLOCK_OK, "version 2");
  expect_array(&array, &due, "version 2");
  rlk_array_deinit(&array);
}

Test(golden, is_written_byte_for_byte) {
  rlk_scratch_t scratch;
  char path[300];
  rlk_scratch_create(&scratch);
  snprintf(path, sizeof path, "%s/a.npy", scratch.path);
  for (int i = 0; i < GOLDEN_COUNT; ++i) {
    size_t length, due_length;
    expect_code(write_file(path, &goldens[i].array), ROWLOCK_OK, goldens[i].name);
    char *got = slurp(path, &length), *due = slurp(golden_path(goldens[i].name), &due_length);
    cr_expect(eq(sz, length, due_length), "%s", goldens[i].name);
    cr_expect(length == due_length && memcmp(got, due, length) == 0, "%s", goldens[i].name);
    free(got);
    free(due);
  }
  rlk_scratch_remove(&scratch);
}

/* --- Data --------------------------------------------------------------------------------------------------------- */

/* Two bools, as older writers put them: the data begins at byte 80. Returns the length. */
static size_t make_file(char bytes[96]) {
  static const char prefix[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, 70, 0};
  static const char dict[] = "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }";
  memset(bytes, ' ', 80);
  memcpy(bytes, prefix, sizeof prefix);
  memcpy(bytes + 10, dict, sizeof dict - 1);
  memcpy(bytes + 79, "\n\x01", 3);
  return 82;
}

static void expect_refusal(const char* bytes, size_t length, const char* says) {
  rlk_array_t array;
  expect_code(rlk_npy_parse(bytes, length, &array, &err), ROWLOCK_UNUSABLE, says);
  cr_expect(not(zero(ptr, strstr(err.message, says))), "'%s' lacks '%s'", err.message, says);
}

Test(data, has_exactly_the_length_that_the_header_promises) {
  char bytes[96];
  const size_t length = make_file(bytes);
  bytes[length] = 0;
  expect_refusal(bytes, length + 1, "byte 82: the array ends here and the file goes on");
  expect_refusal(bytes, length - 1, "byte 81: the file ends, and its header promises 2 bytes of data from byte 80");
  expect_refusal(bytes, 80, "byte 80: the file ends, and its header promises 2 bytes");
}

Test(data, holds_bools_of_0_and_1_alone) {
  char bytes[96];
  const size_t length = make_file(bytes);
  bytes[81] = 2;
  expect_refusal(bytes, length, "byte 81: a bool is 0 or 1, not 2");
  bytes[81] = (char)0xFF;
  expect_refusal(bytes, length, "byte 81: a bool is 0 or 1, not 255");
}

/* --- Every byte --------------------------------------------------------------------------------------------------- */

Test(every_byte, may_be_the_last_and_none_behind_it_is_read) {
  for (int i = 0; i < GOLDEN_COUNT; ++i) {
    size_t length;
    char* whole = slurp(golden_path(goldens[i].name), &length);
    for (size_t cut = 0; cut < length; ++cut) {
      rlk_fence_t fence = rlk_fence_create(cut);
      memcpy(fence.bytes, whole, cut);
      rlk_array_t array;
      const rowlock_code_t code = rlk_npy_parse((const char*)fence.bytes, cut, &array, &err);
      expect_code(code, ROWLOCK_UNUSABLE, goldens[i].name);
      char place[64];
      snprintf(place, sizeof place, "byte %zu: the file ends", cut);
      cr_expect(not(zero(ptr, strstr(err.message, place))), "%s: '%s' lacks '%s'", goldens[i].name, err.message, place);
      rlk_fence_destroy(&fence);
    }
    free(whole);
  }
}

static bool is_well_formed(const rlk_array_t* array, const char* bytes, size_t length) {
  uint64_t count;
  const char* data = array->data;
  return array->dtype < RLK_DTYPE_COUNT && array->rank <= RLK_RANK_MAX &&
         rlk_shape_count(array->shape, array->rank, &count) && count == array->element_count && data > bytes &&
         data + rlk_array_size(array) == bytes + length && !array->block;
}

Test(every_byte, of_a_header_may_change_and_the_array_is_well_formed_or_none) {
  enum { UNCHANGED = GOLDEN_COUNT * 128 };
  size_t accepted = 0, refused_count = 0;
  for (int i = 0; i < GOLDEN_COUNT; ++i) {
    size_t length;
    char* bytes = slurp(golden_path(goldens[i].name), &length);
    for (size_t at = 0; at < length && at < 128; ++at) {
      const char original = bytes[at];
      for (int value = 0; value < 256; ++value) {
        rlk_array_t array;
        bytes[at] = (char)value;
        const rowlock_code_t code = rlk_npy_parse(bytes, length, &array, &err);
        if (code) {
          cr_assert(eq(int, code, ROWLOCK_UNUSABLE));
          cr_assert(zero(ptr, array.data));
          cr_assert(eq(int, strncmp(err.message, "byte ", 5), 0), "%s", err.message);
          ++refused_count;
        } else {
          cr_assert(is_well_formed(&array, bytes, length), "%s with byte %zu = %d", goldens[i].name, at, value);
          ++accepted;
        }
      }
      bytes[at] = original;
    }
    free(bytes);
  }
  cr_expect(gt(sz, accepted, UNCHANGED), "the unchanged byte alone is accepted so often");
  cr_expect(gt(sz, refused_count, accepted));
}

/* --- Files -------------------------------------------------------------------------------------------------------- */

static rlk_scratch_t scratch;

static const char* at(const char* name) {
  static char path[300];
  snprintf(path, sizeof path, "%s/%s", scratch.path, name);
  return path;
}

static void put_file(const char* path, const char* bytes, size_t length) {
  FILE* out = fopen(path, "wb");
  cr_assert(not(zero(ptr, out)));
  cr_assert(eq(sz, fwrite(bytes, 1, length, out), length));
  cr_assert(eq(int, fclose(out), 0));
}

static void set_up(void) { rlk_scratch_create(&scratch); }
static void tear_down(void) { rlk_scratch_remove(&scratch); }
TestSuite(file, .init = set_up, .fini = tear_down);

static void expect_unreadable(const char* path, const char* says) {
  rlk_array_t array;
  expect_code(rlk_npy_read(path, &array, &err), ROWLOCK_UNUSABLE, path);
  cr_expect(not(zero(ptr, strstr(err.message, says))), "'%s' lacks '%s'", err.message, says);
  cr_expect(zero(ptr, array.block));
}

Test(file, must_be_a_regular_file) {
  expect_unreadable(at("missing.npy"), "No such file");
  expect_unreadable(scratch.path, "it is a folder");
  cr_assert(eq(int, mkfifo(at("pipe.npy"), 0600), 0));
  expect_unreadable(at("pipe.npy"), "it is not a regular file");
  put_file(at("empty.npy"), "", 0);
  expect_unreadable(at("empty.npy"), "byte 0: the file ends in its header");
}

/* More than what is read in search of a header. */
enum { LARGE_COUNT = 3 * RLK_NPY_OFFSET_MAX / 8 };

static int64_t* large_integers(void) {
  int64_t* integers = malloc(LARGE_COUNT * sizeof *integers);
  cr_assert(not(zero(ptr, integers)));
  for (int i = 0; i < LARGE_COUNT; ++i) integers[i] = (int64_t)i * i;
  return integers;
}

Test(file, larger_than_any_header_is_read_whole) {
  int64_t* integers = large_integers();
  const rlk_array_t due = rlk_array_over(RLK_DTYPE_INT64, integers, LARGE_COUNT);
  expect_code(write_file(at("large.npy"), &due), ROWLOCK_OK, "writing");
  rlk_array_t array;
  expect_code(rlk_npy_read(at("large.npy"), &array, &err), ROWLOCK_OK, "reading");
  expect_array(&array, &due, "large");
  rlk_array_deinit(&array);
  size_t length;
  char* bytes = slurp(at("large.npy"), &length);
  put_file(at("short.npy"), bytes, length - 1);
  expect_unreadable(at("short.npy"), "the file ends, and its header promises");
  bytes[length] = 0;
  put_file(at("long.npy"), bytes, length + 1);
  expect_unreadable(at("long.npy"), "the array ends here and the file goes on");
  free(bytes);
  free(integers);
}

Test(file, that_cannot_be_written_is_unusable) {
  const rlk_array_t array = rlk_array_over(RLK_DTYPE_INT64, three, 3);
  expect_code(rlk_npy_write(-1, &array, &err), ROWLOCK_UNUSABLE, "no descriptor");
  expect_code(write_file("/dev/full", &array), ROWLOCK_UNUSABLE, "no room");
  cr_expect(not(zero(ptr, strstr(err.message, "No space"))), "%s", err.message);
}

Test(file, is_not_begun_for_an_array_that_could_not_be_read_back) {
  static const unsigned char bytes[] = {0, 1, 2};
  rlk_array_t array = rlk_array_over(RLK_DTYPE_BOOL, bytes, 3);
  expect_code(write_file(at("a.npy"), &array), ROWLOCK_UNUSABLE, "2 is no bool");
  array = rlk_array_over(RLK_DTYPE_INT64, three, 3);
  array.shape[0] = 2;
  expect_code(write_file(at("a.npy"), &array), ROWLOCK_UNUSABLE, "the shape has not the count");
  array.rank = RLK_RANK_MAX + 1;
  expect_code(write_file(at("a.npy"), &array), ROWLOCK_UNUSABLE, "the rank");
  expect_unreadable(at("a.npy"), "byte 0: the file ends in its header");
}

Test(file, survives_every_allocation_failure) {
  int64_t* integers = large_integers();
  const rlk_array_t due = rlk_array_over(RLK_DTYPE_INT64, integers, LARGE_COUNT);
  expect_code(write_file(at("large.npy"), &due), ROWLOCK_OK, "writing");
  const char* path = at("large.npy");
  for (uint64_t nth = 1;; ++nth) {
    rlk_array_t array;
    rlk_fault_arm(nth, true);
    const rowlock_code_t code = rlk_npy_read(path, &array, &err);
    const rlk_fault_t fault = rlk_fault_disarm();
    if (fault.refused == 0) {
      expect_code(code, ROWLOCK_OK, "nothing is refused");
      cr_expect(gt(u64, nth, 1), "nothing was allocated");
      expect_array(&array, &due, "large");
      rlk_array_deinit(&array);
      break;
    }
    expect_code(code, ROWLOCK_NO_MEMORY, "an allocation is refused");
    cr_expect(eq(sz, fault.live, 0), "allocation %d leaked", (int)nth);
    cr_expect(zero(ptr, array.data));
  }
  free(integers);
}
