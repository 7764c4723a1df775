/* Parts of the reader of launches that launch_reader.c and operand_reader.c share. */
#ifndef ROWLOCK_HARNESS_LAUNCH_OPERAND_READER_H
#define ROWLOCK_HARNESS_LAUNCH_OPERAND_READER_H

#include "harness/launch/launch.h"

typedef struct rlk_launch_reading_t {
  const rlk_launch_reader_t* reader;
  rlk_launch_t* launch;
  rowlock_code_t code; /* ROWLOCK_NO_MEMORY once memory was short */
} rlk_launch_reading_t;

void rlk_launch_bad_value(rlk_launch_reading_t* reading, const rlk_node_t* at, const char* key, const char* expected);
void rlk_launch_unknown_key(rlk_launch_reading_t* reading, const rlk_node_t* at, const char* known);

/* Memory of the launch; NULL, with the code set, when it is short. */
void* rlk_launch_alloc(rlk_launch_reading_t* reading, size_t size);

const char* rlk_launch_copy(rlk_launch_reading_t* reading, const char* text, size_t length);

/* A member's name, or a node's string, as a C string; NULL with a complaint if it is empty or holds a NUL. */
const char* rlk_launch_read_name(rlk_launch_reading_t* reading, const rlk_node_t* member, const char* what);
const char* rlk_launch_read_text(rlk_launch_reading_t* reading, const rlk_node_t* node, const char* key);

/* A number, true or false, or a string that holds a number as C spells it ("0x1.8p+1", "nan", "-inf"). False if it is
 * anything else. One that overflows is complained about here, and read as 0. */
bool rlk_scalar_read(rlk_launch_reading_t* reading, const rlk_node_t* node, rlk_scalar_t* out_scalar);

/* Reads a member whose key is the operand's name. */
void rlk_operand_read(rlk_launch_reading_t* reading, const rlk_node_t* member, rlk_operand_t* out_operand);

#endif
