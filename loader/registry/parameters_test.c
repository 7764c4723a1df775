#include "loader/registry/parameters.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* The vocabulary is the format's list: the table of parameters must have a row for each of its words. */
Test(parameters, every_role_has_a_row) {
  bool has_row[RLK_WORD_COUNT] = {false};
#define RLK_ROLE(ROLE, BINDING, ACCESS) has_row[RLK_WORD_##ROLE] = true;
#include "loader/registry/parameters.def"
  size_t count = 0;
  for (rlk_word_t role = rlk_word_next(RLK_VOCABULARY_ARG_ROLE, RLK_WORD_NONE); role != RLK_WORD_NONE;
       role = rlk_word_next(RLK_VOCABULARY_ARG_ROLE, role)) {
    cr_expect(has_row[role], "%s", rlk_word_text(role));
    ++count;
  }
  cr_expect(eq(sz, count, 12));
}

Test(parameters, every_dtype_of_a_mutable_has_a_row) {
  for (rlk_word_t dtype = rlk_word_next(RLK_VOCABULARY_MUTABLE_DTYPE, RLK_WORD_NONE); dtype != RLK_WORD_NONE;
       dtype = rlk_word_next(RLK_VOCABULARY_MUTABLE_DTYPE, dtype)) {
    cr_expect(ne(int, rlk_role_binding(RLK_WORD_MUTABLE, dtype), ROWLOCK_BINDING_NONE), "%s", rlk_word_text(dtype));
  }
}

Test(parameters, what_is_no_role_or_dtype_is_not_bound) {
  cr_expect(eq(int, rlk_role_binding(RLK_WORD_PTX, RLK_WORD_FLOAT), ROWLOCK_BINDING_NONE));
  cr_expect(eq(int, rlk_role_binding(RLK_WORD_NONE, RLK_WORD_FLOAT), ROWLOCK_BINDING_NONE));
  cr_expect(eq(int, rlk_role_binding(RLK_WORD_MUTABLE, RLK_WORD_NONE), ROWLOCK_BINDING_NONE));
  cr_expect(eq(int, rlk_role_binding(RLK_WORD_MUTABLE, RLK_WORD_PTX), ROWLOCK_BINDING_NONE));
  cr_expect(not(rlk_role_is_written(RLK_WORD_PTX)));
  cr_expect(not(rlk_role_is_written(RLK_WORD_NONE)));
}

static size_t bytes_of(rlk_word_t role, rlk_word_t dtype, rlk_word_t scalar_type) {
  const rowlock_binding_t binding = rlk_role_binding(role, dtype);
  return rlk_parameter_bytes(binding, rlk_binding_element(binding, scalar_type));
}

static void expect_bytes(rlk_word_t role, rlk_word_t dtype, size_t under_float64, size_t under_float32) {
  cr_expect(eq(sz, bytes_of(role, dtype, RLK_WORD_FLOAT64), under_float64), "%s", rlk_word_text(role));
  cr_expect(eq(sz, bytes_of(role, dtype, RLK_WORD_SOFTDOUBLE), under_float64), "%s", rlk_word_text(role));
  cr_expect(eq(sz, bytes_of(role, dtype, RLK_WORD_FLOAT32), under_float32), "%s", rlk_word_text(role));
}

/* The table of plugin facts, section 2. */
Test(parameters, have_the_sizes_of_the_format) {
  expect_bytes(RLK_WORD_OUT, RLK_WORD_NONE, 40, 40);
  expect_bytes(RLK_WORD_VEC_IN, RLK_WORD_NONE, 40, 40);
  expect_bytes(RLK_WORD_MAT_IN, RLK_WORD_NONE, 40, 40);
  expect_bytes(RLK_WORD_MUTABLE, RLK_WORD_VECTOR, 40, 40);
  expect_bytes(RLK_WORD_MUTABLE, RLK_WORD_MATRIX, 40, 40);
  expect_bytes(RLK_WORD_MUTABLE, RLK_WORD_FLOAT, 32, 32);
  expect_bytes(RLK_WORD_MUTABLE, RLK_WORD_INT, 32, 32);
  expect_bytes(RLK_WORD_PER_SAMPLE, RLK_WORD_NONE, 32, 32);
  expect_bytes(RLK_WORD_TERMINATED, RLK_WORD_NONE, 32, 32);
  expect_bytes(RLK_WORD_LOOKUP, RLK_WORD_NONE, 32, 32);
  expect_bytes(RLK_WORD_WIDE_IN, RLK_WORD_NONE, 32, 32);
  expect_bytes(RLK_WORD_WIDE_OUT, RLK_WORD_NONE, 32, 32);
  expect_bytes(RLK_WORD_ACCUM_OUT, RLK_WORD_NONE, 32, 32);
  expect_bytes(RLK_WORD_UNIFORM, RLK_WORD_NONE, 8, 4);
  expect_bytes(RLK_WORD_NSAMPLES, RLK_WORD_NONE, 4, 4);
}

Test(parameters, an_int64_uniform_has_8_bytes_under_any_scalar_type) {
  cr_expect(eq(sz, rlk_parameter_bytes(ROWLOCK_BINDING_UNIFORM, ROWLOCK_ELEMENT_INT64), 8));
}

Test(parameters, elements_follow_the_scalar_type_except_integers_and_bools) {
  cr_expect(eq(int, rlk_binding_element(ROWLOCK_BINDING_VECTOR, RLK_WORD_FLOAT32), ROWLOCK_ELEMENT_FLOAT32));
  cr_expect(eq(int, rlk_binding_element(ROWLOCK_BINDING_VECTOR, RLK_WORD_SOFTDOUBLE), ROWLOCK_ELEMENT_FLOAT64));
  cr_expect(eq(int, rlk_binding_element(ROWLOCK_BINDING_INT_HANDLE, RLK_WORD_FLOAT32), ROWLOCK_ELEMENT_INT64));
  cr_expect(eq(int, rlk_binding_element(ROWLOCK_BINDING_MASK, RLK_WORD_FLOAT32), ROWLOCK_ELEMENT_BOOL));
}

Test(parameters, elements_and_bindings_have_their_names) {
  cr_expect(eq(str, (char*)rowlock_element_name(ROWLOCK_ELEMENT_FLOAT64), (char*)"float64"));
  cr_expect(eq(str, (char*)rowlock_element_name(ROWLOCK_ELEMENT_BOOL), (char*)"bool"));
  cr_expect(eq(str, (char*)rowlock_binding_name(ROWLOCK_BINDING_INT_HANDLE), (char*)"int handle"));
  cr_expect(eq(str, (char*)rowlock_binding_name(ROWLOCK_BINDING_NONE), (char*)"sample count"));
}
