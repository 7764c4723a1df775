#include "validator/wire/arena.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "validator/rules/fault.h"

static rlk_arena_t arena;

static void teardown(void) { rlk_arena_deinit(&arena); }

TestSuite(arena, .fini = teardown);

/* Memory of that size, written to from end to end so that an overlap or an overrun shows. */
static unsigned char* filled(size_t size, int value) {
  unsigned char* memory = rlk_arena_alloc(&arena, size);
  cr_assert(not(zero(ptr, memory)), "%zu bytes", size);
  memset(memory, value, size);
  return memory;
}

static bool holds(const unsigned char* memory, size_t size, int value) {
  for (size_t i = 0; i < size; ++i) {
    if (memory[i] != value) return false;
  }
  return true;
}

Test(arena, memory_is_aligned_for_any_object) {
  for (size_t size = 1; size < 200; ++size) {
    cr_expect(zero(u64, (uint64_t)(uintptr_t)rlk_arena_alloc(&arena, size) % alignof(max_align_t)), "%zu bytes", size);
  }
}

Test(arena, what_was_allocated_stays_as_it_is) {
  enum { COUNT = 2000 };
  static unsigned char* memory[COUNT];
  for (size_t i = 0; i < COUNT; ++i) memory[i] = filled(1 + i, (int)(i % 251));
  for (size_t i = 0; i < COUNT; ++i) cr_expect(holds(memory[i], 1 + i, (int)(i % 251)), "block %zu", i);
}

Test(arena, a_block_larger_than_any_before_fits) {
  filled(10, 1);
  unsigned char* large = filled((size_t)20 << 20, 2);
  filled(10, 3);
  cr_expect(holds(large, (size_t)20 << 20, 2));
}

Test(arena, nothing_at_all_can_be_allocated) {
  cr_expect(not(zero(ptr, rlk_arena_alloc(&arena, 0))));
  filled(16, 1);
}

Test(arena, a_size_that_no_machine_has_is_refused) {
  cr_expect(zero(ptr, rlk_arena_alloc(&arena, SIZE_MAX)));
  cr_expect(zero(ptr, rlk_arena_alloc(&arena, SIZE_MAX / 2 + 1)));
  filled(16, 1);
}

Test(arena, after_a_reset_the_same_memory_serves_again) {
  static const size_t sizes[] = {100, 30000, 70000, 8, 200000, 16};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  unsigned char* first[COUNT];
  for (size_t i = 0; i < COUNT; ++i) first[i] = filled(sizes[i], 1);
  for (int round = 0; round < 3; ++round) {
    rlk_arena_reset(&arena);
    rlk_fault_arm(0, false);
    for (size_t i = 0; i < COUNT; ++i) {
      cr_expect(eq(ptr, filled(sizes[i], 2), first[i]), "allocation %zu of round %d", i, round);
    }
    cr_expect(eq(u64, rlk_fault_disarm().allocations, 0), "round %d", round);
  }
}

Test(arena, a_reset_does_not_lose_blocks_that_are_too_small_now) {
  filled(100, 1);
  filled(30000, 1);
  rlk_arena_reset(&arena);
  filled((size_t)1 << 20, 2);
  rlk_arena_reset(&arena);
  rlk_fault_arm(0, false);
  filled((size_t)1 << 20, 3);
  filled(30000, 3);
  const uint64_t allocations = rlk_fault_disarm().allocations;
  cr_expect(eq(u64, allocations, 0));
}

Test(arena, resetting_an_empty_one_does_nothing) {
  rlk_arena_reset(&arena);
  filled(10, 1);
}

Test(arena, deinit_gives_everything_back_and_leaves_an_empty_one) {
  rlk_fault_arm(0, false);
  for (size_t i = 0; i < 100; ++i) filled(5000, 1);
  rlk_arena_deinit(&arena);
  const rlk_fault_t seen = rlk_fault_disarm();
  cr_expect(lt(u64, 1, seen.allocations));
  cr_expect(eq(sz, seen.live, 0));
  cr_expect(zero(ptr, arena.first));
  filled(10, 1);
}

Test(arena, short_memory_is_null_and_the_arena_goes_on) {
  unsigned char* before = filled(100, 1);
  rlk_fault_arm(1, false);
  void* refused = rlk_arena_alloc(&arena, (size_t)1 << 20);
  rlk_fault_disarm();
  cr_expect(zero(ptr, refused));
  filled((size_t)1 << 20, 2);
  cr_expect(holds(before, 100, 1));
}

Test(arena, blocks_grow_so_that_many_allocations_take_few) {
  rlk_fault_arm(0, false);
  for (size_t i = 0; i < 100000; ++i) filled(64, 1);
  const uint64_t allocations = rlk_fault_disarm().allocations;
  cr_expect(lt(u64, allocations, 20));
}
