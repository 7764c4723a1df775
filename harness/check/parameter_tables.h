/* The parameters that a sidecar implies beside those that an artifact has, whole, for a reader and as JSON. */
#ifndef ROWLOCK_HARNESS_CHECK_PARAMETER_TABLES_H
#define ROWLOCK_HARNESS_CHECK_PARAMETER_TABLES_H

#include <json-c/json.h>
#include <stdio.h>

#include "loader/artifact/tables.h"
#include "validator/rules/rules.h"

/* Writes a finding's message and its rule, and below it the tables, every line indented and those that do not match
 * marked. The message's own short lists are left out where the tables are there; `tables` may be NULL. */
void rlk_put_message(FILE* out, const char* message, rlk_rule_t rule, const rlk_tables_t* tables, int indent);

/* NULL if memory is short; the caller puts it. */
json_object* rlk_tables_to_json(const rlk_tables_t* tables);
json_object* rlk_parameter_to_json(const rlk_artifact_parameter_t* parameter);

#endif
