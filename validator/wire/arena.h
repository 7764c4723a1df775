/* Memory that is given back all at once: a document's nodes and decoded strings. */
#ifndef ROWLOCK_VALIDATOR_WIRE_ARENA_H
#define ROWLOCK_VALIDATOR_WIRE_ARENA_H

#include <stddef.h>

typedef struct rlk_arena_block_t rlk_arena_block_t;

typedef struct rlk_arena_t {
  rlk_arena_block_t* first;
  rlk_arena_block_t* current;
} rlk_arena_t;

/* A zeroed rlk_arena_t is an empty arena; deinit makes it one again. */
void rlk_arena_deinit(rlk_arena_t* arena);

/* Forgets what was allocated and keeps the blocks for the next use. */
void rlk_arena_reset(rlk_arena_t* arena);

/* Memory aligned for any object, uninitialised, valid until reset or deinit; NULL when memory is short. */
void* rlk_arena_alloc(rlk_arena_t* arena, size_t size);

#endif
