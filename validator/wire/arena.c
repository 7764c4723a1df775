#include "validator/wire/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

enum { FIRST_BLOCK_BYTES = 16 * 1024, LARGEST_BLOCK_BYTES = 4 * 1024 * 1024 };

struct rlk_arena_block_t {
  rlk_arena_block_t* next;
  size_t size, used;
  alignas(max_align_t) unsigned char bytes[];
};

void rlk_arena_deinit(rlk_arena_t* arena) {
  rlk_arena_block_t* block = arena->first;
  while (block) {
    rlk_arena_block_t* next = block->next;
    free(block);
    block = next;
  }
  *arena = (rlk_arena_t){0};
}

void rlk_arena_reset(rlk_arena_t* arena) {
  arena->current = arena->first;
  if (arena->first) arena->first->used = 0;
}

/* The next block that holds `size` bytes: a kept one if it is large enough, else a new one in front of the kept ones.
 */
static rlk_arena_block_t* advance(rlk_arena_t* arena, size_t size) {
  rlk_arena_block_t* next = arena->current ? arena->current->next : arena->first;
  if (!next || next->size < size) {
    size_t block_size = arena->current ? 2 * arena->current->size : FIRST_BLOCK_BYTES;
    if (block_size > LARGEST_BLOCK_BYTES) block_size = LARGEST_BLOCK_BYTES;
    if (block_size < size) block_size = size;
    rlk_arena_block_t* block = malloc(sizeof *block + block_size);
    if (!block) return NULL;
    block->size = block_size;
    block->next = next;
    if (arena->current) {
      arena->current->next = block;
    } else {
      arena->first = block;
    }
    next = block;
  }
  next->used = 0;
  arena->current = next;
  return next;
}

void* rlk_arena_alloc(rlk_arena_t* arena, size_t size) {
  const size_t unit = alignof(max_align_t);
  if (size > SIZE_MAX / 2) return NULL;
  size = (size + unit - 1) / unit * unit;
  rlk_arena_block_t* block = arena->current;
  if (!block || block->size - block->used < size) {
    block = advance(arena, size);
    if (!block) return NULL;
  }
  void* memory = block->bytes + block->used;
  block->used += size;
  return memory;
}
