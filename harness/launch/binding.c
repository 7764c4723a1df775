#include "harness/launch/binding.h"

#include <math.h>
#include <string.h>

#include "validator/rules/text.h"

bool rlk_binding_counts_samples(rowlock_binding_t binding) {
  return binding == ROWLOCK_BINDING_VECTOR || binding == ROWLOCK_BINDING_MATRIX || binding == ROWLOCK_BINDING_HANDLE ||
         binding == ROWLOCK_BINDING_INT_HANDLE || binding == ROWLOCK_BINDING_MASK;
}

/* What a call needs. */
typedef struct call_t {
  rowlock_registry_t* registry;
  const char* name;
  void* data;
  uint64_t samples, elements;
  uint32_t width;
  rowlock_shape_t shape;
  rowlock_error_t* err;
} call_t;

/* CALL(binding, type of its elements, its call, how the call is made of `c`): every way to bind an array. */
#define CALLS(CALL)                                                                                                    \
  CALL(VECTOR, FLOAT64, rowlock_registry_bind_vector(c->registry, c->name, c->data, c->samples, c->width, c->err))     \
  CALL(VECTOR, FLOAT32, rowlock_registry_bind_vector_f32(c->registry, c->name, c->data, c->samples, c->width, c->err)) \
  CALL(MATRIX, FLOAT64, rowlock_registry_bind_matrix(c->registry, c->name, c->data, c->samples, c->shape, c->err))     \
  CALL(MATRIX, FLOAT32, rowlock_registry_bind_matrix_f32(c->registry, c->name, c->data, c->samples, c->shape, c->err)) \
  CALL(HANDLE, FLOAT64, rowlock_registry_bind_handle(c->registry, c->name, c->data, c->samples, c->err))               \
  CALL(HANDLE, FLOAT32, rowlock_registry_bind_handle_f32(c->registry, c->name, c->data, c->samples, c->err))           \
  CALL(INT_HANDLE, INT64, rowlock_registry_bind_int_handle(c->registry, c->name, c->data, c->samples, c->err))         \
  CALL(MASK, BOOL, rowlock_registry_bind_mask(c->registry, c->name, c->data, c->samples, c->err))                      \
  CALL(WIDE, FLOAT64, rowlock_registry_bind_wide(c->registry, c->name, c->data, c->elements, c->err))                  \
  CALL(WIDE, FLOAT32, rowlock_registry_bind_wide_f32(c->registry, c->name, c->data, c->elements, c->err))              \
  CALL(TABLE, FLOAT64, rowlock_registry_consolidate(c->registry, c->name, c->data, c->elements, c->err))               \
  CALL(TABLE, FLOAT32, rowlock_registry_consolidate_f32(c->registry, c->name, c->data, c->elements, c->err))           \
  CALL(RESULT, FLOAT64, rowlock_registry_bind_result(c->registry, c->name, c->data, c->width, c->err))                 \
  CALL(RESULT, FLOAT32, rowlock_registry_bind_result_f32(c->registry, c->name, c->data, c->width, c->err))             \
  CALL(RESULT, INT64, rowlock_registry_bind_result_int(c->registry, c->name, c->data, c->width, c->err))

#define CALL(binding, dtype, call) \
  static rowlock_code_t bind_##binding##_##dtype(const call_t* c) { return call; }
CALLS(CALL)
#undef CALL

static const struct {
  rowlock_binding_t binding;
  rlk_dtype_t dtype;
  rowlock_code_t (*bind)(const call_t*);
} calls[] = {
#define CALL(binding, dtype, call) {ROWLOCK_BINDING_##binding, RLK_DTYPE_##dtype, bind_##binding##_##dtype},
    CALLS(CALL)
#undef CALL
};

static rowlock_code_t bind_buffer(const rlk_buffer_t* buffer, rowlock_registry_t* registry, rowlock_error_t* err) {
  const call_t call = {.registry = registry,
                       .name = buffer->name,
                       .data = rlk_buffer_address(buffer),
                       .samples = buffer->sample_count,
                       .elements = buffer->element_count,
                       .width = buffer->width,
                       .shape = {buffer->rows, buffer->columns},
                       .err = err};
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    if (calls[i].binding == buffer->binding && calls[i].dtype == buffer->dtype) return calls[i].bind(&call);
  }
  return rlk_fail(err, ROWLOCK_UNUSABLE, "'%.100s' cannot be bound as a %s of %s: there is no such argument",
                  buffer->name, rowlock_binding_name(buffer->binding), rlk_dtype_name(buffer->dtype));
}

/* The type that the first plugin that declares the uniform takes; float64 where it is open. */
static rlk_dtype_t declared_type(const rowlock_registry_t* registry, const char* name) {
  for (size_t i = 0; i < rowlock_registry_plugin_count(registry); ++i) {
    for (size_t j = 0; j < rowlock_registry_plugin_at(registry, i).argument_count; ++j) {
      const rowlock_argument_t argument = rowlock_registry_argument_at(registry, i, j);
      if (argument.binding == ROWLOCK_BINDING_UNIFORM && strcmp(argument.name, name) == 0) {
        return (rlk_dtype_t)argument.element;
      }
    }
  }
  return RLK_DTYPE_FLOAT64;
}

static rowlock_code_t bind_uniform(const rlk_uniform_value_t* uniform, rowlock_registry_t* registry,
                                   rowlock_error_t* err) {
  const rlk_scalar_t* value = &uniform->value;
  rlk_dtype_t dtype =
      uniform->dtype == RLK_OPERAND_UNSTATED ? declared_type(registry, uniform->name) : (rlk_dtype_t)uniform->dtype;
  if (dtype == RLK_DTYPE_INT64 && !value->is_integer) dtype = RLK_DTYPE_FLOAT64; /* the registry says what it takes */
  if (dtype == RLK_DTYPE_INT64) return rowlock_registry_bind_uniform_int(registry, uniform->name, value->integer, err);
  if (dtype == RLK_DTYPE_FLOAT32) {
    if (isfinite(value->real) && isinf((float)value->real)) {
      return rlk_fail(err, ROWLOCK_UNUSABLE, "uniform '%.100s' is of float32, which does not hold %.17g", uniform->name,
                      value->real);
    }
    return rowlock_registry_bind_uniform_f32(registry, uniform->name, (float)value->real, err);
  }
  return rowlock_registry_bind_uniform(registry, uniform->name, value->real, err);
}

rowlock_code_t rlk_buffers_bind(const rlk_buffers_t* buffers, const rlk_launch_t* launch, rowlock_registry_t* registry,
                                rowlock_error_t* err) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < buffers->count && !code; ++i) code = bind_buffer(&buffers->list[i], registry, err);
  for (size_t i = 0; i < launch->uniform_count && !code; ++i) code = bind_uniform(&launch->uniforms[i], registry, err);
  return code;
}
