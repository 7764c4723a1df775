#include "validator/rules/vocabulary.h"

#include <stdint.h>
#include <string.h>

static const char* const vocabulary_names[RLK_VOCABULARY_COUNT] = {
#define RLK_VOCABULARY(ID, name) name,
#include "validator/rules/vocabulary.def"
};

#define IN(list) (UINT32_C(1) << RLK_VOCABULARY_##list)
_Static_assert(RLK_VOCABULARY_COUNT <= 32, "a word's lists are a mask of 32 bits");

static const struct {
  const char* text;
  uint32_t length;
  uint32_t lists;
} words[RLK_WORD_COUNT] = {
#define RLK_WORD(ID, text, lists) {text, sizeof(text) - 1, lists},
#include "validator/rules/vocabulary.def"
};

const char* rlk_vocabulary_name(rlk_vocabulary_t vocabulary) { return vocabulary_names[vocabulary]; }

rlk_word_t rlk_word_find(rlk_vocabulary_t vocabulary, const char* text, size_t length) {
  for (int word = 0; word < RLK_WORD_COUNT; ++word) {
    if (words[word].length == length && rlk_word_is_in((rlk_word_t)word, vocabulary) &&
        memcmp(words[word].text, text, length) == 0) {
      return (rlk_word_t)word;
    }
  }
  return RLK_WORD_NONE;
}

rlk_word_t rlk_word_next(rlk_vocabulary_t vocabulary, rlk_word_t previous) {
  int word = previous == RLK_WORD_NONE ? 0 : (int)previous + 1;
  while (word < RLK_WORD_COUNT && !rlk_word_is_in((rlk_word_t)word, vocabulary)) ++word;
  return (rlk_word_t)word;
}

const char* rlk_word_text(rlk_word_t word) { return words[word].text; }
size_t rlk_word_length(rlk_word_t word) { return words[word].length; }
bool rlk_word_is_in(rlk_word_t word, rlk_vocabulary_t vocabulary) {
  return (words[word].lists >> vocabulary & 1u) != 0;
}
