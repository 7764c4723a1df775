#include "harness/gate/array.h"

#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name, *descr;
  size_t size_bytes;
} dtypes[] = {
#define RLK_DTYPE(id, name, descr, size_bytes) {name, descr, size_bytes},
    RLK_DTYPES(RLK_DTYPE)
#undef RLK_DTYPE
};

const char* rlk_dtype_name(rlk_dtype_t dtype) { return dtypes[dtype].name; }
const char* rlk_dtype_descr(rlk_dtype_t dtype) { return dtypes[dtype].descr; }
size_t rlk_dtype_size(rlk_dtype_t dtype) { return dtypes[dtype].size_bytes; }
bool rlk_dtype_is_float(rlk_dtype_t dtype) { return dtype == RLK_DTYPE_FLOAT64 || dtype == RLK_DTYPE_FLOAT32; }

rlk_array_t rlk_array_over(rlk_dtype_t dtype, const void* data, uint64_t element_count) {
  return (rlk_array_t){
      .dtype = dtype, .rank = 1, .shape = {element_count}, .element_count = element_count, .data = (void*)data};
}

void rlk_array_deinit(rlk_array_t* array) {
  free(array->block);
  *array = (rlk_array_t){0};
}

bool rlk_shape_count(const uint64_t* shape, uint32_t rank, uint64_t* out_count) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    if (shape[i] > RLK_ARRAY_ELEMENTS_MAX) return false;
    if (shape[i] == 0) count = 0;
  }
  for (uint32_t i = 0; i < rank && count > 0; ++i) {
    if (count > RLK_ARRAY_ELEMENTS_MAX / shape[i]) return false;
    count *= shape[i];
  }
  *out_count = count;
  return true;
}

size_t rlk_array_size(const rlk_array_t* array) { return (size_t)array->element_count * rlk_dtype_size(array->dtype); }

bool rlk_array_same_shape(const rlk_array_t* a, const rlk_array_t* b) {
  return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

bool rlk_array_is_order_free(const rlk_array_t* array) {
  uint32_t wide = 0;
  for (uint32_t i = 0; i < array->rank; ++i) wide += array->shape[i] != 1;
  return wide <= 1 || array->element_count == 0;
}

void rlk_array_index_at(const rlk_array_t* array, uint64_t position, uint64_t* index) {
  for (uint32_t i = 0; i < array->rank; ++i) {
    const uint32_t axis = array->fortran ? i : array->rank - 1 - i;
    index[axis] = position % array->shape[axis];
    position /= array->shape[axis];
  }
}

static uint64_t count_before(const rlk_array_t* array, const uint64_t* index, bool first_fastest) {
  uint64_t before = 0;
  for (uint32_t i = 0; i < array->rank; ++i) {
    const uint32_t axis = first_fastest ? array->rank - 1 - i : i;
    before = before * array->shape[axis] + index[axis];
  }
  return before;
}

uint64_t rlk_array_position(const rlk_array_t* array, const uint64_t* index) {
  return count_before(array, index, array->fortran);
}

uint64_t rlk_array_flat_index(const rlk_array_t* array, const uint64_t* index) {
  return count_before(array, index, false);
}
