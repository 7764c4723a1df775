#include "harness/launch/share.h"

#include <string.h>

#include "harness/gate/poison.h"
#include "harness/launch/binding.h"
#include "validator/rules/findings.h"

bool rlk_has_shares(const rowlock_plugin_t* plugin) {
  return plugin->enabled && plugin->abi_generation == 2 && plugin->exec_access &&
         strcmp(plugin->exec_access, "cross_sample_write") != 0;
}

static bool writes(const rowlock_registry_t* registry, size_t plugin_index, const rlk_buffer_t* buffer) {
  const rowlock_plugin_t plugin = rowlock_registry_plugin_at(registry, plugin_index);
  for (size_t i = 0; i < plugin.argument_count; ++i) {
    const rowlock_argument_t argument = rowlock_registry_argument_at(registry, plugin_index, i);
    const bool as_result = buffer->binding == ROWLOCK_BINDING_RESULT && argument.is_folded;
    if (!argument.is_written || strcmp(argument.name, buffer->name) != 0) continue;
    if (as_result || argument.binding == buffer->binding) return true;
  }
  return false;
}

static bool is_poisoned(const rlk_buffer_t* buffer) { return buffer->is_written && !buffer->initial; }

rowlock_code_t rlk_share_begin(rlk_buffers_t* buffers, const rowlock_registry_t* registry, size_t plugin_index,
                               uint32_t run, rlk_outputs_t* before, rowlock_error_t* err) {
  for (size_t i = 0; i < buffers->count; ++i) {
    const rlk_buffer_t* buffer = &buffers->list[i];
    if (buffer->is_null || !is_poisoned(buffer) || !writes(registry, plugin_index, buffer)) continue;
    rlk_poison_fill(buffer->dtype, run % RLK_POISON_PATTERNS, buffer->guard.data, buffer->element_count);
  }
  return rlk_outputs_take(before, buffers, err);
}

/* --- After the part ----------------------------------------------------------------------------------------------- */

/* Counts what differs in a run of elements. */
static void count_changes(const rlk_buffer_t* buffer, const unsigned char* before, uint64_t begin, uint64_t end,
                          uint64_t* count, uint64_t* first) {
  const size_t size = rlk_dtype_size(buffer->dtype);
  const unsigned char* now = buffer->guard.data;
  if (begin >= end || memcmp(now + begin * size, before + begin * size, (end - begin) * size) == 0) return;
  for (uint64_t i = begin; i < end; ++i) {
    if (memcmp(now + i * size, before + i * size, size) == 0) continue;
    if ((*count)++ == 0) *first = i;
  }
}

static rowlock_code_t refuse_outside(const rlk_buffer_t* buffer, uint64_t count, uint64_t first, const char* when,
                                     rowlock_error_t* err) {
  return rlk_refuse(err, RLK_RULE_VERDICT_OUTSIDE_SHARE,
                    RLK_SLOTS(rlk_slot_text("name", buffer->name, strlen(buffer->name)), rlk_slot_prose("when", when),
                              rlk_slot_integer("count", (int64_t)count), rlk_slot_integer("index", (int64_t)first)));
}

/* Nothing outside the part; of a buffer that another plugin writes, nothing at all. */
static rowlock_code_t judge_outside(const rlk_buffer_t* buffer, const unsigned char* before,
                                    const rowlock_partition_t* part, const char* when, rowlock_error_t* err) {
  uint64_t count = 0, first = 0;
  if (!part) {
    count_changes(buffer, before, 0, buffer->element_count, &count, &first);
    return count ? refuse_outside(buffer, count, first, when, err) : ROWLOCK_OK;
  }
  const uint64_t samples = buffer->sample_count, begin = (uint64_t)part->base, end = begin + (uint64_t)part->count;
  for (uint64_t component = 0; samples > 0 && component < buffer->element_count / samples; ++component) {
    const uint64_t offset = component * samples;
    count_changes(buffer, before, offset, offset + begin, &count, &first);
    count_changes(buffer, before, offset + end, offset + samples, &count, &first);
  }
  return count ? refuse_outside(buffer, count, first, when, err) : ROWLOCK_OK;
}

/* Every element of the part. */
static rowlock_code_t judge_inside(const rlk_buffer_t* buffer, const rowlock_partition_t* part, uint32_t run,
                                   const char* when, rowlock_error_t* err) {
  const size_t size = rlk_dtype_size(buffer->dtype);
  const uint64_t samples = buffer->sample_count, begin = (uint64_t)part->base, end = begin + (uint64_t)part->count;
  uint64_t left = 0, first = 0, total = 0;
  for (uint64_t component = 0; samples > 0 && component < buffer->element_count / samples; ++component) {
    for (uint64_t i = component * samples + begin; i < component * samples + end; ++i, ++total) {
      uint64_t bits = 0;
      memcpy(&bits, (const unsigned char*)buffer->guard.data + i * size, size);
      if (bits != rlk_poison_bits(buffer->dtype, run % RLK_POISON_PATTERNS, i)) continue;
      if (left++ == 0) first = i;
    }
  }
  return left == 0 ? ROWLOCK_OK : rlk_refuse_not_written(buffer, left, total, first, when, err);
}

rowlock_code_t rlk_judge_share(const rlk_buffers_t* buffers, const rowlock_registry_t* registry, size_t plugin_index,
                               const rowlock_partition_t* part, uint32_t run, const rlk_outputs_t* before,
                               const char* when, rowlock_error_t* err) {
  rowlock_code_t code = rlk_judge_untouched(buffers, when, err);
  const unsigned char* bytes = before->bytes;
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    const rlk_buffer_t* buffer = &buffers->list[i];
    if (!buffer->is_written) continue;
    const bool is_own = writes(registry, plugin_index, buffer),
               has_samples = rlk_binding_counts_samples(buffer->binding);
    if (!buffer->is_null && (has_samples || !is_own)) {
      code = judge_outside(buffer, bytes, is_own ? part : NULL, when, err);
      if (!code && is_own && is_poisoned(buffer)) code = judge_inside(buffer, part, run, when, err);
    }
    bytes += buffer->guard.size_bytes;
  }
  return code;
}
