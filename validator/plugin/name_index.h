/* The names of a list, sorted: many are looked up in n log n, also when they were chosen to be much alike. */
#ifndef ROWLOCK_VALIDATOR_PLUGIN_NAME_INDEX_H
#define ROWLOCK_VALIDATOR_PLUGIN_NAME_INDEX_H

#include "validator/plugin/judge.h"

typedef struct rlk_indexed_name_t {
  const char* text; /* borrowed; may hold NULs */
  uint32_t length;
  const rlk_node_t* owner;
} rlk_indexed_name_t;

typedef struct rlk_name_index_t {
  rlk_indexed_name_t* names;
  uint32_t count;
} rlk_name_index_t;

/* Room for `most` names in the judge's entry arena, until it is reset. False, with the judge's code, without memory. */
bool rlk_name_index_init(rlk_name_index_t* names, rlk_judge_t* judge, uint32_t most);

/* `text` is a string node. */
void rlk_name_index_put(rlk_name_index_t* names, const rlk_node_t* text, const rlk_node_t* owner);
void rlk_name_index_put_key(rlk_name_index_t* names, const rlk_node_t* member);

/* To be called between the last put and the first look-up. */
void rlk_name_index_sort(rlk_name_index_t* names);

/* The owner of that name that stands first in the document, or NULL. */
const rlk_node_t* rlk_name_index_find(const rlk_name_index_t* names, const char* text, uint32_t length);

#endif
