/* The bounds of a document, each at N and at N + 1, and duplicate keys, whose search changes with the object's size. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/wire/reading.h"

static rlk_reading_t reading;
static char* text;
static size_t length, capacity;

static void teardown(void) {
  rlk_reading_deinit(&reading);
  free(text);
}

TestSuite(limits, .fini = teardown);
TestSuite(duplicates, .fini = teardown);

static void put(const char* bytes) {
  const size_t more = strlen(bytes);
  while (length + more + 1 > capacity) {
    capacity = capacity ? 2 * capacity : 256;
    text = realloc(text, capacity);
    cr_assert(not(zero(ptr, text)));
  }
  memcpy(text + length, bytes, more + 1);
  length += more;
}

static void put_times(const char* bytes, size_t times) {
  for (size_t i = 0; i < times; ++i) put(bytes);
}

static void start(void) {
  rlk_reading_deinit(&reading);
  reading = (rlk_reading_t){0};
  length = 0;
}

/* Reads what was put and expects it to be taken, or refused by `rule` at `offset`. */
static void expect(const rowlock_limits_t* limits, rlk_rule_t rule, uint64_t offset) {
  reading = rlk_reading_of(text, length, limits);
  const size_t count = rowlock_findings_count(reading.findings);
  if (rule == RLK_RULE_NONE) {
    cr_expect(eq(i32, (int)reading.code, ROWLOCK_OK));
    cr_assert(eq(sz, count, 0), "%s", rowlock_findings_at(reading.findings, 0)->message);
    return;
  }
  cr_expect(eq(i32, (int)reading.code, ROWLOCK_REJECTED));
  cr_assert(eq(sz, count, 1));
  cr_expect(eq(str, (char*)rowlock_findings_at(reading.findings, 0)->rule_id, (char*)rlk_rule_info(rule)->id));
  cr_expect(eq(u64, rowlock_findings_at(reading.findings, 0)->byte_offset, offset));
}

/* --- Depth -------------------------------------------------------------------------------------------------------- */

static void put_arrays(size_t depth) {
  start();
  put_times("[", depth);
  put_times("]", depth);
}

static void put_objects(size_t depth) {
  start();
  put_times("{\"k\":", depth);
  put("1");
  put_times("}", depth);
}

Test(limits, by_default_64_levels_are_taken_and_65_refused) {
  put_arrays(64);
  expect(NULL, RLK_RULE_NONE, 0);
  put_arrays(65);
  expect(NULL, RLK_RULE_JSON_DEPTH, 64);
  put_objects(64);
  expect(NULL, RLK_RULE_NONE, 0);
  put_objects(65);
  expect(NULL, RLK_RULE_JSON_DEPTH, (uint64_t)64 * 5);
}

Test(limits, the_depth_is_an_option) {
  const rowlock_limits_t limits = {.depth = 3};
  put_arrays(3);
  expect(&limits, RLK_RULE_NONE, 0);
  put_arrays(4);
  expect(&limits, RLK_RULE_JSON_DEPTH, 3);
}

Test(limits, a_larger_depth_than_the_default_can_be_asked_for) {
  const rowlock_limits_t limits = {.depth = 100000};
  put_arrays(100000);
  expect(&limits, RLK_RULE_NONE, 0);
  put_arrays(100001);
  expect(&limits, RLK_RULE_JSON_DEPTH, 100000);
}

Test(limits, depth_counts_what_is_open_and_not_what_was) {
  const rowlock_limits_t limits = {.depth = 2};
  start();
  put("[[], {}, [], {\"a\": 1}]");
  expect(&limits, RLK_RULE_NONE, 0);
}

Test(limits, a_scalar_has_no_depth) {
  const rowlock_limits_t limits = {.depth = 1};
  start();
  put("[1]");
  expect(&limits, RLK_RULE_NONE, 0);
}

/* --- Size --------------------------------------------------------------------------------------------------------- */

Test(limits, a_document_of_the_limit_is_taken_and_one_byte_more_refused) {
  const rowlock_limits_t limits = {.size_bytes = 10};
  start();
  put("[1,2,3,44]");
  expect(&limits, RLK_RULE_NONE, 0);
  start();
  put("[1,2,3,444]");
  expect(&limits, RLK_RULE_JSON_SIZE, 0);
}

Test(limits, blanks_count_as_bytes) {
  const rowlock_limits_t limits = {.size_bytes = 4};
  start();
  put("[1]  ");
  expect(&limits, RLK_RULE_JSON_SIZE, 0);
}

/* --- Values ------------------------------------------------------------------------------------------------------- */

Test(limits, the_values_of_the_limit_are_taken_and_one_more_refused) {
  const rowlock_limits_t limits = {.values = 4};
  start();
  put("[1, 2, 3]");
  expect(&limits, RLK_RULE_NONE, 0);
  start();
  put("[1, 2, 3, 4]");
  expect(&limits, RLK_RULE_JSON_VALUES, 10);
}

Test(limits, members_are_values_and_keys_are_not) {
  const rowlock_limits_t limits = {.values = 3};
  start();
  put("{\"a\": 1, \"b\": 2}");
  expect(&limits, RLK_RULE_NONE, 0);
}

/* --- Defaults ----------------------------------------------------------------------------------------------------- */

Test(limits, zeros_stand_for_the_defaults) {
  const rowlock_limits_t zeros = {0};
  const rowlock_limits_t effective[] = {rlk_limits_effective(NULL), rlk_limits_effective(&zeros)};
  for (size_t i = 0; i < 2; ++i) {
    cr_expect(eq(u32, effective[i].depth, 64));
    cr_expect(eq(u64, effective[i].size_bytes, 16777216));
    cr_expect(eq(u32, effective[i].values, 1000000));
    cr_expect(eq(u32, effective[i].entries, 4096));
  }
}

Test(limits, what_is_given_stays_and_the_size_is_cut_to_what_offsets_hold) {
  const rowlock_limits_t given = {.depth = 1, .size_bytes = UINT64_MAX, .values = 2, .entries = 3};
  const rowlock_limits_t effective = rlk_limits_effective(&given);
  cr_expect(eq(u32, effective.depth, 1));
  cr_expect(eq(u64, effective.size_bytes, 1073741824));
  cr_expect(eq(u32, effective.values, 2));
  cr_expect(eq(u32, effective.entries, 3));
}

/* --- Duplicate keys ----------------------------------------------------------------------------------------------- */

typedef struct repeat_t {
  size_t first, again;
} repeat_t;

/* An object of `count` keys k0, k1, ... where the keys at `again` are k<first> instead; returns the offset of the first
 * of these. */
static uint64_t put_object(size_t count, const repeat_t* repeats, size_t repeat_count) {
  uint64_t offset = UINT64_MAX;
  start();
  put("{");
  for (size_t i = 0; i < count; ++i) {
    size_t key = i;
    for (size_t r = 0; r < repeat_count; ++r) {
      if (repeats[r].again == i) key = repeats[r].first;
    }
    if (i > 0) put(",\n");
    if (key != i && length < offset) offset = length;
    char member[64];
    snprintf(member, sizeof member, "\"k%zu\": %zu", key, i);
    put(member);
  }
  put("}");
  return offset;
}

static void expect_earliest_duplicate(size_t count, const repeat_t* repeats, size_t repeat_count, size_t key) {
  const uint64_t offset = put_object(count, repeats, repeat_count);
  expect(NULL, RLK_RULE_JSON_DUPLICATE_KEY, offset);
  char pointer[32];
  snprintf(pointer, sizeof pointer, "/k%zu", key);
  cr_expect(eq(str, (char*)rowlock_findings_at(reading.findings, 0)->json_pointer, pointer), "of %zu keys", count);
}

/* Around the size up to which members are compared pair by pair, and far beyond it. */
static const size_t object_sizes[] = {10, 23, 24, 25, 26, 1000, 100000};

#define EACH_SIZE(size) \
  for (const size_t* size = object_sizes; size < object_sizes + sizeof object_sizes / sizeof *object_sizes; ++size)

Test(duplicates, distinct_keys_are_taken_at_every_size) {
  EACH_SIZE(size) {
    put_object(*size, NULL, 0);
    expect(NULL, RLK_RULE_NONE, 0);
    cr_expect(eq(u32, reading.document.root->count, (uint32_t)*size));
  }
}

Test(duplicates, the_first_key_again_at_the_end_is_found_at_every_size) {
  EACH_SIZE(size) expect_earliest_duplicate(*size, &(repeat_t){0, *size - 1}, 1, 0);
}

Test(duplicates, neighbours_are_found_at_every_size) {
  EACH_SIZE(size) expect_earliest_duplicate(*size, &(repeat_t){*size - 3, *size - 2}, 1, *size - 3);
}

Test(duplicates, the_earliest_of_several_is_reported_at_every_size) {
  EACH_SIZE(size) {
    const repeat_t repeats[] = {{0, 9}, {4, 7}, {4, 8}, {5, 6}};
    expect_earliest_duplicate(*size, repeats, 4, 5);
  }
}

Test(duplicates, the_third_of_a_key_names_the_first_and_the_second) {
  EACH_SIZE(size) {
    const repeat_t repeats[] = {{1, 4}, {1, 6}};
    expect_earliest_duplicate(*size, repeats, 2, 1);
    const char* message = rowlock_findings_at(reading.findings, 0)->message;
    cr_expect(not(zero(ptr, strstr(message, "first at line 2, column 1 "))), "%s", message);
    cr_expect(not(zero(ptr, strstr(message, "again at line 5, column 1 "))), "%s", message);
  }
}

Test(duplicates, each_object_has_its_own_keys) {
  start();
  put("{\"a\": {\"a\": {\"a\": 1}}, \"b\": [{\"a\": 1}, {\"a\": 1}]}");
  expect(NULL, RLK_RULE_NONE, 0);
}
