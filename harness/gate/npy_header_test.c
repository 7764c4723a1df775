/* Headers of .npy files: what numpy writes is read, in whatever order of keys, and all else is refused with the place.
 */
#include "harness/gate/npy_header.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static rowlock_error_t err;

static void expect_code(rowlock_code_t code, rowlock_code_t due, const char* what) {
  cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)rowlock_code_name(due)), "%s: %s", what, err.message);
}

static void expect_said(const char* says, const char* what) {
  cr_expect(not(zero(ptr, strstr(err.message, says))), "%s: '%s' lacks '%s'", what, err.message, says);
}

/* --- The dict ------------------------------------------------------------------------------------------------------
 */

static const char version_1[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};

/* Parses a header of version 1 with that dict, padded to 64. */
static rowlock_code_t parse_dict(const char* dict, rlk_array_t* out_array) {
  char bytes[512];
  size_t offset;
  memset(bytes, ' ', sizeof bytes);
  memcpy(bytes, version_1, sizeof version_1);
  const size_t dict_length = strlen(dict), end = (10 + dict_length + 1 + 63) / 64 * 64;
  cr_assert(le(sz, end, sizeof bytes));
  bytes[8] = (char)((end - 10) & 0xFF);
  bytes[9] = (char)((end - 10) >> 8);
  memcpy(bytes + 10, dict, dict_length + 1);
  bytes[10 + dict_length] = ' ';
  bytes[end - 1] = '\n';
  return rlk_npy_header_parse(bytes, end, out_array, &offset, &err);
}

Test(header, is_a_dict_whose_keys_stand_in_any_order) {
  static const char* const dicts[] = {
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
      "{'shape': (2, 3), 'descr': '<f8', 'fortran_order': False}",
      "{'fortran_order':False,'shape':(2,3),'descr':'<f8'}",
      "{ 'fortran_order' : False , 'shape' : ( 2 , 3 , ) , 'descr' : '<f8' , } ",
  };
  const rlk_array_t due = {.dtype = RLK_DTYPE_FLOAT64, .rank = 2, .shape = {2, 3}, .element_count = 6};
  for (size_t i = 0; i < sizeof dicts / sizeof *dicts; ++i) {
    rlk_array_t array;
    expect_code(parse_dict(dicts[i], &array), ROWLOCK_OK, dicts[i]);
    cr_expect(eq(int, array.dtype, due.dtype), "%s", dicts[i]);
    cr_expect(rlk_array_same_shape(&array, &due), "%s", dicts[i]);
    cr_expect(eq(u64, array.element_count, due.element_count), "%s", dicts[i]);
  }
}

#define WITH_DESCR(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (2,), }"
#define WITH_ORDER(order) "{'descr': '<f8', 'fortran_order': " order ", 'shape': (2,), }"
#define WITH_SHAPE(shape) "{'descr': '|b1', 'fortran_order': False, 'shape': " shape ", }"

static const struct {
  const char *dict, *says;
} refused[] = {
    {WITH_DESCR("'>f8'"), "byte 20: dtype '>f8' is big-endian; convert"},
    {WITH_DESCR("'=f8'"), "byte 20: dtype '=f8' leaves the byte order to the machine; convert"},
    {WITH_DESCR("'|O'"), "byte 20: dtype '|O' holds Python objects; convert"},
    {WITH_DESCR("'<f2'"), "byte 20: dtype '<f2' is not compared here; convert"},
    {WITH_DESCR("'<f16'"), "dtype '<f16' is not"},
    {WITH_DESCR("'<i4'"), "dtype '<i4' is not"},
    {WITH_DESCR("'<u8'"), "dtype '<u8' is not"},
    {WITH_DESCR("'<c16'"), "dtype '<c16' is not"},
    {WITH_DESCR("'<b1'"), "dtype '<b1' is not"},
    {WITH_DESCR("''"), "dtype '' is not"},
    {WITH_DESCR("'<f8 '"), "dtype '<f8 ' is not"},
    {WITH_DESCR("'\x1b[2J'"), "dtype '\\u001B[2J' is not"},
    {WITH_DESCR("'<M8[ns]'"), "dtype '<M8[ns]' is not"},
    {WITH_DESCR("[('x', '<f8')]"), "byte 20: the dtype is a structure; save an array of each field"},
    {WITH_DESCR("\"<f8\""), "byte 20: the dtype is due, in single quotes"},
    {WITH_DESCR("u'<f8'"), "byte 20: the dtype is due, in single quotes"},
    {WITH_DESCR("'<f8"), "dtype '<f8, ' is not"}, /* the next quote closes it */
    {WITH_ORDER("false"), "byte 44: fortran_order must be True or False"},
    {WITH_ORDER("0"), "fortran_order must be"},
    {WITH_ORDER("Falsey"), "byte 49: ',' or '}' is due"},
    {WITH_SHAPE("[2]"), "byte 60: '(' is due before the shape"},
    {WITH_SHAPE("2"), "'(' is due before the shape"},
    {WITH_SHAPE("(2)"), "byte 60: a shape of one extent needs a comma"},
    {WITH_SHAPE("(,)"), "byte 61: an extent of the shape is due"},
    {WITH_SHAPE("(2,,3)"), "byte 63: an extent of the shape is due"},
    {WITH_SHAPE("(2 3)"), "byte 63: ',' or ')' is due in the shape"},
    {WITH_SHAPE("(-2,)"), "byte 61: an extent of the shape is due"},
    {WITH_SHAPE("(+2,)"), "an extent of the shape is due"},
    {WITH_SHAPE("(02,)"), "byte 61: an extent of the shape begins with 0"},
    {WITH_SHAPE("(2L,)"), "',' or ')' is due in the shape"},
    {WITH_SHAPE("(1_0,)"), "',' or ')' is due in the shape"},
    {WITH_SHAPE("(2.0,)"), "',' or ')' is due in the shape"},
    {WITH_SHAPE("(4294967297,)"), "byte 61: an extent of the shape is above 2^32; split"},
    {WITH_SHAPE("(0, 4294967297)"), "byte 64: an extent of the shape is above 2^32"},
    {WITH_SHAPE("(18446744073709551618,)"), "an extent of the shape is above 2^32"},
    {WITH_SHAPE("(99999999999999999999999999999999999999999999999999999,)"), "an extent of the shape is above 2^32"},
    {WITH_SHAPE("(65536, 65537)"), "byte 60: the shape has more than 2^32 elements; split"},
    {WITH_SHAPE("(1, 1, 1, 1, 1, 1, 1, 1, 1)"), "byte 85: the shape has more than 8 extents; reshape"},
    {WITH_SHAPE("(1,"), "an extent of the shape is due"},
    {"{'descr': '<f8', 'fortran_order': False, }", "byte 10: the header has no key 'shape'"},
    {"{'descr': '<f8', 'shape': (2,), }", "the header has no key 'fortran_order'"},
    {"{}", "the header has no key 'descr'"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'shape': (2,), }", "byte 66: key 'shape' stands twice"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'x': 1}", "byte 66: unknown key 'x'"},
    {"{'descr': '<f8', 'fortran_order': False 'shape': (2,), }", "byte 50: ',' or '}' is due"},
    {"{'descr' '<f8', 'fortran_order': False, 'shape': (2,), }", "byte 19: ':' is due behind a key"},
    {"{,'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", "byte 11: a key is due"},
    {"{descr: '<f8', 'fortran_order': False, 'shape': (2,), }", "byte 11: a key is due"},
    {"{'descr", "byte 11: a key has no closing quote"},
    {" {'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", "byte 10: '{' is due"},
    {"[]", "byte 10: '{' is due"},
    {"", "byte 10: '{' is due"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }}", "only spaces may follow the header's dict"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n", "only spaces may follow the header's dict"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\t", "only spaces may follow the header's dict"},
    {"{'descr':\t'<f8', 'fortran_order': False, 'shape': (2,), }", "the dtype is due"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2,), ", "a key is due"},
};

Test(header, is_refused_with_the_place_and_what_to_do) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    rlk_array_t array;
    expect_code(parse_dict(refused[i].dict, &array), ROWLOCK_UNUSABLE, refused[i].dict);
    expect_said(refused[i].says, refused[i].dict);
    cr_expect(not(zero(ptr, strchr(err.message, ';'))), "'%s' does not say what to do", err.message);
    cr_expect(eq(int, (int)array.rank, 0), "%s: something of it is left", refused[i].dict);
  }
}

/* A header of either version; `end` is where the data begins. */
static size_t make_header(int major, size_t end, char* bytes) {
  static const char dict[] = WITH_SHAPE("(2,)");
  const size_t begin = major == 1 ? 10 : 12, dict_length = end - begin;
  memset(bytes, ' ', end);
  memcpy(bytes, "\x93NUMPY", 6);
  bytes[6] = (char)major;
  bytes[7] = 0;
  for (size_t i = 8; i < begin; ++i) bytes[i] = (char)(dict_length >> 8 * (i - 8) & 0xFF);
  memcpy(bytes + begin, dict, sizeof dict - 1);
  bytes[end - 1] = '\n';
  return end;
}

static rowlock_code_t parse(const char* bytes, size_t length) {
  rlk_array_t array;
  size_t offset;
  const rowlock_code_t code = rlk_npy_header_parse(bytes, length, &array, &offset, &err);
  cr_expect(eq(sz, offset, code ? 0 : length));
  return code;
}

static void expect_refusal(const char* bytes, size_t length, const char* says) {
  expect_code(parse(bytes, length), ROWLOCK_UNUSABLE, says);
  expect_said(says, "a header");
}

Test(prefix, is_of_version_1_or_2) {
  static const char versions[][2] = {{0, 0}, {3, 0}, {1, 1}, {2, 1}, {(char)0xFF, 0}};
  char bytes[256];
  expect_code(parse(bytes, make_header(1, 128, bytes)), ROWLOCK_OK, "1.0");
  expect_code(parse(bytes, make_header(2, 128, bytes)), ROWLOCK_OK, "2.0");
  for (size_t i = 0; i < sizeof versions / sizeof *versions; ++i) {
    const size_t length = make_header(1, 128, bytes);
    memcpy(bytes + 6, versions[i], 2);
    expect_refusal(bytes, length, "byte 6: version ");
  }
}

Test(prefix, puts_the_data_at_a_multiple_of_16) {
  char bytes[256];
  expect_code(parse(bytes, make_header(1, 80, bytes)), ROWLOCK_OK, "as older numpy did");
  for (size_t at = 81; at < 96; ++at) {
    const size_t length = make_header(1, at, bytes);
    expect_refusal(bytes, length, "byte 8: the data would begin at byte ");
  }
}

Test(prefix, has_a_header_of_at_most_64_KiB) {
  enum { LARGEST = 12 + RLK_NPY_HEADER_MAX - 12 % 16 }; /* of the dict lengths that keep the alignment */
  char* bytes = malloc(LARGEST + 64);
  cr_assert(not(zero(ptr, bytes)));
  expect_code(parse(bytes, make_header(2, LARGEST, bytes)), ROWLOCK_OK, "64 KiB");
  const size_t length = make_header(2, LARGEST + 16, bytes);
  expect_refusal(bytes, length, "byte 8: a header of 65540 bytes, and 65536 are the most");
  memset(bytes + 8, 0xFF, 4);
  expect_refusal(bytes, length, "byte 8: a header of 4294967295 bytes");
  free(bytes);
}

Test(padding, ends_in_one_line_feed) {
  char bytes[256];
  size_t length = make_header(1, 128, bytes);
  bytes[127] = ' ';
  expect_refusal(bytes, length, "byte 127: the header must end in a line feed");
  length = make_header(1, 128, bytes);
  bytes[126] = '\n';
  expect_refusal(bytes, length, "byte 126: only spaces may follow");
  length = make_header(1, 128, bytes);
  bytes[100] = 0;
  expect_refusal(bytes, length, "byte 100: only spaces may follow");
}

Test(magic, is_asked_for_first) {
  expect_refusal("PK\x03\x04", 4, "byte 0: this is no .npy file");
  expect_refusal("", 0, "byte 0: the file ends in its header");
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

Test(header, is_always_a_multiple_of_64_and_reads_back) {
  for (uint64_t extent = 1; extent <= RLK_ARRAY_ELEMENTS_MAX; extent *= 2) {
    for (uint32_t rank = 0; rank <= RLK_RANK_MAX; ++rank) {
      rlk_array_t array = {.rank = rank, .fortran = rank > 1 && extent > 1}, got;
      for (uint32_t i = 0; i < rank; ++i) array.shape[i] = i < 2 ? extent : 1;
      if (!rlk_shape_count(array.shape, rank, &array.element_count)) continue;
      char header[RLK_NPY_WRITTEN_MAX];
      size_t offset;
      const size_t length = rlk_npy_header_format(&array, header);
      cr_assert(eq(sz, length % 64, 0));
      expect_code(rlk_npy_header_parse(header, length, &got, &offset, &err), ROWLOCK_OK, "what was written");
      cr_expect(eq(sz, offset, length));
      cr_expect(rlk_array_same_shape(&got, &array));
      cr_expect(eq(int, got.fortran, array.fortran));
    }
  }
}
