/* The names that plugins declare, as refusals show them. */
#ifndef ROWLOCK_LOADER_REGISTRY_DECLARED_NAMES_H
#define ROWLOCK_LOADER_REGISTRY_DECLARED_NAMES_H

#include "loader/registry/names.h"

/* Room for a list that a message can hold. */
enum { RLK_DECLARED_NAMES_MAX = 320 };

/* "velocity, position and 5 more": nearest to `text` first; "nothing" when there is none. */
void rlk_list_declared_names(const rlk_names_t* names, const char* text, char* out, size_t capacity);

/* "vec_in of plugin 'gravity', for bind_vector": each way in which the name is declared. */
void rlk_describe_declared_name(const rlk_names_t* names, const char* text, char* out, size_t capacity);

#endif
