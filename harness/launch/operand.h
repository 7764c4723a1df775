/* A named array of a launch: what it is bound as, and how it comes by its elements. */
#ifndef ROWLOCK_HARNESS_LAUNCH_OPERAND_H
#define ROWLOCK_HARNESS_LAUNCH_OPERAND_H

#include "harness/gate/array.h"
#include "loader/files.h"

/* RLK_FILL(ID, key in rows, what it makes): element i, in memory order, of an array.
 *
 * Numbers are computed in float64 and rounded once to the array's type; of the random ones, element i depends on the
 * seed and i alone (philox.h), and on every machine has the same bits. */
#define RLK_FILLS(RLK_FILL)                                                                     \
  RLK_FILL(FILE, "file", "a .npy file beside the manifest")                                     \
  RLK_FILL(VALUES, "values", "the elements themselves")                                         \
  RLK_FILL(CONSTANT, "constant", "one value")                                                   \
  RLK_FILL(RANGE, "range", "start + i * step")                                                  \
  RLK_FILL(LINSPACE, "linspace", "from `from` to `to`, both included, in even steps")           \
  RLK_FILL(UNIFORM, "uniform", "evenly from [low, high); integers and bools too")               \
  RLK_FILL(NORMAL, "normal", "normally distributed around `mean`, by the polar method")         \
  RLK_FILL(POISON, "poison", "what outputs hold before a run: the kernel must write every one") \
  RLK_FILL(NULL, "null", "no memory at all: a null address")

typedef enum rlk_fill_kind_t {
#define RLK_FILL(ID, ...) RLK_FILL_##ID,
  RLK_FILLS(RLK_FILL)
#undef RLK_FILL
      RLK_FILL_COUNT
} rlk_fill_kind_t;

const char* rlk_fill_name(rlk_fill_kind_t kind);

/* A number as it was written: an integer is also kept exactly. */
typedef struct rlk_scalar_t {
  double real;
  int64_t integer;
  bool is_integer;
} rlk_scalar_t;

typedef struct rlk_fill_t {
  rlk_fill_kind_t kind;
  const char* file;    /* relative to the manifest's folder, or anywhere for `rowlock launch` */
  rlk_scalar_t first;  /* constant, start, from, low, mean */
  rlk_scalar_t second; /* step, to, high, deviation */
  uint64_t seed;
  const rlk_scalar_t* values;
  size_t value_count;
} rlk_fill_t;

#define RLK_OPERAND_UNSTATED (-1)

typedef struct rlk_operand_t {
  const char* name;
  rlk_fill_t fill;
  int dtype;     /* rlk_dtype_t, or RLK_OPERAND_UNSTATED: as declared, or as the file says */
  int binding;   /* rowlock_binding_t, or RLK_OPERAND_UNSTATED: as declared */
  uint32_t rank; /* 0: as declared, or as the file says */
  uint64_t shape[RLK_RANK_MAX];
} rlk_operand_t;

/* What an operand may be bound `as`: the bindings with which ROWLOCK_BINDINGS begins, up to the tables, which are
 * consolidated. NULL beyond the last. */
const char* rlk_operand_binding_name(size_t index);

/* An element of an array of that type, in the lowest bytes. */
uint64_t rlk_scalar_bits(rlk_dtype_t dtype, const rlk_scalar_t* scalar);

/* Fills the `element_count` elements at `data`. Poison is of pattern `poison`. ROWLOCK_UNUSABLE: the fill makes no such
 * array (another number of values, or kind NULL); files are not read here. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_fill_array(const rlk_fill_t* fill, rlk_dtype_t dtype, uint32_t poison, void* data,
                                                 uint64_t element_count, rowlock_error_t* err);

#endif
