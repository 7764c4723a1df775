#include "loader/registry/packing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "loader/registry/deployment.h"
#include "loader/registry/registry.h"

enum { N = 5 };

static rlk_deployment_t deployment;
static rlk_plugin_t* plugin;
static double data[64];
static int64_t ticks[N];
static bool done[N];

#define BIND(call, ...) \
  rlk_deployment_expect_ok(&deployment, call(deployment.registry, __VA_ARGS__, &deployment.err), #call)

static void setup(void) {
  rlk_deployment_create(&deployment);
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, "every_role"), "every_role");
  plugin = rlk_registry_find(deployment.registry, "every_role");
  BIND(rowlock_registry_bind_vector, "out", data, N, 2);
  BIND(rowlock_registry_bind_vector, "position", data + 1, N, 3);
  BIND(rowlock_registry_bind_matrix, "rotation", data + 2, N, (rowlock_shape_t){2, 3});
  BIND(rowlock_registry_bind_handle, "mass", data + 3, N);
  BIND(rowlock_registry_consolidate, "profile", data + 4, 8);
  BIND(rowlock_registry_bind_handle, "energy", data + 5, N);
  BIND(rowlock_registry_bind_int_handle, "ticks", ticks, N);
  BIND(rowlock_registry_bind_vector, "state", data + 6, N, 2);
  BIND(rowlock_registry_bind_matrix, "gain", data + 7, N, (rowlock_shape_t){2, 2});
  BIND(rowlock_registry_bind_mask, "done", done, N);
  BIND(rowlock_registry_bind_uniform, "rate", 0.5);
  BIND(rowlock_registry_bind_uniform_int, "limit", -3);
  BIND(rowlock_registry_bind_wide, "rows", data + 8, 4);
  BIND(rowlock_registry_bind_wide, "gradient", data + 9, 10);
  BIND(rowlock_registry_bind_wide, "plane", data + 10, 3);
}

static void teardown(void) { rlk_deployment_destroy(&deployment); }

TestSuite(packing, .init = setup, .fini = teardown);

static void pack(void) {
  rlk_packing_update(&plugin->packing, &plugin->description, &deployment.registry->names,
                     deployment.registry->generation, N);
}

static void expect_view(size_t index, const double* address) {
  const rowlock_gref_t due = {.data = (void*)address,
                              .samples = N,
                              .component_stride = N,
                              .sample_stride = 1,
                              .device_type = ROWLOCK_DEVICE_CPU};
  cr_expect(eq(i32, memcmp(plugin->packing.params[index], &due, sizeof due), 0), "argument %zu", index);
}

static void expect_handle(size_t index, const void* address, uint64_t samples) {
  const rowlock_handle_t due = {
      .data = (void*)address, .samples = samples, .stride = 1, .device_type = ROWLOCK_DEVICE_CPU};
  cr_expect(eq(i32, memcmp(plugin->packing.params[index], &due, sizeof due), 0), "argument %zu", index);
}

Test(packing, puts_every_argument_in_its_place) {
  pack();
  expect_view(0, data);
  expect_view(1, data + 1);
  expect_view(2, data + 2);
  expect_handle(3, data + 3, N);
  expect_handle(4, data + 4, 8);
  expect_handle(5, data + 5, N);
  expect_handle(6, ticks, N);
  expect_view(7, data + 6);
  expect_view(8, data + 7);
  expect_handle(9, done, N);
  cr_expect(ieee_ulp_eq(dbl, *(double*)plugin->packing.params[10], 0.5, 0));
  cr_expect(eq(i64, *(int64_t*)plugin->packing.params[11], -3));
  cr_expect(eq(u32, *(uint32_t*)plugin->packing.params[12], N));
  expect_handle(13, data + 8, 4);
  expect_handle(14, data + 9, 10);
  expect_handle(15, data + 10, 3);
}

Test(packing, counts_the_bytes_of_a_sample) {
  pack();
  cr_expect(eq(u64, plugin->packing.bytes_per_sample, 8 * (2 + 3 + 6 + 1 + 1 + 1 + 2 + 4) + 1));
}

Test(packing, is_done_once_for_a_generation_of_bindings) {
  pack();
  memset(plugin->packing.values, 0xA5, sizeof *plugin->packing.values);
  pack();
  cr_expect(eq(u8, *(unsigned char*)plugin->packing.params[0], 0xA5), "packed again");
  BIND(rowlock_registry_bind_uniform, "rate", 0.25);
  pack();
  expect_view(0, data);
  cr_expect(ieee_ulp_eq(dbl, *(double*)plugin->packing.params[10], 0.25, 0));
}

Test(packing, keeps_its_addresses) {
  pack();
  void* before[16];
  void* const* params = plugin->packing.params;
  memcpy(before, params, sizeof before);
  BIND(rowlock_registry_bind_vector, "out", data + 20, N, 2);
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, "forces"), "forces");
  pack();
  cr_expect(eq(ptr, (void*)plugin->packing.params, (void*)params));
  cr_expect(eq(i32, memcmp(before, plugin->packing.params, sizeof before), 0));
  expect_view(0, data + 20);
}

static void* packed[16];

/* Restored, with the first that differed. */
static void expect_mended(size_t due) {
  cr_expect(eq(sz, rlk_packing_mend(&plugin->packing, 16), due));
  cr_expect(eq(sz, rlk_packing_mend(&plugin->packing, 16), 16), "%zu", due);
  cr_expect(eq(i32, memcmp(packed, plugin->packing.params, sizeof packed), 0), "%zu", due);
  expect_view(0, data);
  expect_handle(15, data + 10, 3);
}

Test(packing, that_a_body_wrote_to_is_restored) {
  pack();
  memcpy(packed, plugin->packing.params, sizeof packed);
  expect_mended(16);
  ((rowlock_gref_t*)packed[0])->device_id = 77;
  ((rowlock_handle_t*)packed[15])->data = NULL;
  expect_mended(0);
  ((rowlock_handle_t*)packed[15])->stride = 2;
  expect_mended(15);
  *(double*)packed[10] += 1;
  expect_mended(10);
  ((char*)packed[12])[5] = 1; /* behind its 4 bytes */
  expect_mended(12);
  plugin->packing.params[7] = packed[8];
  expect_mended(7);
}

Test(packing, of_what_was_bound_again_is_what_is_kept) {
  pack();
  memcpy(packed, plugin->packing.params, sizeof packed);
  BIND(rowlock_registry_bind_uniform, "rate", 0.25);
  pack();
  *(double*)packed[10] = 0.5;
  expect_mended(10);
  cr_expect(ieee_ulp_eq(dbl, *(double*)packed[10], 0.25, 0));
}
