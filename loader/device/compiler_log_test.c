/* What the driver's compiler says of a module that it refuses: how much of it is kept, and what that costs. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "loader/device/on_double.h"
#include "validator/rules/fault.h"

/* What the first load keeps, and what the second. */
enum { FIRST = 8190, MOST = 1 << 20 };
#define CUT_AT_MOST "\n... cut at 1 MiB: the log is longer\n"
#define CUT_AT_FIRST "\n... cut at 8 KiB: the log is longer\n"

static rlk_on_double_t on;
static char said[MOST + 2];

static void setup(void) { rlk_on_double_create(&on, "driver_double"); }
static void teardown(void) { rlk_on_double_destroy(&on); }

TestSuite(compiler_log, .init = setup, .fini = teardown);

/* A log of so many bytes, the last of which is another one. */
static const char* say(size_t length) {
  memset(said, '-', length);
  if (length > 0) said[length - 1] = '!';
  said[length] = '\0';
  return said;
}

static const char* kept(void) { return rowlock_registry_compiler_log(on.deployment.registry); }

/* How many loads it took to refuse the module. */
static size_t loads_until_refused(void) {
  const size_t before = rlk_double_count(on.driver, RLK_DOUBLE_module_load_data_ex);
  rlk_deployment_expect_refused(&on.deployment, rlk_deployment_add(&on.deployment, "spans"), "device.module",
                                "CUDA_ERROR_INVALID_PTX (218)");
  return rlk_double_count(on.driver, RLK_DOUBLE_module_load_data_ex) - before;
}

static void refuse_each(void) {
  rlk_double_fail(on.driver, RLK_DOUBLE_module_load_data_ex, RLK_DOUBLE_EACH, RLK_DOUBLE_INVALID_PTX);
}

/* Compared by hand: what differs in a MiB is nothing to print. */
static void expect_kept(size_t length, const char* end) {
  cr_assert(not(zero(ptr, (void*)kept())));
  cr_assert(eq(sz, strlen(kept()), length + strlen(end)));
  cr_expect(zero(int, memcmp(kept(), said, length)));
  cr_expect(eq(str, (char*)kept() + length, (char*)end));
}

Test(compiler_log, that_fits_is_read_by_the_load_itself) {
  refuse_each();
  on.driver->error_log = say(0);
  cr_expect(eq(sz, loads_until_refused(), 1));
  cr_expect(zero(ptr, (void*)kept()));
  on.driver->error_log = say(FIRST);
  cr_expect(eq(sz, loads_until_refused(), 1));
  expect_kept(FIRST, "");
}

Test(compiler_log, that_is_longer_is_asked_for_again_and_whole) {
  static const size_t lengths[] = {FIRST + 1, FIRST + 2, FIRST + 3, 100000, MOST};
  refuse_each();
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    on.driver->error_log = say(lengths[i]);
    cr_expect(eq(sz, loads_until_refused(), 2));
    expect_kept(lengths[i], "");
  }
  on.driver->error_log = "";
  on.driver->info_log = say(FIRST + 1);
  cr_expect(eq(sz, loads_until_refused(), 2), "the other log counts, too");
  expect_kept(FIRST + 1, "");
}

Test(compiler_log, beyond_the_bound_ends_in_a_line_that_says_so) {
  refuse_each();
  on.driver->error_log = say(MOST + 1);
  cr_expect(eq(sz, loads_until_refused(), 2));
  expect_kept(MOST, CUT_AT_MOST);
  said[MOST - 1] = '\n'; /* which is a line's end already */
  cr_expect(eq(sz, loads_until_refused(), 2));
  expect_kept(MOST, &CUT_AT_MOST[1]);
}

Test(compiler_log, of_either_kind_is_cut_by_itself) {
  refuse_each();
  on.driver->error_log = on.driver->info_log = say(MOST + 1);
  cr_expect(eq(sz, loads_until_refused(), 2));
  const size_t each = MOST + strlen(CUT_AT_MOST);
  cr_assert(eq(sz, strlen(kept()), 2 * each));
  cr_expect(zero(int, memcmp(kept() + MOST, CUT_AT_MOST, each - MOST)));
  cr_expect(eq(str, (char*)kept() + each + MOST, (char*)CUT_AT_MOST));
}

Test(compiler_log, the_first_error_is_found_in_all_of_it) {
  static const char late[] = "\nline 7; error: late\n";
  refuse_each();
  on.driver->error_log = say(FIRST + 100);
  for (size_t i = 0; late[i]; ++i) said[FIRST + 20 + i] = late[i];
  cr_expect(eq(sz, loads_until_refused(), 2));
  cr_expect(not(zero(ptr, strstr(on.deployment.err.message, "line 7; error: late"))), "%s", on.deployment.err.message);
}

/* --- The second load is for the words alone ----------------------------------------------------------------------- */

Test(compiler_log, out_of_memory_is_no_reason_to_ask_again) {
  const size_t before = rlk_double_count(on.driver, RLK_DOUBLE_module_load_data_ex);
  on.driver->error_log = say(FIRST + 1);
  rlk_double_fail(on.driver, RLK_DOUBLE_module_load_data_ex, RLK_DOUBLE_EACH, RLK_CU_OUT_OF_MEMORY);
  cr_expect(eq(int, rlk_deployment_add(&on.deployment, "spans"), ROWLOCK_NO_MEMORY));
  cr_expect(eq(sz, rlk_double_count(on.driver, RLK_DOUBLE_module_load_data_ex) - before, 1));
  cr_expect(zero(ptr, (void*)kept()));
}

/* Whatever it comes to, of memory too: what was refused is refused, with the words that there are. */
Test(compiler_log, a_second_load_that_ends_in_another_way_changes_nothing) {
  static const rlk_cu_result_t seconds[] = {RLK_CU_SUCCESS, RLK_CU_OUT_OF_MEMORY, RLK_DOUBLE_UNKNOWN};
  on.driver->error_log = say(MOST);
  for (size_t i = 0; i < sizeof seconds / sizeof *seconds; ++i) {
    const int modules = on.driver->modules;
    rlk_double_fail(on.driver, RLK_DOUBLE_module_load_data_ex, 1, RLK_DOUBLE_INVALID_PTX);
    rlk_double_fail(on.driver, RLK_DOUBLE_module_load_data_ex, 2, seconds[i]);
    cr_expect(eq(sz, loads_until_refused(), 2));
    expect_kept(FIRST, CUT_AT_FIRST);
    cr_expect(eq(int, on.driver->modules, modules), "what the second load brought is given back");
    rlk_double_relent(on.driver);
  }
}

Test(compiler_log, without_memory_for_all_of_it_is_cut_earlier) {
  refuse_each();
  on.driver->error_log = say(MOST);
  bool earlier = false, refused = true;
  for (uint64_t nth = 1; refused; ++nth) {
    rlk_fault_arm(nth, false);
    const rowlock_code_t code = rlk_deployment_add(&on.deployment, "spans");
    refused = rlk_fault_relent();
    (void)rlk_fault_disarm();
    const char* log = code == ROWLOCK_REJECTED ? kept() : NULL;
    cr_expect(code == ROWLOCK_REJECTED || (refused && code == ROWLOCK_NO_MEMORY), "allocation %llu: %s",
              (unsigned long long)nth, on.deployment.err.message);
    if (log && strlen(log) < MOST) earlier = true;
    if (!refused) expect_kept(MOST, "");
  }
  cr_expect(earlier);
}
