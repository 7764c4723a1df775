/* The words of a PTX text: comments are blanks, strings are words, and nothing is looked at twice. */
#ifndef ROWLOCK_LOADER_ARTIFACT_PTX_SCANNER_H
#define ROWLOCK_LOADER_ARTIFACT_PTX_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct rlk_ptx_word_t {
  const char* text; /* into the PTX; length 0 at the end */
  size_t length;
} rlk_ptx_word_t;

typedef struct rlk_ptx_scanner_t {
  const char *at, *end;
  bool is_open; /* a comment or string that does not end: the text ends there */
} rlk_ptx_scanner_t;

/* The next word: a directive (".param"), a name or number, a string in quotes, or one character. */
rlk_ptx_word_t rlk_ptx_next(rlk_ptx_scanner_t* scanner);

/* The same without going on. */
rlk_ptx_word_t rlk_ptx_peek(const rlk_ptx_scanner_t* scanner);

/* Goes on behind the end of the line. */
void rlk_ptx_skip_line(rlk_ptx_scanner_t* scanner);

/* Here, so that the length of a word in quotes is known when this is compiled: a large text is words throughout. */
static inline bool rlk_ptx_is(rlk_ptx_word_t word, const char* text) {
  return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

/* Goes on behind the closing brace of a block whose opening one was the last word. False: it does not close. */
bool rlk_ptx_skip_block(rlk_ptx_scanner_t* scanner);

/* Goes on behind the next ';' that is in no block. False: there is none; `out_open` is the '{' that does not close, or
 * NULL. */
bool rlk_ptx_skip_statement(rlk_ptx_scanner_t* scanner, const char** out_open);

#endif
