/* A comparison as JSON. */
#ifndef ROWLOCK_HARNESS_GATE_COMPARISON_JSON_H
#define ROWLOCK_HARNESS_GATE_COMPARISON_JSON_H

#include <json-c/json.h>

#include "harness/gate/compare.h"

/* The caller puts the object. NULL if memory is short. Numbers that JSON cannot say are null; values of elements are
 * strings, in hexadecimal floating point, decimal, and bits. */
json_object* rlk_comparison_to_json(const rlk_comparison_t* comparison);

#endif
