/* The text of a row's *.expect.json. */
#ifndef ROWLOCK_HARNESS_CLI_EXPECTATION_H
#define ROWLOCK_HARNESS_CLI_EXPECTATION_H

#include "harness/cli/json_output.h"
#include "harness/cli/new_row.h"

/* The row as an object, keys in the order that rows have: the first loader's outcome is the row's, others override it.
 * The caller puts it; NULL if memory is short. */
ROWLOCK_MUST_CHECK json_object* rlk_expectation(const rlk_new_row_request_t* request, const rlk_new_row_t* row);

/* expect and, on reject, error_substring and rule, put into `object`; false if memory is short. */
bool rlk_expectation_put_outcome(json_object* object, const rlk_verdict_t* verdict);

#endif
