#include "loader/registry/names.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "loader/registry/declared_names.h"
#include "validator/rules/fault.h"

enum { MANY = 1000 };

static char texts[MANY][24];

static void fill(rlk_names_t* names, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    snprintf(texts[i], sizeof texts[i], "n%zu", i);
    cr_assert(not(zero(ptr, rlk_names_add(names, texts[i], ROWLOCK_BINDING_VECTOR))));
  }
}

Test(names, are_found_again_however_many_there_are) {
  rlk_names_t names = {0};
  fill(&names, MANY);
  cr_expect(eq(sz, names.count, MANY));
  for (size_t i = 0; i < MANY; ++i) {
    const rlk_name_t* found = rlk_names_find(&names, texts[i], ROWLOCK_BINDING_VECTOR);
    cr_assert(not(zero(ptr, (void*)found)), "%s", texts[i]);
    cr_expect(eq(str, (char*)found->text, texts[i]));
  }
  cr_expect(zero(ptr, rlk_names_find(&names, "n1000", ROWLOCK_BINDING_VECTOR)));
  rlk_names_deinit(&names);
}

Test(names, are_one_entry_for_each_way_of_binding) {
  rlk_names_t names = {0};
  rlk_name_t* vector = rlk_names_add(&names, "x", ROWLOCK_BINDING_VECTOR);
  cr_expect(eq(ptr, rlk_names_add(&names, "x", ROWLOCK_BINDING_VECTOR), vector));
  rlk_name_t* mask = rlk_names_add(&names, "x", ROWLOCK_BINDING_MASK);
  cr_expect(ne(ptr, mask, vector));
  cr_expect(eq(ptr, rlk_names_next_of(&names, "x", NULL), vector));
  cr_expect(eq(ptr, rlk_names_next_of(&names, "x", vector), mask));
  cr_expect(zero(ptr, rlk_names_next_of(&names, "x", mask)));
  rlk_names_deinit(&names);
}

Test(names, of_an_empty_table_are_not_found) {
  rlk_names_t names = {0}, copy = {0};
  cr_expect(zero(ptr, rlk_names_find(&names, "x", ROWLOCK_BINDING_VECTOR)));
  cr_expect(eq(int, rlk_names_copy(&names, &copy), ROWLOCK_OK));
  cr_expect(zero(ptr, rlk_names_next_of(&copy, "x", NULL)));
}

Test(names, of_a_copy_are_its_own) {
  rlk_names_t names = {0}, copy = {0};
  fill(&names, 3);
  cr_assert(eq(int, rlk_names_copy(&names, &copy), ROWLOCK_OK));
  rlk_names_find(&copy, "n1", ROWLOCK_BINDING_VECTOR)->bound.is_set = true;
  cr_assert(not(zero(ptr, rlk_names_add(&copy, "other", ROWLOCK_BINDING_MASK))));
  cr_expect(not(rlk_names_find(&names, "n1", ROWLOCK_BINDING_VECTOR)->bound.is_set));
  cr_expect(zero(ptr, rlk_names_find(&names, "other", ROWLOCK_BINDING_MASK)));
  rlk_names_deinit(&names);
  rlk_names_deinit(&copy);
}

Test(names, survive_every_allocation_failure) {
  bool refused = true;
  uint64_t nth = 1;
  for (; refused; ++nth) {
    rlk_names_t names = {0};
    rlk_fault_arm(nth, false);
    size_t added = 0;
    while (added < 100 && rlk_names_add(&names, texts[added], ROWLOCK_BINDING_VECTOR)) {
      ++added;
      snprintf(texts[added], sizeof texts[added], "n%zu", added);
    }
    refused = rlk_fault_relent();
    cr_expect(eq(sz, names.count, added));
    for (size_t i = 0; i < added; ++i) {
      cr_expect(not(zero(ptr, rlk_names_find(&names, texts[i], ROWLOCK_BINDING_VECTOR))), "%s", texts[i]);
    }
    rlk_names_deinit(&names);
    cr_expect(eq(sz, rlk_fault_disarm().live, 0));
  }
  cr_expect(lt(u64, 5, nth));
}

/* --- As refusals show them ---------------------------------------------------------------------------------------- */

static void expect_listed(const char* text, size_t count, const char* due) {
  rlk_names_t names = {0};
  fill(&names, count);
  char listed[RLK_DECLARED_NAMES_MAX];
  rlk_list_declared_names(&names, text, listed, sizeof listed);
  cr_expect(eq(str, listed, (char*)due));
  rlk_names_deinit(&names);
}

Test(declared_names, are_listed_nearest_first) {
  expect_listed("m2", 3, "n2, n0, n1");
  expect_listed("n", 3, "n0, n1, n2");
  expect_listed("x", 0, "nothing");
}

Test(declared_names, are_listed_up_to_eight) {
  expect_listed("n7", 9, "n7, n0, n1, n2, n3, n4, n5, n6 and 1 more");
  expect_listed("n999", 1000, "n999, n99, n199, n299, n399, n499, n599, n699 and 992 more");
}

Test(declared_names, are_listed_once_whatever_their_ways) {
  rlk_names_t names = {0};
  cr_assert(not(zero(ptr, rlk_names_add(&names, "x", ROWLOCK_BINDING_RESULT))));
  cr_assert(not(zero(ptr, rlk_names_add(&names, "x", ROWLOCK_BINDING_HANDLE))));
  char listed[RLK_DECLARED_NAMES_MAX];
  rlk_list_declared_names(&names, "x", listed, sizeof listed);
  cr_expect(eq(str, listed, (char*)"x"));
  rlk_names_deinit(&names);
}

Test(declared_names, are_safe_for_a_terminal) {
  rlk_names_t names = {0};
  cr_assert(not(zero(ptr, rlk_names_add(&names, "\033[31m", ROWLOCK_BINDING_HANDLE))));
  char listed[RLK_DECLARED_NAMES_MAX];
  rlk_list_declared_names(&names, "x", listed, sizeof listed);
  cr_expect(eq(str, listed, (char*)"\\u001B[31m"));
  rlk_names_deinit(&names);
}
