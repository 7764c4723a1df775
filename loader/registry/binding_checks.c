#include "loader/registry/binding_checks.h"

#include <stdint.h>
#include <string.h>

#include "validator/rules/findings.h"
#include "validator/rules/text.h"

static rlk_slot_t text_slot(const char* slot, const char* text) { return rlk_slot_text(slot, text, strlen(text)); }
static rlk_slot_t id_slot(const rlk_parameter_t* parameter) { return text_slot("id", parameter->description->id); }

/* --- Memory ------------------------------------------------------------------------------------------------------- */

/* A caller's count may be beyond what an int64 holds. */
typedef struct count_text_t {
  char digits[24];
} count_text_t;

static rlk_slot_t count_slot(const char* slot, uint64_t count, count_text_t* out_text) {
  rlk_text_t text = rlk_text_over(out_text->digits, sizeof out_text->digits);
  rlk_text_printf(&text, "%llu", (unsigned long long)count);
  return rlk_slot_prose(slot, out_text->digits);
}

static rowlock_code_t refuse_null(const char* name, rowlock_binding_t binding, const rlk_bound_t* bound,
                                  rowlock_error_t* err) {
  const bool per_sample = rlk_binding_info(binding)->extent == RLK_EXTENT_SAMPLES;
  char expected[64];
  count_text_t count;
  rlk_message_format(expected, sizeof expected,
                     per_sample ? "a buffer of {count} samples" : "a buffer of {count} elements",
                     RLK_SLOTS(count_slot("count", bound->count, &count)));
  return rlk_refuse(err, RLK_RULE_BIND_NULL, RLK_SLOTS(text_slot("name", name), rlk_slot_prose("expected", expected)));
}

rowlock_code_t rlk_check_memory(const char* name, rowlock_binding_t binding, const rlk_bound_t* bound,
                                rowlock_error_t* err) {
  if (rlk_binding_info(binding)->passing == RLK_PASSING_VALUE) return ROWLOCK_OK;
  const uint64_t bytes = rowlock_element_bytes(bound->element);
  uint64_t size;
  const bool wraps = __builtin_mul_overflow(bound->count, bound->width, &size) ||
                     __builtin_mul_overflow(size, bytes, &size) || size > PTRDIFF_MAX;
  if (wraps) {
    count_text_t count;
    return rlk_refuse(err, RLK_RULE_BIND_TOO_LARGE,
                      RLK_SLOTS(text_slot("name", name), count_slot("value", bound->count, &count),
                                rlk_slot_integer("width", bound->width)));
  }
  if (!bound->data && size > 0) return refuse_null(name, binding, bound, err);
  if ((uintptr_t)bound->data % bytes != 0) {
    return rlk_refuse(err, RLK_RULE_BIND_MISALIGNED,
                      RLK_SLOTS(text_slot("name", name), rlk_slot_integer("expected", (int64_t)bytes)));
  }
  return ROWLOCK_OK;
}

/* --- Declarations ------------------------------------------------------------------------------------------------- */

rowlock_code_t rlk_refuse_width(const rlk_parameter_t* parameter, uint32_t width, uint32_t expected,
                                rowlock_error_t* err) {
  return rlk_refuse(
      err, RLK_RULE_BIND_WIDTH,
      RLK_SLOTS(text_slot("name", parameter->name), rlk_slot_integer("value", width), id_slot(parameter),
                expected ? rlk_slot_integer("expected", expected) : rlk_slot_prose("expected", "1 or more")));
}

static rowlock_code_t check_width(const rlk_parameter_t* parameter, uint32_t width, rowlock_error_t* err) {
  const bool fits = parameter->width ? width == parameter->width : width > 0;
  return fits ? ROWLOCK_OK : rlk_refuse_width(parameter, width, parameter->width, err);
}

static rowlock_code_t check_shape(const rlk_parameter_t* parameter, const rlk_bound_t* bound, rowlock_error_t* err) {
  const bool declared = parameter->rows > 0;
  const bool fits = declared ? bound->shape.rows == parameter->rows && bound->shape.columns == parameter->columns
                             : bound->shape.rows > 0 && bound->shape.columns > 0;
  if (fits) return declared ? ROWLOCK_OK : check_width(parameter, bound->width, err);
  return rlk_refuse(
      err, RLK_RULE_BIND_MATRIX_SHAPE,
      RLK_SLOTS(text_slot("name", parameter->name), rlk_slot_integer("rows", bound->shape.rows),
                rlk_slot_integer("columns", bound->shape.columns), id_slot(parameter),
                declared ? rlk_slot_integer("expected_rows", parameter->rows) : rlk_slot_prose("expected_rows", "1"),
                declared ? rlk_slot_integer("expected_columns", parameter->columns)
                         : rlk_slot_prose("expected_columns", "1 or more")));
}

static rowlock_code_t check_table(const rlk_parameter_t* parameter, const rlk_bound_t* bound, rowlock_error_t* err) {
  const int64_t count = parameter->table_count, shape = parameter->table_shape;
  const rlk_slot_t name = text_slot("name", parameter->name);
  if (shape != RLK_UNDECLARED && shape != count) {
    return rlk_refuse(
        err, RLK_RULE_BIND_TABLE_SHAPE,
        RLK_SLOTS(name, id_slot(parameter), rlk_slot_integer("value", count), rlk_slot_integer("expected", shape)));
  }
  if (count == RLK_UNDECLARED || bound->count == (uint64_t)count) return ROWLOCK_OK;
  count_text_t value;
  return rlk_refuse(err, RLK_RULE_BIND_TABLE_COUNT,
                    RLK_SLOTS(name, count_slot("value", bound->count, &value), id_slot(parameter),
                              rlk_slot_integer("expected", count)));
}

static rowlock_code_t check_element(const rlk_parameter_t* parameter, const rlk_bound_t* bound, rowlock_error_t* err) {
  const rowlock_element_t due = parameter->element;
  if (bound->element == due || (parameter->is_int_too && bound->element == ROWLOCK_ELEMENT_INT64)) return ROWLOCK_OK;
  const bool retyped = parameter->binding == ROWLOCK_BINDING_UNIFORM &&
                       (bound->element == ROWLOCK_ELEMENT_INT64 || due == ROWLOCK_ELEMENT_INT64);
  return rlk_refuse(
      err, retyped ? RLK_RULE_BIND_UNIFORM_TYPE : RLK_RULE_BIND_ELEMENT_TYPE,
      RLK_SLOTS(text_slot("name", parameter->name), rlk_slot_prose("value", rowlock_element_name(bound->element)),
                id_slot(parameter), rlk_slot_prose("expected", rowlock_element_name(due))));
}

rowlock_code_t rlk_check_declared(const rlk_parameter_t* parameter, rowlock_binding_t binding, const rlk_bound_t* bound,
                                  rowlock_error_t* err) {
  const rowlock_code_t code = check_element(parameter, bound, err);
  if (code) return code;
  switch (binding) {
    case ROWLOCK_BINDING_VECTOR:
    case ROWLOCK_BINDING_RESULT:
      return check_width(parameter, bound->width, err);
    case ROWLOCK_BINDING_MATRIX:
      return check_shape(parameter, bound, err);
    case ROWLOCK_BINDING_TABLE:
      return check_table(parameter, bound, err);
    default:
      return ROWLOCK_OK;
  }
}
