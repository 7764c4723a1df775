#include "harness/launch/golden.h"

#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"

static bool has_accumulator(const rowlock_registry_t* registry, size_t index) {
  const rowlock_plugin_t plugin = rowlock_registry_plugin_at(registry, index);
  for (size_t j = 0; j < plugin.argument_count; ++j) {
    if (strcmp(rowlock_registry_argument_at(registry, index, j).role, "accum_out") == 0) return true;
  }
  return false;
}

bool rlk_golden_accumulates(const rowlock_registry_t* registry) {
  for (size_t i = 0; i < rowlock_registry_plugin_count(registry); ++i) {
    if (has_accumulator(registry, i)) return true;
  }
  return false;
}

rowlock_code_t rlk_golden_check_gate(const rowlock_registry_t* registry, const rlk_launch_t* launch,
                                     rowlock_error_t* err) {
  if (launch->comparisons == 0 || launch->gate.mode != RLK_GATE_BIT_EXACT) return ROWLOCK_OK;
  for (size_t i = 0; i < rowlock_registry_plugin_count(registry); ++i) {
    const rowlock_plugin_t plugin = rowlock_registry_plugin_at(registry, i);
    const bool folds = plugin.exec_access && strcmp(plugin.exec_access, "mapreduce") == 0;
    if (!folds && !has_accumulator(registry, i)) continue;
    return rlk_fail(err, ROWLOCK_UNUSABLE,
                    "plugin '%.100s' is %s, which leaves the order of contributions open: its gate is a band, not "
                    "bit_exact",
                    plugin.id, folds ? "mapreduce" : "accum_out");
  }
  return ROWLOCK_OK;
}

static const rlk_operand_t* find(const rlk_operand_t* list, size_t count, const char* name) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(list[i].name, name) == 0) return &list[i];
  }
  return NULL;
}

static bool is_result(const rlk_buffer_t* buffer) { return buffer->binding == ROWLOCK_BINDING_RESULT; }

static const rlk_buffer_t* find_output(const rlk_buffers_t* buffers, const char* name, bool result) {
  for (size_t i = 0; i < buffers->count; ++i) {
    const rlk_buffer_t* buffer = &buffers->list[i];
    if (buffer->is_written && is_result(buffer) == result && strcmp(buffer->name, name) == 0) return buffer;
  }
  return NULL;
}

static rowlock_code_t check_names(const rlk_buffers_t* buffers, const rlk_operand_t* list, size_t count, bool result,
                                  rowlock_error_t* err) {
  for (size_t i = 0; i < count; ++i) {
    if (find_output(buffers, list[i].name, result)) continue;
    return rlk_fail(err, ROWLOCK_UNUSABLE, "'%.100s' is given in '%s', but no enabled plugin %s it", list[i].name,
                    result ? "results" : "golden", result ? "folds" : "writes");
  }
  return ROWLOCK_OK;
}

rowlock_code_t rlk_golden_take(rlk_outputs_t* outputs, const rlk_buffers_t* buffers, const rlk_launch_t* launch,
                               const rlk_operand_source_t* source, rowlock_error_t* err) {
  rowlock_code_t code = check_names(buffers, launch->golden, launch->golden_count, false, err);
  if (!code) code = check_names(buffers, launch->results, launch->result_count, true, err);
  if (!code) code = rlk_outputs_take(outputs, buffers, err); /* for its layout: every byte is then replaced */
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    const rlk_buffer_t* buffer = &buffers->list[i];
    if (!buffer->is_written) continue;
    const rlk_operand_t* operand = is_result(buffer) ? find(launch->results, launch->result_count, buffer->name)
                                                     : find(launch->golden, launch->golden_count, buffer->name);
    if (!operand) {
      return rlk_fail(err, ROWLOCK_UNUSABLE, "'%s' does not say what %soutput '%.100s' is: it must cover every output",
                      is_result(buffer) ? "results" : "golden", is_result(buffer) ? "the folded " : "", buffer->name);
    }
    void* elements;
    code = rlk_operand_elements(operand, buffer, source, &elements, err);
    if (code) return code;
    const rlk_array_t array = rlk_outputs_array(outputs, buffers, i);
    if (array.element_count > 0) memcpy(array.data, elements, rlk_array_size(&array));
    free(elements);
  }
  return code;
}
