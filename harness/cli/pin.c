#include "harness/cli/pin.h"

#include <string.h>

#include "validator/rules/text.h"

static const char* const clauses[] = {
#define RLK_CLAUSE(words) words,
#include "harness/cli/clauses.def"
#undef RLK_CLAUSE
};

/* A part that is at least so long says something by itself; shorter ones ("is", "at byte") only if there is no other.
 */
enum { TELLING_LENGTH = 12 };

typedef struct part_t {
  const char* begin;
  size_t length;
} part_t;

/* The literal part at `*message`, which moves behind the slot after it; false at the end. */
static bool next_part(const char** message, part_t* out_part) {
  if (!**message) return false;
  out_part->begin = *message;
  out_part->length = strcspn(*message, "{");
  *message += out_part->length;
  const char* close = strchr(*message, '}');
  *message = close ? close + 1 : *message + strlen(*message);
  return true;
}

/* Without the punctuation around the slots beside it, and without the advice or list that begins at ';' or '('. */
static part_t trimmed(part_t part) {
  while (part.length > 0 && strchr(" .,:;)]'\"", part.begin[0])) {
    ++part.begin;
    --part.length;
  }
  const char* cut = part.begin;
  while ((size_t)(cut - part.begin) < part.length && *cut != ';' && *cut != '(') ++cut;
  part.length = (size_t)(cut - part.begin);
  while (part.length > 0 && strchr(" ,:[('\"", part.begin[part.length - 1])) --part.length;
  return part;
}

static const char* shared_clause(const char* message) {
  const char* longest = NULL;
  for (size_t i = 0; i < sizeof clauses / sizeof *clauses; ++i) {
    if (strstr(message, clauses[i]) && (!longest || strlen(clauses[i]) > strlen(longest))) longest = clauses[i];
  }
  return longest;
}

/* Where the text that the message says has come to, given that it was made from the message: `at` moves over the
 * literal part at `*message`, and over the slot after it to where the next part is found. NULL if the text is not of
 * that form. */
static const char* match_part(const char** message, const char* at) {
  part_t part;
  if (!next_part(message, &part)) return at;
  if (strncmp(at, part.begin, part.length) != 0) return NULL;
  at += part.length;
  if (!**message) return part.begin[part.length] == '{' ? at + strlen(at) : at;
  char next[RLK_PIN_MAX * 4];
  rlk_text_t text = rlk_text_over(next, sizeof next);
  rlk_text_put(&text, *message, strcspn(*message, "{"));
  return *next ? strstr(at, next) : at;
}

/* The clause with its values, as the text says them. Empty when a value is not told as it is: an escape and an ellipsis
 * are ours alone. */
static part_t said_clause(const char* message, const char* clause, const char* said) {
  const part_t none = {.begin = said, .length = 0};
  const char* begin = strstr(message, clause);
  const char* end = begin + strlen(clause);
  const char *from = NULL, *to = NULL, *at = said;
  /* The clause's two ends lie in literal parts, or at an edge of a slot. */
  for (const char* rest = message; *rest && at && !to;) {
    const char* part = rest;
    const char* const here = at;
    const size_t literal = strcspn(part, "{");
    at = match_part(&rest, at);
    if (!from && begin <= part + literal) from = here + (begin - part);
    if (end <= part + literal) {
      to = here + (end - part);
    } else if (end == rest) {
      to = at;
    }
  }
  if (!from || !to || to <= from || (size_t)(to - from) >= RLK_PIN_MAX) return none;
  const part_t found = {.begin = from, .length = (size_t)(to - from)};
  for (size_t i = 0; i < found.length; ++i) {
    if (from[i] == '\\' || strncmp(from + i, "...", 3) == 0) return none;
  }
  return found;
}

/* The longest part of the clause between its slots. */
static part_t literal_clause(const char* clause) {
  part_t longest = {.begin = clause, .length = 0};
  for (part_t part; next_part(&clause, &part);) {
    if (part.length > longest.length) longest = part;
  }
  while (longest.length > 0 && longest.begin[longest.length - 1] == ' ') --longest.length;
  while (longest.length > 0 && longest.begin[0] == ' ') {
    ++longest.begin;
    --longest.length;
  }
  return longest;
}

static part_t own_clause(const char* message) {
  part_t longest = {.begin = message, .length = 0};
  for (part_t part; next_part(&message, &part);) {
    part = trimmed(part);
    if (part.length >= TELLING_LENGTH) return part;
    if (part.length > longest.length) longest = part;
  }
  return longest;
}

const char* rlk_rule_pin(rlk_rule_t rule, const char* said, char out[RLK_PIN_MAX]) {
  const char* message = rlk_rule_info(rule)->message;
  const char* shared = shared_clause(message);
  part_t pin = shared && said ? said_clause(message, shared, said) : (part_t){.begin = message, .length = 0};
  if (pin.length == 0) pin = shared ? literal_clause(shared) : own_clause(message);
  rlk_text_t text = rlk_text_over(out, RLK_PIN_MAX);
  rlk_text_put(&text, pin.begin, pin.length);
  return out;
}
