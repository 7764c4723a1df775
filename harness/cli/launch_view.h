/* What a launch did, as tables for a terminal. */
#ifndef ROWLOCK_HARNESS_CLI_LAUNCH_VIEW_H
#define ROWLOCK_HARNESS_CLI_LAUNCH_VIEW_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>

/* Whether some plugin was run; `report` is that of rlk_perform. */
bool rlk_launch_ran(json_object* report);

/* `report` is that of rlk_perform; `out_folder` is where outputs were written, or NULL. */
void rlk_launch_show(FILE* out, json_object* report, const char* out_folder);

#endif
