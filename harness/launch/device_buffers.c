/* Buffers of a launch on a device: a copy of each, red zones included. */
#include <string.h>

#include "harness/launch/buffers.h"
#include "loader/device/backend.h"

static uint64_t block_bytes(const rlk_guard_t* guard) { return 2 * (uint64_t)guard->zone_bytes + guard->size_bytes; }
static unsigned char* first_byte(const rlk_guard_t* guard) { return (unsigned char*)guard->data - guard->zone_bytes; }

void* rlk_buffer_address(const rlk_buffer_t* buffer) {
  if (buffer->is_null) return NULL;
  if (!buffer->device_block) return buffer->guard.data;
  return (unsigned char*)buffer->device_block + buffer->guard.zone_bytes;
}

rowlock_code_t rlk_buffers_move(rlk_buffers_t* buffers, rowlock_device_t* device, rowlock_registry_t* registry,
                                rowlock_error_t* err) {
  buffers->device = device;
  rlk_device_guard_tables(registry, RLK_BUFFER_ZONE_BYTES);
  rowlock_code_t code = rlk_device_gate_create(device, &buffers->device_gate, err);
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    rlk_buffer_t* buffer = &buffers->list[i];
    if (buffer->is_null || buffer->binding == ROWLOCK_BINDING_TABLE) continue;
    rowlock_error_t problem;
    code = rowlock_device_alloc(device, block_bytes(&buffer->guard), &buffer->device_block, &problem);
    if (code) rlk_fail(err, code, "'%.100s': %s", buffer->name, problem.message);
  }
  return code;
}

void rlk_buffers_find_tables(rlk_buffers_t* buffers, const rowlock_registry_t* registry) {
  for (size_t i = 0; i < rowlock_registry_table_count(registry); ++i) {
    const rowlock_table_t table = rowlock_registry_table_at(registry, i);
    for (size_t j = 0; j < buffers->count && table.data; ++j) {
      rlk_buffer_t* buffer = &buffers->list[j];
      if (buffer->is_null || buffer->binding != ROWLOCK_BINDING_TABLE || strcmp(buffer->name, table.name) != 0)
        continue;
      buffer->device_block = (unsigned char*)table.data - RLK_BUFFER_ZONE_BYTES;
    }
  }
}

rowlock_code_t rlk_buffers_upload(const rlk_buffers_t* buffers, rowlock_error_t* err) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    const rlk_guard_t* guard = &buffers->list[i].guard;
    void* block = buffers->list[i].device_block;
    if (block) code = rowlock_device_upload(buffers->device, block, first_byte(guard), block_bytes(guard), err);
  }
  return code;
}

rowlock_code_t rlk_buffers_download(const rlk_buffers_t* buffers, rowlock_error_t* err) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    const rlk_guard_t* guard = &buffers->list[i].guard;
    const void* block = buffers->list[i].device_block;
    if (block) code = rowlock_device_download(buffers->device, first_byte(guard), block, block_bytes(guard), err);
  }
  return code;
}
