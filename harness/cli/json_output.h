/* JSON on standard output, built with json-c. Every step says whether memory sufficed, so that a shortage ends the
 * command instead of printing half of an answer. */
#ifndef ROWLOCK_HARNESS_CLI_JSON_OUTPUT_H
#define ROWLOCK_HARNESS_CLI_JSON_OUTPUT_H

#include <json-c/json.h>

#include "harness/cli/options.h"
#include "harness/json/json.h"

/* The text that files and output have: two spaces of indentation, a line a value. It lives as long as `root` and is not
 * changed; it does not end in a line break. NULL if memory is short. */
const char* rlk_json_text(json_object* root);

/* Prints `root`, which it takes over, or complains if memory did not suffice to build it: `complete` is what the steps
 * came to. Returns the command's exit status. What is not UTF-8, or a terminal would obey, is escaped: texts may be
 * paths as they are. */
int rlk_json_print(const rlk_command_t* command, json_object* root, bool complete);

#endif
