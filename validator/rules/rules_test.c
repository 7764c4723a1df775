#include "validator/rules/rules.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

/* --- The table ---------------------------------------------------------------------------------------------------- */

#define EACH_RULE(info) \
  for (const rlk_rule_info_t* info = rlk_rule_info(0); info <= rlk_rule_info(RLK_RULE_COUNT - 1); ++info)

Test(rules, ids_are_unique) {
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    const char* id = rlk_rule_info((rlk_rule_t)rule)->id;
    cr_expect(eq(i32, (int)rlk_rule_find(id), rule), "%s stands in the table twice", id);
  }
}

/* The length of the words of lower-case letters and digits, joined by single hyphens, that `text` begins with. */
static size_t kebab_length(const char* text) {
  static const char word[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  size_t length = strspn(text, word);
  while (length > 0 && text[length] == '-' && strspn(text + length + 1, word) > 0) {
    length += 1 + strspn(text + length + 1, word);
  }
  return length;
}

Test(rules, an_id_is_a_document_and_a_defect_in_kebab_case) {
  static const char* const documents[] = {"json", "sidecar", "neural", "manifest", "artifact", "host",
                                          "load", "bind",    "exec",   "process",  "verdict",  "device"};
  EACH_RULE(info) {
    const size_t document = strcspn(info->id, ".");
    bool known = false;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; ++i) {
      known = known || (strlen(documents[i]) == document && memcmp(info->id, documents[i], document) == 0);
    }
    cr_expect(known, "%s is of no known subject", info->id);
    cr_assert(eq(i8, info->id[document], '.'), "%s", info->id);
    const char* defect = info->id + document + 1;
    cr_expect(not(zero(i8, *defect)), "%s names no defect", info->id);
    cr_expect(eq(sz, kebab_length(defect), strlen(defect)), "%s", info->id);
  }
}

Test(rules, every_slot_of_a_message_is_closed_and_has_a_name) {
  EACH_RULE(info) {
    for (const char* at = strpbrk(info->message, "{}"); at; at = strpbrk(at, "{}")) {
      cr_assert(eq(i8, *at, '{'), "%s closes what it has not opened", info->id);
      const size_t name = strspn(++at, "abcdefghijklmnopqrstuvwxyz_");
      cr_expect(lt(sz, 0, name), "%s has a slot without a name", info->id);
      cr_assert(eq(i8, at[name], '}'), "%s: the slot at '%s'", info->id, at);
      at += name + 1;
    }
  }
}

Test(rules, every_rule_says_something_and_from_where_and_why) {
  EACH_RULE(info) {
    cr_expect(lt(sz, 10, strlen(info->message)), "message of %s", info->id);
    cr_expect(lt(sz, 0, strlen(info->source)), "source of %s", info->id);
    cr_assert(lt(sz, 10, strlen(info->why)), "why of %s", info->id);
    cr_expect(eq(i8, info->why[strlen(info->why) - 1], '.'), "why of %s is no sentence", info->id);
  }
}

Test(rules, no_two_rules_say_the_same) {
  EACH_RULE(info) {
    EACH_RULE(other) {
      cr_expect(info == other || strcmp(info->message, other->message) != 0, "%s and %s: %s", info->id, other->id,
                info->message);
    }
  }
}

Test(rules, the_reading_class_is_the_json_document) {
  EACH_RULE(info) {
    cr_expect(eq(i32, info->class_ == RLK_CLASS_READING, strncmp(info->id, "json.", 5) == 0), "%s", info->id);
  }
}

Test(rules, a_contract_check_only_warns_and_a_gate_never_does) {
  EACH_RULE(info) {
    cr_expect(eq(i32, info->tier == RLK_TIER_CONTRACT, info->severity == ROWLOCK_SEVERITY_WARNING), "%s", info->id);
  }
}

/* --- Looking up --------------------------------------------------------------------------------------------------- */

Test(rules, a_rule_is_found_by_its_id) {
  cr_expect(eq(i32, (int)rlk_rule_find("sidecar.role-unknown"), RLK_RULE_SIDECAR_ROLE_UNKNOWN));
  cr_expect(eq(i32, (int)rlk_rule_find("json.byte-order-mark"), 0), "the first");
  cr_expect(eq(i32, (int)rlk_rule_find("verdict.rebuilt"), RLK_RULE_COUNT - 1), "the last");
}

Test(rules, an_id_is_matched_letter_for_letter) {
  static const char* const others[] = {"",
                                       "sidecar",
                                       "sidecar.",
                                       "sidecar.role",
                                       "sidecar.role-unknown ",
                                       "Sidecar.role-unknown",
                                       "sidecar.role_unknown",
                                       "SIDECAR_ROLE_UNKNOWN"};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    cr_expect(eq(i32, (int)rlk_rule_find(others[i]), RLK_RULE_NONE), "'%s'", others[i]);
  }
}

Test(rules, tiers_classes_and_severities_have_their_names) {
  cr_expect(eq(str, (char*)rlk_tier_name(RLK_TIER_GATE), (char*)"gate"));
  cr_expect(eq(str, (char*)rlk_tier_name(RLK_TIER_CONTRACT), (char*)"contract"));
  cr_expect(eq(str, (char*)rlk_tier_name(RLK_TIER_LAUNCH), (char*)"launch"));
  cr_expect(eq(str, (char*)rlk_tier_name(RLK_TIER_VERDICT), (char*)"verdict"));
  cr_expect(eq(str, (char*)rlk_class_name(RLK_CLASS_READING), (char*)"reading"));
  cr_expect(eq(str, (char*)rlk_class_name(RLK_CLASS_GATE), (char*)"gate"));
  cr_expect(eq(str, (char*)rlk_class_name(RLK_CLASS_STRUCTURAL), (char*)"structural"));
  cr_expect(eq(str, (char*)rlk_class_name(RLK_CLASS_DISCRIMINANT), (char*)"discriminant"));
  cr_expect(eq(str, (char*)rlk_severity_name(ROWLOCK_SEVERITY_ERROR), (char*)"error"));
  cr_expect(eq(str, (char*)rlk_severity_name(ROWLOCK_SEVERITY_WARNING), (char*)"warning"));
  cr_expect(eq(str, (char*)rlk_severity_name(ROWLOCK_SEVERITY_NOTE), (char*)"note"));
}

/* --- Codes -------------------------------------------------------------------------------------------------------- */

static void expect_code(rowlock_code_t code, const char* name, int exit_status) {
  cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)name));
  cr_expect(eq(i32, rowlock_code_exit_status(code), exit_status), "%s", name);
  cr_expect(lt(sz, 0, strlen(rowlock_code_meaning(code))), "%s means nothing", name);
}

Test(codes, have_their_names_and_exit_statuses) {
  expect_code(ROWLOCK_OK, "OK", 0);
  expect_code(ROWLOCK_REJECTED, "REJECTED", 1);
  expect_code(ROWLOCK_UNUSABLE, "UNUSABLE", 2);
  expect_code(ROWLOCK_UNAVAILABLE, "UNAVAILABLE", 3);
  expect_code(ROWLOCK_NO_MEMORY, "NO_MEMORY", 3);
  expect_code(ROWLOCK_INTERNAL, "INTERNAL", 3);
}

Test(codes, success_alone_is_zero) { cr_expect(eq(i32, (int)ROWLOCK_OK, 0)); }
