/* The format's closed word lists (vocabulary.def). Text becomes a word once, at the edge; code compares words. */
#ifndef ROWLOCK_VALIDATOR_RULES_VOCABULARY_H
#define ROWLOCK_VALIDATOR_RULES_VOCABULARY_H

#include <stdbool.h>
#include <stddef.h>

typedef enum rlk_vocabulary_t {
#define RLK_VOCABULARY(ID, name) RLK_VOCABULARY_##ID,
#include "validator/rules/vocabulary.def"
  RLK_VOCABULARY_COUNT
} rlk_vocabulary_t;

typedef enum rlk_word_t {
#define RLK_WORD(ID, text, lists) RLK_WORD_##ID,
#include "validator/rules/vocabulary.def"
  RLK_WORD_COUNT,
  RLK_WORD_NONE = RLK_WORD_COUNT
} rlk_word_t;

const char* rlk_vocabulary_name(rlk_vocabulary_t vocabulary);

/* The word of the list that is spelled so, or RLK_WORD_NONE. `text` need not end in NUL and may hold NULs. */
rlk_word_t rlk_word_find(rlk_vocabulary_t vocabulary, const char* text, size_t length);

/* Walks a list in table order: pass RLK_WORD_NONE to get the first word, a word to get the one after it. */
rlk_word_t rlk_word_next(rlk_vocabulary_t vocabulary, rlk_word_t previous);

const char* rlk_word_text(rlk_word_t word);
size_t rlk_word_length(rlk_word_t word);
bool rlk_word_is_in(rlk_word_t word, rlk_vocabulary_t vocabulary);

#endif
