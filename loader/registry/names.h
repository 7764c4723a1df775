/* Every name that a loaded plugin declares, once for each way of binding it, with what is bound to it. */
#ifndef ROWLOCK_LOADER_REGISTRY_NAMES_H
#define ROWLOCK_LOADER_REGISTRY_NAMES_H

#include "loader/registry/plugin.h"

/* What a caller bound. */
typedef struct rlk_bound_t {
  bool is_set;
  rowlock_element_t element;
  void* data;
  uint64_t count;        /* samples, or elements of a table or wide buffer */
  uint32_t width;        /* components a sample; of a result its elements */
  rowlock_shape_t shape; /* of a matrix */
  union {                /* of a uniform */
    double float64;
    float float32;
    int64_t int64;
  } value;
} rlk_bound_t;

typedef struct rlk_name_t {
  const char* text;
  rowlock_binding_t binding;
  const rlk_parameter_t* declared; /* the last that declares it; the others follow it */
  rlk_bound_t bound;
} rlk_name_t;

/* Zeroed is empty. */
typedef struct rlk_names_t {
  rlk_name_t* entries;
  size_t count, capacity;
  uint32_t* index; /* open addressing: position in `entries` and 1, 0 is free; twice the capacity */
} rlk_names_t;

void rlk_names_deinit(rlk_names_t* names);

/* Replaces `*out_copy`, an empty one. ROWLOCK_NO_MEMORY leaves it empty. Names' texts are borrowed. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_names_copy(const rlk_names_t* names, rlk_names_t* out_copy);

/* The entry of that name and binding, or NULL; valid until the next is added. */
rlk_name_t* rlk_names_find(const rlk_names_t* names, const char* text, rowlock_binding_t binding);

/* Finds the entry or adds one (`text` is borrowed). NULL when memory is short. */
ROWLOCK_MUST_CHECK rlk_name_t* rlk_names_add(rlk_names_t* names, const char* text, rowlock_binding_t binding);

/* The entry of that name after `previous` in the order of bindings, whatever its binding; NULL starts, NULL ends. */
rlk_name_t* rlk_names_next_of(const rlk_names_t* names, const char* text, const rlk_name_t* previous);

#endif
