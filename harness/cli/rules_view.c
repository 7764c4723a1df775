#include "harness/cli/rules_view.h"

#include <string.h>

#include "harness/launch/launch.h"
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

/* --- Word lists --------------------------------------------------------------------------------------------------- */

static const char* word_of_format(rlk_vocabulary_t vocabulary, size_t index) {
  rlk_word_t word = rlk_word_next(vocabulary, RLK_WORD_NONE);
  for (; index > 0 && word != RLK_WORD_NONE; --index) word = rlk_word_next(vocabulary, word);
  return word == RLK_WORD_NONE ? NULL : rlk_word_text(word);
}

static const char* row_level(size_t index) {
  return index < RLK_ROW_LEVEL_COUNT ? rlk_row_level_name((rlk_row_level_t)index) : NULL;
}

static const char* launched_row_level(size_t index) {
  for (int level = 0; level < RLK_ROW_LEVEL_COUNT; ++level) {
    if (rlk_row_level_is_launched((rlk_row_level_t)level) && index-- == 0) return row_level((size_t)level);
  }
  return NULL;
}

static const char* structure(size_t index) {
  return index < ROWLOCK_STRUCTURE_COUNT ? rowlock_structure_name((rowlock_structure_t)index) : NULL;
}

static const char* comparison(size_t index) {
  return index < RLK_COMPARISON_COUNT ? rlk_comparison_name((rlk_comparison_kind_t)index) : NULL;
}

static const char* array_dtype(size_t index) {
  return index < RLK_DTYPE_COUNT ? rlk_dtype_name((rlk_dtype_t)index) : NULL;
}

static const char* array_fill(size_t index) {
  return index < RLK_FILL_COUNT ? rlk_fill_name((rlk_fill_kind_t)index) : NULL;
}

static const char* gate_mode(size_t index) {
  return index <= RLK_GATE_BAND ? rlk_gate_mode_name((rlk_gate_mode_t)index) : NULL;
}

#define RLK_POLICY(ID, ...)                                                    \
  static const char* setting_of_##ID(size_t index) {                           \
    return index < 2 ? rlk_policy_setting(RLK_POLICY_##ID, index == 1) : NULL; \
  }
RLK_POLICIES(RLK_POLICY)
#undef RLK_POLICY

/* What rows say, in the order in which they are listed after the format's own. */
static const struct {
  const char* name;
  const char* (*word_at)(size_t index); /* NULL beyond the list */
} lists_of_rows[] = {{"row-level", row_level},     {"launched-row-level", launched_row_level},
                     {"structure", structure},     {"comparison", comparison},
                     {"array-dtype", array_dtype}, {"array-binding", rlk_operand_binding_name},
                     {"array-fill", array_fill},   {"gate-mode", gate_mode},
#define RLK_POLICY(ID, name, ...) {"gate-" name, setting_of_##ID},
                     RLK_POLICIES(RLK_POLICY)
#undef RLK_POLICY
};

size_t rlk_word_list_count(void) { return RLK_VOCABULARY_COUNT + sizeof lists_of_rows / sizeof *lists_of_rows; }

const char* rlk_word_list_name(size_t list) {
  if (list < RLK_VOCABULARY_COUNT) return rlk_vocabulary_name((rlk_vocabulary_t)list);
  return lists_of_rows[list - RLK_VOCABULARY_COUNT].name;
}

const char* rlk_word_list_at(size_t list, size_t index) {
  if (list < RLK_VOCABULARY_COUNT) return word_of_format((rlk_vocabulary_t)list, index);
  return lists_of_rows[list - RLK_VOCABULARY_COUNT].word_at(index);
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
