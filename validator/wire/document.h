/* A JSON document with what a conformance check needs and a DOM hides: every value's place in the text, each number's
 * spelling, NULs inside strings. Read by reader.h; immutable afterwards. */
#ifndef ROWLOCK_VALIDATOR_WIRE_DOCUMENT_H
#define ROWLOCK_VALIDATOR_WIRE_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/rowlock.h"

typedef enum rlk_kind_t {
  RLK_NULL,
  RLK_BOOLEAN,
  RLK_NUMBER,
  RLK_STRING,
  RLK_ARRAY,
  RLK_OBJECT,
} rlk_kind_t;

typedef enum rlk_number_t {
  RLK_NUMBER_INTEGER,     /* spelled without point or exponent, fits int64 */
  RLK_NUMBER_BIG_INTEGER, /* spelled so, does not fit */
  RLK_NUMBER_OTHER,       /* 1.0, 1e0: a number whose spelling is not an integer's */
} rlk_number_t;

typedef struct rlk_node_t rlk_node_t;
struct rlk_node_t {
  rlk_node_t* parent; /* NULL at the root */
  rlk_node_t* next;   /* the sibling after this one */
  rlk_node_t* first;  /* of the children of an array or object, in document order */
  const char* key;    /* decoded member name, `key_length` bytes that may hold NULs; NULL outside objects */
  const char* text;   /* a string's decoded bytes, a number's spelling; no NUL follows */
  int64_t integer;    /* of RLK_NUMBER_INTEGER */
  uint32_t key_length, text_length;
  uint32_t key_begin;  /* byte offset of the key's opening quote */
  uint32_t begin, end; /* byte span of the value, `end` one past it */
  uint32_t count;      /* children */
  uint32_t index;      /* among its siblings, 0-based */
  uint8_t kind;        /* rlk_kind_t */
  uint8_t number;      /* rlk_number_t */
  bool boolean;
};

typedef struct rlk_document_t {
  const char* text; /* borrowed: the caller keeps it alive */
  size_t length;
  const rlk_node_t* root;
} rlk_document_t;

/* A look-up's three answers. "The key is null" is MISTYPED, never ABSENT, unless null was asked for. */
typedef enum rlk_lookup_t { RLK_ABSENT, RLK_MISTYPED, RLK_FOUND } rlk_lookup_t;

/* The member of that name, or NULL. `object` may be of any kind; what is not an object has no members. */
const rlk_node_t* rlk_node_member(const rlk_node_t* object, const char* key);

/* The member of that name if it is of `kind`. `*out_node` is the member when MISTYPED or FOUND, else NULL. */
rlk_lookup_t rlk_node_get(const rlk_node_t* object, const char* key, rlk_kind_t kind, const rlk_node_t** out_node);

bool rlk_node_is_string(const rlk_node_t* node, const char* text);
bool rlk_text_equal(const char* a, size_t a_length, const char* b, size_t b_length);
bool rlk_node_is_integer(const rlk_node_t* node); /* fits int64 */

/* null, "", [] or {}: what the format's forbidden fields take for absent. */
bool rlk_node_is_empty(const rlk_node_t* node);

/* "a string", "an object", "null": for messages. */
const char* rlk_kind_phrase(rlk_kind_t kind);

/* 1-based line and column of a byte offset; the column counts code points. Lines end at U+000A. */
void rlk_text_position(const char* text, size_t length, size_t offset, uint32_t* out_line, uint32_t* out_column);

/* The same for many offsets of one text: going forward costs only the way from the last one, going back the way from
 * the nearest mark before. Zeroed is the beginning; it must be zeroed again for another text. */
enum { RLK_POSITION_MARKS = 256 };
typedef struct rlk_mark_t {
  uint32_t offset;
  uint32_t lines, columns; /* passed so far; columns within the line */
} rlk_mark_t;
typedef struct rlk_position_t {
  rlk_mark_t at;
  uint32_t mark_count;
  rlk_mark_t marks[RLK_POSITION_MARKS]; /* at the beginning of each part of the text that has been passed */
} rlk_position_t;

void rlk_position_move(rlk_position_t* position, const char* text, size_t length, size_t offset);

/* RFC 6901 pointer to the node; only a NUL in a key stands as \u0000, so that it is a C string. It may hold what must
 * not reach a terminal. The caller frees it; NULL when memory is short. */
ROWLOCK_MUST_CHECK char* rlk_node_pointer(const rlk_node_t* node);

#endif
