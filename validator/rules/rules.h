/* The rule table (rules.def): what each rule is called, says and protects from. Opens no file, judges nothing. */
#ifndef ROWLOCK_VALIDATOR_RULES_RULES_H
#define ROWLOCK_VALIDATOR_RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "loader/rowlock.h"

typedef enum rlk_rule_t {
#define RLK_RULE(ID, ...) RLK_RULE_##ID,
#include "validator/rules/rules.def"
#undef RLK_RULE
  RLK_RULE_COUNT,
  RLK_RULE_NONE = RLK_RULE_COUNT
} rlk_rule_t;

/* RLK_TIER(ID, name, its rules counted, whether a file alone can break one of them, what it decides) */
#define RLK_TIERS(RLK_TIER)                                                                            \
  RLK_TIER(GATE, "gate", "gates", true, "decides accept or reject at a door")                          \
  RLK_TIER(CONTRACT, "contract", "contract checks", true,                                              \
           "a producer's promise that no door verifies; 'rowlock check' does")                         \
  RLK_TIER(ARTIFACT, "artifact", "artifact checks", true,                                              \
           "asked of artifacts, which are read and not run; 'rowlock check' and 'rowlock inspect' do") \
  RLK_TIER(LAUNCH, "launch", "launch checks", true,                                                    \
           "asked of objects, bindings and plans, after the gates and before a plugin is called")      \
  RLK_TIER(VERDICT, "verdict", "verdicts", false, "what became of a launch: of its process and its memory")

typedef enum rlk_tier_t {
#define RLK_TIER(ID, ...) RLK_TIER_##ID,
  RLK_TIERS(RLK_TIER)
#undef RLK_TIER
      RLK_TIER_COUNT
} rlk_tier_t;

typedef enum rlk_class_t {
  RLK_CLASS_READING,
  RLK_CLASS_GATE,
  RLK_CLASS_STRUCTURAL,
  RLK_CLASS_DISCRIMINANT,
} rlk_class_t;

typedef struct rlk_rule_info_t {
  const char* id;
  rlk_tier_t tier;
  rlk_class_t class_;
  rowlock_severity_t severity;
  const char* message; /* with {slots} */
  const char* source;
  const char* why;
} rlk_rule_info_t;

/* The rule's row; `rule` must be below RLK_RULE_COUNT. */
const rlk_rule_info_t* rlk_rule_info(rlk_rule_t rule);

/* The rule of that id, or RLK_RULE_NONE. */
rlk_rule_t rlk_rule_find(const char* id);

const char* rlk_tier_name(rlk_tier_t tier);
const char* rlk_tier_plural(rlk_tier_t tier);
bool rlk_tier_is_of_files(rlk_tier_t tier); /* `rowlock check` counts its findings */
const char* rlk_tier_meaning(rlk_tier_t tier);
const char* rlk_class_name(rlk_class_t class_);
const char* rlk_severity_name(rowlock_severity_t severity);

#endif
