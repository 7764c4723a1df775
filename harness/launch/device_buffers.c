/* Buffers of a launch on a device: a copy of each, red zones included. */
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

rowlock_code_t rlk_buffers_download(const rlk_buffers_t* buffers, rowlock_error_t* err) {
  rowlock_code_t code = ROWLOCK_OK;
  for (size_t i = 0; i < buffers->count && !code; ++i) {
    const rlk_buffer_t* buffer = &buffers->list[i];
    if (!buffer->device_block) continue;
    code = rowlock_device_download(buffers->device, first_byte(&buffer->guard), buffer->device_block,
                                   block_bytes(&buffer->guard), err);
  }
  return code;
}
