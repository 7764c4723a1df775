#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "harness/json/json.h"

#include <inttypes.h>
#include <string.h>

#include "validator/rules/text.h"

enum { UTF8_MAX = 4 };

bool rlk_json_member(json_object* object, const char* key, json_object* value) {
  if (value && object && json_object_object_add(object, key, value) == 0) return true;
  json_object_put(value);
  return false;
}

bool rlk_json_member_text(json_object* object, const char* key, const char* text) {
  return rlk_json_member(object, key, json_object_new_string(text));
}

bool rlk_json_member_number(json_object* object, const char* key, uint64_t number) {
  return rlk_json_member(object, key, json_object_new_uint64(number));
}

bool rlk_json_member_null(json_object* object, const char* key) {
  return object && json_object_object_add(object, key, NULL) == 0;
}

bool rlk_json_element(json_object* array, json_object* value) {
  if (value && array && json_object_array_add(array, value) == 0) return true;
  json_object_put(value);
  return false;
}

/* --- Writing ------------------------------------------------------------------------------------------------------ */

/* Whether the character of `length` bytes, 0 when it is none, stands for itself in a string. */
static bool is_plain(const unsigned char* at, size_t length) {
  if (length == 1 && (*at == '"' || *at == '\\')) return false;
  return length > 0 && !rlk_utf8_is_unseen((const char*)at, length);
}

/* Beyond U+FFFF as two surrogates, which is how JSON escapes it. */
static void write_escape(FILE* out, uint32_t code_point) {
  if (code_point > 0xFFFF) {
    fprintf(out, "\\u%04x", 0xD7C0 + (code_point >> 10));
    code_point = 0xDC00 | (code_point & 0x3FF);
  }
  fprintf(out, "\\u%04x", code_point);
}

/* A character that does not stand for itself; of length 0: a byte that is none. */
static void write_shown(FILE* out, const char* at, size_t length) {
  if (length == 0) {
    fprintf(out, "\\\\x%02X", (unsigned char)*at);
  } else {
    write_escape(out, rlk_utf8_decode(at, length));
  }
}

static void write_string(FILE* out, const char* text, size_t length) {
  size_t written = 0, at = 0;
  fputc('"', out);
  while (at < length) {
    const size_t character = rlk_utf8_length(text + at, length - at);
    const unsigned char* bytes = (const unsigned char*)text + at;
    if (is_plain(bytes, character)) {
      at += character;
      continue;
    }
    fwrite(text + written, 1, at - written, out);
    if (*bytes == '"' || *bytes == '\\') {
      fprintf(out, "\\%c", *bytes);
    } else {
      write_shown(out, text + at, character);
    }
    at += character ? character : 1;
    written = at;
  }
  fwrite(text + written, 1, length - written, out);
  fputc('"', out);
}

void rlk_json_write_safely(FILE* out, const char* json) {
  for (const char* at = json; *at;) {
    const size_t length = rlk_utf8_length(at, strnlen(at, UTF8_MAX));
    if (length > 0 && (*at == '\n' || !rlk_utf8_is_unseen(at, length))) {
      fwrite(at, 1, length, out);
    } else {
      write_shown(out, at, length);
    }
    at += length ? length : 1;
  }
}

void rlk_json_write_text(FILE* out, const char* text) { write_string(out, text, strlen(text)); }

static void write_array(FILE* out, json_object* array) {
  fputc('[', out);
  for (size_t i = 0; i < json_object_array_length(array); ++i) {
    if (i > 0) fputc(',', out);
    rlk_json_write(out, json_object_array_get_idx(array, i));
  }
  fputc(']', out);
}

static void write_object(FILE* out, json_object* object) {
  const char* separator = "{";
  struct json_object_iterator at = json_object_iter_begin(object);
  const struct json_object_iterator end = json_object_iter_end(object);
  if (json_object_iter_equal(&at, &end)) fputs(separator, out);
  for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
    const char* key = json_object_iter_peek_name(&at);
    fputs(separator, out);
    write_string(out, key, strlen(key));
    fputc(':', out);
    rlk_json_write(out, json_object_iter_peek_value(&at));
    separator = ",";
  }
  fputc('}', out);
}

void rlk_json_write(FILE* out, json_object* value) {
  switch (json_object_get_type(value)) {
    case json_type_null:
      fputs("null", out);
      break;
    case json_type_boolean:
      fputs(json_object_get_boolean(value) ? "true" : "false", out);
      break;
    case json_type_int:
      if (json_object_get_int64(value) < 0) {
        fprintf(out, "%" PRId64, json_object_get_int64(value));
      } else {
        fprintf(out, "%" PRIu64, json_object_get_uint64(value));
      }
      break;
    case json_type_double: /* nothing here is one */
      fputs(json_object_get_string(value), out);
      break;
    case json_type_string:
      write_string(out, json_object_get_string(value), (size_t)json_object_get_string_len(value));
      break;
    case json_type_array:
      write_array(out, value);
      break;
    case json_type_object:
      write_object(out, value);
      break;
  }
}
