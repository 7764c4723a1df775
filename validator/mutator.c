#include "validator/mutator.h"

#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"
#include "validator/rules/vocabulary.h"

enum { LONGEST = 1 << 16, TOKENS_MAX = 4096, WORD_CAPACITY = 64 };

/* --- Numbers and bytes -------------------------------------------------------------------------------------------- */

void rlk_mutator_init(rlk_mutator_t* mutator, uint64_t seed) {
  *mutator = (rlk_mutator_t){.state = seed, .capacity = LONGEST};
  mutator->bytes = malloc(mutator->capacity);
  if (!mutator->bytes) abort();
}

void rlk_mutator_deinit(rlk_mutator_t* mutator) { free(mutator->bytes); }

/* SplitMix64. */
static uint64_t next(rlk_mutator_t* mutator) {
  uint64_t z = mutator->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

size_t rlk_mutator_below(rlk_mutator_t* mutator, size_t bound) { return (size_t)(next(mutator) % bound); }

/* Puts `count` bytes in the place of [begin, end). They may be a piece of the document itself. */
static void replace(rlk_mutator_t* mutator, size_t begin, size_t end, const char* bytes, size_t count) {
  const size_t tail = mutator->length - end;
  if (begin + count + tail > LONGEST) return;
  char piece[LONGEST];
  memcpy(piece, bytes, count);
  memmove(mutator->bytes + begin + count, mutator->bytes + end, tail);
  memcpy(mutator->bytes + begin, piece, count);
  mutator->length = begin + count + tail;
}

void rlk_mutator_load(rlk_mutator_t* mutator, const char* text, size_t length) {
  mutator->length = 0;
  replace(mutator, 0, 0, text, length);
}

/* --- Bytes -------------------------------------------------------------------------------------------------------- */

/* A range of up to `longest` bytes that lies in the document. */
static void pick_range(rlk_mutator_t* mutator, size_t longest, size_t* out_begin, size_t* out_end) {
  *out_begin = rlk_mutator_below(mutator, mutator->length + 1);
  const size_t left = mutator->length - *out_begin;
  *out_end = *out_begin + rlk_mutator_below(mutator, (left < longest ? left : longest) + 1);
}

static void insert_byte(rlk_mutator_t* mutator) {
  static const char telling[] =
      "{}[],:\"\\/'0123456789eE+-. \t\r\n\x00\x01\x1F\x7F\x80\xBF\xC0\xC3\xE2\xED\xEF\xF0\xF4\xFF";
  const bool any = rlk_mutator_below(mutator, 4) == 0;
  char byte = (char)rlk_mutator_below(mutator, 256);
  if (!any) byte = telling[rlk_mutator_below(mutator, sizeof telling - 1)];
  const size_t at = rlk_mutator_below(mutator, mutator->length + 1);
  replace(mutator, at, at < mutator->length ? at + rlk_mutator_below(mutator, 2) : at, &byte, 1);
}

void rlk_mutator_change_bytes(rlk_mutator_t* mutator, const char* other, size_t other_length) {
  size_t begin, end;
  pick_range(mutator, 40, &begin, &end);
  switch (rlk_mutator_below(mutator, 7)) {
    case 0: /* flip a bit */
      if (begin < mutator->length) mutator->bytes[begin] = (char)(mutator->bytes[begin] ^ 1 << next(mutator) % 8);
      break;
    case 1: /* remove */
      replace(mutator, begin, end, "", 0);
      break;
    case 2: /* repeat */
      replace(mutator, begin, begin, mutator->bytes + begin, end - begin);
      break;
    case 3: /* cut off, rarely */
      if (rlk_mutator_below(mutator, 4) == 0) mutator->length = begin;
      break;
    case 4: { /* take over */
      const size_t from = rlk_mutator_below(mutator, other_length + 1);
      const size_t most = other_length - from < 200 ? other_length - from : 200;
      replace(mutator, begin, end, other + from, rlk_mutator_below(mutator, most + 1));
      break;
    }
    default:
      insert_byte(mutator);
      break;
  }
}

/* --- Tokens ------------------------------------------------------------------------------------------------------- */

typedef struct token_t {
  size_t begin, end;
  char kind; /* 's' a string, 'w' a number or literal, else the byte itself */
} token_t;

typedef struct tokens_t {
  token_t at[TOKENS_MAX];
  size_t count;
} tokens_t;

static size_t string_end(const char* bytes, size_t length, size_t at) {
  for (++at; at < length && bytes[at] != '"'; ++at) at += bytes[at] == '\\';
  return at < length ? at + 1 : length;
}

static void tokenize(const rlk_mutator_t* mutator, tokens_t* tokens) {
  static const char single[] = "{}[],:";
  const char* bytes = mutator->bytes;
  tokens->count = 0;
  for (size_t at = 0; at < mutator->length && tokens->count < TOKENS_MAX;) {
    const unsigned char byte = (unsigned char)bytes[at];
    size_t end = at + 1;
    char kind = bytes[at];
    if (byte <= ' ') {
      at = end;
      continue;
    }
    if (byte == '"') {
      kind = 's';
      end = string_end(bytes, mutator->length, at);
    } else if (!memchr(single, byte, sizeof single - 1)) {
      kind = 'w';
      while (end < mutator->length && (unsigned char)bytes[end] > ' ' && bytes[end] != '"' &&
             !memchr(single, bytes[end], sizeof single - 1)) {
        ++end;
      }
    }
    tokens->at[tokens->count++] = (token_t){.begin = at, .end = end, .kind = kind};
    at = end;
  }
}

static bool is_key(const tokens_t* tokens, size_t i) {
  return tokens->at[i].kind == 's' && i + 1 < tokens->count && tokens->at[i + 1].kind == ':';
}

/* The last token of the value that begins with token `i`. */
static size_t value_last(const tokens_t* tokens, size_t i) {
  size_t depth = 0;
  for (size_t at = i; at < tokens->count; ++at) {
    const char kind = tokens->at[at].kind;
    if (kind == '{' || kind == '[') ++depth;
    if ((kind == '}' || kind == ']') && depth > 0) --depth;
    if (depth == 0) return at;
  }
  return tokens->count - 1;
}

/* A random token that begins a value, or is a key if `key`; the count when luck fails. */
static size_t pick(rlk_mutator_t* mutator, const tokens_t* tokens, bool key) {
  for (int tries = 0; tries < 40 && tokens->count > 0; ++tries) {
    const size_t i = rlk_mutator_below(mutator, tokens->count);
    const char kind = tokens->at[i].kind;
    const bool value = (kind == 's' && !is_key(tokens, i)) || kind == 'w' || kind == '{' || kind == '[';
    if (key ? is_key(tokens, i) : value) return i;
  }
  return tokens->count;
}

/* A value or a word of the format, as JSON text in `out`; returns its length. */
static size_t pick_word(rlk_mutator_t* mutator, bool string, char out[WORD_CAPACITY]) {
  static const char* const values[] = {"null",
                                       "true",
                                       "false",
                                       "0",
                                       "-0",
                                       "1",
                                       "2",
                                       "3",
                                       "7",
                                       "-1",
                                       "1.0",
                                       "1e0",
                                       "0.5",
                                       "4294967295",
                                       "4294967296",
                                       "9223372036854775807",
                                       "9223372036854775808",
                                       "-9223372036854775808",
                                       "-9223372036854775809",
                                       "1e999",
                                       "[]",
                                       "{}",
                                       "\"\"",
                                       "\"auto\"",
                                       "\"finished_count\"",
                                       "\"recompute\"",
                                       "[\"host\", \"host\"]",
                                       "\"a\\u0000b\"",
                                       "\"\\ud83d\\ude00\\n\"",
                                       "NaN",
                                       "True",
                                       "01",
                                       "\"\\ud800\""};
  static const char* const keys[] = {"schema_version",
                                     "version",
                                     "pattern",
                                     "scalar_type",
                                     "plugins",
                                     "blocks",
                                     "params",
                                     "params_schema",
                                     "vec_widths",
                                     "arg_spec",
                                     "exec_op",
                                     "exec_targets",
                                     "exec_access",
                                     "finish",
                                     "launch",
                                     "steps",
                                     "steps_max",
                                     "residuals",
                                     "terminated_readonly",
                                     "name",
                                     "kind",
                                     "dtype",
                                     "count",
                                     "shape",
                                     "width",
                                     "id",
                                     "order",
                                     "enabled",
                                     "sidecar",
                                     "artifact",
                                     "format",
                                     "accumulate",
                                     "sink",
                                     "wrt",
                                     "primal"};
  rlk_text_t text = rlk_text_over(out, WORD_CAPACITY);
  if (!string && rlk_mutator_below(mutator, 4) > 0) {
    rlk_text_printf(&text, "%s", values[rlk_mutator_below(mutator, sizeof values / sizeof *values)]);
  } else if (rlk_mutator_below(mutator, 2) > 0) {
    rlk_text_printf(&text, "\"%s\"", keys[rlk_mutator_below(mutator, sizeof keys / sizeof *keys)]);
  } else {
    rlk_text_printf(&text, "\"%s\"", rlk_word_text((rlk_word_t)rlk_mutator_below(mutator, RLK_WORD_COUNT)));
  }
  return text.length;
}

static void nest(rlk_mutator_t* mutator, size_t begin, size_t end) {
  char piece[512];
  const size_t levels =
      rlk_mutator_below(mutator, 2) > 0 ? 1 + rlk_mutator_below(mutator, 3) : 56 + rlk_mutator_below(mutator, 12);
  const bool objects = rlk_mutator_below(mutator, 2) > 0;
  size_t length = 0;
  for (size_t i = 0; i < levels; ++i) {
    memcpy(piece + length, objects ? "{\"x\":" : "[", objects ? 5 : 1);
    length += objects ? 5 : 1;
  }
  memset(piece + length, objects ? '}' : ']', levels);
  replace(mutator, end, end, piece + length, levels);
  replace(mutator, begin, begin, piece, length);
}

/* Takes the member or element that begins with token `i` out, with one of the commas beside it. */
static void remove_item(rlk_mutator_t* mutator, const tokens_t* tokens, size_t i) {
  const size_t first = i >= 2 && tokens->at[i - 1].kind == ':' ? i - 2 : i;
  const size_t last = value_last(tokens, i);
  if (last + 1 < tokens->count && tokens->at[last + 1].kind == ',') {
    replace(mutator, tokens->at[first].begin, tokens->at[last + 1].end, "", 0);
  } else {
    const bool comma = first > 0 && tokens->at[first - 1].kind == ',';
    replace(mutator, tokens->at[comma ? first - 1 : first].begin, tokens->at[last].end, "", 0);
  }
}

/* Puts the member or element once more, before itself; members often under another key. */
static void repeat_item(rlk_mutator_t* mutator, const tokens_t* tokens, size_t i) {
  const size_t first = i >= 2 && tokens->at[i - 1].kind == ':' ? i - 2 : i;
  const size_t begin = tokens->at[first].begin, end = tokens->at[value_last(tokens, i)].end;
  replace(mutator, begin, begin, ", ", 2);
  replace(mutator, begin, begin, mutator->bytes + begin + 2, end - begin);
  if (first == i || rlk_mutator_below(mutator, 4) == 0) return;
  char key[WORD_CAPACITY];
  const size_t length = pick_word(mutator, true, key);
  replace(mutator, begin, tokens->at[first].end, key, length);
}

void rlk_mutator_change_tokens(rlk_mutator_t* mutator) {
  static tokens_t tokens; /* 96 KiB: too large for a stack */
  char word[WORD_CAPACITY];
  tokenize(mutator, &tokens);
  const size_t i = pick(mutator, &tokens, false);
  if (i == tokens.count) return;
  const size_t begin = tokens.at[i].begin, end = tokens.at[value_last(&tokens, i)].end;
  switch (rlk_mutator_below(mutator, 8)) {
    case 0: { /* another key */
      const size_t key = pick(mutator, &tokens, true);
      const size_t length = pick_word(mutator, true, word);
      if (key < tokens.count) replace(mutator, tokens.at[key].begin, tokens.at[key].end, word, length);
      break;
    }
    case 1:
      remove_item(mutator, &tokens, i);
      break;
    case 2:
      repeat_item(mutator, &tokens, i);
      break;
    case 3:
      nest(mutator, begin, end);
      break;
    case 4: { /* another value of the document */
      const size_t other = pick(mutator, &tokens, false);
      if (other == tokens.count) break;
      const size_t from = tokens.at[other].begin;
      replace(mutator, begin, end, mutator->bytes + from, tokens.at[value_last(&tokens, other)].end - from);
      break;
    }
    default: { /* another value of the format; of a container, one inside is more telling */
      const size_t length = pick_word(mutator, tokens.at[i].kind == 's' && rlk_mutator_below(mutator, 2) > 0, word);
      if (tokens.at[i].kind == 's' || tokens.at[i].kind == 'w' || rlk_mutator_below(mutator, 8) == 0) {
        replace(mutator, begin, end, word, length);
      }
      break;
    }
  }
}
