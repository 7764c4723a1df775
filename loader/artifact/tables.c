#include "loader/artifact/tables.h"

#include <string.h>

struct rlk_kept_tables_t {
  rlk_tables_t tables;
  size_t finding;
  rlk_kept_tables_t* next;
};

bool rlk_tables_agree(const rlk_tables_t* tables, size_t ordinal) {
  if (ordinal >= tables->due.count || ordinal >= tables->found.count) return false;
  const rlk_artifact_parameter_t *due = &tables->due.parameters[ordinal], *found = &tables->found.parameters[ordinal];
  return due->offset == found->offset && due->bytes == found->bytes;
}

void rlk_tables_clear(rlk_tables_keeper_t* keeper) {
  rlk_arena_reset(&keeper->arena);
  keeper->first = keeper->last = NULL;
  keeper->bytes = 0;
}

/* With its NUL. */
static size_t text_size(const char* text) { return text ? strlen(text) + 1 : 0; }

static size_t list_size(const rlk_parameter_list_t* list) {
  size_t size = list->count * sizeof *list->parameters;
  for (size_t i = 0; i < list->count; ++i) {
    size += text_size(list->parameters[i].name) + text_size(list->parameters[i].type);
  }
  return size;
}

static const char* copy_text(const char* text, char** room) {
  if (!text) return NULL;
  const size_t size = text_size(text);
  const char* copy = memcpy(*room, text, size);
  *room += size;
  return copy;
}

/* Copies the list and its texts into memory of its size. */
static rlk_parameter_list_t copy_list(const rlk_parameter_list_t* list, void* memory) {
  rlk_artifact_parameter_t* parameters = memory;
  char* room = (char*)(parameters + list->count);
  for (size_t i = 0; i < list->count; ++i) {
    parameters[i] = list->parameters[i];
    parameters[i].name = copy_text(list->parameters[i].name, &room);
    parameters[i].type = copy_text(list->parameters[i].type, &room);
  }
  return (rlk_parameter_list_t){.parameters = parameters, .count = list->count, .bytes = list->bytes};
}

rowlock_code_t rlk_tables_keep(rlk_tables_keeper_t* keeper, size_t finding, const rlk_tables_t* tables) {
  const size_t due = list_size(&tables->due), found = list_size(&tables->found);
  if (due + found > RLK_TABLES_BYTES_MAX - keeper->bytes) return ROWLOCK_OK;
  rlk_kept_tables_t* kept = rlk_arena_alloc(&keeper->arena, sizeof *kept);
  void* due_memory = rlk_arena_alloc(&keeper->arena, due + 1);
  void* found_memory = rlk_arena_alloc(&keeper->arena, found + 1);
  if (!kept || !due_memory || !found_memory) return ROWLOCK_NO_MEMORY;
  keeper->bytes += due + found;
  *kept = (rlk_kept_tables_t){.finding = finding};
  kept->tables.due = copy_list(&tables->due, due_memory);
  kept->tables.found = copy_list(&tables->found, found_memory);
  if (keeper->last) {
    keeper->last->next = kept;
  } else {
    keeper->first = kept;
  }
  keeper->last = kept;
  return ROWLOCK_OK;
}

const rlk_tables_t* rlk_tables_find(const rlk_tables_keeper_t* keeper, size_t finding) {
  for (const rlk_kept_tables_t* kept = keeper->first; kept && kept->finding <= finding; kept = kept->next) {
    if (kept->finding == finding) return &kept->tables;
  }
  return NULL;
}
