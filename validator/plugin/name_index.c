#include "validator/plugin/name_index.h"

#include <stdlib.h>
#include <string.h>

bool rlk_name_index_init(rlk_name_index_t* names, rlk_judge_t* judge, uint32_t most) {
  *names = (rlk_name_index_t){0};
  if (most == 0) return true;
  names->names = rlk_arena_alloc(judge->entry_arena, most * sizeof *names->names);
  if (!names->names) judge->code = ROWLOCK_NO_MEMORY;
  return names->names != NULL;
}

void rlk_name_index_put(rlk_name_index_t* names, const rlk_node_t* text, const rlk_node_t* owner) {
  names->names[names->count++] = (rlk_indexed_name_t){.text = text->text, .length = text->text_length, .owner = owner};
}

void rlk_name_index_put_key(rlk_name_index_t* names, const rlk_node_t* member) {
  names->names[names->count++] =
      (rlk_indexed_name_t){.text = member->key, .length = member->key_length, .owner = member};
}

static int compare_text(const rlk_indexed_name_t* name, const char* text, uint32_t length) {
  if (name->length != length) return name->length < length ? -1 : 1;
  return length > 0 ? memcmp(name->text, text, length) : 0;
}

static int compare_names(const void* left, const void* right) {
  const rlk_indexed_name_t *a = left, *b = right;
  const int order = compare_text(a, b->text, b->length);
  return order != 0 ? order : (a->owner->begin > b->owner->begin) - (a->owner->begin < b->owner->begin);
}

void rlk_name_index_sort(rlk_name_index_t* names) {
  if (names->count > 1) qsort(names->names, names->count, sizeof *names->names, compare_names);
}

const rlk_node_t* rlk_name_index_find(const rlk_name_index_t* names, const char* text, uint32_t length) {
  uint32_t low = 0, high = names->count;
  while (low < high) { /* the first that is not less */
    const uint32_t middle = low + (high - low) / 2;
    if (compare_text(&names->names[middle], text, length) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool found = low < names->count && compare_text(&names->names[low], text, length) == 0;
  return found ? names->names[low].owner : NULL;
}
