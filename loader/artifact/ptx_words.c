#include "loader/artifact/ptx_words.h"

#include <string.h>

bool rlk_ptx_is_name(rlk_ptx_word_t word) {
  return word.length > 0 && word.text[0] != '.' &&
         (word.length > 1 || strchr("_$%", word.text[0]) || (word.text[0] >= 'A' && word.text[0] <= 'Z') ||
          (word.text[0] >= 'a' && word.text[0] <= 'z')) &&
         !(word.text[0] >= '0' && word.text[0] <= '9') && word.text[0] != '"';
}

bool rlk_ptx_is_directive(rlk_ptx_word_t word) { return word.length > 1 && word.text[0] == '.'; }

bool rlk_ptx_starts_declaration(rlk_ptx_word_t word) {
  return rlk_ptx_is(word, ".entry") || rlk_ptx_is(word, ".func") || rlk_ptx_is(word, ".visible") ||
         rlk_ptx_is(word, ".global");
}

bool rlk_ptx_to_number(rlk_ptx_word_t word, uint64_t* out) {
  size_t length = word.length, at = 0;
  if (length > 1 && word.text[length - 1] == 'U') --length;
  unsigned base = 10;
  if (length > 2 && word.text[0] == '0' && (word.text[1] == 'x' || word.text[1] == 'X')) {
    base = 16;
    at = 2;
  } else if (length > 1 && word.text[0] == '0') {
    base = 8;
    at = 1;
  }
  uint64_t value = 0;
  if (at >= length) return false;
  for (; at < length; ++at) {
    const char c = word.text[at];
    const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                  : 99;
    if (digit >= base || value > (UINT64_MAX - digit) / base) return false;
    value = value * base + digit;
  }
  *out = value;
  return true;
}

const rlk_ptx_type_t* rlk_ptx_find_type(rlk_ptx_word_t word) {
#define TYPE(name, bytes) \
  { {name, bytes}, sizeof name - 1 }
  static const struct {
    rlk_ptx_type_t type;
    size_t length;
  } types[] = {TYPE(".b8", 1),         TYPE(".u8", 1),     TYPE(".s8", 1),   TYPE(".b16", 2),    TYPE(".u16", 2),
               TYPE(".s16", 2),        TYPE(".f16", 2),    TYPE(".b32", 4),  TYPE(".u32", 4),    TYPE(".s32", 4),
               TYPE(".f32", 4),        TYPE(".b64", 8),    TYPE(".u64", 8),  TYPE(".s64", 8),    TYPE(".f64", 8),
               TYPE(".b128", 16),      TYPE(".f16x2", 4),  TYPE(".bf16", 2), TYPE(".bf16x2", 4), TYPE(".texref", 8),
               TYPE(".samplerref", 8), TYPE(".surfref", 8)};
#undef TYPE
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    if (types[i].length == word.length && memcmp(word.text, types[i].type.name, word.length) == 0) {
      return &types[i].type;
    }
  }
  return NULL;
}

bool rlk_ptx_take_digits(rlk_ptx_word_t* word, uint32_t* out) {
  size_t at = 0;
  uint32_t value = 0;
  for (; at < word->length && word->text[at] >= '0' && word->text[at] <= '9' && at < 6; ++at) {
    value = value * 10 + (uint32_t)(word->text[at] - '0');
  }
  if (at == 0) return false;
  *word = (rlk_ptx_word_t){word->text + at, word->length - at};
  *out = value;
  return true;
}
