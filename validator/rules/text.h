/* Bounded text building over a caller's buffer, and showing bytes from outside so that a terminal is safe. */
#ifndef ROWLOCK_VALIDATOR_RULES_TEXT_H
#define ROWLOCK_VALIDATOR_RULES_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/rowlock.h"

/* Always NUL-terminated; `length` counts what would have been written, so length >= capacity says that it was cut. */
typedef struct rlk_text_t {
  char* data;
  size_t capacity;
  size_t length;
} rlk_text_t;

/* `capacity` must be at least 1. */
rlk_text_t rlk_text_over(char* buffer, size_t capacity);

/* A cut never splits a UTF-8 character that is put whole. */
void rlk_text_put(rlk_text_t* text, const char* bytes, size_t length);

/* For our own words and numbers: it cuts between bytes. */
void rlk_text_printf(rlk_text_t* text, const char* format, ...) ROWLOCK_PRINTF(2, 3);

/* Whether the well-formed character of `length` bytes is not seen itself and changes what is: controls (U+009B opens an
 * escape sequence on some terminals), characters without width, breaks of lines, and those that turn the direction of
 * what follows. */
bool rlk_utf8_is_unseen(const char* bytes, size_t length);

/* The code point of a well-formed character of `length` bytes. */
uint32_t rlk_utf8_decode(const char* bytes, size_t length);

/* Puts bytes from outside: controls and other characters that are not seen as \uXXXX, bytes that are not UTF-8 as \xXX,
 * at most `most` bytes of the input and then "...". */
void rlk_text_put_shown(rlk_text_t* text, const char* bytes, size_t length, size_t most);

/* The same from the end, as a path is best cut: "..." and at most its last `most` bytes, no character cut. */
void rlk_text_put_shown_end(rlk_text_t* text, const char* bytes, size_t length, size_t most);

/* Length (1 to 4) of the well-formed UTF-8 character at `bytes`, or 0 (RFC 3629: no overlong forms, no surrogates). */
size_t rlk_utf8_length(const char* bytes, size_t available);

/* Writes the UTF-8 form of a code point (not a surrogate, at most 0x10FFFF); returns its length, 1 to 4. */
size_t rlk_utf8_encode(uint32_t code_point, char out[4]);

/* Fills `err` (may be NULL), of no rule, and returns `code`: `return rlk_fail(err, ROWLOCK_UNUSABLE, "...")`. A
 * rule's words come from rlk_refuse (findings.h). */
rowlock_code_t rlk_fail(rowlock_error_t* err, rowlock_code_t code, const char* format, ...) ROWLOCK_PRINTF(3, 4);

/* Empties `err` (may be NULL), as every public function does first. */
void rlk_error_clear(rowlock_error_t* err);

#endif
