/* The declarations of a sidecar that bindings are measured against: widths, shapes, tables, parameter types. Each is
 * looked up by an argument's name and refused where it is malformed or contradicts another. */
#ifndef ROWLOCK_LOADER_REGISTRY_DECLARATIONS_H
#define ROWLOCK_LOADER_REGISTRY_DECLARATIONS_H

#include "loader/registry/plugin.h"
#include "validator/rules/findings.h"

typedef struct rlk_declarations_t {
  const rlk_document_t* sidecar;
  const rlk_entry_t* entry;
  rowlock_error_t* err;
} rlk_declarations_t;

/* load.declaration, about `name`; `value` NULL: it is not there. */
rowlock_code_t rlk_refuse_declaration(const rlk_declarations_t* declarations, const char* what, rlk_slot_t name,
                                      const rlk_node_t* value, const char* expected);

/* A mutable's dtype, its width and, of a matrix, its shape. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_declared_mutable(const rlk_declarations_t* declarations, const rlk_node_t* name,
                                                       rlk_word_t* out_dtype, rlk_parameter_t* parameter);

/* The width of a vector and the shape of a matrix; 0 where nothing declares them. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_declared_width(const rlk_declarations_t* declarations, const rlk_node_t* name,
                                                     rlk_parameter_t* parameter);
ROWLOCK_MUST_CHECK rowlock_code_t rlk_declared_shape(const rlk_declarations_t* declarations, const rlk_node_t* name,
                                                     rlk_parameter_t* parameter);

/* The element count of a table and of its shape. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_declared_table(const rlk_declarations_t* declarations, const rlk_node_t* name,
                                                     rlk_parameter_t* parameter);

/* The type of a uniform, under params_schema 2. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_declared_uniform(const rlk_declarations_t* declarations, const rlk_node_t* name,
                                                       rlk_parameter_t* parameter);

#endif
