#include "harness/gate/npy_header.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "validator/rules/text.h"

static const char magic[] = "\x93NUMPY";
enum {
  MAGIC_LENGTH = sizeof magic - 1,
  PREFIX_LENGTH = MAGIC_LENGTH + 2 + 2, /* of version 1; version 2 has a length field of 4 bytes */
  OLDEST_ALIGNMENT = 16,                /* of the data, in files of before numpy 1.14 */
  ALIGNMENT = 64,
  SHOWN_MAX = 40
};

typedef struct parser_t {
  const char* bytes;
  size_t at, end; /* offsets in the file */
  rowlock_error_t* err;
} parser_t;

static rowlock_code_t fail(const parser_t* parser, size_t offset, const char* format, ...) ROWLOCK_PRINTF(3, 4);

static rowlock_code_t fail(const parser_t* parser, size_t offset, const char* format, ...) {
  char problem[sizeof parser->err->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  return rlk_fail(parser->err, ROWLOCK_UNUSABLE, "byte %zu: %s", offset, problem);
}

/* --- Words of the dict -------------------------------------------------------------------------------------------- */

static void skip_spaces(parser_t* parser) {
  while (parser->at < parser->end && parser->bytes[parser->at] == ' ') ++parser->at;
}

static bool next_is(const parser_t* parser, char byte) {
  return parser->at < parser->end && parser->bytes[parser->at] == byte;
}

static bool take(parser_t* parser, char byte) {
  skip_spaces(parser);
  if (!next_is(parser, byte)) return false;
  ++parser->at;
  return true;
}

static rowlock_code_t expect(parser_t* parser, char byte, const char* place) {
  if (take(parser, byte)) return ROWLOCK_OK;
  return fail(parser, parser->at, "'%c' is due %s; write the file anew with numpy.save", byte, place);
}

/* A string in single quotes without escapes, as numpy spells each one. */
static rowlock_code_t take_string(parser_t* parser, const char* what, const char** out_text, size_t* out_length) {
  *out_text = "";
  *out_length = 0;
  skip_spaces(parser);
  const size_t begin = parser->at + 1;
  if (!next_is(parser, '\'')) {
    return fail(parser, parser->at, "%s is due, in single quotes; write the file anew with numpy.save", what);
  }
  const char* quote = memchr(parser->bytes + begin, '\'', parser->end - begin);
  if (!quote) return fail(parser, parser->at, "%s has no closing quote; write the file anew with numpy.save", what);
  *out_text = parser->bytes + begin;
  *out_length = (size_t)(quote - *out_text);
  parser->at = begin + *out_length + 1;
  return ROWLOCK_OK;
}

static bool take_word(parser_t* parser, const char* word) {
  const size_t length = strlen(word);
  if (parser->end - parser->at < length || memcmp(parser->bytes + parser->at, word, length) != 0) return false;
  parser->at += length;
  return true;
}

static bool equals(const char* text, size_t length, const char* word) {
  return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

/* Why numpy can hold what a gate does not compare. */
static const char* dtype_problem(const char* text, size_t length) {
  if (length > 0 && text[0] == '>') return "is big-endian";
  if (length > 0 && text[0] == '=') return "leaves the byte order to the machine";
  if (memchr(text, 'O', length)) return "holds Python objects";
  return "is not compared here";
}

static rowlock_code_t parse_descr(parser_t* parser, rlk_array_t* array) {
  skip_spaces(parser);
  const size_t begin = parser->at;
  if (next_is(parser, '[')) {
    return fail(parser, begin, "the dtype is a structure; save an array of each field by itself");
  }
  const char* text;
  size_t length;
  const rowlock_code_t code = take_string(parser, "the dtype", &text, &length);
  if (code) return code;
  char known[64];
  rlk_text_t list = rlk_text_over(known, sizeof known);
  for (int dtype = 0; dtype < RLK_DTYPE_COUNT; ++dtype) {
    array->dtype = (rlk_dtype_t)dtype;
    if (equals(text, length, rlk_dtype_descr(array->dtype))) return ROWLOCK_OK;
    rlk_text_printf(&list, " '%s'", rlk_dtype_descr(array->dtype));
  }
  char shown[6 * SHOWN_MAX + 4];
  rlk_text_t quoted = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&quoted, text, length, SHOWN_MAX);
  return fail(parser, begin, "dtype '%s' %s; convert the array with astype to one of%s", shown,
              dtype_problem(text, length), known);
}

static rowlock_code_t parse_order(parser_t* parser, rlk_array_t* array) {
  skip_spaces(parser);
  array->fortran = take_word(parser, "True");
  if (array->fortran || take_word(parser, "False")) return ROWLOCK_OK;
  return fail(parser, parser->at, "fortran_order must be True or False; write the file anew with numpy.save");
}

static rowlock_code_t parse_extent(parser_t* parser, uint64_t* out_extent) {
  skip_spaces(parser);
  const size_t begin = parser->at;
  uint64_t extent = 0;
  while (parser->at < parser->end && parser->bytes[parser->at] >= '0' && parser->bytes[parser->at] <= '9') {
    /* Held above the limit, so that no number of digits overflows. */
    if (extent <= RLK_ARRAY_ELEMENTS_MAX) extent = 10 * extent + (uint64_t)(parser->bytes[parser->at] - '0');
    ++parser->at;
  }
  if (parser->at == begin) {
    return fail(parser, begin, "an extent of the shape is due, in decimal digits; write the file anew with numpy.save");
  }
  if (parser->bytes[begin] == '0' && parser->at - begin > 1) {
    return fail(parser, begin, "an extent of the shape begins with 0; write the file anew with numpy.save");
  }
  if (extent > RLK_ARRAY_ELEMENTS_MAX) {
    return fail(parser, begin, "an extent of the shape is above 2^32; split the array");
  }
  *out_extent = extent;
  return ROWLOCK_OK;
}

static rowlock_code_t parse_shape(parser_t* parser, rlk_array_t* array) {
  skip_spaces(parser);
  const size_t begin = parser->at;
  rowlock_code_t code = expect(parser, '(', "before the shape");
  bool comma = false;
  while (!code && !take(parser, ')')) {
    if (array->rank > 0 && !comma) {
      return fail(parser, parser->at, "',' or ')' is due in the shape; write the file anew with numpy.save");
    }
    if (array->rank == RLK_RANK_MAX) {
      return fail(parser, parser->at, "the shape has more than %d extents; reshape the array", RLK_RANK_MAX);
    }
    code = parse_extent(parser, &array->shape[array->rank]);
    if (!code) ++array->rank;
    comma = !code && take(parser, ',');
  }
  if (code) return code;
  if (array->rank == 1 && !comma) {
    return fail(parser, begin, "a shape of one extent needs a comma, '(3,)'; write the file anew with numpy.save");
  }
  if (!rlk_shape_count(array->shape, array->rank, &array->element_count)) {
    return fail(parser, begin, "the shape has more than 2^32 elements; split the array");
  }
  return ROWLOCK_OK;
}

/* --- The dict and what is around it ------------------------------------------------------------------------------- */

static const struct {
  const char* name;
  rowlock_code_t (*parse)(parser_t* parser, rlk_array_t* array);
} keys[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static rowlock_code_t parse_member(parser_t* parser, rlk_array_t* array, uint32_t* seen) {
  skip_spaces(parser);
  const size_t begin = parser->at;
  const char* name;
  size_t length;
  rowlock_code_t code = take_string(parser, "a key", &name, &length);
  if (code) return code;
  for (int key = 0; key < KEY_COUNT; ++key) {
    if (!equals(name, length, keys[key].name)) continue;
    if (*seen & 1U << key) return fail(parser, begin, "key '%s' stands twice; keep one", keys[key].name);
    *seen |= 1U << key;
    code = expect(parser, ':', "behind a key");
    return code ? code : keys[key].parse(parser, array);
  }
  char shown[6 * SHOWN_MAX + 4];
  rlk_text_t quoted = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&quoted, name, length, SHOWN_MAX);
  return fail(parser, begin, "unknown key '%s'; write the file anew with numpy.save", shown);
}

static rowlock_code_t parse_dict(parser_t* parser, rlk_array_t* array) {
  const size_t begin = parser->at;
  uint32_t seen = 0;
  rowlock_code_t code = ROWLOCK_OK;
  if (!next_is(parser, '{')) return fail(parser, begin, "'{' is due; write the file anew with numpy.save");
  ++parser->at;
  bool comma = true;
  while (!code && !take(parser, '}')) {
    if (!comma) return fail(parser, parser->at, "',' or '}' is due; write the file anew with numpy.save");
    code = parse_member(parser, array, &seen);
    comma = !code && take(parser, ',');
  }
  for (int key = 0; key < KEY_COUNT && !code; ++key) {
    if (seen & 1U << key) continue;
    code = fail(parser, begin, "the header has no key '%s'; write the file anew with numpy.save", keys[key].name);
  }
  return code;
}

/* Spaces, then the one line feed that ends the header. */
static rowlock_code_t check_padding(parser_t* parser) {
  skip_spaces(parser);
  if (parser->at + 1 == parser->end && next_is(parser, '\n')) return ROWLOCK_OK;
  if (parser->at == parser->end) {
    return fail(parser, parser->at - 1, "the header must end in a line feed; write the file anew with numpy.save");
  }
  return fail(parser, parser->at, "only spaces may follow the header's dict; write the file anew with numpy.save");
}

static uint64_t little_endian(const char* bytes, size_t length) {
  uint64_t value = 0;
  while (length > 0) value = value << 8 | (unsigned char)bytes[--length];
  return value;
}

/* Checks what stands before the dict and finds its end. */
static rowlock_code_t parse_prefix(parser_t* parser, size_t length) {
  const char* bytes = parser->bytes;
  const size_t same = length < MAGIC_LENGTH ? length : MAGIC_LENGTH;
  if (memcmp(bytes, magic, same) != 0) return fail(parser, 0, "this is no .npy file; name one that numpy.save wrote");
  if (length < MAGIC_LENGTH + 2) return fail(parser, length, "the file ends in its header; write it anew");
  const int major = (unsigned char)bytes[MAGIC_LENGTH], minor = (unsigned char)bytes[MAGIC_LENGTH + 1];
  if (major < 1 || major > 2 || minor != 0) {
    return fail(parser, MAGIC_LENGTH, "version %d.%d of .npy; save the array as version 1.0 or 2.0", major, minor);
  }
  const size_t field = major == 1 ? 2 : 4;
  parser->at = MAGIC_LENGTH + 2 + field;
  if (length < parser->at) return fail(parser, length, "the file ends in its header; write it anew");
  const uint64_t dict_length = little_endian(bytes + MAGIC_LENGTH + 2, field);
  if (dict_length > RLK_NPY_HEADER_MAX) {
    return fail(parser, MAGIC_LENGTH + 2, "a header of %llu bytes, and %d are the most; write the file anew",
                (unsigned long long)dict_length, RLK_NPY_HEADER_MAX);
  }
  parser->end = parser->at + (size_t)dict_length;
  if (parser->end % OLDEST_ALIGNMENT != 0) {
    return fail(parser, MAGIC_LENGTH + 2, "the data would begin at byte %zu, no multiple of %d; write the file anew",
                parser->end, OLDEST_ALIGNMENT);
  }
  if (length < parser->end) return fail(parser, length, "the file ends in its header; write it anew");
  return ROWLOCK_OK;
}

rowlock_code_t rlk_npy_header_parse(const char* bytes, size_t length, rlk_array_t* out_array, size_t* out_offset,
                                    rowlock_error_t* err) {
  parser_t parser = {.bytes = bytes, .err = err};
  rlk_array_t array = {0};
  *out_array = array;
  *out_offset = 0;
  rowlock_code_t code = parse_prefix(&parser, length);
  if (!code) code = parse_dict(&parser, &array);
  if (!code) code = check_padding(&parser);
  if (code) return code;
  *out_array = array;
  *out_offset = parser.end;
  return ROWLOCK_OK;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

size_t rlk_npy_header_format(const rlk_array_t* array, char out[RLK_NPY_WRITTEN_MAX]) {
  const bool fortran = array->fortran && !rlk_array_is_order_free(array);
  rlk_text_t dict = rlk_text_over(out + PREFIX_LENGTH, RLK_NPY_WRITTEN_MAX - PREFIX_LENGTH);
  rlk_text_printf(&dict, "{'descr': '%s', 'fortran_order': %s, 'shape': (", rlk_dtype_descr(array->dtype),
                  fortran ? "True" : "False");
  for (uint32_t i = 0; i < array->rank; ++i) {
    rlk_text_printf(&dict, i > 0 ? ", %llu" : "%llu", (unsigned long long)array->shape[i]);
  }
  rlk_text_printf(&dict, "%s), }", array->rank == 1 ? "," : "");
  /* With its line feed. numpy also reserves room for the outermost extent to grow, and for no array that it can hold
   * does that reach beyond the same 128 bytes. */
  const size_t length = (PREFIX_LENGTH + dict.length + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
  memset(out + PREFIX_LENGTH + dict.length, ' ', length - PREFIX_LENGTH - dict.length);
  out[length - 1] = '\n';
  memcpy(out, magic, MAGIC_LENGTH);
  const size_t dict_length = length - PREFIX_LENGTH;
  const char rest[] = {1, 0, (char)(dict_length & 0xFF), (char)(dict_length >> 8)};
  memcpy(out + MAGIC_LENGTH, rest, sizeof rest);
  return length;
}
