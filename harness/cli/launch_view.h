/* What a launch did, as tables for a terminal. */
#ifndef ROWLOCK_HARNESS_CLI_LAUNCH_VIEW_H
#define ROWLOCK_HARNESS_CLI_LAUNCH_VIEW_H

#include <json-c/json.h>
#include <stdio.h>

typedef enum rlk_launch_extent_t {
  RLK_LAUNCH_OF_ALL,
  RLK_LAUNCH_OF_NO_PLUGIN,
  RLK_LAUNCH_OF_NO_SAMPLE,
} rlk_launch_extent_t;

/* Whether every run called some plugin, or why not; `report` is that of rlk_perform. */
rlk_launch_extent_t rlk_launch_extent(json_object* report);

/* `report` is that of rlk_perform; `out_folder` is where outputs were written, or NULL. */
void rlk_launch_show(FILE* out, json_object* report, const char* out_folder);

#endif
