/* Binding data to names: the public calls are thin, `bind` does what they share. */
#include <string.h>

#include "loader/registry/binding_checks.h"
#include "loader/registry/declared_names.h"
#include "loader/registry/registry.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

static rowlock_code_t refuse_unknown(const rowlock_registry_t* registry, const char* name, rowlock_error_t* err) {
  char known[RLK_DECLARED_NAMES_MAX];
  rlk_list_declared_names(&registry->names, name, known, sizeof known);
  return rlk_refuse(err, RLK_RULE_BIND_UNKNOWN_NAME,
                    RLK_SLOTS(rlk_slot_text("name", name, strlen(name)), rlk_slot_prose("known", known)));
}

static rowlock_code_t refuse_kind(const rowlock_registry_t* registry, const char* name, rowlock_binding_t binding,
                                  rowlock_error_t* err) {
  char expected[256];
  rlk_describe_declared_name(&registry->names, name, expected, sizeof expected);
  return rlk_refuse(
      err, RLK_RULE_BIND_WRONG_KIND,
      RLK_SLOTS(rlk_slot_text("name", name, strlen(name)), rlk_slot_prose("kind", rowlock_binding_name(binding)),
                rlk_slot_prose("expected", expected)));
}

static rowlock_code_t check_retyped(const rlk_name_t* entry, const rlk_bound_t* bound, rowlock_error_t* err) {
  if (entry->binding != ROWLOCK_BINDING_UNIFORM || !entry->bound.is_set || entry->bound.element == bound->element) {
    return ROWLOCK_OK;
  }
  return rlk_refuse(err, RLK_RULE_BIND_UNIFORM_RETYPED,
                    RLK_SLOTS(rlk_slot_text("name", entry->text, strlen(entry->text)),
                              rlk_slot_prose("value", rowlock_element_name(bound->element)),
                              rlk_slot_prose("expected", rowlock_element_name(entry->bound.element))));
}

static const rlk_parameter_t* next_declared(const rlk_parameter_t* parameter, rowlock_binding_t binding) {
  return binding == ROWLOCK_BINDING_RESULT ? parameter->next_result : parameter->next_bound;
}

static rowlock_code_t bind(rowlock_registry_t* registry, const char* name, rowlock_binding_t binding,
                           const rlk_bound_t* bound, rowlock_error_t* err) {
  rlk_error_clear(err);
  if (!name) return rlk_fail(err, ROWLOCK_UNUSABLE, "there is no name to bind");
  rlk_name_t* entry = rlk_names_find(&registry->names, name, binding);
  if (!entry) {
    return rlk_names_next_of(&registry->names, name, NULL) ? refuse_kind(registry, name, binding, err)
                                                           : refuse_unknown(registry, name, err);
  }
  rowlock_code_t code = check_retyped(entry, bound, err);
  const rlk_parameter_t* parameter = entry->declared;
  for (; parameter && !code; parameter = next_declared(parameter, binding)) {
    code = rlk_check_declared(parameter, binding, bound, err);
  }
  if (!code) code = rlk_check_memory(name, binding, bound, err);
  if (code) return code;
  rlk_bound_t kept = *bound;
  kept.is_set = true;
  if (registry->backend && binding == ROWLOCK_BINDING_TABLE) {
    code = registry->backend->upload(registry->context, name, &kept, &entry->bound, err);
    if (code) return code;
  }
  entry->bound = kept;
  ++registry->generation;
  return ROWLOCK_OK;
}

/* --- Buffers ------------------------------------------------------------------------------------------------------ */

static rowlock_code_t bind_vector(rowlock_registry_t* registry, const char* name, void* data, uint64_t sample_count,
                                  uint32_t width, rowlock_element_t element, rowlock_error_t* err) {
  const rlk_bound_t bound = {.element = element, .data = data, .count = sample_count, .width = width};
  return bind(registry, name, ROWLOCK_BINDING_VECTOR, &bound, err);
}

rowlock_code_t rowlock_registry_bind_vector(rowlock_registry_t* registry, const char* name, double* data,
                                            uint64_t sample_count, uint32_t width, rowlock_error_t* err) {
  return bind_vector(registry, name, data, sample_count, width, ROWLOCK_ELEMENT_FLOAT64, err);
}

rowlock_code_t rowlock_registry_bind_vector_f32(rowlock_registry_t* registry, const char* name, float* data,
                                                uint64_t sample_count, uint32_t width, rowlock_error_t* err) {
  return bind_vector(registry, name, data, sample_count, width, ROWLOCK_ELEMENT_FLOAT32, err);
}

static rowlock_code_t bind_matrix(rowlock_registry_t* registry, const char* name, void* data, uint64_t sample_count,
                                  rowlock_shape_t shape, rowlock_element_t element, rowlock_error_t* err) {
  rlk_bound_t bound = {.element = element, .data = data, .count = sample_count, .shape = shape};
  /* A product that does not fit is no matrix of any plugin's, and too large for memory where no plugin says. */
  if (__builtin_mul_overflow(shape.rows, shape.columns, &bound.width)) bound.width = UINT32_MAX;
  return bind(registry, name, ROWLOCK_BINDING_MATRIX, &bound, err);
}

rowlock_code_t rowlock_registry_bind_matrix(rowlock_registry_t* registry, const char* name, double* data,
                                            uint64_t sample_count, rowlock_shape_t shape, rowlock_error_t* err) {
  return bind_matrix(registry, name, data, sample_count, shape, ROWLOCK_ELEMENT_FLOAT64, err);
}

rowlock_code_t rowlock_registry_bind_matrix_f32(rowlock_registry_t* registry, const char* name, float* data,
                                                uint64_t sample_count, rowlock_shape_t shape, rowlock_error_t* err) {
  return bind_matrix(registry, name, data, sample_count, shape, ROWLOCK_ELEMENT_FLOAT32, err);
}

/* Buffers of one component. */
static rowlock_code_t bind_flat(rowlock_registry_t* registry, const char* name, rowlock_binding_t binding, void* data,
                                uint64_t count, rowlock_element_t element, rowlock_error_t* err) {
  const rlk_bound_t bound = {.element = element, .data = data, .count = count, .width = 1};
  return bind(registry, name, binding, &bound, err);
}

rowlock_code_t rowlock_registry_bind_handle(rowlock_registry_t* registry, const char* name, double* data,
                                            uint64_t sample_count, rowlock_error_t* err) {
  return bind_flat(registry, name, ROWLOCK_BINDING_HANDLE, data, sample_count, ROWLOCK_ELEMENT_FLOAT64, err);
}

rowlock_code_t rowlock_registry_bind_handle_f32(rowlock_registry_t* registry, const char* name, float* data,
                                                uint64_t sample_count, rowlock_error_t* err) {
  return bind_flat(registry, name, ROWLOCK_BINDING_HANDLE, data, sample_count, ROWLOCK_ELEMENT_FLOAT32, err);
}

rowlock_code_t rowlock_registry_bind_int_handle(rowlock_registry_t* registry, const char* name, int64_t* data,
                                                uint64_t sample_count, rowlock_error_t* err) {
  return bind_flat(registry, name, ROWLOCK_BINDING_INT_HANDLE, data, sample_count, ROWLOCK_ELEMENT_INT64, err);
}

rowlock_code_t rowlock_registry_bind_mask(rowlock_registry_t* registry, const char* name, bool* data,
                                          uint64_t sample_count, rowlock_error_t* err) {
  return bind_flat(registry, name, ROWLOCK_BINDING_MASK, data, sample_count, ROWLOCK_ELEMENT_BOOL, err);
}

rowlock_code_t rowlock_registry_bind_wide(rowlock_registry_t* registry, const char* name, double* data,
                                          uint64_t element_count, rowlock_error_t* err) {
  return bind_flat(registry, name, ROWLOCK_BINDING_WIDE, data, element_count, ROWLOCK_ELEMENT_FLOAT64, err);
}

rowlock_code_t rowlock_registry_bind_wide_f32(rowlock_registry_t* registry, const char* name, float* data,
                                              uint64_t element_count, rowlock_error_t* err) {
  return bind_flat(registry, name, ROWLOCK_BINDING_WIDE, data, element_count, ROWLOCK_ELEMENT_FLOAT32, err);
}

/* A table is only read: the handle's address has no const, because a handle serves outputs too. */
rowlock_code_t rowlock_registry_consolidate(rowlock_registry_t* registry, const char* name, const double* data,
                                            uint64_t element_count, rowlock_error_t* err) {
  return bind_flat(registry, name, ROWLOCK_BINDING_TABLE, (void*)data, element_count, ROWLOCK_ELEMENT_FLOAT64, err);
}

rowlock_code_t rowlock_registry_consolidate_f32(rowlock_registry_t* registry, const char* name, const float* data,
                                                uint64_t element_count, rowlock_error_t* err) {
  return bind_flat(registry, name, ROWLOCK_BINDING_TABLE, (void*)data, element_count, ROWLOCK_ELEMENT_FLOAT32, err);
}

static rowlock_code_t bind_result(rowlock_registry_t* registry, const char* name, void* data, uint32_t width,
                                  rowlock_element_t element, rowlock_error_t* err) {
  const rlk_bound_t bound = {.element = element, .data = data, .count = 1, .width = width};
  return bind(registry, name, ROWLOCK_BINDING_RESULT, &bound, err);
}

rowlock_code_t rowlock_registry_bind_result(rowlock_registry_t* registry, const char* name, double* data,
                                            uint32_t width, rowlock_error_t* err) {
  return bind_result(registry, name, data, width, ROWLOCK_ELEMENT_FLOAT64, err);
}

rowlock_code_t rowlock_registry_bind_result_f32(rowlock_registry_t* registry, const char* name, float* data,
                                                uint32_t width, rowlock_error_t* err) {
  return bind_result(registry, name, data, width, ROWLOCK_ELEMENT_FLOAT32, err);
}

rowlock_code_t rowlock_registry_bind_result_int(rowlock_registry_t* registry, const char* name, int64_t* data,
                                                uint32_t width, rowlock_error_t* err) {
  return bind_result(registry, name, data, width, ROWLOCK_ELEMENT_INT64, err);
}

/* --- Uniforms ----------------------------------------------------------------------------------------------------- */

rowlock_code_t rowlock_registry_bind_uniform(rowlock_registry_t* registry, const char* name, double value,
                                             rowlock_error_t* err) {
  const rlk_bound_t bound = {.element = ROWLOCK_ELEMENT_FLOAT64, .value.float64 = value};
  return bind(registry, name, ROWLOCK_BINDING_UNIFORM, &bound, err);
}

rowlock_code_t rowlock_registry_bind_uniform_f32(rowlock_registry_t* registry, const char* name, float value,
                                                 rowlock_error_t* err) {
  const rlk_bound_t bound = {.element = ROWLOCK_ELEMENT_FLOAT32, .value.float32 = value};
  return bind(registry, name, ROWLOCK_BINDING_UNIFORM, &bound, err);
}

rowlock_code_t rowlock_registry_bind_uniform_int(rowlock_registry_t* registry, const char* name, int64_t value,
                                                 rowlock_error_t* err) {
  const rlk_bound_t bound = {.element = ROWLOCK_ELEMENT_INT64, .value.int64 = value};
  return bind(registry, name, ROWLOCK_BINDING_UNIFORM, &bound, err);
}

rowlock_code_t rowlock_registry_unbind(rowlock_registry_t* registry, const char* name, rowlock_error_t* err) {
  rlk_error_clear(err);
  if (!name) return rlk_fail(err, ROWLOCK_UNUSABLE, "there is no name to unbind");
  rlk_name_t* entry = rlk_names_next_of(&registry->names, name, NULL);
  if (!entry) return refuse_unknown(registry, name, err);
  for (; entry; entry = rlk_names_next_of(&registry->names, name, entry)) {
    const bool uploaded = registry->backend && entry->binding == ROWLOCK_BINDING_TABLE && entry->bound.is_set;
    if (uploaded) registry->backend->forget(registry->context, &entry->bound);
    entry->bound = (rlk_bound_t){0};
  }
  ++registry->generation;
  return ROWLOCK_OK;
}
