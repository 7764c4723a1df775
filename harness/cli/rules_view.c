#include "harness/cli/rules_view.h"

#include <string.h>

#include "harness/rows/row.h"
#include "validator/rules/vocabulary.h"

size_t rlk_rule_document_length(rlk_rule_t rule) { return strcspn(rlk_rule_info(rule)->id, "."); }

bool rlk_rule_has_prefix(rlk_rule_t rule, const char* prefix) {
  const char* id = rlk_rule_info(rule)->id;
  const size_t length = strlen(prefix);
  if (strncmp(id, prefix, length) != 0) return false;
  return length == 0 || strchr(".-", prefix[length - 1]) || strchr(".-", id[length]); /* the end of the id too */
}

bool rlk_rule_is_of_document(rlk_rule_t rule, rlk_rule_t first, const char* prefix) {
  const size_t length = rlk_rule_document_length(first);
  return rlk_rule_has_prefix(rule, prefix) && length == rlk_rule_document_length(rule) &&
         memcmp(rlk_rule_info(first)->id, rlk_rule_info(rule)->id, length) == 0;
}

bool rlk_rule_begins_document(rlk_rule_t rule, const char* prefix) {
  for (int earlier = 0; earlier < (int)rule; ++earlier) {
    if (rlk_rule_is_of_document((rlk_rule_t)earlier, rule, prefix)) return false;
  }
  return rlk_rule_has_prefix(rule, prefix);
}

static size_t rules_of_tier(rlk_tier_t tier, const char* prefix) {
  size_t count = 0;
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    count += rlk_rule_info((rlk_rule_t)rule)->tier == tier && rlk_rule_has_prefix((rlk_rule_t)rule, prefix);
  }
  return count;
}

size_t rlk_word_list_count(void) { return RLK_VOCABULARY_COUNT + 1; }

const char* rlk_word_list_name(size_t list) {
  return list < RLK_VOCABULARY_COUNT ? rlk_vocabulary_name((rlk_vocabulary_t)list) : "row-level";
}

const char* rlk_word_list_at(size_t list, size_t index) {
  if (list == RLK_VOCABULARY_COUNT) {
    return index < RLK_ROW_LEVEL_COUNT ? rlk_row_level_name((rlk_row_level_t)index) : NULL;
  }
  rlk_word_t word = rlk_word_next((rlk_vocabulary_t)list, RLK_WORD_NONE);
  for (; index > 0 && word != RLK_WORD_NONE; --index) word = rlk_word_next((rlk_vocabulary_t)list, word);
  return word == RLK_WORD_NONE ? NULL : rlk_word_text(word);
}

void rlk_put_rule_counts(FILE* out, const char* prefix) {
  size_t all = 0;
  for (int tier = 0; tier < RLK_TIER_COUNT; ++tier) all += rules_of_tier((rlk_tier_t)tier, prefix);
  fprintf(out, "%zu rules:", all);
  for (int tier = 0; tier < RLK_TIER_COUNT; ++tier) {
    fprintf(out, "%s %zu %s", tier > 0 ? "," : "", rules_of_tier((rlk_tier_t)tier, prefix),
            rlk_tier_plural((rlk_tier_t)tier));
  }
}
