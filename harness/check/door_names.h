/* The doors of a finding, for the reports that name them. */
#ifndef ROWLOCK_HARNESS_CHECK_DOOR_NAMES_H
#define ROWLOCK_HARNESS_CHECK_DOOR_NAMES_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

/* The names of the doors in a finding's mask, as a new array; clears `*complete` if memory is short. */
json_object* rlk_door_names(uint32_t doors, bool* complete);

#endif
