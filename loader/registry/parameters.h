/* How arguments are bound and passed, by role (parameters.def). Knows no plugin. */
#ifndef ROWLOCK_LOADER_REGISTRY_PARAMETERS_H
#define ROWLOCK_LOADER_REGISTRY_PARAMETERS_H

#include "loader/rowlock.h"
#include "validator/rules/rules.h"
#include "validator/rules/vocabulary.h"

typedef enum rlk_passing_t {
  RLK_PASSING_GREF,
  RLK_PASSING_HANDLE,
  RLK_PASSING_INT_HANDLE,
  RLK_PASSING_VALUE,
  RLK_PASSING_INDEX,
  RLK_PASSING_NOTHING,
} rlk_passing_t;

typedef enum rlk_elements_t { RLK_ELEMENTS_REAL, RLK_ELEMENTS_INT64, RLK_ELEMENTS_BOOL } rlk_elements_t;

typedef enum rlk_extent_t { RLK_EXTENT_SAMPLES, RLK_EXTENT_ELEMENTS, RLK_EXTENT_ONE } rlk_extent_t;

typedef struct rlk_binding_info_t {
  rlk_passing_t passing;
  rlk_elements_t elements;
  rlk_extent_t extent;
  rlk_rule_t unbound;
  const char* call; /* without its prefix; NULL: none binds it */
} rlk_binding_info_t;

enum { RLK_BINDING_COUNT = ROWLOCK_BINDING_NONE + 1 };

const rlk_binding_info_t* rlk_binding_info(rowlock_binding_t binding);

/* How an argument of that role is bound; `dtype` is a mutable's, of MUTABLE_DTYPE, and not looked at for other roles.
 */
rowlock_binding_t rlk_role_binding(rlk_word_t role, rlk_word_t dtype);
bool rlk_role_is_written(rlk_word_t role);

/* The elements of such a binding in a plugin of that scalar_type. */
rowlock_element_t rlk_binding_element(rowlock_binding_t binding, rlk_word_t scalar_type);

/* Bytes of the parameter. */
size_t rlk_parameter_bytes(rowlock_binding_t binding, rowlock_element_t element);

#endif
