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

static bool holds(part_t part, const char* words) {
  const size_t length = strlen(words);
  for (size_t at = 0; at + length <= part.length; ++at) {
    if (memcmp(part.begin + at, words, length) == 0) return true;
  }
  return false;
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
  for (part_t part; next_part(&message, &part);) {
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; ++i) {
      if (holds(part, clauses[i]) && (!longest || strlen(clauses[i]) > strlen(longest))) longest = clauses[i];
    }
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

const char* rlk_rule_pin(rlk_rule_t rule, char out[RLK_PIN_MAX]) {
  const char* message = rlk_rule_info(rule)->message;
  const char* shared = shared_clause(message);
  const part_t pin = shared ? (part_t){.begin = shared, .length = strlen(shared)} : own_clause(message);
  rlk_text_t text = rlk_text_over(out, RLK_PIN_MAX);
  rlk_text_put(&text, pin.begin, pin.length);
  return out;
}
