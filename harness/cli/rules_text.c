/* `rowlock rules --format text`: for a terminal. */
#include <string.h>

#include "harness/cli/rules_view.h"
#include "validator/plugin/doors.h"

static int longest_id(const char* prefix) {
  size_t longest = 0;
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    const size_t length = strlen(rlk_rule_info((rlk_rule_t)rule)->id);
    if (rlk_rule_has_prefix((rlk_rule_t)rule, prefix) && length > longest) longest = length;
  }
  return (int)longest;
}

static int show_rules(const rlk_command_t* command, const char* prefix) {
  (void)command;
  const int width = longest_id(prefix);
  for (int first = 0; first < RLK_RULE_COUNT; ++first) {
    if (!rlk_rule_begins_document((rlk_rule_t)first, prefix)) continue;
    printf("%.*s\n", (int)rlk_rule_document_length((rlk_rule_t)first), rlk_rule_info((rlk_rule_t)first)->id);
    for (int rule = first; rule < RLK_RULE_COUNT; ++rule) {
      if (!rlk_rule_is_of_document((rlk_rule_t)rule, (rlk_rule_t)first, prefix)) continue;
      const rlk_rule_info_t* info = rlk_rule_info((rlk_rule_t)rule);
      printf("  %-*s  %-8s  %-12s  %-7s  %s\n", width, info->id, rlk_tier_name(info->tier),
             rlk_class_name(info->class_), rlk_severity_name(info->severity), info->message);
    }
    putchar('\n');
  }
  rlk_put_rule_counts(stdout, prefix);
  printf("; 'rowlock rules ID' explains one\n");
  return rowlock_code_exit_status(ROWLOCK_OK);
}

static int show_rule(const rlk_command_t* command, rlk_rule_t rule) {
  (void)command;
  const rlk_rule_info_t* info = rlk_rule_info(rule);
  printf("%s\n\n", info->id);
  printf("  message   %s\n", info->message);
  printf("  why       %s\n", info->why);
  printf("  tier      %s: %s\n", rlk_tier_name(info->tier), rlk_tier_meaning(info->tier));
  printf("  class     %s\n", rlk_class_name(info->class_));
  printf("  severity  %s\n", rlk_severity_name(info->severity));
  printf("  source    %s\n", info->source);
  return rowlock_code_exit_status(ROWLOCK_OK);
}

static int show_word_lists(const rlk_command_t* command) {
  (void)command;
  for (size_t list = 0; list < rlk_word_list_count(); ++list) {
    printf("%s:", rlk_word_list_name(list));
    const char* word;
    for (size_t i = 0; (word = rlk_word_list_at(list, i)) != NULL; ++i) printf("%s %s", i > 0 ? "," : "", word);
    putchar('\n');
  }
  return rowlock_code_exit_status(ROWLOCK_OK);
}

static int show_doors(const rlk_command_t* command) {
  (void)command;
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    const rlk_door_t* info = rlk_door_info((rlk_door_id_t)door);
    printf("%s%s (%s%s)\n", door > 0 ? "\n" : "", info->name, rlk_level_name(info->level),
           info->contract ? "; checks that decide at no door" : "");
    for (size_t i = 0; i < info->gate_count; ++i) printf("  %2zu  %s\n", i + 1, info->gates[i].name);
  }
  return rowlock_code_exit_status(ROWLOCK_OK);
}

const rlk_rules_view_t rlk_rules_view_text = {show_rules, show_rule, show_word_lists, show_doors};
