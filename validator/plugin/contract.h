/* Shared by the contract checks. */
#ifndef ROWLOCK_VALIDATOR_PLUGIN_CONTRACT_H
#define ROWLOCK_VALIDATOR_PLUGIN_CONTRACT_H

#include "validator/plugin/name_index.h"

/* A well-formed element of arg_spec; start the walk with a zeroed one. */
typedef struct rlk_argument_t {
  const rlk_node_t* pair;
  rlk_word_t role; /* RLK_WORD_NONE when unknown */
  const rlk_node_t *role_node, *name;
} rlk_argument_t;

bool rlk_next_argument(const rlk_node_t* sidecar, rlk_argument_t* argument);

bool rlk_has_argument(const rlk_node_t* sidecar, rlk_word_t role);

/* The arguments' pairs by their names; of that role alone unless it is RLK_WORD_NONE. False, with the judge's code,
 * without memory. */
bool rlk_index_arguments(rlk_judge_t* judge, const rlk_node_t* sidecar, rlk_word_t role, rlk_name_index_t* out_names);

/* Both are strings of the same bytes. */
bool rlk_same_text(const rlk_node_t* a, const rlk_node_t* b);

/* Whether the list is short enough for its names to be compared; reports it otherwise. */
bool rlk_is_comparable(rlk_judge_t* judge, const rlk_node_t* sidecar, const char* key);

/* The next element of `sidecar[key]` that is an object with a string `name`; NULL starts, NULL ends. */
const rlk_node_t* rlk_next_named(const rlk_node_t* sidecar, const char* key, const rlk_node_t* element,
                                 const rlk_node_t** out_name);

/* The buffer's declared element count, or -1. */
int64_t rlk_buffer_count(const rlk_node_t* buffer);

#endif
