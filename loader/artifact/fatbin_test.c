#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/artifact/test_artifact.h"
#include "loader/host/test_object.h"
#include "validator/rules/fault.h"

enum {
  HEADER = 16, /* where the first module of a fatbin begins */
  MODULE_HEADER = 64,
  OFFSET_KIND = 0,
  OFFSET_HEADER_BYTES = 4,
  OFFSET_PAYLOAD_BYTES = 8,
  OFFSET_PACKED_BYTES = 16,
  OFFSET_SM = 28,
  OFFSET_FLAGS = 40,
  OFFSET_UNPACKED_BYTES = 56,
};

static const char small_ptx[] = ".version 8.4\n.target sm_90\n.address_size 64\n.entry k { }\n";

static rlk_arena_t arena;
static rlk_artifact_t artifact;
static rowlock_error_t err;
static rlk_file_buffer_t file;

static void teardown(void) {
  rlk_arena_deinit(&arena);
  rlk_file_buffer_deinit(&file);
}

TestSuite(fatbin, .fini = teardown, .timeout = 120);

static void load(const char* name) {
  rlk_file_buffer_deinit(&file);
  rlk_test_artifact_read(name, &file);
}

static rowlock_code_t read_fatbin(void) {
  rlk_arena_reset(&arena);
  return rlk_artifact_read(file.bytes, file.length, &arena, &artifact, &err);
}

static void need_fatbin(void) {
  cr_assert(eq(i32, (int)read_fatbin(), ROWLOCK_OK), "%s", err.message);
  cr_assert(eq(i32, (int)artifact.kind, RLK_ARTIFACT_FATBIN));
}

static void expect_refused(rlk_rule_t rule, const char* words) {
  rlk_test_expect_refused(read_fatbin(), &err, rule, words, words);
}

static void put16(size_t at, uint16_t value) { memcpy(file.bytes + at, &value, sizeof value); }
static void put32(size_t at, uint32_t value) { memcpy(file.bytes + at, &value, sizeof value); }
static void put64(size_t at, uint64_t value) { memcpy(file.bytes + at, &value, sizeof value); }

/* --- What the compiler makes -------------------------------------------------------------------------------------- */

static void expect_same_modules(const char* name, const rlk_compression_t compressions[3]) {
  static const uint32_t due[] = {75, 90, 120};
  load(name);
  need_fatbin();
  cr_assert(eq(sz, artifact.module_count, 3), "%s", name);
  for (size_t i = 0; i < 3; ++i) {
    const rlk_module_t* module = &artifact.modules[i];
    cr_expect(eq(u32, module->target.sm, due[i]), "%s", name);
    cr_expect(eq(i32, (int)module->kind, i == 0 ? RLK_ARTIFACT_PTX : RLK_ARTIFACT_CUBIN), "%s", name);
    cr_expect(eq(i32, (int)module->compression, (int)compressions[i]), "%s, module %zu", name, i);
    cr_expect(module->layout.is_there && module->layout.bytes[0] == 40, "%s", name);
    const rlk_artifact_entry_t* sums = rlk_module_find(module, "sums");
    cr_assert(ne(ptr, (void*)sums, NULL), "%s", name);
    cr_expect(eq(sz, sums->parameter_count, 6));
    cr_expect(eq(u32, sums->block_bytes, 72));
  }
}

Test(fatbin, modules_are_the_same_in_every_compression) {
  expect_same_modules("sums_plain.fatbin", (rlk_compression_t[]){0, 0, 0});
  expect_same_modules("sums_lz4.fatbin", (rlk_compression_t[]){RLK_COMPRESSION_LZ4, 0, 0});
  expect_same_modules("sums_zstd.fatbin",
                      (rlk_compression_t[]){RLK_COMPRESSION_ZSTD, RLK_COMPRESSION_ZSTD, RLK_COMPRESSION_ZSTD});
}

Test(fatbin, a_module_of_another_kind_is_passed_over) {
  load("sums_plain.fatbin");
  put16(HEADER + OFFSET_KIND, 16);
  need_fatbin();
  cr_expect(eq(sz, artifact.module_count, 2));
  cr_expect(eq(u32, artifact.modules[0].target.sm, 90));
}

/* --- Refusals ----------------------------------------------------------------------------------------------------- */

static void expect_damaged(const char* name, void (*damage)(void), const char* words) {
  load(name);
  damage();
  expect_refused(RLK_RULE_ARTIFACT_FATBIN_DAMAGED, words);
}

static void cut_header(void) { file.length = 15; }
static void other_version(void) { put16(4, 2); }
static void other_header(void) { put16(6, 24); }
static void no_modules(void) { put64(8, 0); }
static void cut_module(void) { put64(8, 63); }
static void short_module_header(void) { put32(HEADER + OFFSET_HEADER_BYTES, 63); }
static void long_module_header(void) { put32(HEADER + OFFSET_HEADER_BYTES, UINT32_MAX); }
static void long_payload(void) { put64(HEADER + OFFSET_PAYLOAD_BYTES, UINT64_MAX); }
static void long_packed(void) { put32(HEADER + OFFSET_PACKED_BYTES, UINT32_MAX); }
static void more_unpacked(void) { ++file.bytes[HEADER + OFFSET_UNPACKED_BYTES]; }
static void less_unpacked(void) { --file.bytes[HEADER + OFFSET_UNPACKED_BYTES]; }
static void nothing_unpacked(void) { put64(HEADER + OFFSET_UNPACKED_BYTES, 0); }
static void broken_payload(void) { file.bytes[HEADER + 80] ^= 0x55; }
static void other_sm(void) { put32(HEADER + OFFSET_SM, 80); }

Test(fatbin, damage_is_refused_and_named) {
  expect_damaged("sums_plain.fatbin", cut_header, "at byte 0: its header is cut short");
  expect_damaged("sums_plain.fatbin", other_version, "at byte 4: its version or header size is none that is known");
  expect_damaged("sums_plain.fatbin", other_header, "at byte 4: its version or header size is none that is known");
  expect_damaged("sums_plain.fatbin", no_modules, "at byte 16: it holds neither PTX nor a cubin");
  expect_damaged("sums_plain.fatbin", cut_module, "at byte 16: a module's header is cut short");
  expect_damaged("sums_plain.fatbin", short_module_header, "at byte 16: a module's header has a size that cannot be");
  expect_damaged("sums_plain.fatbin", long_module_header, "at byte 16: a module's header has a size that cannot be");
  expect_damaged("sums_plain.fatbin", long_payload, "at byte 16: a module goes on behind the end");
  expect_damaged("sums_plain.fatbin", other_sm, "at byte 16: a module is for another SM than said");
}

Test(fatbin, what_cannot_be_unpacked_is_refused) {
  static const char* const names[] = {"sums_lz4.fatbin", "sums_zstd.fatbin"};
  for (size_t i = 0; i < 2; ++i) {
    expect_damaged(names[i], long_packed, "at byte 16: a module is larger than its place");
    expect_damaged(names[i], more_unpacked, "at byte 16: a module cannot be unpacked");
    expect_damaged(names[i], less_unpacked, "at byte 16: a module cannot be unpacked");
    expect_damaged(names[i], nothing_unpacked, "at byte 16: a module cannot be unpacked");
    expect_damaged(names[i], broken_payload, "at byte 16: a module cannot be unpacked");
  }
}

Test(fatbin, cut_short_says_what_is_missing) {
  load("sums_plain.fatbin");
  --file.length;
  expect_refused(RLK_RULE_HOST_CUT_SHORT, "the fatbin");
  load("sums_plain.fatbin");
  put64(8, UINT64_MAX);
  expect_refused(RLK_RULE_HOST_CUT_SHORT, "the fatbin");
}

/* --- Bounds ------------------------------------------------------------------------------------------------------- */

/* A fatbin of `count` modules of PTX, whose text is still to be put there. */
static void make_modules(size_t count, size_t payload) {
  const size_t size = MODULE_HEADER + payload;
  rlk_file_buffer_deinit(&file);
  file.length = HEADER + count * size;
  file.bytes = calloc(1, file.length);
  cr_assert(ne(ptr, file.bytes, NULL));
  put32(0, 0xBA55ED50);
  put16(4, 1);
  put16(6, HEADER);
  put64(8, count * size);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = HEADER + i * size;
    put16(at + OFFSET_KIND, 1);
    put32(at + OFFSET_HEADER_BYTES, MODULE_HEADER);
    put64(at + OFFSET_PAYLOAD_BYTES, payload);
    put32(at + OFFSET_SM, 90);
    put64(at + OFFSET_FLAGS, 0x11);
  }
}

/* Of the small PTX each. */
static void make(size_t count) {
  make_modules(count, sizeof small_ptx);
  for (size_t i = 0; i < count; ++i) {
    memcpy(file.bytes + HEADER + i * (MODULE_HEADER + sizeof small_ptx) + MODULE_HEADER, small_ptx, sizeof small_ptx);
  }
}

Test(fatbin, modules_up_to_the_limit) {
  make(RLK_ARTIFACT_MODULES_MAX);
  need_fatbin();
  cr_expect(eq(sz, artifact.module_count, RLK_ARTIFACT_MODULES_MAX));
  cr_expect(eq(str, (char*)artifact.modules[RLK_ARTIFACT_MODULES_MAX - 1].entries[0].name, (char*)"k"));
  make(RLK_ARTIFACT_MODULES_MAX + 1);
  expect_refused(RLK_RULE_ARTIFACT_LIMIT, "more than the limit of 256 modules");
}

Test(fatbin, what_is_wrong_with_a_module_says_in_which) {
  make(2);
  memcpy(strstr(file.bytes + HEADER + MODULE_HEADER, ".entry k") + 7, "7", 1);
  const rowlock_code_t code = read_fatbin();
  cr_assert(eq(i32, (int)code, ROWLOCK_REJECTED));
  const char* due = "line 4, column 8: '7' where an entry's name is due, in the module at byte 16 of the fatbin";
  cr_expect(ne(ptr, strstr(err.message, due), NULL), "%s", err.message);
}

/* The size of the file counts as the module's packed bytes do: a small one may not ask for more than the base. */
Test(fatbin, unpacked_sizes_up_to_the_limit) {
  uint32_t size = (uint32_t)RLK_ARTIFACT_UNPACKED_BASE, most = 0;
  for (bool is_stable = false; !is_stable; size = most) { /* which makes the file longer, and the limit higher */
    rlk_file_buffer_deinit(&file);
    rlk_test_packed_fatbin_create(small_ptx, size, &file);
    most = (uint32_t)RLK_ARTIFACT_UNPACKED_BASE + RLK_ARTIFACT_UNPACKED_RATIO * (uint32_t)file.length;
    is_stable = most == size;
  }
  need_fatbin();
  cr_expect(eq(u64, artifact.unpacked_bytes, most));
  cr_expect(eq(u64, artifact.modules[0].bytes, most));
  put64(HEADER + OFFSET_UNPACKED_BYTES, most + 1);
  char words[128];
  snprintf(words, sizeof words, "more than the limit of %u bytes of unpacked modules, at its size", most);
  expect_refused(RLK_RULE_ARTIFACT_LIMIT, words);
  put64(HEADER + OFFSET_UNPACKED_BYTES, UINT64_MAX);
  expect_refused(RLK_RULE_ARTIFACT_LIMIT, words);
}

Test(fatbin, what_modules_unpack_to_counts_together) {
  load("sums_zstd.fatbin");
  put64(HEADER + OFFSET_UNPACKED_BYTES, RLK_ARTIFACT_UNPACKED_BASE + RLK_ARTIFACT_UNPACKED_RATIO * file.length);
  expect_refused(RLK_RULE_ARTIFACT_LIMIT, "bytes of unpacked modules, at its size");
}

Test(fatbin, what_a_refused_one_unpacked_is_known) {
  rlk_test_packed_fatbin_create(".version 8.4\n", 1 << 20, &file);
  expect_refused(RLK_RULE_ARTIFACT_PTX_SYNTAX, "names no .target");
  cr_expect(eq(u64, artifact.unpacked_bytes, 1 << 20));
  cr_expect(eq(sz, artifact.module_count, 0));
}

/* Each module is within the bounds of one. */
Test(fatbin, entries_of_all_modules_up_to_the_limit) {
  static const char head[] = ".version 8.4\n.target sm_90\n.address_size 64\n";
  enum {
    OF_EACH = RLK_ARTIFACT_ENTRIES_MAX,
    MODULES = 8,
    ENTRY = 12,
    PAYLOAD = sizeof head - 1 + (size_t)OF_EACH * ENTRY
  };
  for (size_t over = 0; over < 2; ++over) {
    make_modules(MODULES + over, PAYLOAD);
    for (size_t i = 0; i < MODULES + over; ++i) {
      char* at = file.bytes + HEADER + i * (MODULE_HEADER + PAYLOAD) + MODULE_HEADER;
      at = (char*)memcpy(at, head, sizeof head - 1) + sizeof head - 1;
      for (int entry = 0; entry < OF_EACH; ++entry, at += ENTRY) {
        char line[ENTRY + 1];
        snprintf(line, sizeof line, ".entry k%03x;", (unsigned)entry);
        memcpy(at, line, ENTRY);
      }
    }
    if (over) {
      expect_refused(RLK_RULE_ARTIFACT_LIMIT, "more than the limit of 32768 entries of all modules");
    } else {
      need_fatbin();
      cr_expect(eq(sz, artifact.modules[MODULES - 1].entry_count, OF_EACH));
    }
  }
}

Test(fatbin, zeros_may_follow_and_nothing_else) {
  make(1);
  const size_t end = file.length;
  file.bytes = realloc(file.bytes, end + 100);
  cr_assert(ne(ptr, file.bytes, NULL));
  memset(file.bytes + end, 0, 100);
  file.length = end + 100;
  need_fatbin();
  static const size_t places[] = {0, 1, 99};
  for (size_t i = 0; i < 3; ++i) {
    char words[96];
    snprintf(words, sizeof words, "at byte %zu: something other than zeros follows its end", end + places[i]);
    file.bytes[end + places[i]] = 1;
    expect_refused(RLK_RULE_ARTIFACT_FATBIN_DAMAGED, words);
    file.bytes[end + places[i]] = 0;
  }
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

static void expect_every_failure_told(const char* name) {
  load(name);
  for (uint64_t nth = 1;; ++nth) {
    rlk_fault_arm(nth, false);
    const rowlock_code_t code = rlk_artifact_read(file.bytes, file.length, &arena, &artifact, &err);
    rlk_arena_deinit(&arena);
    const rlk_fault_t fault = rlk_fault_disarm();
    cr_expect(zero(sz, fault.live), "%s: allocation %llu leaks", name, (unsigned long long)nth);
    if (!fault.refused) {
      cr_expect(eq(i32, (int)code, ROWLOCK_OK));
      cr_expect(gt(u64, nth, 4), "too few allocations were seen");
      break;
    }
    cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)"NO_MEMORY"), "%s: allocation %llu: %s", name,
              (unsigned long long)nth, err.message);
  }
}

Test(fatbin, every_failing_allocation_is_told) {
  expect_every_failure_told("sums_plain.fatbin");
  expect_every_failure_told("sums_lz4.fatbin");
  expect_every_failure_told("sums_zstd.fatbin");
}
