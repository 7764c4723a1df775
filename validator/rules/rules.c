#include "validator/rules/rules.h"

#include <string.h>

static const rlk_rule_info_t rules[RLK_RULE_COUNT] = {
#define RLK_RULE(ID, id, tier, class_, severity, message, source, why) \
  {id, RLK_TIER_##tier, RLK_CLASS_##class_, ROWLOCK_SEVERITY_##severity, message, source, why},
#include "validator/rules/rules.def"
#undef RLK_RULE
};

const rlk_rule_info_t* rlk_rule_info(rlk_rule_t rule) { return &rules[rule]; }

rlk_rule_t rlk_rule_find(const char* id) {
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    if (strcmp(rules[rule].id, id) == 0) return (rlk_rule_t)rule;
  }
  return RLK_RULE_NONE;
}

static const struct {
  const char *name, *plural;
  bool of_files;
  const char* meaning;
} tiers[RLK_TIER_COUNT] = {
#define RLK_TIER(ID, name, plural, of_files, meaning) {name, plural, of_files, meaning},
    RLK_TIERS(RLK_TIER)
#undef RLK_TIER
};

const char* rlk_tier_name(rlk_tier_t tier) { return tiers[tier].name; }
const char* rlk_tier_plural(rlk_tier_t tier) { return tiers[tier].plural; }
bool rlk_tier_is_of_files(rlk_tier_t tier) { return tiers[tier].of_files; }
const char* rlk_tier_meaning(rlk_tier_t tier) { return tiers[tier].meaning; }

const char* rlk_class_name(rlk_class_t class_) {
  static const char* const names[] = {"reading", "gate", "structural", "discriminant"};
  return names[class_];
}

const char* rlk_severity_name(rowlock_severity_t severity) {
  static const char* const names[] = {"error", "warning", "note"};
  return names[severity];
}

static const struct {
  const char* name;
  int exit_status;
  const char* meaning;
} codes[] = {
#define ROWLOCK_CODE(name, exit_status, meaning) {#name, exit_status, meaning},
    ROWLOCK_CODES(ROWLOCK_CODE)
#undef ROWLOCK_CODE
};

const char* rowlock_code_name(rowlock_code_t code) { return codes[code].name; }
const char* rowlock_code_meaning(rowlock_code_t code) { return codes[code].meaning; }
int rowlock_code_exit_status(rowlock_code_t code) { return codes[code].exit_status; }
