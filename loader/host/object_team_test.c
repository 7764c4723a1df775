/* Plugins whose threads outlive each call: opened and called again and again, never unmapped. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "loader/host/object.h"
#include "loader/host/test_object.h"

Test(object_team, is_opened_and_called_a_thousand_times) {
  double values[64] = {0};
  void* const params[] = {values};
  for (int i = 0; i < 1000; ++i) {
    rlk_host_object_t object;
    rowlock_error_t err;
    cr_assert(
        eq(i32,
           (int)rlk_host_object_open(rlk_test_object_path("team.so"), "drift_host", RLK_LAYOUT_IGNORED, &object, &err),
           ROWLOCK_OK),
        "%s", err.message);
    ((void (*)(void* const*, int32_t))object.entry)(params, 64);
  }
  for (int i = 0; i < 64; ++i) cr_expect(eq(dbl, values[i], 1000.0), "element %d", i);
}
