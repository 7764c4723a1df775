/* The layout self-check: the sizes of what is passed by value, as an artifact exports them and as this loader has them.
 */
#ifndef ROWLOCK_LOADER_HOST_LAYOUT_H
#define ROWLOCK_LOADER_HOST_LAYOUT_H

#include "loader/host/elf.h"

#define RLK_LAYOUT_SYMBOL "eagle_layout_sizes"

/* RLK_LAYOUT_FIELD(ID, name in messages, bytes): the array's elements in order, 64-bit each (plugin facts, section 2).
 */
#define RLK_LAYOUT_FIELDS(RLK_LAYOUT_FIELD)            \
  RLK_LAYOUT_FIELD(GREF, "GRef", 40)                   \
  RLK_LAYOUT_FIELD(SCALAR_HANDLE, "scalar handle", 32) \
  RLK_LAYOUT_FIELD(INT_HANDLE, "int handle", 32)       \
  RLK_LAYOUT_FIELD(INDEX, "index type", 4)             \
  RLK_LAYOUT_FIELD(TRIPLE, "triple", 24)

/* RLK_LAYOUT_GREF_BYTES and so on. */
enum {
#define RLK_LAYOUT_FIELD(ID, name, bytes) RLK_LAYOUT_##ID##_BYTES = (bytes),
  RLK_LAYOUT_FIELDS(RLK_LAYOUT_FIELD)
#undef RLK_LAYOUT_FIELD
};

typedef enum rlk_layout_field_t {
#define RLK_LAYOUT_FIELD(ID, name, bytes) RLK_LAYOUT_FIELD_##ID,
  RLK_LAYOUT_FIELDS(RLK_LAYOUT_FIELD)
#undef RLK_LAYOUT_FIELD
      RLK_LAYOUT_FIELD_COUNT
} rlk_layout_field_t;

enum { RLK_LAYOUT_LENGTH = RLK_LAYOUT_FIELD_COUNT * 8 };

/* Compares an array of `length` bytes, wherever it was read; `bytes` NULL stands for zeros, and need not be aligned. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_layout_compare(const void* bytes, uint64_t length, rowlock_error_t* err);

/* Compares the array that a shared object exports; that it exports none is refused too. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_layout_check(const rlk_elf_t* elf, rowlock_error_t* err);

#endif
