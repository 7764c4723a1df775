#include "harness/launch/judge_run.h"

#include <stdlib.h>
#include <string.h>

#include "harness/gate/comparison_text.h"
#include "harness/gate/poison.h"
#include "validator/rules/findings.h"
#include "validator/rules/text.h"

void rlk_outputs_deinit(rlk_outputs_t* outputs) {
  free(outputs->bytes);
  *outputs = (rlk_outputs_t){0};
}

rowlock_code_t rlk_outputs_take(rlk_outputs_t* outputs, const rlk_buffers_t* buffers, rowlock_error_t* err) {
  size_t size = 0;
  for (size_t i = 0; i < buffers->count; ++i) {
    if (buffers->list[i].is_written) size += buffers->list[i].guard.size_bytes;
  }
  unsigned char* bytes = realloc(outputs->bytes, size > 0 ? size : 1);
  if (!bytes) return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory to keep %zu bytes of outputs", size);
  *outputs = (rlk_outputs_t){bytes, size};
  for (size_t i = 0; i < buffers->count; ++i) {
    const rlk_buffer_t* buffer = &buffers->list[i];
    if (!buffer->is_written || buffer->guard.size_bytes == 0) continue;
    memcpy(bytes, buffer->guard.data, buffer->guard.size_bytes);
    bytes += buffer->guard.size_bytes;
  }
  return ROWLOCK_OK;
}

rlk_array_t rlk_outputs_array(const rlk_outputs_t* outputs, const rlk_buffers_t* buffers, size_t index) {
  size_t offset = 0;
  for (size_t i = 0; i < index; ++i) {
    if (buffers->list[i].is_written) offset += buffers->list[i].guard.size_bytes;
  }
  return rlk_buffer_array(&buffers->list[index], outputs->bytes + offset);
}

/* --- Conduct ------------------------------------------------------------------------------------------------------ */

static rlk_slot_t name_slot(const rlk_buffer_t* buffer) {
  return rlk_slot_text("name", buffer->name, strlen(buffer->name));
}

static rowlock_code_t judge_zones(const rlk_buffer_t* buffer, const char* when, rowlock_error_t* err) {
  rlk_damage_t damage;
  if (rlk_guard_check(&buffer->guard, &damage)) return ROWLOCK_OK;
  char words[160];
  rlk_text_t text = rlk_text_over(words, sizeof words);
  rlk_damage_put(&text, &damage);
  return rlk_refuse(err, RLK_RULE_VERDICT_RED_ZONE,
                    RLK_SLOTS(name_slot(buffer), rlk_slot_prose("damage", words), rlk_slot_prose("when", when)));
}

static rowlock_code_t judge_input(const rlk_buffer_t* buffer, const char* when, rowlock_error_t* err) {
  rlk_digest_t digest;
  const rowlock_code_t code = rlk_digest(buffer->guard.data, buffer->guard.size_bytes, &digest, err);
  if (code || rlk_digest_equal(&digest, &buffer->digest)) return code;
  return rlk_refuse(err, RLK_RULE_VERDICT_INPUT_CHANGED, RLK_SLOTS(name_slot(buffer), rlk_slot_prose("when", when)));
}

rowlock_code_t rlk_refuse_not_written(const rlk_buffer_t* buffer, uint64_t left, uint64_t total, uint64_t first,
                                      const char* when, rowlock_error_t* err) {
  return rlk_refuse(
      err, RLK_RULE_VERDICT_NOT_WRITTEN,
      RLK_SLOTS(name_slot(buffer), rlk_slot_integer("count", (int64_t)left), rlk_slot_integer("total", (int64_t)total),
                rlk_slot_integer("index", (int64_t)first), rlk_slot_prose("when", when)));
}

static rowlock_code_t judge_work(const rlk_buffer_t* buffer, uint32_t run, const char* when, rowlock_error_t* err) {
  uint64_t first;
  const uint64_t left = rlk_poison_count_left(buffer->dtype, run % RLK_POISON_PATTERNS, buffer->guard.data,
                                              buffer->element_count, &first);
  return left == 0 ? ROWLOCK_OK : rlk_refuse_not_written(buffer, left, buffer->element_count, first, when, err);
}

rowlock_code_t rlk_judge_untouched(const rlk_buffers_t* buffers, const char* when, rowlock_error_t* err) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    if (!buffers->list[i].is_null) code = judge_zones(&buffers->list[i], when, err);
  }
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    const rlk_buffer_t* buffer = &buffers->list[i];
    if (!buffer->is_null && !buffer->is_written) code = judge_input(buffer, when, err);
  }
  return code;
}

rowlock_code_t rlk_judge_conduct(const rlk_buffers_t* buffers, uint32_t run, const char* when, rowlock_error_t* err) {
  rowlock_code_t code = rlk_judge_untouched(buffers, when, err);
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    const rlk_buffer_t* buffer = &buffers->list[i];
    if (!buffer->is_null && buffer->is_written && !buffer->initial) code = judge_work(buffer, run, when, err);
  }
  return code;
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

static rowlock_code_t refuse_difference(const rlk_buffer_t* buffer, const rlk_comparison_t* comparison, rlk_rule_t rule,
                                        const char* when, rowlock_error_t* err) {
  char words[RLK_COMPARISON_TEXT_SIZE];
  rlk_text_t text = rlk_text_over(words, sizeof words);
  rlk_comparison_put(&text, comparison, "; ");
  const bool is_result = buffer->binding == ROWLOCK_BINDING_RESULT;
  return rlk_refuse(err, rule,
                    RLK_SLOTS(rlk_slot_prose("what", is_result ? "the folded value of " : ""), name_slot(buffer),
                              rlk_slot_prose("when", when), rlk_slot_prose("difference", words)));
}

static rowlock_code_t compare(const rlk_buffers_t* buffers, const rlk_buffer_t* buffer, const rlk_array_t* due,
                              const rlk_result_gate_t* gate, rlk_comparison_t* out_comparison, rowlock_error_t* err) {
  const rlk_array_t computed = rlk_buffer_array(buffer, rlk_buffer_address(buffer));
  if (!buffer->device_block) return rlk_compare(&computed, due, gate, out_comparison, err);
  return rlk_device_compare_with_host(buffers->device_gate, &computed, due, gate, out_comparison, err);
}

rowlock_code_t rlk_judge_outputs(const rlk_buffers_t* buffers, const rlk_outputs_t* want, const rlk_result_gate_t* gate,
                                 rlk_rule_t rule, const char* when, const char** out_loose, rowlock_error_t* err) {
  size_t offset = 0;
  for (size_t i = 0; i < buffers->count; ++i) {
    const rlk_buffer_t* buffer = &buffers->list[i];
    if (!buffer->is_written) continue;
    const rlk_array_t due = rlk_buffer_array(buffer, want->bytes + offset);
    offset += buffer->guard.size_bytes;
    rlk_comparison_t comparison;
    const rlk_result_gate_t band = rlk_gate_default_band(buffer->dtype, buffer->element_count);
    const rowlock_code_t code = compare(buffers, buffer, &due, gate ? gate : &band, &comparison, err);
    if (code) return code;
    if (comparison.outcome != RLK_OUTCOME_EQUAL) return refuse_difference(buffer, &comparison, rule, when, err);
    if (out_loose && gate && rlk_comparison_is_loose(&comparison)) *out_loose = buffer->name;
  }
  return ROWLOCK_OK;
}
