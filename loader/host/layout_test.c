#include "loader/host/layout.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "loader/host/test_object.h"

static rowlock_error_t err;

static rowlock_code_t check(const char* name) {
  rlk_elf_t* elf;
  cr_assert(eq(i32, (int)rlk_elf_open(rlk_test_object_path(name), &elf, &err), ROWLOCK_OK), "%s: %s", name,
            err.message);
  const rowlock_code_t code = rlk_layout_check(elf, &err);
  rlk_elf_close(elf);
  return code;
}

static void expect_refused(const char* name, rlk_rule_t due, const char* words) {
  rlk_test_expect_refused(check(name), &err, due, words, name);
}

Test(layout, that_agrees_passes) { cr_expect(eq(i32, (int)check("sound.so"), ROWLOCK_OK)); }

Test(layout, sizes_are_those_of_the_format) {
  cr_expect(eq(i32, RLK_LAYOUT_LENGTH, 40));
  static const uint64_t sizes[] = {RLK_LAYOUT_GREF_BYTES, RLK_LAYOUT_SCALAR_HANDLE_BYTES, RLK_LAYOUT_INT_HANDLE_BYTES,
                                   RLK_LAYOUT_INDEX_BYTES, RLK_LAYOUT_TRIPLE_BYTES};
  static const uint64_t due[] = {40, 32, 32, 4, 24};
  cr_expect(zero(i32, memcmp(sizes, due, sizeof due)));
  cr_expect(eq(i32, (int)rlk_layout_compare(sizes, sizeof sizes, &err), ROWLOCK_OK));
}

Test(layout, mismatch_names_the_first_field_that_differs_and_both_sizes) {
  static const char* const names[] = {"GRef", "scalar handle", "int handle", "index type", "triple"};
  static const int due[] = {40, 32, 32, 4, 24};
  for (size_t field = 0; field < RLK_LAYOUT_FIELD_COUNT; ++field) {
    uint64_t sizes[] = {40, 32, 32, 4, 24};
    char words[128];
    sizes[field] += 8;
    if (field + 1 < RLK_LAYOUT_FIELD_COUNT) sizes[field + 1] = 0; /* is not reached */
    snprintf(words, sizeof words, "layout mismatch in %s: the artifact has %d bytes, this loader %d", names[field],
             due[field] + 8, due[field]);
    rlk_test_expect_refused(rlk_layout_compare(sizes, sizeof sizes, &err), &err, RLK_RULE_HOST_LAYOUT_MISMATCH, words,
                            names[field]);
  }
}

Test(layout, mismatch_is_seen_in_every_byte) {
  uint8_t bytes[RLK_LAYOUT_LENGTH + 1];
  const uint64_t sizes[] = {40, 32, 32, 4, 24};
  for (size_t i = 0; i < RLK_LAYOUT_LENGTH; ++i) {
    memcpy(bytes + 1, sizes, sizeof sizes); /* not aligned */
    cr_assert(eq(i32, (int)rlk_layout_compare(bytes + 1, sizeof sizes, &err), ROWLOCK_OK));
    bytes[1 + i] ^= 0x80;
    rlk_test_expect_refused(rlk_layout_compare(bytes + 1, sizeof sizes, &err), &err, RLK_RULE_HOST_LAYOUT_MISMATCH,
                            "layout mismatch in ", "a changed byte");
  }
}

Test(layout, of_another_length_names_both_lengths) {
  expect_refused("layout_short.so", RLK_RULE_HOST_LAYOUT_LENGTH, "has 24 bytes, not 40");
  expect_refused("layout_long.so", RLK_RULE_HOST_LAYOUT_LENGTH, "has 48 bytes, not 40");
  rlk_test_expect_refused(rlk_layout_compare(NULL, UINT64_MAX, &err), &err, RLK_RULE_HOST_LAYOUT_LENGTH,
                          "has 18446744073709551615 bytes", "the longest");
}

Test(layout, that_is_not_exported_is_required) {
  expect_refused("layout_none.so", RLK_RULE_HOST_LAYOUT_ABSENT, "requires the exported 'eagle_layout_sizes'");
  expect_refused("layout_undefined.so", RLK_RULE_HOST_LAYOUT_ABSENT,
                 "requires the exported 'eagle_layout_sizes': it refers to it");
}

Test(layout, in_memory_that_starts_as_zeros_is_read_as_zeros) {
  expect_refused("layout_zeros.so", RLK_RULE_HOST_LAYOUT_MISMATCH, "layout mismatch in GRef: the artifact has 0 bytes");
}

Test(layout, that_is_a_function_is_no_array) {
  expect_refused("layout_function.so", RLK_RULE_HOST_LAYOUT_NOT_DATA, "'eagle_layout_sizes' is a function");
}
