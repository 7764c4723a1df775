/* What a reject row pins of a rule's message: words that any implementation's message has, so that the row holds for
 * all. */
#ifndef ROWLOCK_HARNESS_CLI_PIN_H
#define ROWLOCK_HARNESS_CLI_PIN_H

#include "validator/rules/rules.h"

#define RLK_PIN_MAX 128

/* Puts into `out` the longest shared clause (clauses.def) of the rule's message, with the values that `said`, a message
 * of the rule, has in it. Without `said`, or where a value is cut or escaped there, it is the clause's longest part
 * between slots. A rule that no other implementation has gives the first part that says something. Never empty. */
const char* rlk_rule_pin(rlk_rule_t rule, const char* said, char out[RLK_PIN_MAX]);

#endif
