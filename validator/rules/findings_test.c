#include "validator/rules/findings.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/rules/fault.h"
#include "validator/rules/text.h"

/* --- Filling a message -------------------------------------------------------------------------------------------- */

#define EXPECT_MESSAGE(expected, message, ...)                                                        \
  do {                                                                                                \
    char buffer[1024];                                                                                \
    const size_t length = rlk_message_format(buffer, sizeof buffer, message, RLK_SLOTS(__VA_ARGS__)); \
    cr_expect(eq(str, buffer, (char*)(expected)));                                                    \
    cr_expect(eq(sz, length, strlen(expected)));                                                      \
  } while (0)

Test(message, each_slot_is_filled_by_its_name_wherever_it_stands) {
  EXPECT_MESSAGE("7 of 'x': x, x", "{count} of {quoted}: {plain}, {plain}", rlk_slot_text("plain", "x", 1),
                 rlk_slot_quoted("quoted", "x", 1), rlk_slot_integer("count", 7));
}

Test(message, a_slot_that_nothing_fills_stays_visible) {
  EXPECT_MESSAGE("a {missing} b", "a {missing} b", rlk_slot_integer("miss", 1));
}

Test(message, a_slot_s_name_is_matched_whole) {
  EXPECT_MESSAGE("1 {values} {valu}", "{value} {values} {valu}", rlk_slot_integer("value", 1));
}

Test(message, a_brace_that_nothing_closes_stays) {
  EXPECT_MESSAGE("a {value", "a {value", rlk_slot_integer("value", 1));
}

Test(message, braces_in_a_value_are_not_slots) {
  EXPECT_MESSAGE("{b} 2", "{a} {b}", rlk_slot_text("a", "{b}", 3), rlk_slot_integer("b", 2));
}

Test(message, the_integers_at_both_ends_are_shown_exactly) {
  EXPECT_MESSAGE("-9223372036854775808 9223372036854775807", "{least} {most}", rlk_slot_integer("least", INT64_MIN),
                 rlk_slot_integer("most", INT64_MAX));
}

Test(message, a_list_shows_every_word_of_it) {
  EXPECT_MESSAGE("known: vector, pure, neural_block", "known: {known}",
                 rlk_slot_words("known", RLK_VOCABULARY_PATTERN));
}

Test(message, a_value_from_outside_is_made_safe) {
  EXPECT_MESSAGE("\\u0000\\u001B[2J '\\u009B\\xFF'", "{a} {b}", rlk_slot_text("a", "\0\x1B[2J", 5),
                 rlk_slot_quoted("b", "\xC2\x9B\xFF", 3));
}

Test(message, a_value_of_the_longest_length_is_shown_whole_and_one_byte_more_is_cut) {
  char value[RLK_SLOT_TEXT_MAX + 1], whole[RLK_SLOT_TEXT_MAX + 1], cut[RLK_SLOT_TEXT_MAX + 4];
  memset(value, 'v', sizeof value);
  memset(whole, 'v', RLK_SLOT_TEXT_MAX);
  whole[RLK_SLOT_TEXT_MAX] = '\0';
  snprintf(cut, sizeof cut, "%s...", whole);
  EXPECT_MESSAGE(whole, "{value}", rlk_slot_text("value", value, RLK_SLOT_TEXT_MAX));
  EXPECT_MESSAGE(cut, "{value}", rlk_slot_text("value", value, RLK_SLOT_TEXT_MAX + 1));
}

Test(message, a_short_buffer_ends_in_nul_and_the_whole_length_is_told) {
  char buffer[6];
  const size_t length =
      rlk_message_format(buffer, sizeof buffer, "ab {value} cd", RLK_SLOTS(rlk_slot_integer("value", 12)));
  cr_expect(eq(str, buffer, (char*)"ab 12"));
  cr_expect(eq(sz, length, 8));
}

/* --- The list ----------------------------------------------------------------------------------------------------- */

static rowlock_findings_t* findings;

static void setup(void) {
  findings = rowlock_findings_create();
  cr_assert(not(zero(ptr, findings)));
}

static void teardown(void) { rowlock_findings_destroy(findings); }

TestSuite(findings, .init = setup, .fini = teardown);

static rlk_place_t place_at(uint64_t offset) {
  return (rlk_place_t){.path = "a.json", .json_pointer = "/p", .byte_offset = offset, .line = 2, .column = 3};
}

/* Adds a finding whose message holds `value`. */
static rowlock_code_t add(rlk_rule_t rule, int door, const rlk_place_t* place, int64_t value) {
  return rlk_findings_add(findings, rule, door, place, RLK_SLOTS(rlk_slot_integer("value", value)));
}

static void must_add(rlk_rule_t rule, int door, const rlk_place_t* place, int64_t value) {
  cr_assert(eq(i32, (int)add(rule, door, place, value), ROWLOCK_OK));
}

Test(findings, a_new_list_is_empty) {
  cr_expect(eq(sz, rowlock_findings_count(findings), 0));
  cr_expect(eq(u64, rowlock_findings_dropped(findings), 0));
}

Test(findings, destroying_null_does_nothing) {
  rowlock_findings_destroy(NULL);
  cr_expect(eq(sz, rowlock_findings_count(findings), 0));
}

Test(findings, a_finding_holds_what_was_reported) {
  const rlk_place_t place = place_at(41);
  must_add(RLK_RULE_SIDECAR_LAUNCH, -1, &place, 5);
  const rowlock_finding_t* finding = rowlock_findings_at(findings, 0);
  cr_expect(eq(str, (char*)finding->rule_id, (char*)"sidecar.launch"));
  cr_expect(eq(i32, (int)finding->severity, ROWLOCK_SEVERITY_WARNING));
  cr_expect(eq(str, (char*)finding->message, (char*)"{key} of the reserved launch object is malformed: 5"));
  cr_expect(eq(str, (char*)finding->path, (char*)"a.json"));
  cr_expect(eq(str, (char*)finding->json_pointer, (char*)"/p"));
  cr_expect(eq(u64, finding->byte_offset, 41));
  cr_expect(eq(u32, finding->line, 2));
  cr_expect(eq(u32, finding->column, 3));
  cr_expect(eq(i32, (int)rlk_findings_rule(findings, 0), RLK_RULE_SIDECAR_LAUNCH));
}

Test(findings, strings_are_copied) {
  char path[] = "a.json", pointer[] = "/p";
  const rlk_place_t place = {.path = path, .json_pointer = pointer};
  must_add(RLK_RULE_JSON_EMPTY, 0, &place, 0);
  path[0] = pointer[1] = '#';
  cr_expect(eq(str, (char*)rowlock_findings_at(findings, 0)->path, (char*)"a.json"));
  cr_expect(eq(str, (char*)rowlock_findings_at(findings, 0)->json_pointer, (char*)"/p"));
}

Test(findings, the_same_defect_at_two_doors_is_one_finding_with_both_bits) {
  const rlk_place_t place = place_at(7);
  must_add(RLK_RULE_SIDECAR_NOT_PURE, 0, &place, 1);
  must_add(RLK_RULE_SIDECAR_NOT_PURE, 3, &place, 1);
  must_add(RLK_RULE_SIDECAR_NOT_PURE, 31, &place, 1);
  cr_assert(eq(sz, rowlock_findings_count(findings), 1));
  cr_expect(eq(u32, rowlock_findings_at(findings, 0)->doors, 0x80000009));
}

Test(findings, a_door_is_added_to_those_of_another) {
  const rlk_place_t place = place_at(7), other = place_at(8);
  must_add(RLK_RULE_SIDECAR_NOT_PURE, 0, &place, 1);
  must_add(RLK_RULE_SIDECAR_NOT_PURE, 1, &other, 1);
  rlk_findings_add_door(findings, 0, 4);
  cr_expect(eq(u32, rowlock_findings_at(findings, 0)->doors, 0x11));
  cr_expect(eq(u32, rowlock_findings_at(findings, 1)->doors, 2));
}

Test(findings, a_contract_check_has_no_door_and_adds_none) {
  const rlk_place_t place = place_at(7);
  must_add(RLK_RULE_SIDECAR_SINK, -1, &place, 1);
  cr_expect(eq(u32, rowlock_findings_at(findings, 0)->doors, 0));
  must_add(RLK_RULE_SIDECAR_SINK, 2, &place, 1);
  must_add(RLK_RULE_SIDECAR_SINK, -1, &place, 1);
  cr_assert(eq(sz, rowlock_findings_count(findings), 1));
  cr_expect(eq(u32, rowlock_findings_at(findings, 0)->doors, 4));
}

Test(findings, another_rule_place_path_or_message_is_another_finding) {
  const rlk_place_t place = place_at(7), later = place_at(8);
  rlk_place_t elsewhere = place;
  elsewhere.path = "b.json";
  must_add(RLK_RULE_SIDECAR_SINK, 0, &place, 1);
  must_add(RLK_RULE_SIDECAR_ACCUMULATE, 0, &place, 1);
  must_add(RLK_RULE_SIDECAR_SINK, 0, &later, 1);
  must_add(RLK_RULE_SIDECAR_SINK, 0, &elsewhere, 1);
  must_add(RLK_RULE_SIDECAR_SINK, 0, &place, 2);
  cr_expect(eq(sz, rowlock_findings_count(findings), 5));
}

Test(findings, order_is_the_order_of_discovery) {
  for (int64_t i = 0; i < 100; ++i) {
    const rlk_place_t place = place_at((uint64_t)(100 - i));
    must_add(RLK_RULE_SIDECAR_SINK, 0, &place, i);
  }
  for (size_t i = 0; i < 100; ++i) {
    cr_expect(eq(u64, rowlock_findings_at(findings, i)->byte_offset, 100 - i), "finding %zu", i);
  }
}

static void fill(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const rlk_place_t place = place_at(i);
    must_add(RLK_RULE_SIDECAR_SINK, 0, &place, 0);
  }
}

Test(findings, the_list_takes_the_most_and_counts_what_is_beyond) {
  fill(ROWLOCK_FINDINGS_MAX);
  cr_expect(eq(sz, rowlock_findings_count(findings), ROWLOCK_FINDINGS_MAX));
  cr_expect(eq(u64, rowlock_findings_dropped(findings), 0));
  const rlk_place_t beyond = place_at(ROWLOCK_FINDINGS_MAX);
  must_add(RLK_RULE_SIDECAR_SINK, 0, &beyond, 0);
  must_add(RLK_RULE_SIDECAR_ACCUMULATE, 0, &beyond, 0);
  cr_expect(eq(sz, rowlock_findings_count(findings), ROWLOCK_FINDINGS_MAX));
  cr_expect(eq(u64, rowlock_findings_dropped(findings), 2));
}

Test(findings, a_full_list_still_notes_doors) {
  fill(ROWLOCK_FINDINGS_MAX);
  const rlk_place_t last = place_at(ROWLOCK_FINDINGS_MAX - 1);
  must_add(RLK_RULE_SIDECAR_SINK, 5, &last, 0);
  cr_expect(eq(u32, rowlock_findings_at(findings, ROWLOCK_FINDINGS_MAX - 1)->doors, 0x21));
  cr_expect(eq(u64, rowlock_findings_dropped(findings), 0));
}

Test(findings, what_is_beyond_counts_once_for_all_doors_and_again_for_another_defect) {
  fill(ROWLOCK_FINDINGS_MAX);
  rlk_place_t beyond = place_at(ROWLOCK_FINDINGS_MAX);
  for (int door = 0; door < 5; ++door) must_add(RLK_RULE_SIDECAR_SINK, door, &beyond, 1);
  cr_expect(eq(u64, rowlock_findings_dropped(findings), 1));
  must_add(RLK_RULE_SIDECAR_SINK, 0, &beyond, 2);
  must_add(RLK_RULE_SIDECAR_LAUNCH, 0, &beyond, 2);
  beyond.path = "b.json";
  must_add(RLK_RULE_SIDECAR_SINK, 0, &beyond, 2);
  beyond.byte_offset = 3;
  must_add(RLK_RULE_SIDECAR_SINK, 0, &beyond, 2);
  cr_expect(eq(u64, rowlock_findings_dropped(findings), 5));
}

Test(findings, a_list_remembers_as_many_dropped_ones_as_it_counts) {
  enum { COUNT = 20000 }; /* its memory of them grows several times */
  fill(ROWLOCK_FINDINGS_MAX);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t i = 0; i < COUNT; ++i) {
      const rlk_place_t place = place_at(ROWLOCK_FINDINGS_MAX + i);
      must_add(RLK_RULE_SIDECAR_SINK, round, &place, 0);
    }
  }
  cr_expect(eq(u64, rowlock_findings_dropped(findings), COUNT));
}

Test(findings, the_count_of_the_dropped_ones_ends_at_its_limit) {
  fill(ROWLOCK_FINDINGS_MAX);
  for (uint64_t i = 0; i < ROWLOCK_FINDINGS_DROPPED_MAX + 10; ++i) {
    const rlk_place_t place = place_at(ROWLOCK_FINDINGS_MAX + i);
    must_add(RLK_RULE_SIDECAR_SINK, 0, &place, 0);
  }
  cr_expect(eq(u64, rowlock_findings_dropped(findings), ROWLOCK_FINDINGS_DROPPED_MAX));
}

Test(findings, no_memory_to_remember_a_dropped_one_leaves_the_count) {
  fill(ROWLOCK_FINDINGS_MAX);
  const rlk_place_t place = place_at(ROWLOCK_FINDINGS_MAX);
  rlk_fault_arm(1, true);
  const rowlock_code_t code = add(RLK_RULE_SIDECAR_SINK, 0, &place, 0);
  rlk_fault_disarm();
  cr_expect(eq(i32, (int)code, ROWLOCK_NO_MEMORY));
  cr_expect(eq(u64, rowlock_findings_dropped(findings), 0));
  must_add(RLK_RULE_SIDECAR_SINK, 0, &place, 0);
  cr_expect(eq(u64, rowlock_findings_dropped(findings), 1));
}

Test(findings, clearing_forgets_the_findings_and_the_dropped_ones) {
  fill(ROWLOCK_FINDINGS_MAX);
  const rlk_place_t place = place_at(ROWLOCK_FINDINGS_MAX);
  must_add(RLK_RULE_SIDECAR_SINK, 0, &place, 0);
  rowlock_findings_clear(findings);
  cr_expect(eq(sz, rowlock_findings_count(findings), 0));
  cr_expect(eq(u64, rowlock_findings_dropped(findings), 0));
}

Test(findings, a_cleared_list_does_not_know_the_old_findings) {
  const rlk_place_t place = place_at(7);
  must_add(RLK_RULE_SIDECAR_SINK, 4, &place, 1);
  rowlock_findings_clear(findings);
  must_add(RLK_RULE_SIDECAR_SINK, 0, &place, 1);
  cr_assert(eq(sz, rowlock_findings_count(findings), 1));
  cr_expect(eq(u32, rowlock_findings_at(findings, 0)->doors, 1));
}

Test(findings, no_memory_leaves_the_list_as_it_was) {
  fill(8); /* the next one needs a larger array as well as its strings */
  const rlk_place_t place = place_at(8);
  uint64_t nth = 1;
  for (bool refused = true; refused; ++nth) {
    rlk_fault_arm(nth, false);
    const rowlock_code_t code = add(RLK_RULE_SIDECAR_SINK, 0, &place, 0);
    refused = rlk_fault_disarm().refused > 0;
    cr_expect(eq(i32, (int)code, refused ? ROWLOCK_NO_MEMORY : ROWLOCK_OK), "allocation %llu", (unsigned long long)nth);
    cr_expect(eq(sz, rowlock_findings_count(findings), refused ? 8 : 9), "allocation %llu", (unsigned long long)nth);
  }
  cr_expect(lt(u64, 3, nth), "fewer than two allocations were refused");
}

Test(findings, a_long_message_is_cut_between_characters) {
  static const char euro[] = {'\xE2', '\x82', '\xAC'};
  char controls[RLK_SLOT_TEXT_MAX], euros[RLK_SLOT_TEXT_MAX];
  memset(controls, '\x01', sizeof controls); /* each is shown as six characters */
  for (size_t i = 0; i < sizeof euros; i += 3) memcpy(euros + i, euro, sizeof euro);
  for (size_t shift = 0; shift < 3; ++shift) {
    const rlk_place_t place = place_at(shift);
    const rlk_slot_t slots[] = {rlk_slot_text("name", controls, sizeof controls), rlk_slot_text("first", controls, 83),
                                rlk_slot_text("first_id", controls, sizeof controls),
                                rlk_slot_text("value", "abcdefghijkl", 10 + shift),
                                rlk_slot_text("id", euros, sizeof euros)};
    cr_assert(
        eq(i32, (int)rlk_findings_add(findings, RLK_RULE_MANIFEST_TABLE_COUNTS, 0, &place, slots, 5), ROWLOCK_OK));
    const char* message = rowlock_findings_at(findings, shift)->message;
    const size_t length = strlen(message);
    cr_expect(lt(sz, 2047 - 3, length), "shift %zu: it was not cut", shift);
    for (size_t at = 0, step; at < length; at += step) {
      step = rlk_utf8_length(message + at, length - at);
      cr_assert(lt(sz, 0, step), "shift %zu: no character at byte %zu of %zu", shift, at, length);
    }
  }
}

/* --- Refusals ----------------------------------------------------------------------------------------------------- */

Test(refuse, gives_the_rule_and_its_message) {
  rowlock_error_t err = {.message = "of before"};
  const rowlock_code_t code = rlk_refuse(&err, RLK_RULE_LOAD_ID_TAKEN, RLK_SLOTS(rlk_slot_text("id", "gravity\n", 8)));
  cr_expect(eq(i32, (int)code, ROWLOCK_REJECTED));
  cr_expect(eq(str, (char*)err.rule_id, (char*)"load.id-taken"));
  cr_expect(eq(str, err.message, (char*)"plugin id 'gravity\\u000A' is already loaded in this registry"));
}

Test(refuse, takes_no_error_to_fill) {
  cr_expect(eq(i32, (int)rlk_refuse(NULL, RLK_RULE_LOAD_ID_TAKEN, NULL, 0), ROWLOCK_REJECTED));
}
