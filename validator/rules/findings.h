/* The list of findings, and how a rule's message is filled. Knows the rule table, not the documents. */
#ifndef ROWLOCK_VALIDATOR_RULES_FINDINGS_H
#define ROWLOCK_VALIDATOR_RULES_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "validator/rules/rules.h"
#include "validator/rules/vocabulary.h"

/* A value for one {slot} of a message. Text is shown with control characters and bad UTF-8 escaped, and cut when long.
 */
typedef enum rlk_slot_kind_t {
  RLK_SLOT_TEXT,   /* from a document */
  RLK_SLOT_QUOTED, /* the same, in single quotes */
  RLK_SLOT_JSON,   /* a value's text, on one line */
  RLK_SLOT_PROSE,  /* our own words */
  RLK_SLOT_INTEGER,
  RLK_SLOT_WORDS, /* every word of a list */
} rlk_slot_kind_t;

typedef struct rlk_slot_t {
  const char* name;
  const char* text; /* borrowed until the call returns; may hold NULs */
  size_t length;
  int64_t integer;
  rlk_slot_kind_t kind;
  rlk_vocabulary_t words;
} rlk_slot_t;

rlk_slot_t rlk_slot_text(const char* name, const char* text, size_t length);
rlk_slot_t rlk_slot_json(const char* name, const char* text, size_t length);
rlk_slot_t rlk_slot_quoted(const char* name, const char* text, size_t length);
rlk_slot_t rlk_slot_prose(const char* name, const char* text);
rlk_slot_t rlk_slot_integer(const char* name, int64_t value);
rlk_slot_t rlk_slot_words(const char* name, rlk_vocabulary_t words);

/* The slots of a call and their number, as its last two arguments. */
#define RLK_SLOTS(...) (const rlk_slot_t[]){__VA_ARGS__}, sizeof((const rlk_slot_t[]){__VA_ARGS__}) / sizeof(rlk_slot_t)

/* Longest text of a document that a message shows; what follows is replaced by "...". */
#define RLK_SLOT_TEXT_MAX 120

/* Longest message of a finding, with its NUL. */
#define RLK_MESSAGE_SIZE 2048

uint64_t rlk_text_hash(const char* text, size_t length);

/* Where a finding is. `json_pointer` and `path` are copied. */
typedef struct rlk_place_t {
  const char* path;
  uint64_t path_hash; /* rlk_text_hash of the path, for whoever reports much; 0: not known */
  const char* json_pointer;
  uint64_t byte_offset;
  uint32_t line, column;
} rlk_place_t;

/* Adds a finding, or adds `door` to an equal one that is there already. Beyond ROWLOCK_FINDINGS_MAX it is only counted,
 * once for all doors. `door` is the index of a door, or negative for a contract check. ROWLOCK_NO_MEMORY leaves the
 * list as it was. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_findings_add(rowlock_findings_t* findings, rlk_rule_t rule, int door,
                                                   const rlk_place_t* place, const rlk_slot_t* slots,
                                                   size_t slot_count);

/* The same, except that a finding that would be kept as a new one is not: `*out_done` is false then. The place needs no
 * line and no pointer, which take time to find. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_findings_add_again(rowlock_findings_t* findings, rlk_rule_t rule, int door,
                                                         const rlk_place_t* place, const rlk_slot_t* slots,
                                                         size_t slot_count, bool* out_done);

/* Adds what a rule has refused already (rlk_refuse), at that place. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_findings_repeat(rowlock_findings_t* findings, const rowlock_error_t* err,
                                                      int door, const rlk_place_t* place);

/* Adds one of another list's findings, likewise. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_findings_copy(rowlock_findings_t* findings, const rowlock_findings_t* from,
                                                    size_t index);

/* Adds door `to` to every finding of door `from`. */
void rlk_findings_add_door(rowlock_findings_t* findings, int from, int to);

/* Fills `err` (may be NULL) with the rule's id and message and returns ROWLOCK_REJECTED: for refusals that no place in
 * a document explains. */
rowlock_code_t rlk_refuse(rowlock_error_t* err, rlk_rule_t rule, const rlk_slot_t* slots, size_t slot_count);

/* The rule of the finding at that index. */
rlk_rule_t rlk_findings_rule(const rowlock_findings_t* findings, size_t index);

/* Writes the rule's message with its slots filled, cut to `capacity` with NUL. An unfilled slot stays as {name}: the
 * message test looks for it. Returns the length of the whole message. */
size_t rlk_message_format(char* buffer, size_t capacity, const char* message, const rlk_slot_t* slots,
                          size_t slot_count);

#endif
