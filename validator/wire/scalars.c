/* Strings, numbers and literals of the strict reader. */
#include <string.h>

#include "validator/rules/text.h"
#include "validator/wire/parser.h"

/* --- Strings ------------------------------------------------------------------------------------------------------ */

static int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

/* The code unit of the \uXXXX at `at`, or -1. */
static int32_t hex_escape(const char* at, size_t left) {
  if (left < 6 || at[0] != '\\' || at[1] != 'u') return -1;
  int32_t unit = 0;
  for (int i = 2; i < 6; ++i) {
    const int digit = hex_value(at[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

static bool is_high_surrogate(int32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
static bool is_low_surrogate(int32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

/* Length of the escape at `at`, with its code point; 0 if it is invalid. A pair of surrogates is one escape. */
static size_t decode_escape(const char* at, size_t left, uint32_t* out_code_point) {
  static const char letters[] = "\"\\/bfnrt";
  static const char meanings[] = "\"\\/\b\f\n\r\t";
  const char* letter = left >= 2 && at[1] ? strchr(letters, at[1]) : NULL;
  if (letter) {
    *out_code_point = (unsigned char)meanings[letter - letters];
    return 2;
  }
  const int32_t unit = hex_escape(at, left);
  if (unit < 0) return 0;
  *out_code_point = (uint32_t)unit;
  if (!is_high_surrogate(unit)) return 6;
  const int32_t low = hex_escape(at + 6, left - 6);
  if (!is_low_surrogate(low)) return 6;
  *out_code_point = 0x10000 + (((uint32_t)unit - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
  return 12;
}

static bool check_escape(rlk_parser_t* parser, size_t* out_length) {
  const char* at = parser->text + parser->at;
  const size_t left = parser->length - parser->at;
  if (left < 2) {
    parser->at = parser->length;
    return rlk_parser_unexpected(parser, "the end of an escape");
  }
  uint32_t code_point = 0;
  *out_length = decode_escape(at, left, &code_point);
  if (*out_length == 0) {
    const size_t shown = at[1] == 'u' ? (left < 6 ? left : 6) : 1 + rlk_utf8_length(at + 1, left - 1);
    return rlk_parser_fail(parser, RLK_RULE_JSON_ESCAPE, parser->at, RLK_SLOTS(rlk_slot_text("value", at, shown)));
  }
  if (*out_length == 6 && (is_high_surrogate((int32_t)code_point) || is_low_surrogate((int32_t)code_point))) {
    return rlk_parser_fail(parser, RLK_RULE_JSON_LONE_SURROGATE, parser->at,
                           RLK_SLOTS(rlk_slot_text("value", at, 6), rlk_slot_integer("offset", (int64_t)parser->at)));
  }
  return true;
}

static bool fail_utf8(rlk_parser_t* parser) {
  char bytes[16];
  rlk_text_t out = rlk_text_over(bytes, sizeof bytes);
  for (size_t i = parser->at; i < parser->length && i < parser->at + 4; ++i) {
    if (i > parser->at && ((unsigned char)parser->text[i] & 0xC0) != 0x80) break;
    rlk_text_printf(&out, i > parser->at ? " %02X" : "%02X", (unsigned char)parser->text[i]);
  }
  return rlk_parser_fail(parser, RLK_RULE_JSON_UTF8, parser->at,
                         RLK_SLOTS(rlk_slot_integer("offset", (int64_t)parser->at), rlk_slot_prose("bytes", bytes)));
}

static bool fail_control(rlk_parser_t* parser) {
  char name[16];
  rlk_text_t out = rlk_text_over(name, sizeof name);
  rlk_text_printf(&out, "U+%04X", (unsigned char)parser->text[parser->at]);
  return rlk_parser_fail(parser, RLK_RULE_JSON_CONTROL_CHARACTER, parser->at,
                         RLK_SLOTS(rlk_slot_prose("character", name)));
}

/* Decodes text that was checked already. Cannot write more than it reads. */
static uint32_t decode(const char* raw, size_t length, char* out) {
  size_t written = 0;
  for (size_t at = 0; at < length;) {
    if (raw[at] != '\\') {
      out[written++] = raw[at++];
      continue;
    }
    uint32_t code_point = 0;
    at += decode_escape(raw + at, length - at, &code_point);
    written += rlk_utf8_encode(code_point, out + written);
  }
  return (uint32_t)written;
}

/* The first byte from `at` on that a string does not hold as it is: its end, an escape, or what must be looked at. */
static size_t skip_plain(const char* text, size_t length, size_t at) {
  while (at < length) {
    const unsigned char byte = (unsigned char)text[at];
    if (byte == '"' || byte == '\\' || byte < 0x20 || byte >= 0x80) break;
    ++at;
  }
  return at;
}

bool rlk_scan_string(rlk_parser_t* parser, rlk_string_t* out_string) {
  const size_t begin = ++parser->at;
  bool escaped = false;
  for (;;) {
    parser->at = skip_plain(parser->text, parser->length, parser->at);
    if (parser->at >= parser->length) return rlk_parser_unexpected(parser, "the closing quote of a string");
    const unsigned char byte = (unsigned char)parser->text[parser->at];
    if (byte == '"') break;
    size_t length = 1;
    if (byte == '\\') {
      escaped = true;
      if (!check_escape(parser, &length)) return false;
    } else if (byte < 0x20) {
      if (!rlk_parser_is_off(parser, RLK_RULE_JSON_CONTROL_CHARACTER)) return fail_control(parser);
    } else {
      length = rlk_utf8_length(parser->text + parser->at, parser->length - parser->at);
      if (length == 0) return fail_utf8(parser);
    }
    parser->at += length;
  }
  const size_t raw_length = parser->at - begin;
  ++parser->at;
  *out_string = (rlk_string_t){.bytes = parser->text + begin, .length = (uint32_t)raw_length};
  if (!escaped) return true;
  char* decoded = rlk_arena_alloc(parser->arena, raw_length);
  if (!decoded) return rlk_parser_no_memory(parser);
  out_string->length = decode(parser->text + begin, raw_length, decoded);
  out_string->bytes = decoded;
  return true;
}

/* --- Numbers and literals ----------------------------------------------------------------------------------------- */

static bool is_word_byte(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
         byte == '+' || byte == '-' || byte == '.';
}

static size_t word_length(const rlk_parser_t* parser) {
  size_t end = parser->at;
  while (end < parser->length && is_word_byte(parser->text[end])) ++end;
  return end - parser->at;
}

static size_t digits(const char* text, size_t length, size_t at) {
  const size_t begin = at;
  while (at < length && text[at] >= '0' && text[at] <= '9') ++at;
  return at - begin;
}

/* What is wrong with the number's spelling, or NULL. */
static const char* number_problem(const char* text, size_t length, bool* out_integer) {
  size_t at = text[0] == '-';
  *out_integer = true;
  if (text[0] == '+') return "a number has no plus sign";
  const size_t whole = digits(text, length, at);
  if (whole == 0) return at < length && text[at] == '.' ? "a digit is due before the point" : "a digit is due";
  if (whole > 1 && text[at] == '0') return "a number has no leading zero";
  at += whole;
  if (at < length && text[at] == '.') {
    *out_integer = false;
    const size_t fraction = digits(text, length, ++at);
    if (fraction == 0) return "a digit is due after the point";
    at += fraction;
  }
  if (at < length && (text[at] == 'e' || text[at] == 'E')) {
    *out_integer = false;
    ++at;
    if (at < length && (text[at] == '+' || text[at] == '-')) ++at;
    const size_t exponent = digits(text, length, at);
    if (exponent == 0) return "a digit is due in the exponent";
    at += exponent;
  }
  return at == length ? NULL : "it is not written in decimal digits";
}

/* Whether the integer fits int64, with its value. */
static bool to_int64(const char* text, size_t length, int64_t* out_value) {
  const bool negative = text[0] == '-';
  const uint64_t limit = negative ? UINT64_C(1) << 63 : INT64_MAX;
  uint64_t magnitude = 0;
  for (size_t at = negative; at < length; ++at) {
    const uint64_t digit = (uint64_t)(text[at] - '0');
    if (magnitude > (limit - digit) / 10) return false;
    magnitude = magnitude * 10 + digit;
  }
  *out_value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
  return true;
}

static bool word_is_one_of(const char* text, size_t length, const char* const* words) {
  for (; *words; ++words) {
    if (rlk_text_equal(text, length, *words, strlen(*words))) return true;
  }
  return false;
}

static bool fail_non_finite(rlk_parser_t* parser, size_t length) {
  return rlk_parser_fail(parser, RLK_RULE_JSON_NON_FINITE, parser->at,
                         RLK_SLOTS(rlk_slot_text("value", parser->text + parser->at, length)));
}

static bool is_non_finite(const char* text, size_t length) {
  static const char* const words[] = {"NaN",      "nan", "NAN", "Infinity", "infinity",
                                      "INFINITY", "inf", "Inf", "INF",      NULL};
  if (length > 0 && (text[0] == '-' || text[0] == '+')) {
    ++text;
    --length;
  }
  return word_is_one_of(text, length, words);
}

bool rlk_scan_number(rlk_parser_t* parser, rlk_node_t* node) {
  const char* text = parser->text + parser->at;
  const size_t length = word_length(parser);
  bool integer;
  const char* problem = number_problem(text, length, &integer);
  if (problem) {
    if (is_non_finite(text, length)) return fail_non_finite(parser, length);
    return rlk_parser_fail(parser, RLK_RULE_JSON_NUMBER, parser->at,
                           RLK_SLOTS(rlk_slot_text("value", text, length), rlk_slot_prose("problem", problem)));
  }
  node->kind = RLK_NUMBER;
  node->text = text;
  node->text_length = (uint32_t)length;
  node->number = RLK_NUMBER_OTHER;
  if (integer) {
    node->number = to_int64(text, length, &node->integer) ? RLK_NUMBER_INTEGER : RLK_NUMBER_BIG_INTEGER;
  }
  parser->at += length;
  return true;
}

bool rlk_scan_literal(rlk_parser_t* parser, rlk_node_t* node) {
  const char* text = parser->text + parser->at;
  const size_t length = word_length(parser);
  if (rlk_text_equal(text, length, "null", 4)) {
    node->kind = RLK_NULL;
  } else if (rlk_text_equal(text, length, "true", 4) || rlk_text_equal(text, length, "false", 5)) {
    node->kind = RLK_BOOLEAN;
    node->boolean = text[0] == 't';
  } else if (is_non_finite(text, length)) {
    return fail_non_finite(parser, length);
  } else {
    return rlk_parser_fail(parser, RLK_RULE_JSON_LITERAL, parser->at, RLK_SLOTS(rlk_slot_text("value", text, length)));
  }
  parser->at += length;
  return true;
}
