#include "loader/host/entry.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "loader/host/test_object.h"

static rowlock_error_t err;

static rowlock_code_t check(const char* object, const char* name) {
  rlk_elf_t* elf;
  cr_assert(eq(i32, (int)rlk_elf_open(rlk_test_object_path(object), &elf, &err), ROWLOCK_OK), "%s: %s", object,
            err.message);
  const rowlock_code_t code = rlk_entry_check(elf, name, &err);
  rlk_elf_close(elf);
  return code;
}

static void expect_refused(const char* object, const char* name, rlk_rule_t due, const char* words) {
  rlk_test_expect_refused(check(object, name), &err, due, words, name);
}

Test(entry, that_is_an_exported_function_passes) {
  cr_expect(eq(i32, (int)check("sound.so", "drift_host"), ROWLOCK_OK));
  cr_expect(eq(i32, (int)check("sound.so", "settle_host"), ROWLOCK_OK));
  cr_expect(eq(i32, (int)check("entries.so", "calls_elsewhere"), ROWLOCK_OK));
}

Test(entry, that_is_absent_is_refused_with_the_entries_there_are) {
  expect_refused("sound.so", "gravity_host", RLK_RULE_HOST_ENTRY_ABSENT,
                 "does not define the function 'gravity_host'; its entries: 'drift_host', 'settle_host'");
}

Test(entry, that_is_nearly_right_is_refused_with_the_nearest) {
  expect_refused("sound.so", "drft_host", RLK_RULE_HOST_ENTRY_ABSENT, "'drft_host', but 'drift_host'; its entries");
  expect_refused("sound.so", "Drift_Host", RLK_RULE_HOST_ENTRY_ABSENT, "'Drift_Host', but 'drift_host'; its entries");
  expect_refused("sound.so", "settled_host", RLK_RULE_HOST_ENTRY_ABSENT, "'settled_host', but 'settle_host'");
}

Test(entry, whose_suffix_was_forgotten_is_recognised) {
  expect_refused("entries.so", "calls_elsewhere_host", RLK_RULE_HOST_ENTRY_ABSENT,
                 "'calls_elsewhere_host', but 'calls_elsewhere'; none of");
}

Test(entry, that_is_near_nothing_is_refused_without_a_guess) {
  expect_refused("sound.so", "zzz", RLK_RULE_HOST_ENTRY_ABSENT, "the function 'zzz'; its entries");
  expect_refused("sound.so", "", RLK_RULE_HOST_ENTRY_ABSENT, "the function ''; its entries");
  char name[1001];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  expect_refused("sound.so", name, RLK_RULE_HOST_ENTRY_ABSENT, "xxx...'; its entries");
}

Test(entry, of_an_object_without_entries_is_told_so) {
  expect_refused("libomp-of-test.so", "drift_host", RLK_RULE_HOST_ENTRY_ABSENT,
                 "; none of its functions ends in _host");
}

Test(entry, that_is_data_is_no_function) {
  expect_refused("entries.so", "drift_host", RLK_RULE_HOST_ENTRY_NOT_FUNCTION,
                 "'drift_host' is in the artifact, but it is data");
  expect_refused("sound.so", "eagle_layout_sizes", RLK_RULE_HOST_ENTRY_NOT_FUNCTION, "it is data, not a function");
}

Test(entry, that_is_thread_local_is_no_function) {
  expect_refused("entries.so", "thread_host", RLK_RULE_HOST_ENTRY_NOT_FUNCTION, "neither code nor data");
}

Test(entry, that_is_only_referred_to_is_undefined) {
  expect_refused("entries.so", "elsewhere_host", RLK_RULE_HOST_ENTRY_UNDEFINED,
                 "refers to 'elsewhere_host' and does not define it");
}

Test(entry, that_is_hidden_is_said_to_be_there) {
  expect_refused("entries.so", "hidden_host", RLK_RULE_HOST_ENTRY_ABSENT,
                 "'hidden_host' for others: it is there, but static or hidden");
}

Test(entry, under_its_cpp_name_is_recognised) {
  expect_refused("entries.so", "mangled_host", RLK_RULE_HOST_ENTRY_ABSENT,
                 "but '_Z12mangled_hostPKPvi', its C++ name: declare it extern \"C\"");
}
