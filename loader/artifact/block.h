/* The parameter block that a sidecar implies: what a loader passes, byte by byte (plugin facts, section 2). */
#ifndef ROWLOCK_LOADER_ARTIFACT_BLOCK_H
#define ROWLOCK_LOADER_ARTIFACT_BLOCK_H

#include "loader/artifact/artifact.h"
#include "loader/registry/plugin.h"
#include "validator/rules/text.h"

/* What a parameter may be declared as in PTX. */
typedef enum rlk_value_class_t {
  RLK_VALUE_STRUCT, /* a view or handle */
  RLK_VALUE_FLOAT,  /* of its size */
  RLK_VALUE_INTEGER,
  RLK_VALUE_EITHER, /* a uniform whose type the sidecar does not declare */
} rlk_value_class_t;

typedef struct rlk_slot_of_block_t {
  rlk_artifact_parameter_t parameter;
  rlk_value_class_t value;
} rlk_slot_of_block_t;

typedef struct rlk_block_t {
  rlk_slot_of_block_t* slots;
  size_t count;          /* with the triple */
  size_t argument_count; /* of arg_spec */
  bool has_triple;
  uint32_t bytes;
} rlk_block_t;

enum { RLK_TRIPLE_COUNT = 3 };

/* ROWLOCK_OK or ROWLOCK_NO_MEMORY. Strings are the description's. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_block_of(const rlk_description_t* description, rlk_arena_t* arena,
                                               rlk_block_t* out_block, rowlock_error_t* err);

/* Puts parameters as a list, "out 40 @0, mass 32 @40", cut after some. */
void rlk_block_put(rlk_text_t* text, const rlk_block_t* block);
void rlk_parameters_put(rlk_text_t* text, const rlk_artifact_entry_t* entry);

#endif
