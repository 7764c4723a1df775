/* A typed array in memory: what a .npy file holds and what a gate compares. */
#ifndef ROWLOCK_HARNESS_GATE_ARRAY_H
#define ROWLOCK_HARNESS_GATE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* RLK_DTYPE(ID, name in reports and rows, spelling in .npy files, bytes of an element) */
#define RLK_DTYPES(RLK_DTYPE)             \
  RLK_DTYPE(FLOAT64, "float64", "<f8", 8) \
  RLK_DTYPE(FLOAT32, "float32", "<f4", 4) \
  RLK_DTYPE(INT64, "int64", "<i8", 8)     \
  RLK_DTYPE(BOOL, "bool", "|b1", 1)

typedef enum rlk_dtype_t {
#define RLK_DTYPE(id, name, descr, size_bytes) RLK_DTYPE_##id,
  RLK_DTYPES(RLK_DTYPE)
#undef RLK_DTYPE
      RLK_DTYPE_COUNT
} rlk_dtype_t;

const char* rlk_dtype_name(rlk_dtype_t dtype);
const char* rlk_dtype_descr(rlk_dtype_t dtype);
size_t rlk_dtype_size(rlk_dtype_t dtype);
bool rlk_dtype_is_float(rlk_dtype_t dtype);

enum { RLK_RANK_MAX = 8 };
#define RLK_ARRAY_ELEMENTS_MAX (UINT64_C(1) << 32) /* also the largest extent */

/* Rank 0 is one element. A *position* counts elements as they lie in memory, a *flat index* counts them with the last
 * index running fastest, whatever the memory order. */
typedef struct rlk_array_t {
  rlk_dtype_t dtype;
  uint32_t rank;
  uint64_t shape[RLK_RANK_MAX];
  bool fortran; /* the first index runs fastest in memory; says nothing where both orders are the same bytes */
  uint64_t element_count;
  void* data;  /* need not be aligned; NULL only without elements */
  void* block; /* what rlk_array_deinit frees: NULL when `data` is borrowed */
} rlk_array_t;

/* A borrowed array of rank 1, for reading alone. */
rlk_array_t rlk_array_over(rlk_dtype_t dtype, const void* data, uint64_t element_count);

/* Frees what the array owns and leaves it empty. */
void rlk_array_deinit(rlk_array_t* array);

/* Multiplies the extents. False if there are more than RLK_ARRAY_ELEMENTS_MAX elements. */
bool rlk_shape_count(const uint64_t* shape, uint32_t rank, uint64_t* out_count);

size_t rlk_array_size(const rlk_array_t* array);
bool rlk_array_same_shape(const rlk_array_t* a, const rlk_array_t* b);

/* Whether C and Fortran order put the elements at the same places: at most one extent differs from 1, or no elements.
 */
bool rlk_array_is_order_free(const rlk_array_t* array);

/* The indices of the element at a position, which must be below the count, and the way back. `index` has room for the
 * rank. */
void rlk_array_index_at(const rlk_array_t* array, uint64_t position, uint64_t* index);
uint64_t rlk_array_position(const rlk_array_t* array, const uint64_t* index);
uint64_t rlk_array_flat_index(const rlk_array_t* array, const uint64_t* index);

#endif
