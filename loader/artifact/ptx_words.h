/* What a word of PTX means by itself. */
#ifndef ROWLOCK_LOADER_ARTIFACT_PTX_WORDS_H
#define ROWLOCK_LOADER_ARTIFACT_PTX_WORDS_H

#include <stdint.h>

#include "loader/artifact/ptx_scanner.h"

bool rlk_ptx_is_name(rlk_ptx_word_t word);
bool rlk_ptx_is_directive(rlk_ptx_word_t word);

/* What never stands between a function's head and its body: that is missing then. */
bool rlk_ptx_starts_declaration(rlk_ptx_word_t word);

/* A decimal, octal or hexadecimal integer, with an optional U. False if it is none, or takes more than 64 bits. */
bool rlk_ptx_to_number(rlk_ptx_word_t word, uint64_t* out);

/* Up to six digits at the beginning of a word, in which the rest is left. False if there are none. */
bool rlk_ptx_take_digits(rlk_ptx_word_t* word, uint32_t* out);

typedef struct rlk_ptx_type_t {
  const char* name; /* with its dot */
  uint32_t bytes;
} rlk_ptx_type_t;

/* The fundamental type (".f64"), NULL if it is none. */
const rlk_ptx_type_t* rlk_ptx_find_type(rlk_ptx_word_t word);

#endif
