#include "validator/plugin/name_index.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "validator/rules/fault.h"

static rlk_arena_t arena;
static rlk_judge_t judge;
static rlk_name_index_t names;

static void setup(void) { judge = (rlk_judge_t){.entry_arena = &arena}; }

static void teardown(void) { rlk_arena_deinit(&arena); }

TestSuite(name_index, .init = setup, .fini = teardown);

/* Nodes of these texts, in this order in the document. */
static rlk_node_t nodes[64];

static void load(const char* const* texts, const uint32_t* lengths, uint32_t count) {
  cr_assert(rlk_name_index_init(&names, &judge, count));
  for (uint32_t i = 0; i < count; ++i) {
    nodes[i] = (rlk_node_t){.kind = RLK_STRING, .text = texts[i], .text_length = lengths[i], .begin = 10 * i};
  }
  for (uint32_t i = count; i-- > 0;)
    rlk_name_index_put(&names, &nodes[i], &nodes[i]); /* the order of putting is no matter */
  rlk_name_index_sort(&names);
}

static const rlk_node_t* find(const char* text, uint32_t length) { return rlk_name_index_find(&names, text, length); }

Test(name_index, finds_the_first_of_several_in_the_document) {
  static const char* const texts[] = {"b", "a", "b", "ab", "a", "b"};
  static const uint32_t lengths[] = {1, 1, 1, 2, 1, 1};
  load(texts, lengths, 6);
  cr_expect(eq(ptr, (void*)find("b", 1), &nodes[0]));
  cr_expect(eq(ptr, (void*)find("a", 1), &nodes[1]));
  cr_expect(eq(ptr, (void*)find("ab", 2), &nodes[3]));
}

Test(name_index, does_not_find_what_only_begins_alike) {
  static const char* const texts[] = {"position", "positions"};
  static const uint32_t lengths[] = {8, 9};
  load(texts, lengths, 2);
  cr_expect(zero(ptr, (void*)find("positio", 7)));
  cr_expect(zero(ptr, (void*)find("positionz", 9)));
  cr_expect(zero(ptr, (void*)find("", 0)));
}

Test(name_index, compares_nuls_and_takes_the_empty_name) {
  static const char* const texts[] = {"a\0b", "a\0c", ""};
  static const uint32_t lengths[] = {3, 3, 0};
  load(texts, lengths, 3);
  cr_expect(eq(ptr, (void*)find("a\0c", 3), &nodes[1]));
  cr_expect(eq(ptr, (void*)find("", 0), &nodes[2]));
}

Test(name_index, of_nothing_hold_nothing) {
  cr_assert(rlk_name_index_init(&names, &judge, 0));
  rlk_name_index_sort(&names);
  cr_expect(zero(ptr, (void*)find("a", 1)));
}

Test(name_index, without_memory_the_judge_stops) {
  rlk_fault_arm(1, true);
  const bool room = rlk_name_index_init(&names, &judge, 8);
  rlk_fault_disarm();
  cr_expect(not(room));
  cr_expect(eq(i32, (int)judge.code, ROWLOCK_NO_MEMORY));
}
