#define _GNU_SOURCE /* PATH_MAX */
#include "harness/launch/buffers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/gate/npy.h"
#include "harness/gate/poison.h"
#include "harness/launch/binding.h"
#include "validator/rules/text.h"

/* Wide enough that a kernel which runs on by a vector register, a cache line or a small struct is caught. */

/* A file of a launch, or nothing. */
static rowlock_code_t read_file(const rlk_operand_t* operand, const rlk_operand_source_t* source,
                                rlk_array_t* out_array, rowlock_error_t* err) {
  *out_array = (rlk_array_t){0};
  if (operand->fill.kind != RLK_FILL_FILE) return ROWLOCK_OK;
  const char* path = operand->fill.file;
  char real[PATH_MAX];
  rowlock_error_t cause;
  rowlock_code_t code = ROWLOCK_OK;
  if (source->folder) {
    code = rlk_folder_resolve(source->folder, path, strlen(path), real, &cause);
    path = real;
  }
  if (!code) code = rlk_npy_read(path, out_array, &cause);
  if (!code) return ROWLOCK_OK;
  if (code == ROWLOCK_REJECTED) code = ROWLOCK_UNUSABLE; /* the launch's fault, not the deployment's */
  char shown[300];
  rlk_text_t text = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&text, operand->fill.file, strlen(operand->fill.file), 200);
  return rlk_fail(err, code, "'%s' of '%.60s': %.150s", shown, operand->name, cause.message);
}

/* --- What an array is bound as ------------------------------------------------------------------------------------ */

typedef struct declaration_t {
  rowlock_argument_t argument;
  bool is_found;
} declaration_t;

static bool is_array(rowlock_binding_t binding) { return binding <= ROWLOCK_BINDING_TABLE; }

/* The first declaration of the name among arguments that are bound as arrays. */
static declaration_t find_declaration(const rowlock_registry_t* registry, const char* name) {
  for (size_t i = 0; i < rowlock_registry_plugin_count(registry); ++i) {
    for (size_t j = 0; j < rowlock_registry_plugin_at(registry, i).argument_count; ++j) {
      const rowlock_argument_t argument = rowlock_registry_argument_at(registry, i, j);
      if (is_array(argument.binding) && strcmp(argument.name, name) == 0) return (declaration_t){argument, true};
    }
  }
  return (declaration_t){.argument = {.name = name, .binding = ROWLOCK_BINDING_VECTOR, .width = 1}};
}

static bool is_written(const rowlock_registry_t* registry, const char* name) {
  for (size_t i = 0; i < rowlock_registry_plugin_count(registry); ++i) {
    const rowlock_plugin_t plugin = rowlock_registry_plugin_at(registry, i);
    for (size_t j = 0; j < plugin.argument_count && plugin.enabled; ++j) {
      const rowlock_argument_t argument = rowlock_registry_argument_at(registry, i, j);
      if (argument.is_written && is_array(argument.binding) && strcmp(argument.name, name) == 0) return true;
    }
  }
  return false;
}

static uint32_t narrow(uint64_t extent) { return extent < UINT32_MAX ? (uint32_t)extent : UINT32_MAX; }

/* Reads a shape as the binding takes it: the last extent counts samples, those before it components. */
static void take_shape(rlk_buffer_t* buffer, const uint64_t* shape, uint32_t rank) {
  uint64_t components = 1;
  const uint64_t last = rank > 0 ? shape[rank - 1] : 1;
  bool fits = true;
  for (uint32_t i = 0; i + 1 < rank; ++i) fits &= !__builtin_mul_overflow(components, shape[i], &components);
  fits &= !__builtin_mul_overflow(components, last, &buffer->element_count);
  if (!fits) buffer->element_count = UINT64_MAX; /* more than is ever bound */
  if (rlk_binding_counts_samples(buffer->binding)) {
    buffer->width = narrow(components);
    buffer->sample_count = last;
    buffer->rows = rank == 3 ? narrow(shape[0]) : buffer->width;
    buffer->columns = rank == 3 ? narrow(shape[1]) : 1;
  } else {
    buffer->width = narrow(buffer->element_count);
    buffer->sample_count = 1;
  }
}

/* The shape that the declaration implies, for `sample_count` samples. False if there is none. */
static bool take_declared_shape(rlk_buffer_t* buffer, const rowlock_argument_t* declared, int64_t sample_count) {
  if (buffer->binding == ROWLOCK_BINDING_TABLE) {
    take_shape(buffer, &declared->table_count, 1);
    return declared->table_count > 0;
  }
  if (!rlk_binding_counts_samples(buffer->binding) || sample_count < 0) return false;
  const bool is_matrix = buffer->binding == ROWLOCK_BINDING_MATRIX;
  const uint32_t width = declared->width > 0 ? declared->width : 1;
  const uint64_t shape[] = {is_matrix ? declared->rows : width, is_matrix ? declared->columns : 1,
                            (uint64_t)sample_count};
  take_shape(buffer, shape, 3);
  if (!is_matrix) buffer->rows = buffer->columns = 0;
  return true;
}

/* Arrays of one element a sample, bound by their address and length alone: nobody else would see further rows. */
static rowlock_code_t check_rows(const rlk_buffer_t* buffer, rowlock_error_t* err) {
  const bool has_rows = buffer->binding == ROWLOCK_BINDING_VECTOR || buffer->binding == ROWLOCK_BINDING_MATRIX;
  if (has_rows || !rlk_binding_counts_samples(buffer->binding) || buffer->width == 1) return ROWLOCK_OK;
  return rlk_fail(err, ROWLOCK_UNUSABLE, "'%.100s' is given in the shape (%u, %llu), and as a %s it has (%llu,)",
                  buffer->name, buffer->width, (unsigned long long)buffer->sample_count,
                  rowlock_binding_name(buffer->binding), (unsigned long long)buffer->sample_count);
}

static rowlock_code_t shape_buffer(rlk_buffer_t* buffer, const rlk_operand_t* operand, const rlk_array_t* file,
                                   const rowlock_argument_t* declared, int64_t sample_count, rowlock_error_t* err) {
  if (operand && operand->rank > 0) {
    take_shape(buffer, operand->shape, operand->rank);
  } else if (file->data || file->block || file->rank > 0) {
    take_shape(buffer, file->shape, file->rank);
  } else if (operand && operand->fill.kind == RLK_FILL_VALUES && !rlk_binding_counts_samples(buffer->binding)) {
    take_shape(buffer, &(uint64_t){operand->fill.value_count}, 1);
  } else if (!take_declared_shape(buffer, declared, sample_count)) {
    return rlk_fail(err, ROWLOCK_UNUSABLE, "say how large '%.100s' is: %s", buffer->name,
                    rlk_binding_counts_samples(buffer->binding) ? "n, or a shape" : "a shape, or values");
  }
  if (buffer->element_count <= RLK_ARRAY_ELEMENTS_MAX) return check_rows(buffer, err);
  return rlk_fail(err, ROWLOCK_UNUSABLE, "'%.100s' would have %llu elements, at most 2^32 are bound", buffer->name,
                  (unsigned long long)buffer->element_count);
}

/* --- Elements ----------------------------------------------------------------------------------------------------- */

/* Copies a file's elements in C order. */
static void copy_elements(const rlk_array_t* array, void* elements) {
  if (!array->fortran || rlk_array_is_order_free(array)) {
    if (array->element_count > 0) memcpy(elements, array->data, rlk_array_size(array));
    return;
  }
  const size_t size = rlk_dtype_size(array->dtype);
  for (uint64_t position = 0; position < array->element_count; ++position) {
    uint64_t index[RLK_RANK_MAX];
    rlk_array_index_at(array, position, index);
    memcpy((char*)elements + rlk_array_flat_index(array, index) * size, (char*)array->data + position * size, size);
  }
}

static rowlock_code_t make_elements(const rlk_operand_t* operand, const rlk_array_t* file, const rlk_buffer_t* like,
                                    void** out_elements, rowlock_error_t* err) {
  const size_t size = (size_t)like->element_count * rlk_dtype_size(like->dtype);
  void* elements = malloc(size > 0 ? size : 1);
  if (!elements) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for '%.100s'", like->name);
  rowlock_code_t code = ROWLOCK_OK;
  rowlock_error_t cause;
  if (operand->fill.kind != RLK_FILL_FILE) {
    code = rlk_fill_array(&operand->fill, like->dtype, 0, elements, like->element_count, &cause);
    if (code) rlk_fail(err, code, "'%.100s': %.200s", like->name, cause.message);
  } else if (file->dtype != like->dtype || file->element_count != like->element_count) {
    code = rlk_fail(err, ROWLOCK_UNUSABLE, "the file of '%.100s' has %llu element%s of %s, due: %llu of %s", like->name,
                    (unsigned long long)file->element_count, file->element_count == 1 ? "" : "s",
                    rlk_dtype_name(file->dtype), (unsigned long long)like->element_count, rlk_dtype_name(like->dtype));
  } else {
    copy_elements(file, elements);
  }
  if (code) {
    free(elements);
    elements = NULL;
  }
  *out_elements = elements;
  return code;
}

rowlock_code_t rlk_operand_elements(const rlk_operand_t* operand, const rlk_buffer_t* like,
                                    const rlk_operand_source_t* source, void** out_elements, rowlock_error_t* err) {
  *out_elements = NULL;
  rlk_array_t file;
  rowlock_code_t code = read_file(operand, source, &file, err);
  if (!code) code = make_elements(operand, &file, like, out_elements, err);
  rlk_array_deinit(&file);
  return code;
}

/* --- Making the buffers ------------------------------------------------------------------------------------------- */

typedef struct making_t {
  rlk_buffers_t* buffers;
  const rowlock_registry_t* registry;
  const rlk_launch_t* launch;
  const rlk_operand_source_t* source;
  rowlock_error_t* err;
} making_t;

static rowlock_code_t fill_first(rlk_buffer_t* buffer, const rlk_operand_t* operand, const rlk_array_t* file,
                                 rowlock_error_t* err) {
  const size_t size = (size_t)buffer->element_count * rlk_dtype_size(buffer->dtype);
  if (buffer->is_null) return ROWLOCK_OK;
  rowlock_code_t code = rlk_guard_init(&buffer->guard, size, RLK_BUFFER_ZONE_BYTES, err);
  if (!code && operand && operand->fill.kind != RLK_FILL_POISON) {
    code = make_elements(operand, file, buffer, &buffer->initial, err);
  }
  /* A table is uploaded when it is bound, before the first run. */
  if (!code && buffer->initial && size > 0) memcpy(buffer->guard.data, buffer->initial, size);
  return code;
}

/* The run's, as it is said, or else as the first array has it that says. */
static int64_t sample_count_of(const making_t* making) {
  if (making->launch->sample_count >= 0) return making->launch->sample_count;
  for (size_t i = 0; i < making->buffers->count; ++i) {
    const rlk_buffer_t* buffer = &making->buffers->list[i];
    if (rlk_binding_counts_samples(buffer->binding)) return (int64_t)buffer->sample_count;
  }
  return ROWLOCK_SAMPLES_OF_BINDINGS;
}

/* `operand` NULL: an output that the launch does not give. */
static rowlock_code_t add(making_t* making, const char* name, const rlk_operand_t* operand,
                          const rowlock_argument_t* declared, bool is_declared) {
  rlk_array_t file = {0};
  rowlock_code_t code = operand ? read_file(operand, making->source, &file, making->err) : ROWLOCK_OK;
  if (code) return code;
  const int64_t sample_count = sample_count_of(making);
  rlk_buffer_t* buffer = &making->buffers->list[making->buffers->count++];
  *buffer = (rlk_buffer_t){.name = name,
                           .binding = declared->binding,
                           .dtype = (rlk_dtype_t)declared->element,
                           .is_null = operand && operand->fill.kind == RLK_FILL_NULL,
                           .is_written = is_declared && is_written(making->registry, name)};
  if (operand && operand->binding != RLK_OPERAND_UNSTATED) buffer->binding = (rowlock_binding_t)operand->binding;
  if (file.block) buffer->dtype = file.dtype;
  if (operand && operand->dtype != RLK_OPERAND_UNSTATED) buffer->dtype = (rlk_dtype_t)operand->dtype;
  code = shape_buffer(buffer, operand, &file, declared, sample_count, making->err);
  if (!code) code = fill_first(buffer, operand, &file, making->err);
  rlk_array_deinit(&file);
  return code;
}

static bool is_made(const rlk_buffers_t* buffers, const char* name, rowlock_binding_t binding) {
  for (size_t i = 0; i < buffers->count; ++i) {
    const bool is_result = buffers->list[i].binding == ROWLOCK_BINDING_RESULT;
    if (is_result == (binding == ROWLOCK_BINDING_RESULT) && strcmp(buffers->list[i].name, name) == 0) return true;
  }
  return false;
}

static rowlock_code_t add_operands(making_t* making, const rlk_operand_t* operands, size_t count, bool tables) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < count && !code; ++i) {
    declaration_t declaration = find_declaration(making->registry, operands[i].name);
    if (tables && !declaration.is_found) declaration.argument.binding = ROWLOCK_BINDING_TABLE;
    code = add(making, operands[i].name, &operands[i], &declaration.argument, declaration.is_found);
  }
  return code;
}

/* An output that the launch does not give, and where a mapreduce output is folded to. */
static rowlock_code_t add_output(making_t* making, const rowlock_argument_t* argument) {
  rowlock_code_t code = ROWLOCK_OK;
  if (argument->is_written && is_array(argument->binding) &&
      !is_made(making->buffers, argument->name, argument->binding)) {
    code = add(making, argument->name, NULL, argument, true);
  }
  if (code || !argument->is_folded || is_made(making->buffers, argument->name, ROWLOCK_BINDING_RESULT)) return code;
  rowlock_argument_t result = *argument;
  result.binding = ROWLOCK_BINDING_RESULT;
  const rlk_operand_t shape = {.fill = {.kind = RLK_FILL_POISON},
                               .dtype = RLK_OPERAND_UNSTATED,
                               .binding = RLK_OPERAND_UNSTATED,
                               .rank = 1,
                               .shape = {argument->width > 0 ? argument->width : 1}};
  code = add(making, argument->name, &shape, &result, true);
  if (!code) making->buffers->list[making->buffers->count - 1].is_written = true;
  return code;
}

static size_t most_buffers(const rowlock_registry_t* registry, const rlk_launch_t* launch) {
  size_t count = launch->input_count + launch->table_count + 1;
  for (size_t i = 0; i < rowlock_registry_plugin_count(registry); ++i) {
    count += 2 * rowlock_registry_plugin_at(registry, i).argument_count;
  }
  return count;
}

rowlock_code_t rlk_buffers_init(rlk_buffers_t* buffers, const rowlock_registry_t* registry, const rlk_launch_t* launch,
                                const rlk_operand_source_t* source, rowlock_error_t* err) {
  *buffers = (rlk_buffers_t){.list = calloc(most_buffers(registry, launch), sizeof *buffers->list)};
  if (!buffers->list) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for the launch's arrays");
  making_t making = {buffers, registry, launch, source, err};
  rowlock_code_t code = add_operands(&making, launch->inputs, launch->input_count, false);
  if (!code) code = add_operands(&making, launch->tables, launch->table_count, true);
  for (size_t i = 0; i < rowlock_registry_plugin_count(registry) && !code; ++i) {
    const rowlock_plugin_t plugin = rowlock_registry_plugin_at(registry, i);
    for (size_t j = 0; j < plugin.argument_count && plugin.enabled && !code; ++j) {
      const rowlock_argument_t argument = rowlock_registry_argument_at(registry, i, j);
      code = add_output(&making, &argument);
    }
  }
  return code;
}

void rlk_buffers_deinit(rlk_buffers_t* buffers) {
  for (size_t i = 0; i < buffers->count; ++i) {
    const bool is_own = buffers->device && buffers->list[i].binding != ROWLOCK_BINDING_TABLE;
    if (is_own) rowlock_device_free(buffers->device, buffers->list[i].device_block);
    rlk_guard_deinit(&buffers->list[i].guard);
    free(buffers->list[i].initial);
  }
  free(buffers->list);
  rlk_device_gate_destroy(buffers->device_gate);
  *buffers = (rlk_buffers_t){0};
}

/* --- Before a run ------------------------------------------------------------------------------------------------- */

rowlock_code_t rlk_buffers_fill(rlk_buffers_t* buffers, uint32_t run, rowlock_error_t* err) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    rlk_buffer_t* buffer = &buffers->list[i];
    if (buffer->is_null) continue;
    rlk_guard_arm(&buffer->guard, (uint64_t)i << 32 | run);
    if (buffer->initial) {
      memcpy(buffer->guard.data, buffer->initial, buffer->guard.size_bytes);
    } else {
      rlk_poison_fill(buffer->dtype, run % RLK_POISON_PATTERNS, buffer->guard.data, buffer->element_count);
    }
    if (!buffer->is_written) code = rlk_digest(buffer->guard.data, buffer->guard.size_bytes, &buffer->digest, err);
  }
  return code;
}

rlk_array_t rlk_buffer_array(const rlk_buffer_t* buffer, void* data) {
  rlk_array_t array = rlk_array_over(buffer->dtype, data, buffer->element_count);
  if (buffer->binding == ROWLOCK_BINDING_MATRIX) {
    array.rank = 3;
    array.shape[0] = buffer->rows;
    array.shape[1] = buffer->columns;
    array.shape[2] = buffer->sample_count;
  } else if (rlk_binding_counts_samples(buffer->binding) && buffer->width != 1) {
    array.rank = 2;
    array.shape[0] = buffer->width;
    array.shape[1] = buffer->sample_count;
  }
  return array;
}
