/* What `rowlock rules` shows, one view a format. Each function prints and returns the command's exit status. */
#ifndef ROWLOCK_HARNESS_CLI_RULES_VIEW_H
#define ROWLOCK_HARNESS_CLI_RULES_VIEW_H

#include "harness/cli/options.h"
#include "validator/rules/rules.h"

typedef struct rlk_rules_view_t {
  int (*rules)(const rlk_command_t* command, const char* prefix); /* those that begin with it, by document */
  int (*rule)(const rlk_command_t* command, rlk_rule_t rule);
  int (*word_lists)(const rlk_command_t* command);
  int (*doors)(const rlk_command_t* command);
} rlk_rules_view_t;

extern const rlk_rules_view_t rlk_rules_view_text, rlk_rules_view_json, rlk_rules_view_markdown;

/* Whether the rule's id begins with the whole words of the prefix: "", "manifest", "manifest." or "manifest.exec". */
bool rlk_rule_has_prefix(rlk_rule_t rule, const char* prefix);

/* A rule's document is what stands before the dot of its id. The rules of one need not stand together in the table: a
 * loop over rules that begin a document, and in it one over those of the same document, shows each once that has the
 * prefix. */
size_t rlk_rule_document_length(rlk_rule_t rule);
bool rlk_rule_begins_document(rlk_rule_t rule, const char* prefix);
bool rlk_rule_is_of_document(rlk_rule_t rule, rlk_rule_t first, const char* prefix);

/* How many rules have the prefix, and of each tier: "9 rules: 4 gates, 5 contract checks". */
void rlk_put_rule_counts(FILE* out, const char* prefix);

/* The closed word lists by number: the format's vocabularies, then those of rows. The word at an index beyond the list
 * is NULL; a word may hold spaces. */
size_t rlk_word_list_count(void);
const char* rlk_word_list_name(size_t list);
const char* rlk_word_list_at(size_t list, size_t index);

#endif
