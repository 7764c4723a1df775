/* `rowlock rules --format markdown`: the rule documentation. */
#include <stdlib.h>
#include <string.h>

#include "harness/cli/markdown.h"
#include "harness/cli/rules_view.h"
#include "validator/plugin/doors.h"

static void show_cell(const char* code) {
  printf(" ");
  rlk_markdown_put_code(stdout, code, true);
  printf(" |");
}

/* One rule whole. Ids are lower case, dots and dashes: they need no escape, in an anchor either. */
static void show_section(rlk_rule_t rule, const char* heading) {
  const rlk_rule_info_t* info = rlk_rule_info(rule);
  printf("%s <a id=\"%s\"></a>%s\n\n", heading, info->id, info->id);
  rlk_markdown_put_code(stdout, info->message, false);
  printf("\n\n");
  rlk_markdown_put_text(stdout, info->why);
  printf("\n\n* Tier: %s (", rlk_tier_name(info->tier));
  rlk_markdown_put_text(stdout, rlk_tier_meaning(info->tier));
  printf(")\n* Class: %s\n* Severity: %s\n* Source: ", rlk_class_name(info->class_), rlk_severity_name(info->severity));
  rlk_markdown_put_text(stdout, info->source);
  printf("\n");
}

static void show_table(rlk_rule_t first, const char* prefix) {
  printf("| Rule | Tier | Class | Severity | Message |\n| --- | --- | --- | --- | --- |\n");
  for (int rule = (int)first; rule < RLK_RULE_COUNT; ++rule) {
    if (!rlk_rule_is_of_document((rlk_rule_t)rule, first, prefix)) continue;
    const rlk_rule_info_t* info = rlk_rule_info((rlk_rule_t)rule);
    printf("| [%s](#%s) | %s | %s | %s |", info->id, info->id, rlk_tier_name(info->tier), rlk_class_name(info->class_),
           rlk_severity_name(info->severity));
    show_cell(info->message);
    printf("\n");
  }
}

static int show_rules(const rlk_command_t* command, const char* prefix) {
  (void)command;
  printf("# Rules\n\n");
  rlk_put_rule_counts(stdout, prefix);
  printf(".\n\n");
  for (int tier = 0; tier < RLK_TIER_COUNT; ++tier) {
    printf("* %s: ", rlk_tier_name((rlk_tier_t)tier));
    rlk_markdown_put_text(stdout, rlk_tier_meaning((rlk_tier_t)tier));
    printf("\n");
  }
  printf("\nWhat stands in braces in a message is filled in.\n");
  for (int first = 0; first < RLK_RULE_COUNT; ++first) {
    if (!rlk_rule_begins_document((rlk_rule_t)first, prefix)) continue;
    printf("\n## %.*s\n\n", (int)rlk_rule_document_length((rlk_rule_t)first), rlk_rule_info((rlk_rule_t)first)->id);
    show_table((rlk_rule_t)first, prefix);
    for (int rule = first; rule < RLK_RULE_COUNT; ++rule) {
      if (!rlk_rule_is_of_document((rlk_rule_t)rule, (rlk_rule_t)first, prefix)) continue;
      printf("\n");
      show_section((rlk_rule_t)rule, "###");
    }
  }
  return rowlock_code_exit_status(ROWLOCK_OK);
}

static int show_rule(const rlk_command_t* command, rlk_rule_t rule) {
  (void)command;
  show_section(rule, "#");
  return rowlock_code_exit_status(ROWLOCK_OK);
}

static int show_word_lists(const rlk_command_t* command) {
  (void)command;
  printf("# Vocabularies\n\n| List | Words |\n| --- | --- |\n");
  for (size_t list = 0; list < rlk_word_list_count(); ++list) {
    printf("| %s |", rlk_word_list_name(list));
    const char* word;
    for (size_t i = 0; (word = rlk_word_list_at(list, i)) != NULL; ++i) {
      printf(i > 0 ? ", " : " ");
      rlk_markdown_put_code(stdout, word, true);
    }
    printf(" |\n");
  }
  return rowlock_code_exit_status(ROWLOCK_OK);
}

static int show_doors(const rlk_command_t* command) {
  (void)command;
  printf("# Doors\n\nA door runs its gates in this order; the first that fails decides.\n");
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    const rlk_door_t* info = rlk_door_info((rlk_door_id_t)door);
    printf("\n## ");
    rlk_markdown_put_code(stdout, info->name, false);
    printf(" (%s)\n\n", rlk_level_name(info->level));
    if (info->contract) printf("Checks that decide at no door.\n\n");
    for (size_t i = 0; i < info->gate_count; ++i) {
      printf("%zu. ", i + 1);
      rlk_markdown_put_code(stdout, info->gates[i].name, false);
      printf("\n");
    }
  }
  return rowlock_code_exit_status(ROWLOCK_OK);
}

const rlk_rules_view_t rlk_rules_view_markdown = {show_rules, show_rule, show_word_lists, show_doors};
