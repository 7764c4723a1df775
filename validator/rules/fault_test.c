/* The fault library against itself: a loop over allocations proves nothing if it misses some. */
#include "validator/rules/fault.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

/* Volatile, so that the compiler cannot leave an allocation out. */
static void* volatile blocks[8];

static unsigned allocate_some(void) {
  blocks[0] = malloc(10);
  blocks[1] = calloc(3, 10);
  blocks[2] = realloc(NULL, 10);
  return (blocks[0] != NULL) | (unsigned)(blocks[1] != NULL) << 1 | (unsigned)(blocks[2] != NULL) << 2;
}

static void free_some(void) {
  for (int i = 0; i < 3; ++i) free(blocks[i]);
}

Test(fault, refuses_nothing_at_zero) {
  rlk_fault_arm(0, false);
  const unsigned got = allocate_some();
  free_some();
  const rlk_fault_t seen = rlk_fault_disarm();
  cr_expect(eq(u32, got, 7));
  cr_expect(eq(u64, seen.allocations, 3));
  cr_expect(eq(u64, seen.refused, 0));
  cr_expect(eq(sz, seen.live, 0));
}

Test(fault, refuses_only_the_nth) {
  static const unsigned left[] = {7, 6, 5, 3, 7};
  for (uint64_t nth = 1; nth <= 4; ++nth) {
    rlk_fault_arm(nth, false);
    const unsigned got = allocate_some();
    free_some();
    const rlk_fault_t seen = rlk_fault_disarm();
    cr_expect(eq(u32, got, left[nth]), "allocation %llu", (unsigned long long)nth);
    cr_expect(eq(u64, seen.refused, nth <= 3), "allocation %llu", (unsigned long long)nth);
    cr_expect(eq(sz, seen.live, 0), "allocation %llu", (unsigned long long)nth);
  }
}

Test(fault, refuses_the_nth_and_all_after_it_when_lasting) {
  rlk_fault_arm(2, true);
  const unsigned got = allocate_some();
  free_some();
  const rlk_fault_t seen = rlk_fault_disarm();
  cr_expect(eq(u32, got, 1));
  cr_expect(eq(u64, seen.refused, 2));
}

Test(fault, refuses_nothing_more_when_it_relents_and_counts_on) {
  rlk_fault_arm(1, true);
  const unsigned refused = allocate_some();
  const bool has_refused = rlk_fault_relent();
  const unsigned got = allocate_some();
  free_some();
  const rlk_fault_t seen = rlk_fault_disarm();
  cr_expect(eq(u32, refused, 0));
  cr_expect(has_refused);
  cr_expect(eq(u32, got, 7));
  cr_expect(eq(u64, seen.allocations, 6));
  cr_expect(eq(sz, seen.live, 0));
}

Test(fault, counts_the_blocks_that_were_not_freed) {
  rlk_fault_arm(0, false);
  allocate_some();
  free(blocks[1]);
  const rlk_fault_t seen = rlk_fault_disarm();
  cr_expect(eq(sz, seen.live, 2));
  free(blocks[0]);
  free(blocks[2]);
}

Test(fault, a_grown_block_is_still_one) {
  rlk_fault_arm(0, false);
  blocks[0] = malloc(1);
  for (size_t size = 2; size < 100000; size *= 2) blocks[0] = realloc(blocks[0], size);
  const size_t live = rlk_fault_disarm().live;
  cr_expect(eq(sz, live, 1));
  free(blocks[0]);
}

Test(fault, a_refused_growth_leaves_the_block) {
  blocks[0] = malloc(4);
  cr_assert(not(zero(ptr, blocks[0])));
  memcpy(blocks[0], "abc", 4);
  rlk_fault_arm(1, false);
  blocks[1] = realloc(blocks[0], 1000);
  rlk_fault_disarm();
  cr_expect(zero(ptr, blocks[1]));
  cr_expect(eq(str, blocks[0], (char*)"abc"));
  free(blocks[0]);
}

Test(fault, a_block_from_before_arming_is_not_counted) {
  blocks[0] = malloc(10);
  rlk_fault_arm(0, false);
  free(blocks[0]);
  blocks[1] = malloc(10);
  const size_t live = rlk_fault_disarm().live;
  cr_expect(eq(sz, live, 1));
  free(blocks[1]);
}

Test(fault, follows_many_blocks_in_any_order) {
  enum { COUNT = 20000 };
  static void* volatile many[COUNT];
  rlk_fault_arm(0, false);
  for (size_t i = 0; i < COUNT; ++i) many[i] = malloc(1 + i % 64);
  for (size_t i = 0; i < COUNT; ++i) free(many[i * 7919 % COUNT]);
  const rlk_fault_t seen = rlk_fault_disarm();
  cr_expect(eq(u64, seen.allocations, COUNT));
  cr_expect(eq(sz, seen.live, 0));
}

Test(fault, allocations_after_disarming_are_neither_refused_nor_counted) {
  rlk_fault_arm(1, true);
  rlk_fault_disarm();
  const unsigned got = allocate_some();
  free_some();
  cr_expect(eq(u32, got, 7));
  cr_expect(eq(u64, rlk_fault_disarm().allocations, 0));
}
