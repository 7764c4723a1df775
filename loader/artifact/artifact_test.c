#include "loader/artifact/artifact.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "loader/artifact/readers.h"
#include "loader/artifact/test_artifact.h"
#include "loader/host/test_object.h"
#include "validator/rules/fault.h"

static rlk_arena_t arena;
static rlk_artifact_t artifact;
static rowlock_error_t err;

static void teardown(void) { rlk_arena_deinit(&arena); }

TestSuite(artifact, .fini = teardown, .timeout = 120);

static rowlock_code_t read_bytes(const void* bytes, size_t length) {
  rlk_arena_reset(&arena);
  return rlk_artifact_read(bytes, length, &arena, &artifact, &err);
}

/* --- Which container it is ---------------------------------------------------------------------------------------- */

#define BYTES(text) text, sizeof(text) - 1

Test(artifact, what_is_none_is_told_by_its_bytes) {
  static const struct {
    const char* bytes;
    size_t length;
    rlk_rule_t rule;
    const char* words;
  } cases[] = {
      {BYTES(""), RLK_RULE_HOST_FILE_EMPTY, "empty"},
      {BYTES("version https://git-lfs.github.com/spec/v1\noid sha256:1\n"), RLK_RULE_HOST_LFS_POINTER, "Git LFS"},
      {BYTES("../build/kernel.ptx\n"), RLK_RULE_HOST_PATH_TEXT, "../build/kernel.ptx"},
      {BYTES("\xB1\x43\x62\x46\1\0\0\0"), RLK_RULE_ARTIFACT_WRAPPED_FATBIN, "a wrapped fatbin"},
      {BYTES("{\"kernel\": 1}"), RLK_RULE_ARTIFACT_UNKNOWN, "the artifact is JSON, perhaps the sidecar"},
      {BYTES("some words\n"), RLK_RULE_ARTIFACT_UNKNOWN, "the artifact is a text"},
      {BYTES("\0\0\0\0"), RLK_RULE_ARTIFACT_UNKNOWN, "the artifact is nothing but zero bytes"},
      {BYTES("\x1F\x8B\x08\0"), RLK_RULE_ARTIFACT_UNKNOWN, "the artifact is compressed data"},
      {BYTES("!<arch>\n"), RLK_RULE_ARTIFACT_UNKNOWN, "the artifact is a static archive"},
      {BYTES(".entry k { }\n"), RLK_RULE_ARTIFACT_UNKNOWN, "the artifact is a text"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    rlk_test_expect_refused(read_bytes(cases[i].bytes, cases[i].length), &err, cases[i].rule, cases[i].words,
                            cases[i].words);
    cr_expect(zero(sz, artifact.module_count));
  }
}

Test(artifact, larger_than_the_limit_is_refused_unread) {
  rlk_test_expect_refused(read_bytes("", (size_t)RLK_ARTIFACT_BYTES_MAX + 1), &err, RLK_RULE_HOST_FILE_TOO_LARGE,
                          "268435456", "a length");
}

static void expect_kind(const char* name, rlk_artifact_kind_t kind, const char* word) {
  rlk_file_buffer_t buffer;
  rlk_test_artifact_read(name, &buffer);
  cr_assert(eq(i32, (int)read_bytes(buffer.bytes, buffer.length), ROWLOCK_OK), "%s: %s", name, err.message);
  cr_expect(eq(i32, (int)artifact.kind, (int)kind), "%s", name);
  cr_expect(eq(str, (char*)rlk_artifact_kind_word(artifact.kind), (char*)word));
  cr_expect(eq(u64, artifact.bytes, buffer.length));
  rlk_file_buffer_deinit(&buffer);
}

Test(artifact, kinds_are_told_by_content) {
  expect_kind("sums.ptx", RLK_ARTIFACT_PTX, "ptx");
  expect_kind("sums.cubin", RLK_ARTIFACT_CUBIN, "cubin");
  expect_kind("sums_plain.fatbin", RLK_ARTIFACT_FATBIN, "fatbin");
}

/* A cubin that is cut within its header is still one. */
Test(artifact, a_short_cubin_is_a_damaged_cubin) {
  rlk_file_buffer_t buffer;
  rlk_test_artifact_read("sums.cubin", &buffer);
  rlk_test_expect_refused(read_bytes(buffer.bytes, 20), &err, RLK_RULE_ARTIFACT_CUBIN_DAMAGED, "its header",
                          "20 bytes");
  rlk_file_buffer_deinit(&buffer);
}

/* --- Host objects ------------------------------------------------------------------------------------------------- */

Test(artifact, a_host_object_has_functions_without_parameters) {
  rlk_file_buffer_t object;
  rlk_test_object_read("sound.so", &object);
  cr_assert(eq(i32, (int)read_bytes(object.bytes, object.length), ROWLOCK_OK), "%s", err.message);
  cr_expect(eq(i32, (int)artifact.kind, RLK_ARTIFACT_HOST));
  cr_expect(eq(ptr, (void*)rlk_artifact_kind_format(artifact.kind), NULL));
  const rlk_artifact_entry_t* entry = rlk_module_find(artifact.modules, "drift_host");
  cr_assert(ne(ptr, (void*)entry, NULL));
  cr_expect(entry->is_defined && !entry->has_parameters);
  cr_expect(artifact.modules->layout.is_there && artifact.modules->layout.length == 40);
  cr_expect(not(rlk_module_runs_on(artifact.modules, 90)));
  rlk_file_buffer_deinit(&object);
}

Test(artifact, every_failing_allocation_of_a_host_object_is_told) {
  rlk_file_buffer_t object;
  rlk_test_object_read("sound.so", &object);
  for (uint64_t nth = 1;; ++nth) {
    rlk_fault_arm(nth, false);
    const rowlock_code_t code = rlk_artifact_read(object.bytes, object.length, &arena, &artifact, &err);
    rlk_arena_deinit(&arena);
    const rlk_fault_t fault = rlk_fault_disarm();
    cr_expect(zero(sz, fault.live), "allocation %llu leaks", (unsigned long long)nth);
    if (!fault.refused) {
      cr_expect(eq(i32, (int)code, ROWLOCK_OK));
      cr_expect(gt(u64, nth, 3), "too few allocations were seen");
      break;
    }
    cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)"NO_MEMORY"), "allocation %llu: %s",
              (unsigned long long)nth, err.message);
  }
  rlk_file_buffer_deinit(&object);
}

/* --- Where it runs ------------------------------------------------------------------------------------------------ */

static bool runs_on(rlk_artifact_kind_t kind, uint32_t sm, char suffix, uint32_t device) {
  const rlk_module_t module = {.kind = kind, .target = {.sm = sm, .suffix = suffix}};
  return rlk_module_runs_on(&module, device);
}

Test(artifact, cubins_run_within_their_major_generation_from_their_number_up) {
  cr_expect(runs_on(RLK_ARTIFACT_CUBIN, 80, '\0', 80));
  cr_expect(runs_on(RLK_ARTIFACT_CUBIN, 80, '\0', 89));
  cr_expect(not(runs_on(RLK_ARTIFACT_CUBIN, 86, '\0', 80)));
  cr_expect(not(runs_on(RLK_ARTIFACT_CUBIN, 80, '\0', 90)));
  cr_expect(runs_on(RLK_ARTIFACT_CUBIN, 100, '\0', 103));
  cr_expect(not(runs_on(RLK_ARTIFACT_CUBIN, 100, '\0', 110)));
}

Test(artifact, ptx_runs_from_its_number_up) {
  cr_expect(runs_on(RLK_ARTIFACT_PTX, 75, '\0', 75));
  cr_expect(runs_on(RLK_ARTIFACT_PTX, 75, '\0', 120));
  cr_expect(not(runs_on(RLK_ARTIFACT_PTX, 75, '\0', 70)));
}

Test(artifact, suffixes_bind_it_to_a_device_or_a_family) {
  static const rlk_artifact_kind_t kinds[] = {RLK_ARTIFACT_PTX, RLK_ARTIFACT_CUBIN};
  for (size_t i = 0; i < 2; ++i) {
    cr_expect(runs_on(kinds[i], 90, 'a', 90));
    cr_expect(not(runs_on(kinds[i], 90, 'a', 100)));
    cr_expect(not(runs_on(kinds[i], 100, 'a', 103)));
    cr_expect(runs_on(kinds[i], 100, 'f', 103));
    cr_expect(not(runs_on(kinds[i], 103, 'f', 100)));
    cr_expect(not(runs_on(kinds[i], 100, 'f', 120)));
  }
}

Test(artifact, ptx_versions_have_the_driver_that_brought_them) {
  cr_expect(eq(u32, rlk_ptx_driver(84), 124));
  cr_expect(eq(u32, rlk_ptx_driver(90), 130));
  cr_expect(eq(u32, rlk_ptx_driver(63), 100));
  cr_expect(eq(u32, rlk_ptx_driver(79), 0));
}

/* --- Entries by name ---------------------------------------------------------------------------------------------- */

Test(artifact, entries_are_found_by_name_and_twins_told) {
  rlk_artifact_entry_t entries[] = {{.name = "c"}, {.name = "a"}, {.name = "b"}};
  rlk_module_t module = {.entries = entries, .entry_count = 3};
  cr_assert(eq(i32, (int)rlk_module_index(&module, &arena, &err), ROWLOCK_OK));
  for (size_t i = 0; i < 3; ++i) cr_expect(eq(ptr, (void*)rlk_module_find(&module, entries[i].name), &entries[i]));
  cr_expect(eq(ptr, (void*)rlk_module_find(&module, "d"), NULL));
  cr_expect(eq(ptr, (void*)rlk_module_find(&module, ""), NULL));
  cr_expect(eq(ptr, (void*)rlk_module_find_twin(&module), NULL));
  entries[0].name = "b";
  cr_assert(eq(i32, (int)rlk_module_index(&module, &arena, &err), ROWLOCK_OK));
  cr_expect(eq(str, (char*)rlk_module_find_twin(&module), (char*)"b"));
  module.entry_count = 0;
  cr_expect(eq(ptr, (void*)rlk_module_find(&module, "a"), NULL));
}

/* --- Allowances --------------------------------------------------------------------------------------------------- */

Test(artifact, an_allowance_is_taken_up_to_its_limit) {
  static const uint64_t limits[] = {
#define RLK_ALLOWANCE(ID, limit, what) limit,
      RLK_ALLOWANCES(RLK_ALLOWANCE)
#undef RLK_ALLOWANCE
  };
  rlk_store_t store = {.arena = &arena};
  for (int i = 0; i < RLK_ALLOWANCE_COUNT; ++i) {
    const rlk_allowance_t allowance = (rlk_allowance_t)i;
    cr_expect(eq(i32, (int)rlk_store_take(&store, allowance, limits[i] - 1, &err), ROWLOCK_OK));
    cr_expect(eq(i32, (int)rlk_store_take(&store, allowance, 2, &err), ROWLOCK_REJECTED));
    cr_expect(eq(i32, (int)rlk_store_take(&store, allowance, UINT64_MAX, &err), ROWLOCK_REJECTED));
    cr_expect(eq(i32, (int)rlk_store_take(&store, allowance, 1, &err), ROWLOCK_OK));
    cr_expect(eq(i32, (int)rlk_store_take(&store, allowance, 1, &err), ROWLOCK_REJECTED));
    cr_expect(eq(str, (char*)err.rule_id, (char*)rlk_rule_info(RLK_RULE_ARTIFACT_LIMIT)->id));
  }
}
