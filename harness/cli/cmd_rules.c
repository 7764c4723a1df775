/* rowlock rules: the rule table, the closed word lists and the doors, for readers and for tools. */
#include <string.h>

#include "harness/cli/rules_view.h"
#include "validator/rules/nearest.h"

static const struct {
  const char* format;
  const rlk_rules_view_t* view;
} views[] = {
    {"text", &rlk_rules_view_text},
    {"json", &rlk_rules_view_json},
    {"markdown", &rlk_rules_view_markdown},
};
#define FORMATS "text|json|markdown"

static const rlk_rules_view_t* find_view(const char* format) {
  size_t i = 0;
  while (strcmp(views[i].format, format) != 0) ++i; /* parsing has let no other word through */
  return views[i].view;
}

static bool begins_some(const char* prefix) {
  for (int rule = 0; rule < RLK_RULE_COUNT && *prefix; ++rule) {
    if (rlk_rule_has_prefix((rlk_rule_t)rule, prefix)) return true;
  }
  return false;
}

static int complain_unknown(const rlk_command_t* command, const char* id) {
  rlk_nearest_t nearest = {.text = id};
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    const char* candidate = rlk_rule_info((rlk_rule_t)rule)->id;
    rlk_nearest_offer(&nearest, candidate, candidate);
    /* The document is easily left out: "role-unknown". */
    rlk_nearest_offer(&nearest, candidate, candidate + rlk_rule_document_length((rlk_rule_t)rule) + 1);
  }
  char names[256];
  if (!rlk_nearest_list(&nearest, names, sizeof names)) {
    return rlk_complain(command, ROWLOCK_UNUSABLE, "there is no rule '%s'; 'rowlock rules' lists them", id);
  }
  return rlk_complain(command, ROWLOCK_UNUSABLE, "there is no rule '%s'; near it: %s", id, names);
}

static int run(const rlk_command_t* command, int argc, char** argv) {
  const char* format = "text";
  bool vocabulary = false, doors = false;
  const rlk_option_t options[] = {
      RLK_FLAG("vocabulary", &vocabulary, "show the closed word lists instead"),
      RLK_FLAG("doors", &doors, "show the doors and their gates instead"),
      RLK_CHOICE("format", &format, FORMATS, "of the output (default: text)"),
      {0},
  };
  char** operands;
  const rlk_parsed_t parsed = rlk_options_parse(command, options, argc, argv, &operands);
  if (parsed != RLK_PARSED) return rlk_options_exit_status(parsed);
  const char* id = operands[0];
  if (vocabulary + doors + (id != NULL) > 1 || (id && operands[1])) {
    return rlk_complain(command, ROWLOCK_UNUSABLE, "takes one ID, --vocabulary or --doors, and only one of them");
  }
  const rlk_rules_view_t* view = find_view(format);
  if (vocabulary) return view->word_lists(command);
  if (doors) return view->doors(command);
  if (!id) return view->rules(command, "");
  const rlk_rule_t rule = rlk_rule_find(id);
  if (rule != RLK_RULE_NONE) return view->rule(command, rule);
  return begins_some(id) ? view->rules(command, id) : complain_unknown(command, id);
}

const rlk_command_t rlk_command_rules = {
    .name = "rules",
    .arguments = "[ID]",
    .summary = "Lists the rules, or explains one",
    .details =
        "The beginning of an ID, 'manifest' or 'manifest.exec', lists the rules that begin so.\n"
        "As Markdown, the list is the rule documentation: every rule whole.",
    .main = run,
};
