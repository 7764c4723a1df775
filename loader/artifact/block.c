#include "loader/artifact/block.h"

#include <string.h>

#include "loader/artifact/readers.h"

enum { SHOWN_PARAMETERS = 12, SHOWN_NAME = 24, INDEX_BYTES = 8 };

static rlk_value_class_t class_of(const rlk_parameter_t* parameter) {
  const rlk_passing_t passing = rlk_binding_info(parameter->binding)->passing;
  if (passing == RLK_PASSING_INDEX) return RLK_VALUE_INTEGER;
  if (passing != RLK_PASSING_VALUE) return RLK_VALUE_STRUCT;
  if (parameter->is_int_too) return RLK_VALUE_EITHER;
  return parameter->element == ROWLOCK_ELEMENT_INT64 ? RLK_VALUE_INTEGER : RLK_VALUE_FLOAT;
}

/* Structs consist of words of 8 bytes; a value is aligned to its own size. */
static void add(rlk_block_t* block, const char* name, uint32_t bytes, rlk_value_class_t value) {
  const uint32_t alignment = value == RLK_VALUE_STRUCT ? 8 : bytes;
  const uint32_t offset = (block->bytes + alignment - 1) & ~(alignment - 1);
  block->slots[block->count++] = (rlk_slot_of_block_t){
      .parameter = {.name = name, .offset = offset, .bytes = bytes, .alignment = alignment}, .value = value};
  block->bytes = offset + bytes;
}

rowlock_code_t rlk_block_of(const rlk_description_t* description, rlk_arena_t* arena, rlk_block_t* out_block,
                            rowlock_error_t* err) {
  static const char* const triple[RLK_TRIPLE_COUNT] = {"base", "count", "nSamples"};
  const size_t most = description->parameter_count + RLK_TRIPLE_COUNT;
  *out_block = (rlk_block_t){.slots = rlk_arena_alloc(arena, most * sizeof *out_block->slots),
                             .argument_count = description->parameter_count,
                             .has_triple = description->tag == RLK_WORD_ABI_2};
  if (!out_block->slots) return rlk_artifact_no_memory(err);
  for (size_t i = 0; i < description->parameter_count; ++i) {
    const rlk_parameter_t* parameter = &description->parameters[i];
    add(out_block, parameter->name, (uint32_t)rlk_parameter_bytes(parameter->binding, parameter->element),
        class_of(parameter));
  }
  for (int i = 0; i < RLK_TRIPLE_COUNT && out_block->has_triple; ++i) {
    add(out_block, triple[i], INDEX_BYTES, RLK_VALUE_INTEGER);
  }
  return ROWLOCK_OK;
}

static void put_parameter(rlk_text_t* text, const rlk_artifact_parameter_t* parameter, size_t index) {
  if (index > 0) rlk_text_put(text, ", ", 2);
  if (parameter->name) {
    rlk_text_put_shown(text, parameter->name, strlen(parameter->name), SHOWN_NAME);
    rlk_text_put(text, " ", 1);
  }
  rlk_text_printf(text, "%u @%u", parameter->bytes, parameter->offset);
}

static void put_rest(rlk_text_t* text, size_t count, uint32_t bytes) {
  if (count > SHOWN_PARAMETERS) rlk_text_printf(text, " and %zu more", count - SHOWN_PARAMETERS);
  rlk_text_printf(text, "%s(%u bytes)", count > 0 ? " " : "none ", bytes);
}

void rlk_block_put(rlk_text_t* text, const rlk_block_t* block) {
  for (size_t i = 0; i < block->count && i < SHOWN_PARAMETERS; ++i) put_parameter(text, &block->slots[i].parameter, i);
  put_rest(text, block->count, block->bytes);
}

void rlk_parameters_put(rlk_text_t* text, const rlk_artifact_entry_t* entry) {
  for (size_t i = 0; i < entry->parameter_count && i < SHOWN_PARAMETERS; ++i) {
    /* PTX numbers its parameters: the sizes say as much and are shorter. */
    rlk_artifact_parameter_t parameter = entry->parameters[i];
    parameter.name = NULL;
    put_parameter(text, &parameter, i);
  }
  put_rest(text, entry->parameter_count, entry->block_bytes);
}
