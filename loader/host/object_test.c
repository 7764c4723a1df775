#define _GNU_SOURCE /* RTLD_NOLOAD, PATH_MAX */
#include "loader/host/object.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loader/host/fp_mode.h"
#include "loader/host/test_object.h"
#include "loader/test_folder.h"
#include "validator/rules/fault.h"

typedef void (*v1_entry_t)(void* const* params, int32_t n);
typedef void (*v2_entry_t)(void* const* params, int64_t base, int64_t count, int64_t n_samples);

static rlk_test_folder_t home;
static rowlock_error_t err;

static void setup(void) { rlk_test_folder_create(&home); }
static void teardown(void) { rlk_test_folder_remove(&home); }

TestSuite(object, .init = setup, .fini = teardown, .timeout = 120);

static rlk_host_object_t open_object(const char* path, const char* entry, rlk_layout_need_t layout) {
  rlk_host_object_t object = {0};
  cr_assert(eq(i32, (int)rlk_host_object_open(path, entry, layout, &object, &err), ROWLOCK_OK), "%s: %s", path,
            err.message);
  cr_assert(ne(ptr, object.library, NULL), "%s", path);
  cr_assert(object.entry != NULL, "%s", path);
  return object;
}

/* Also proves that what is filled on success only is left alone. */
static void expect_refused(const char* path, rlk_layout_need_t layout, rlk_rule_t due, const char* words) {
  rlk_host_object_t object = {0};
  const rowlock_code_t code = rlk_host_object_open(path, "drift_host", layout, &object, &err);
  rlk_test_expect_refused(code, &err, due, words, path);
  cr_expect(object.library == NULL && object.entry == NULL, "%s", path);
}

static bool is_open(const char* path) {
  char real[PATH_MAX];
  cr_assert(ne(ptr, realpath(path, real), NULL), "%s", path);
  return dlopen(real, RTLD_LAZY | RTLD_NOLOAD) != NULL;
}

static void copy_object(const char* name, const char* to) {
  rlk_file_buffer_t bytes;
  rlk_test_object_read(name, &bytes);
  rlk_test_folder_write(&home, to, bytes.bytes, bytes.length);
  rlk_file_buffer_deinit(&bytes);
}

/* --- Opened ------------------------------------------------------------------------------------------------------- */

Test(object, that_is_sound_is_opened_and_called) {
  const rlk_host_object_t object = open_object(rlk_test_object_path("sound.so"), "drift_host", RLK_LAYOUT_REQUIRED);
  double values[] = {1, 2, 3, 4};
  void* const params[] = {values};
  ((v2_entry_t)object.entry)(params, 1, 2, 4);
  cr_expect(values[0] == 1 && values[1] == 4 && values[2] == 6 && values[3] == 4);
}

Test(object, opened_again_is_the_same) {
  const char* path = rlk_test_object_path("sound.so");
  const rlk_host_object_t first = open_object(path, "drift_host", RLK_LAYOUT_REQUIRED);
  const rlk_host_object_t again = open_object(path, "drift_host", RLK_LAYOUT_IGNORED);
  const rlk_host_object_t other = open_object(path, "settle_host", RLK_LAYOUT_REQUIRED);
  cr_expect(first.library == again.library && first.entry == again.entry);
  cr_expect(first.library == other.library && first.entry != other.entry);
}

Test(object, reached_through_a_link_is_the_same) {
  copy_object("sound.so", "real.so");
  rlk_test_folder_link(&home, "link.so", "real.so");
  const rlk_host_object_t real = open_object(rlk_test_folder_at(&home, "real.so"), "drift_host", RLK_LAYOUT_REQUIRED);
  const rlk_host_object_t link = open_object(rlk_test_folder_at(&home, "link.so"), "drift_host", RLK_LAYOUT_REQUIRED);
  cr_expect(real.library == link.library);
}

Test(object, without_a_layout_is_opened_where_none_was_promised) {
  open_object(rlk_test_object_path("layout_none.so"), "drift_host", RLK_LAYOUT_IGNORED);
  open_object(rlk_test_object_path("layout_short.so"), "drift_host", RLK_LAYOUT_IGNORED);
}

Test(object, of_a_bare_name_is_looked_for_here_and_nowhere_else) {
  rlk_host_object_t object;
  cr_expect(
      eq(i32, (int)rlk_host_object_open("libm.so.6", "cos", RLK_LAYOUT_IGNORED, &object, &err), ROWLOCK_UNUSABLE));
  cr_expect(eq(str, err.message, (char*)"No such file or directory"));
  copy_object("layout_none.so", "libm.so.6");
  cr_assert(zero(i32, chdir(home.path)));
  object = open_object("libm.so.6", "drift_host", RLK_LAYOUT_IGNORED);
  double values[] = {21};
  void* const params[] = {values};
  ((v2_entry_t)object.entry)(params, 0, 1, 1);
  cr_expect(eq(dbl, values[0], 42.0));
  cr_assert(zero(i32, chdir("/")));
}

/* How many mappings of files the process has whose path ends so. */
static size_t count_mappings(const char* name) {
  FILE* maps = fopen("/proc/self/maps", "r");
  cr_assert(ne(ptr, maps, NULL));
  char line[8192];
  size_t count = 0;
  while (fgets(line, sizeof line, maps)) count += strstr(line, name) != NULL;
  fclose(maps);
  return count;
}

Test(object, opened_a_thousand_times_is_mapped_once) {
  double values[] = {1};
  void* const params[] = {values};
  size_t mappings = 0;
  for (int i = 0; i < 1000; ++i) {
    const rlk_host_object_t object = open_object(rlk_test_object_path("sound.so"), "drift_host", RLK_LAYOUT_REQUIRED);
    values[0] = i;
    ((v2_entry_t)object.entry)(params, 0, 1, 1);
    cr_assert(eq(dbl, values[0], 2.0 * i));
    if (i == 0) mappings = count_mappings("/sound.so");
  }
  cr_expect(gt(sz, mappings, 0));
  cr_expect(eq(sz, count_mappings("/sound.so"), mappings));
}

Test(object, keeps_its_own_functions_beside_another_with_the_same_names) {
  int64_t value = 0;
  void* const params[] = {&value};
  const rlk_host_object_t one = open_object(rlk_test_object_path("clash_one.so"), "drift_host", RLK_LAYOUT_IGNORED);
  const rlk_host_object_t two = open_object(rlk_test_object_path("clash_two.so"), "drift_host", RLK_LAYOUT_IGNORED);
  ((v1_entry_t)one.entry)(params, 1);
  cr_expect(eq(i64, value, 1));
  ((v1_entry_t)two.entry)(params, 1);
  cr_expect(eq(i64, value, 2));
  cr_expect(eq(ptr, dlsym(RTLD_DEFAULT, "helper"), NULL));
}

/* --- Refused without being opened --------------------------------------------------------------------------------- */

Test(object, with_another_layout_is_not_opened) {
  expect_refused(rlk_test_object_path("layout_short.so"), RLK_LAYOUT_REQUIRED, RLK_RULE_HOST_LAYOUT_LENGTH, "24 bytes");
  cr_expect(not(is_open(rlk_test_object_path("layout_short.so"))));
  expect_refused(rlk_test_object_path("layout_none.so"), RLK_LAYOUT_REQUIRED, RLK_RULE_HOST_LAYOUT_ABSENT, "requires");
  cr_expect(not(is_open(rlk_test_object_path("layout_none.so"))));
}

Test(object, without_the_entry_is_not_opened) {
  rlk_host_object_t object;
  rlk_test_expect_refused(
      rlk_host_object_open(rlk_test_object_path("sound.so"), "gravity_host", RLK_LAYOUT_REQUIRED, &object, &err), &err,
      RLK_RULE_HOST_ENTRY_ABSENT, "does not define the function 'gravity_host'", "gravity_host");
  cr_expect(not(is_open(rlk_test_object_path("sound.so"))));
  open_object(rlk_test_object_path("sound.so"), "drift_host", RLK_LAYOUT_REQUIRED);
  cr_expect(is_open(rlk_test_object_path("sound.so"))); /* so that the question above can be answered with yes */
}

Test(object, that_is_checked_is_not_opened) {
  const char* path = rlk_test_object_path("flush.so");
  cr_expect(eq(i32, (int)rlk_host_object_check(path, "drift_host", RLK_LAYOUT_IGNORED, &err), ROWLOCK_OK));
  rlk_test_expect_refused(rlk_host_object_check(path, "drift_host", RLK_LAYOUT_REQUIRED, &err), &err,
                          RLK_RULE_HOST_LAYOUT_ABSENT, "requires", path);
  cr_expect(not(is_open(path)));
}

Test(object, is_not_opened_when_memory_is_short) {
  char path[256];
  snprintf(path, sizeof path, "%s", rlk_test_object_path("sound.so"));
  for (uint64_t nth = 1;; ++nth) {
    rlk_host_object_t object = {0};
    rlk_fault_arm(nth, false);
    const rowlock_code_t code = rlk_host_object_open(path, "drift_host", RLK_LAYOUT_REQUIRED, &object, &err);
    const rlk_fault_t fault = rlk_fault_disarm();
    cr_expect(zero(sz, fault.live), "allocation %llu leaks", (unsigned long long)nth);
    if (!fault.refused) {
      cr_expect(eq(i32, (int)code, ROWLOCK_OK));
      cr_expect(gt(u64, nth, 3), "too few allocations were seen");
      break;
    }
    cr_expect(eq(str, (char*)rowlock_code_name(code), (char*)"NO_MEMORY"), "allocation %llu", (unsigned long long)nth);
    cr_expect(not(is_open(path)), "allocation %llu", (unsigned long long)nth);
  }
}

/* --- Refused by the dynamic loader -------------------------------------------------------------------------------- */

Test(object, that_uses_what_nobody_defines_names_it) {
  expect_refused(rlk_test_object_path("unresolved.so"), RLK_LAYOUT_IGNORED, RLK_RULE_HOST_SYMBOL_UNRESOLVED,
                 "uses 'nowhere_defined', which neither it nor a library that it needs defines");
  cr_expect(not(is_open(rlk_test_object_path("unresolved.so"))));
}

static void expect_lack(const char* name, const char* of_its_list) {
  expect_refused(rlk_test_folder_at(&home, name), RLK_LAYOUT_IGNORED, RLK_RULE_HOST_DEPENDENCY_MISSING,
                 "needs the library 'libomp-of-test.so', which cannot be opened: No such file or directory; it needs ");
  const char* list = strrchr(err.message, ';');
  cr_assert(ne(ptr, (void*)list, NULL), "%s", err.message);
  cr_expect(strstr(list, of_its_list) != NULL, "%s: '%s' is not in '%s'", name, of_its_list, list);
}

Test(object, that_lacks_a_library_names_it) {
  copy_object("needs.so", "needs.so"); /* without its neighbour */
  expect_lack("needs.so", "libomp-of-test.so");
}

Test(object, whose_library_lacks_a_library_names_that) {
  copy_object("needs_middle.so", "needs_middle.so");
  copy_object("libmiddle-of-test.so", "libmiddle-of-test.so");
  expect_lack("needs_middle.so", "libmiddle-of-test.so");
}

Test(object, that_cannot_be_opened_for_another_reason_keeps_the_loaders_words) {
  copy_object("needs.so", "needs.so");
  rlk_test_folder_write(&home, "libomp-of-test.so", "../lib/libomp-of-test.so", 18);
  expect_refused(rlk_test_folder_at(&home, "needs.so"), RLK_LAYOUT_IGNORED, RLK_RULE_HOST_OPEN_FAILED,
                 "libomp-of-test.so: file too short");
}

/* --- The floating-point mode -------------------------------------------------------------------------------------- */

static void expect_mode_refused(const char* name, const char* words) {
  const rlk_fp_mode_t before = rlk_fp_mode_save();
  for (int i = 0; i < 2; ++i) { /* its constructor runs the first time only */
    expect_refused(rlk_test_object_path(name), RLK_LAYOUT_IGNORED, RLK_RULE_HOST_FP_MODE, words);
    const rlk_fp_mode_t after = rlk_fp_mode_save();
    cr_expect(zero(u32, rlk_fp_mode_compare(&before, &after)), "%s", name);
  }
}

Test(object, that_flushes_to_zero_is_refused_each_time_and_the_mode_restored) {
  expect_mode_refused("flush.so", "changed the floating-point mode: flush-to-zero on load");
  volatile double tiny = 2.2250738585072014e-308;
  cr_expect(gt(dbl, tiny / 4, 0.0));
}

Test(object, that_changes_another_part_of_the_mode_is_refused) {
  expect_mode_refused("denormals.so", "floating-point mode: flush-to-zero, denormals-are-zero on load");
  expect_mode_refused("precision.so", "floating-point mode: x87 precision on load");
  expect_mode_refused("traps.so", "floating-point mode: x87 traps on load");
}

Test(object, is_judged_by_what_it_changes_not_by_what_the_caller_has) {
  const rlk_fp_mode_t before = rlk_fp_mode_save();
  const uint32_t flushing = before.mxcsr | 0x8000;
  __asm__ volatile("ldmxcsr %0" : : "m"(flushing) : "memory");
  rlk_host_object_t object;
  const rowlock_code_t code =
      rlk_host_object_open(rlk_test_object_path("flush.so"), "drift_host", RLK_LAYOUT_IGNORED, &object, &err);
  const rlk_fp_mode_t after = rlk_fp_mode_save();
  rlk_fp_mode_restore(&before);
  cr_expect(eq(i32, (int)code, ROWLOCK_OK));
  cr_expect(eq(u32, rlk_fp_mode_compare(&before, &after), RLK_FP_FLUSH_TO_ZERO));
}

/* --- A file that changes ------------------------------------------------------------------------------------------ */

/* As tools do it: what is mapped of the old file stays as it is. */
static void move_over(const char* from, const char* to) {
  char path[512];
  snprintf(path, sizeof path, "%s", rlk_test_folder_at(&home, from));
  cr_assert(zero(i32, rename(path, rlk_test_folder_at(&home, to))));
}

static void replace(const char* name, const char* with) {
  copy_object(with, "next");
  move_over("next", name);
}

Test(object, that_was_replaced_is_refused_instead_of_run_as_it_was) {
  copy_object("clash_one.so", "plugin.so");
  const rlk_host_object_t first = open_object(rlk_test_folder_at(&home, "plugin.so"), "drift_host", RLK_LAYOUT_IGNORED);
  replace("plugin.so", "clash_two.so"); /* another constant */
  expect_refused(rlk_test_folder_at(&home, "plugin.so"), RLK_LAYOUT_IGNORED, RLK_RULE_HOST_REPLACED,
                 "was replaced since this process opened it");
  replace("plugin.so", "sound.so"); /* other segments */
  expect_refused(rlk_test_folder_at(&home, "plugin.so"), RLK_LAYOUT_IGNORED, RLK_RULE_HOST_REPLACED,
                 "was replaced since this process opened it");
  int64_t value = 0;
  void* const params[] = {&value};
  ((v1_entry_t)first.entry)(params, 1);
  cr_expect(eq(i64, value, 1), "what was opened was lost");
}

/* An object of one loaded segment or more whose first, with the headers in it, may be written, so that its bytes are no
 * evidence. `grown_bytes` more are in memory of the last. */
static void write_with_segments(const char* to, uint64_t grown_bytes) {
  rlk_file_buffer_t bytes;
  rlk_test_object_read("clash_one.so", &bytes);
  Elf64_Ehdr header;
  memcpy(&header, bytes.bytes, sizeof header);
  Elf64_Phdr* last = NULL;
  Elf64_Phdr segments[32];
  cr_assert(le(sz, header.e_phnum, sizeof segments / sizeof *segments));
  memcpy(segments, bytes.bytes + header.e_phoff, header.e_phnum * sizeof *segments);
  for (size_t i = 0; i < header.e_phnum; ++i) {
    if (segments[i].p_type != PT_LOAD) continue;
    if (!last) segments[i].p_flags |= PF_W;
    last = &segments[i];
  }
  cr_assert(ne(ptr, last, NULL));
  last->p_memsz += grown_bytes;
  memcpy(bytes.bytes + header.e_phoff, segments, header.e_phnum * sizeof *segments);
  rlk_test_folder_write(&home, to, bytes.bytes, bytes.length);
  rlk_file_buffer_deinit(&bytes);
}

Test(object, that_was_replaced_by_one_with_other_segments_is_refused) {
  write_with_segments("plugin.so", 0);
  open_object(rlk_test_folder_at(&home, "plugin.so"), "drift_host", RLK_LAYOUT_IGNORED);
  write_with_segments("next", 8);
  move_over("next", "plugin.so");
  expect_refused(rlk_test_folder_at(&home, "plugin.so"), RLK_LAYOUT_IGNORED, RLK_RULE_HOST_REPLACED, "was replaced");
}

Test(object, that_was_replaced_by_the_same_bytes_is_the_same) {
  copy_object("clash_one.so", "plugin.so");
  const rlk_host_object_t first = open_object(rlk_test_folder_at(&home, "plugin.so"), "drift_host", RLK_LAYOUT_IGNORED);
  replace("plugin.so", "clash_one.so");
  const rlk_host_object_t again = open_object(rlk_test_folder_at(&home, "plugin.so"), "drift_host", RLK_LAYOUT_IGNORED);
  cr_expect(first.library == again.library);
}

static void set_code(rlk_host_function_t function, uint8_t value) {
  uintptr_t address;
  memcpy(&address, &function, sizeof address);
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  void* const start = (void*)(address / page * page);
  cr_assert(zero(i32, mprotect(start, page, PROT_READ | PROT_WRITE | PROT_EXEC)));
  *(volatile uint8_t*)address = value;
  cr_assert(zero(i32, mprotect(start, page, PROT_READ | PROT_EXEC)));
}

Test(object, with_a_debuggers_breakpoints_is_still_the_file) {
  const rlk_host_object_t settle = open_object(rlk_test_object_path("sound.so"), "settle_host", RLK_LAYOUT_REQUIRED);
  set_code(settle.entry, 0xCC);
  open_object(rlk_test_object_path("sound.so"), "drift_host", RLK_LAYOUT_REQUIRED);
  set_code(settle.entry, 0x90);
  expect_refused(rlk_test_object_path("sound.so"), RLK_LAYOUT_REQUIRED, RLK_RULE_HOST_REPLACED, "was replaced");
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

enum { THREADS = 4 };

static const size_t rounds = 25;

typedef struct worker_t {
  pthread_t thread;
  size_t opened, refused, other;
} worker_t;

/* Opens sound and harmful objects in turn; asserts nothing, as Criterion's assertions are of the test's own thread. */
static void* open_and_count(void* context) {
  worker_t* worker = context;
  static const char* const paths[] = {"loader/host/testdata/sound.so", "loader/host/testdata/flush.so",
                                      "loader/host/testdata/layout_none.so"};
  for (size_t i = 0; i < rounds * 3; ++i) {
    rlk_host_object_t object = {0};
    rowlock_error_t own;
    const rowlock_code_t code = rlk_host_object_open(paths[i % 3], "drift_host", RLK_LAYOUT_IGNORED, &object, &own);
    const bool harmful = i % 3 == 1;
    if (code == ROWLOCK_OK && !harmful && object.entry) {
      ++worker->opened;
    } else if (code == ROWLOCK_REJECTED && harmful && strcmp(own.rule_id, "host.fp-mode") == 0) {
      ++worker->refused;
    } else {
      ++worker->other;
    }
  }
  return NULL;
}

Test(object, is_opened_by_several_threads_at_once) {
  worker_t workers[THREADS] = {0};
  for (int i = 0; i < THREADS; ++i) {
    cr_assert(zero(i32, pthread_create(&workers[i].thread, NULL, open_and_count, &workers[i])));
  }
  for (int i = 0; i < THREADS; ++i) cr_assert(zero(i32, pthread_join(workers[i].thread, NULL)));
  for (int i = 0; i < THREADS; ++i) {
    cr_expect(eq(sz, workers[i].opened, 2 * rounds));
    cr_expect(eq(sz, workers[i].refused, rounds));
    cr_expect(zero(sz, workers[i].other));
  }
}
