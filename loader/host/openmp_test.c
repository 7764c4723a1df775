#include "loader/host/openmp.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <string.h>

#include "loader/host/object.h"
#include "loader/host/test_object.h"
#include "loader/test_folder.h"

static rowlock_error_t err;

/* --- Names -------------------------------------------------------------------------------------------------------- */

static size_t count_of(const char* const* libraries, size_t count) {
  rlk_openmp_t runtimes = {0};
  for (size_t i = 0; i < count; ++i) rlk_openmp_add(&runtimes, libraries[i]);
  return runtimes.count;
}

#define COUNT_OF(...) \
  count_of((const char* const[]){__VA_ARGS__}, sizeof((const char* const[]){__VA_ARGS__}) / sizeof(const char*))

Test(openmp, runtimes_are_known_by_name) {
  cr_expect(eq(sz, COUNT_OF("libgomp.so.1"), 1));
  cr_expect(eq(sz, COUNT_OF("/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0"), 1));
  cr_expect(eq(sz, COUNT_OF("libomp.so.5"), 1));
  cr_expect(eq(sz, COUNT_OF("libomp.so"), 1));
  cr_expect(eq(sz, COUNT_OF("libiomp5.so"), 1));
  cr_expect(eq(sz, COUNT_OF("libgomp-a34b3233.so.1.0.0"), 1));
}

Test(openmp, other_libraries_are_none) {
  cr_expect(zero(sz, COUNT_OF("", "libc.so.6", "libomptarget.so", "libgomp", "libgomp.a", "libgomp_x.so", "gomp.so",
                              "/libgomp.so.1/libm.so.6", "libompi.so", "libgomp.sox")));
}

Test(openmp, one_runtime_under_two_names_counts_once) {
  cr_expect(eq(sz, COUNT_OF("libgomp.so.1", "/usr/lib/libgomp.so.1.0.0", "libgomp.so"), 1));
  cr_expect(eq(sz, COUNT_OF("libomp.so", "libomp.so.5"), 1));
}

Test(openmp, different_runtimes_count_each) {
  cr_expect(eq(sz, COUNT_OF("libgomp.so.1", "libomp.so.5", "libiomp5.so"), 3));
  cr_expect(eq(sz, COUNT_OF("libgomp.so.1", "libgomp-a34b3233.so.1.0.0"), 2));
  cr_expect(eq(sz, COUNT_OF("libgomp-1.so", "libgomp-2.so"), 2));
}

Test(openmp, more_than_are_kept_are_dropped) {
  rlk_openmp_t runtimes = {0};
  for (int i = 0; i < 2 * RLK_OPENMP_MAX; ++i) {
    char name[] = "libomp-a.so";
    name[7] = (char)(name[7] + i);
    rlk_openmp_add(&runtimes, name);
  }
  cr_expect(eq(sz, runtimes.count, RLK_OPENMP_MAX));
  cr_expect(eq(str, runtimes.names[0], (char*)"libomp-a.so"));
}

/* --- In this process ---------------------------------------------------------------------------------------------- */

static void load_gcc_runtime(void) {
  cr_assert(ne(ptr, dlopen("libgomp.so.1", RTLD_NOW | RTLD_LOCAL), NULL), "%s", dlerror());
}

Test(openmp, loaded_runtimes_are_found) {
  rlk_openmp_t before = {0}, after = {0};
  rlk_openmp_add_loaded(&before);
  load_gcc_runtime();
  rlk_openmp_add_loaded(&after);
  cr_expect(zero(sz, before.count));
  cr_assert(eq(sz, after.count, 1));
  cr_expect(eq(str, after.names[0], (char*)"libgomp.so.1"));
}

static rowlock_code_t open_object(const char* name, rlk_host_object_t* out_object) {
  return rlk_host_object_open(rlk_test_object_path(name), "drift_host", RLK_LAYOUT_IGNORED, out_object, &err);
}

static int64_t call(const rlk_host_object_t* object) {
  int64_t value = 0;
  void* const params[] = {&value};
  ((void (*)(void* const*, int32_t))object->entry)(params, 1);
  return value;
}

static void expect_opened(const char* name, int64_t due) {
  rlk_host_object_t object;
  cr_assert(eq(i32, (int)open_object(name, &object), ROWLOCK_OK), "%s: %s", name, err.message);
  cr_expect(eq(i64, call(&object), due), "%s", name);
}

static void expect_refused(const char* name, const char* words) {
  rlk_host_object_t object;
  rlk_test_expect_refused(open_object(name, &object), &err, RLK_RULE_HOST_SECOND_OPENMP, words, name);
}

Test(openmp, first_runtime_of_a_process_is_welcome_and_may_be_shared) {
  expect_opened("needs.so", 7);
  expect_opened("needs_middle.so", 8);
  expect_opened("needs.so", 7);
}

Test(openmp, second_runtime_is_refused_before_it_is_loaded) {
  load_gcc_runtime();
  expect_refused("needs.so", "a second OpenMP runtime: libomp-of-test.so beside libgomp.so.1, which is loaded already");
  rlk_openmp_t runtimes = {0};
  rlk_openmp_add_loaded(&runtimes);
  cr_expect(eq(sz, runtimes.count, 1));
}

Test(openmp, second_runtime_of_an_object_of_ours_is_refused_too) {
  expect_opened("needs.so", 7);
  expect_refused("team.so", "a second OpenMP runtime: libgomp.so.1 beside libomp-of-test.so, which is loaded already");
}

Test(openmp, second_runtime_that_a_library_brings_is_refused_each_time) {
  load_gcc_runtime();
  for (int i = 0; i < 2; ++i) { /* it is loaded the first time only */
    expect_refused("needs_middle.so", "a second OpenMP runtime: libomp-of-test.so beside libgomp.so.1");
  }
}

Test(openmp, loaded_runtime_under_another_name_is_no_second_one) {
  rlk_file_buffer_t bytes;
  rlk_test_folder_t home;
  rlk_test_folder_create(&home);
  rlk_test_object_read("libomp-of-test.so", &bytes);
  rlk_test_folder_write(&home, "libgomp-copy.so", bytes.bytes, bytes.length);
  cr_assert(ne(ptr, dlopen(rlk_test_folder_at(&home, "libgomp-copy.so"), RTLD_NOW | RTLD_LOCAL), NULL));
  rlk_file_buffer_deinit(&bytes);
  rlk_test_folder_remove(&home);
  expect_opened("needs.so", 7); /* by its own name, which is what needs.so wants, it is loaded */
  expect_refused("team.so", "libgomp.so.1 beside libgomp-copy.so, which is loaded already");
}
