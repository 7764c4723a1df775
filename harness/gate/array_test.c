/* Shapes, and where an element of an array lies. */
#include "harness/gate/array.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

/* A C array of that shape; 0 ends it. */
static rlk_array_t shaped(uint32_t rank, uint64_t a, uint64_t b, uint64_t c) {
  rlk_array_t array = {.rank = rank, .shape = {a, b, c}};
  cr_assert(rlk_shape_count(array.shape, rank, &array.element_count));
  return array;
}

Test(shape, counts_its_elements) {
  cr_expect(eq(u64, shaped(0, 0, 0, 0).element_count, 1));
  cr_expect(eq(u64, shaped(1, 7, 0, 0).element_count, 7));
  cr_expect(eq(u64, shaped(3, 2, 3, 5).element_count, 30));
  cr_expect(eq(u64, shaped(3, 2, 0, 5).element_count, 0));
}

Test(shape, has_at_most_2_to_the_32_elements) {
  const uint64_t most = UINT64_C(1) << 32;
  uint64_t count;
  cr_expect(rlk_shape_count((uint64_t[]){most}, 1, &count));
  cr_expect(eq(u64, count, most));
  cr_expect(rlk_shape_count((uint64_t[]){most / 2, 2}, 2, &count));
  cr_expect(eq(u64, count, most));
  cr_expect(not(rlk_shape_count((uint64_t[]){most + 1}, 1, &count)));
  cr_expect(not(rlk_shape_count((uint64_t[]){most / 2 + 1, 2}, 2, &count)));
  cr_expect(not(rlk_shape_count((uint64_t[]){most, most}, 2, &count)), "the product is 0 in 64 bits");
  cr_expect(not(rlk_shape_count((uint64_t[]){0, most + 1}, 2, &count)), "an extent is bounded beside a zero too");
  cr_expect(rlk_shape_count((uint64_t[]){most, most, 0}, 3, &count));
  cr_expect(eq(u64, count, 0));
}

static void expect_walk(bool fortran, const uint64_t first[3], const uint64_t last[3]) {
  rlk_array_t array = shaped(3, 2, 3, 5);
  array.fortran = fortran;
  uint64_t index[3];
  rlk_array_index_at(&array, 1, index);
  for (int i = 0; i < 3; ++i) cr_expect(eq(u64, index[i], first[i]));
  rlk_array_index_at(&array, 28, index);
  for (int i = 0; i < 3; ++i) cr_expect(eq(u64, index[i], last[i]));
  for (uint64_t position = 0; position < array.element_count; ++position) {
    rlk_array_index_at(&array, position, index);
    cr_expect(eq(u64, rlk_array_position(&array, index), position));
    cr_expect(eq(u64, rlk_array_flat_index(&array, index), (index[0] * 3 + index[1]) * 5 + index[2]));
  }
}

Test(index, runs_fastest_in_the_last_place_in_c_order) {
  expect_walk(false, (uint64_t[]){0, 0, 1}, (uint64_t[]){1, 2, 3});
}

Test(index, runs_fastest_in_the_first_place_in_fortran_order) {
  expect_walk(true, (uint64_t[]){1, 0, 0}, (uint64_t[]){0, 2, 4});
}

Test(order, matters_when_two_extents_are_above_one) {
  rlk_array_t array = shaped(3, 1, 7, 1);
  cr_expect(rlk_array_is_order_free(&array));
  array = shaped(0, 0, 0, 0);
  cr_expect(rlk_array_is_order_free(&array));
  array = shaped(3, 2, 0, 3);
  cr_expect(rlk_array_is_order_free(&array));
  array = shaped(3, 2, 1, 3);
  cr_expect(not(rlk_array_is_order_free(&array)));
}

Test(array, is_the_same_shape_extent_for_extent) {
  const rlk_array_t a = shaped(3, 2, 3, 5), b = shaped(3, 2, 5, 3), c = shaped(2, 2, 3, 0), d = shaped(3, 2, 3, 5);
  cr_expect(rlk_array_same_shape(&a, &d));
  cr_expect(not(rlk_array_same_shape(&a, &b)));
  cr_expect(not(rlk_array_same_shape(&a, &c)));
}

Test(array, frees_what_it_owns_and_nothing_else) {
  int64_t borrowed[3] = {1, 2, 3};
  rlk_array_t array = rlk_array_over(RLK_DTYPE_INT64, borrowed, 3);
  cr_expect(eq(sz, rlk_array_size(&array), sizeof borrowed));
  rlk_array_deinit(&array);
  cr_expect(eq(i64, borrowed[2], 3));
  array.block = malloc(8);
  rlk_array_deinit(&array);
  cr_expect(zero(ptr, array.block));
}
