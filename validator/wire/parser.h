/* Shared by the reader's two files: reader.c knows the structure, scalars.c strings, numbers and literals. */
#ifndef ROWLOCK_VALIDATOR_WIRE_PARSER_H
#define ROWLOCK_VALIDATOR_WIRE_PARSER_H

#include "validator/wire/reader.h"

typedef struct rlk_parser_t {
  const char* text;
  size_t length, at;
  const rlk_read_options_t* options;
  rlk_arena_t* arena;
  rowlock_findings_t* findings;
  rlk_node_t* container; /* the innermost open array or object */
  rlk_node_t* last;      /* its latest child */
  uint32_t depth, values;
  rowlock_code_t code; /* why parsing stopped */
} rlk_parser_t;

/* A decoded string: into the text where no escape is, else into the arena. */
typedef struct rlk_string_t {
  const char* bytes;
  uint32_t length;
} rlk_string_t;

/* Records the finding at `offset` and stops the parser; returns false. */
bool rlk_parser_fail(rlk_parser_t* parser, rlk_rule_t rule, size_t offset, const rlk_slot_t* slots, size_t slot_count);
bool rlk_parser_no_memory(rlk_parser_t* parser);

/* "Something else where X is due", or "ends early" at the end of the text. */
bool rlk_parser_unexpected(rlk_parser_t* parser, const char* expected);

/* Whether a test has switched this rule's check off. */
bool rlk_parser_is_off(const rlk_parser_t* parser, rlk_rule_t rule);

/* Each begins at `at` and leaves it behind the token. */
bool rlk_scan_string(rlk_parser_t* parser, rlk_string_t* out_string);
bool rlk_scan_number(rlk_parser_t* parser, rlk_node_t* node);
bool rlk_scan_literal(rlk_parser_t* parser, rlk_node_t* node);

#endif
