#include "harness/cli/pin.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

/* Whether the words stand between two slots of the message. */
static bool is_literal_part(const char* message, const char* words) {
  for (const char* at = strstr(message, words); at; at = strstr(at + 1, words)) {
    bool in_slot = false;
    for (const char* c = message; c < at; ++c) in_slot = *c == '{' || (in_slot && *c != '}');
    if (!in_slot && !strpbrk(words, "{}")) return true;
  }
  return false;
}

Test(pin, is_a_literal_part_of_each_message) {
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    const rlk_rule_info_t* info = rlk_rule_info((rlk_rule_t)rule);
    char pin[RLK_PIN_MAX];
    rlk_rule_pin((rlk_rule_t)rule, NULL, pin);
    cr_expect(is_literal_part(info->message, pin), "%s: \"%s\" is not in \"%s\"", info->id, pin, info->message);
    cr_expect(ge(sz, strlen(pin), 7), "%s: \"%s\" says too little", info->id, pin);
    cr_expect(lt(sz, strlen(pin), RLK_PIN_MAX - 1), "%s: \"%s\" is cut", info->id, pin);
  }
}

/* A message that lost the words that other implementations share would make rows that only this one passes. */
Test(pin, every_clause_is_in_a_message) {
  static const char* const clauses[] = {
#define RLK_CLAUSE(words) words,
#include "harness/cli/clauses.def"
#undef RLK_CLAUSE
  };
  for (size_t i = 0; i < sizeof clauses / sizeof *clauses; ++i) {
    bool found = false;
    for (int rule = 0; rule < RLK_RULE_COUNT && !found; ++rule) {
      found = strstr(rlk_rule_info((rlk_rule_t)rule)->message, clauses[i]) != NULL;
    }
    cr_expect(found, "no rule's message holds \"%s\"", clauses[i]);
  }
}

static void expect_pin(const char* id, const char* due) {
  char pin[RLK_PIN_MAX];
  const rlk_rule_t rule = rlk_rule_find(id);
  cr_assert(ne(int, rule, RLK_RULE_NONE), "%s", id);
  cr_expect(eq(str, (char*)rlk_rule_pin(rule, NULL, pin), (char*)due), "of %s", id);
}

Test(pin, is_the_shared_clause_not_the_longest_part) {
  expect_pin("sidecar.schema-version-too-new", "schema v");
  expect_pin("manifest.pattern-unknown", "is not a supported plugin family");
  expect_pin("sidecar.abi-tag-missing", "built for");
  expect_pin("neural.exec-not-object", "must be an object");
}

Test(pin, is_the_longest_of_two_shared_clauses) {
  expect_pin("manifest.exec-keys-forbidden", "schema v1 must not carry execution key(s)");
  expect_pin("manifest.abi-version-disagree", "requires aether_abi");
}

Test(pin, is_the_first_telling_part_of_a_rule_of_our_own) {
  expect_pin("sidecar.derivative-residuals-not-array", "derivative.residuals is not a list");
  expect_pin("sidecar.buffer-not-object", "is not an object");
  expect_pin("json.lone-surrogate", "lone surrogate");
}

Test(pin, leaves_out_advice_and_lists) {
  expect_pin("json.literal", "is not a JSON literal");
  expect_pin("sidecar.key-not-string", "is not a string");
}

/* --- With the message that was said ------------------------------------------------------------------------------- */

static void expect_said(const char* id, const char* said, const char* due) {
  char pin[RLK_PIN_MAX];
  const rlk_rule_t rule = rlk_rule_find(id);
  cr_assert(ne(int, rule, RLK_RULE_NONE), "%s", id);
  cr_expect(eq(str, (char*)rlk_rule_pin(rule, said, pin), (char*)due), "of %s", said);
}

Test(pin, holds_the_values_of_its_clause) {
  expect_said("sidecar.role-unknown", "unknown arg role 'Out' (known: out, vec_in)", "unknown arg role 'Out'");
  expect_said("sidecar.role-unknown", "unknown arg role '' (known: out, vec_in)", "unknown arg role ''");
  expect_said("sidecar.schema-version-too-new", "sidecar is schema v9, this loader reads up to v2: upgrade eagle",
              "schema v9");
  expect_said("manifest.exec-dangling", "blocks[3].forward.kernel 'gone' does not resolve to an enabled plugin",
              "forward.kernel 'gone' does not resolve");
  expect_said("manifest.duplicate-id", "duplicate plugin id 'a': plugins[0] and plugins[1]", "duplicate plugin id");
}

Test(pin, is_the_literal_part_where_a_value_is_not_told_as_it_is) {
  expect_said("sidecar.role-unknown", "unknown arg role 'a\\u001B' (known: out)", "unknown arg role '");
  expect_said("sidecar.role-unknown", "unknown arg role 'aaaaaaaaaaaa...' (known: out)", "unknown arg role '");
  expect_said("sidecar.role-unknown", "words of another rule", "unknown arg role '");
  char said[512];
  snprintf(said, sizeof said, "unknown arg role '%0200d' (known: out)", 0);
  expect_said("sidecar.role-unknown", said, "unknown arg role '");
}
