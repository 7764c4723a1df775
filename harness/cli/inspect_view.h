/* What an artifact holds, as `rowlock inspect` shows it. */
#ifndef ROWLOCK_HARNESS_CLI_INSPECT_VIEW_H
#define ROWLOCK_HARNESS_CLI_INSPECT_VIEW_H

#include <json-c/json.h>
#include <stdio.h>

#include "loader/artifact/block.h"
#include "loader/artifact/proof.h"

void rlk_inspect_show(FILE* out, const char* path, const rlk_artifact_t* artifact);

/* What the sidecar implies, in the same columns. */
void rlk_inspect_show_block(FILE* out, const char* sidecar_path, const char* kernel, const rlk_block_t* block);

/* NULL if memory is short; the caller puts it. */
json_object* rlk_inspect_to_json(const char* path, const rlk_artifact_t* artifact);

#endif
