/* Memory, streams and graphs of the double. */
#include <stdlib.h>
#include <string.h>

#include "loader/device/testdata/double_state.h"

struct rlk_cu_stream_s {
  rlk_cu_stream_t next;
  bool is_capturing;
};

typedef struct block_t block_t;
struct block_t {
  block_t* next;
  size_t bytes;
  char* data;
};

static rlk_cu_stream_t streams;
static block_t* blocks;

/* --- Memory ------------------------------------------------------------------------------------------------------- */

rlk_cu_result_t double_mem_alloc(rlk_cu_address_t* address, size_t bytes) {
  BEGIN(mem_alloc);
  if (bytes == 0) return RLK_CU_INVALID_VALUE;
  if (bytes > double_state.memory_bytes - double_state.bytes) return RLK_CU_OUT_OF_MEMORY;
  block_t* block = malloc(sizeof *block);
  char* data = block ? malloc(bytes) : NULL;
  if (!data) abort();
  memset(data, 0xA5, bytes);
  *block = (block_t){.next = blocks, .bytes = bytes, .data = data};
  blocks = block;
  ++double_state.allocations;
  double_state.bytes += bytes;
  *address = (rlk_cu_address_t)(uintptr_t)data;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_mem_free(rlk_cu_address_t address) {
  BEGIN(mem_free);
  block_t** at = &blocks;
  while (*at && (*at)->data != (char*)(uintptr_t)address) at = &(*at)->next;
  block_t* block = *at;
  if (!block) return double_stray();
  *at = block->next;
  --double_state.allocations;
  double_state.bytes -= block->bytes;
  free(block->data);
  free(block);
  return RLK_CU_SUCCESS;
}

/* Whether the bytes are all in one block, or in a module's array. */
static bool is_on_device(const char* data, size_t bytes) {
  for (const block_t* block = blocks; block; block = block->next) {
    if (data >= block->data && data + bytes <= block->data + block->bytes) return true;
  }
  return double_is_in_module(data, bytes);
}

rlk_cu_result_t double_memcpy_to_device(rlk_cu_address_t to, const void* from, size_t bytes) {
  BEGIN(memcpy_to_device);
  if (!is_on_device((char*)(uintptr_t)to, bytes)) return RLK_CU_INVALID_VALUE;
  memcpy((char*)(uintptr_t)to, from, bytes);
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_memcpy_to_host(void* to, rlk_cu_address_t from, size_t bytes) {
  BEGIN(memcpy_to_host);
  if (!is_on_device((char*)(uintptr_t)from, bytes)) return RLK_CU_INVALID_VALUE;
  memcpy(to, (char*)(uintptr_t)from, bytes);
  return RLK_CU_SUCCESS;
}

/* --- Streams and graphs ------------------------------------------------------------------------------------------- */

rlk_cu_result_t double_stream_create(rlk_cu_stream_t* stream, unsigned flags) {
  BEGIN(stream_create);
  (void)flags;
  rlk_cu_stream_t made = calloc(1, sizeof *made);
  if (!made) return RLK_CU_OUT_OF_MEMORY;
  made->next = streams;
  streams = *stream = made;
  ++double_state.streams;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_stream_destroy(rlk_cu_stream_t stream) {
  BEGIN(stream_destroy);
  rlk_cu_stream_t* at = &streams;
  while (*at && *at != stream) at = &(*at)->next;
  if (!*at) return double_stray();
  *at = stream->next;
  free(stream);
  --double_state.streams;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_stream_synchronize(rlk_cu_stream_t stream) {
  BEGIN(stream_synchronize);
  (void)stream;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_stream_begin_capture(rlk_cu_stream_t stream, int mode) {
  BEGIN(stream_begin_capture);
  if (!stream || stream->is_capturing || mode != RLK_CU_CAPTURE_THREAD_LOCAL) return RLK_CU_INVALID_VALUE;
  stream->is_capturing = true;
  double_forget_captured();
  ++double_state.captures;
  return RLK_CU_SUCCESS;
}

/* Graphs are counted, and the last one captured can be launched: one address is all of them. */
static char graph;

rlk_cu_result_t double_stream_end_capture(rlk_cu_stream_t stream, rlk_cu_graph_t* out_graph) {
  BEGIN(stream_end_capture);
  if (!stream || !stream->is_capturing) return RLK_CU_INVALID_VALUE;
  stream->is_capturing = false;
  --double_state.captures;
  ++double_state.graphs;
  *out_graph = (rlk_cu_graph_t)(void*)&graph;
  return RLK_CU_SUCCESS;
}

#ifndef OLD
rlk_cu_result_t double_graph_instantiate(rlk_cu_graph_exec_t* exec, rlk_cu_graph_t of, unsigned long long flags) {
  BEGIN(graph_instantiate);
  (void)of, (void)flags;
  ++double_state.graph_execs;
  *exec = (rlk_cu_graph_exec_t)(void*)&graph;
  return RLK_CU_SUCCESS;
}
#endif

rlk_cu_result_t double_graph_launch(rlk_cu_graph_exec_t exec, rlk_cu_stream_t stream) {
  BEGIN(graph_launch);
  (void)exec, (void)stream;
  double_replay();
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_graph_exec_destroy(rlk_cu_graph_exec_t exec) {
  BEGIN(graph_exec_destroy);
  if (!exec || double_state.graph_execs == 0) return double_stray();
  --double_state.graph_execs;
  return RLK_CU_SUCCESS;
}

rlk_cu_result_t double_graph_destroy(rlk_cu_graph_t of) {
  BEGIN(graph_destroy);
  if (!of || double_state.graphs == 0) return double_stray();
  --double_state.graphs;
  return RLK_CU_SUCCESS;
}
