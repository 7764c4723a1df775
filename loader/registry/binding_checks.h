/* What a bound buffer or value must be like so that a kernel stays inside it (plugin facts, section 5). */
#ifndef ROWLOCK_LOADER_REGISTRY_BINDING_CHECKS_H
#define ROWLOCK_LOADER_REGISTRY_BINDING_CHECKS_H

#include "loader/registry/names.h"

/* Whether it can be memory at all: not NULL, aligned, of a size that exists. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_check_memory(const char* name, rowlock_binding_t binding,
                                                   const rlk_bound_t* bound, rowlock_error_t* err);

/* Whether it is what the plugin declares: element type, width, shape, count. `binding` is the parameter's own, or
 * RESULT for what it is folded to. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_check_declared(const rlk_parameter_t* parameter, rowlock_binding_t binding,
                                                     const rlk_bound_t* bound, rowlock_error_t* err);

/* bind.width, of a parameter whose width nothing declares but another binding. */
rowlock_code_t rlk_refuse_width(const rlk_parameter_t* parameter, uint32_t width, uint32_t expected,
                                rowlock_error_t* err);

#endif
