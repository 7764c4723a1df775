/* Buffers of a launch on a device: a copy of each, red zones included. */
#include <string.h>

#include "harness/launch/buffers.h"

static uint64_t block_bytes(const rlk_guard_t* guard) { return 2 * (uint64_t)guard->zone_bytes + guard->size_bytes; }
static unsigned char* first_byte(const rlk_guard_t* guard) { return (unsigned char*)guard->data - guard->zone_bytes; }

void* rlk_buffer_address(const rlk_buffer_t* buffer) {
  if (buffer->is_null) return NULL;
  if (!buffer->device_block) return buffer->guard.data;
  return (unsigned char*)buffer->device_block + buffer->guard.zone_bytes;
}

rowlock_code_t rlk_buffers_move(rlk_buffers_t* buffers, rowlock_device_t* device, rowlock_error_t* err) {
  buffers->device = device;
  rowlock_code_t code = rlk_device_gate_create(device, &buffers->device_gate, err);
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    rlk_buffer_t* buffer = &buffers->list[i];
    if (buffer->is_null || buffer->binding == ROWLOCK_BINDING_TABLE) continue;
    code = rowlock_device_alloc(device, block_bytes(&buffer->guard), &buffer->device_block, err);
  }
  return code;
}

rowlock_code_t rlk_buffers_upload(const rlk_buffers_t* buffers, rowlock_error_t* err) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    const rlk_buffer_t* buffer = &buffers->list[i];
    if (!buffer->device_block) continue;
    code = rowlock_device_upload(buffers->device, buffer->device_block, first_byte(&buffer->guard),
                                 block_bytes(&buffer->guard), err);
  }
  return code;
}

/* Where the registry put the table of that name; NULL if it is empty, or not there. */
static const void* find_table(const rowlock_registry_t* registry, const char* name) {
  for (size_t i = 0; i < rowlock_registry_table_count(registry); ++i) {
    const rowlock_table_t table = rowlock_registry_table_at(registry, i);
    if (strcmp(table.name, name) == 0) return table.data;
  }
  return NULL;
}

static rowlock_code_t download(const rlk_buffers_t* buffers, const rlk_buffer_t* buffer,
                               const rowlock_registry_t* registry, rowlock_error_t* err) {
  if (buffer->device_block) {
    return rowlock_device_download(buffers->device, first_byte(&buffer->guard), buffer->device_block,
                                   block_bytes(&buffer->guard), err);
  }
  const bool is_table = buffer->binding == ROWLOCK_BINDING_TABLE && !buffer->is_null;
  const void* table = is_table ? find_table(registry, buffer->name) : NULL;
  if (!table) return ROWLOCK_OK;
  return rowlock_device_download(buffers->device, buffer->guard.data, table, buffer->guard.size_bytes, err);
}

rowlock_code_t rlk_buffers_download(const rlk_buffers_t* buffers, const rowlock_registry_t* registry,
                                    rowlock_error_t* err) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < buffers->count && buffers->device && !code; ++i) {
    code = download(buffers, &buffers->list[i], registry, err);
  }
  return code;
}
