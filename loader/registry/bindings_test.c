/* What a binding must be like, against the one that is declared: each message names what was expected. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "loader/registry/deployment.h"

enum { N = 4 };

static rlk_deployment_t deployment;
static rowlock_registry_t* registry;
static rowlock_error_t* err;
static double data[64];
static float data32[64];
static int64_t integers[64];
static bool mask[64];

static void setup(void) {
  rlk_deployment_create(&deployment);
  registry = deployment.registry;
  err = &deployment.err;
}
static void teardown(void) { rlk_deployment_destroy(&deployment); }

TestSuite(bind, .init = setup, .fini = teardown);

static void add(const char* name) {
  rlk_deployment_expect_ok(&deployment, rlk_deployment_add(&deployment, name), name);
}
static void expect_refused(rowlock_code_t code, const char* rule_id, const char* words) {
  rlk_deployment_expect_refused(&deployment, code, rule_id, words);
}
static void expect_ok(rowlock_code_t code) { rlk_deployment_expect_ok(&deployment, code, "bind"); }

static rowlock_argument_t argument(const char* name) {
  for (size_t i = 0; i < rowlock_registry_plugin_count(registry); ++i) {
    for (size_t j = 0; j < rowlock_registry_plugin_at(registry, i).argument_count; ++j) {
      const rowlock_argument_t argument = rowlock_registry_argument_at(registry, i, j);
      if (strcmp(argument.name, name) == 0) return argument;
    }
  }
  cr_fatal("no argument %s", name);
}

/* --- Declarations ------------------------------------------------------------------------------------------------- */

static void expect_argument(const char* name, const char* role, rowlock_binding_t binding, rowlock_element_t element,
                            size_t bytes, bool written) {
  const rowlock_argument_t got = argument(name);
  cr_expect(eq(str, (char*)got.role, (char*)role), "%s", name);
  cr_expect(eq(str, (char*)rowlock_binding_name(got.binding), (char*)rowlock_binding_name(binding)), "%s", name);
  cr_expect(eq(str, (char*)rowlock_element_name(got.element), (char*)rowlock_element_name(element)), "%s", name);
  cr_expect(eq(sz, got.parameter_bytes, bytes), "%s", name);
  cr_expect(eq(int, got.is_written, written), "%s", name);
  cr_expect(eq(int, got.is_bound, binding == ROWLOCK_BINDING_NONE), "%s", name);
}

Test(bind, every_role_is_declared_as_it_is_passed) {
  add("every_role");
  const rowlock_element_t real = ROWLOCK_ELEMENT_FLOAT64, integer = ROWLOCK_ELEMENT_INT64;
  expect_argument("out", "out", ROWLOCK_BINDING_VECTOR, real, 40, true);
  expect_argument("position", "vec_in", ROWLOCK_BINDING_VECTOR, real, 40, false);
  expect_argument("rotation", "mat_in", ROWLOCK_BINDING_MATRIX, real, 40, false);
  expect_argument("mass", "per_sample", ROWLOCK_BINDING_HANDLE, real, 32, false);
  expect_argument("profile", "lookup", ROWLOCK_BINDING_TABLE, real, 32, false);
  expect_argument("energy", "mutable", ROWLOCK_BINDING_HANDLE, real, 32, true);
  expect_argument("ticks", "mutable", ROWLOCK_BINDING_INT_HANDLE, integer, 32, true);
  expect_argument("state", "mutable", ROWLOCK_BINDING_VECTOR, real, 40, true);
  expect_argument("gain", "mutable", ROWLOCK_BINDING_MATRIX, real, 40, true);
  expect_argument("done", "terminated", ROWLOCK_BINDING_MASK, ROWLOCK_ELEMENT_BOOL, 32, true);
  expect_argument("rate", "uniform", ROWLOCK_BINDING_UNIFORM, real, 8, false);
  expect_argument("limit", "uniform", ROWLOCK_BINDING_UNIFORM, integer, 8, false);
  expect_argument("n", "nsamples", ROWLOCK_BINDING_NONE, integer, 4, false);
  expect_argument("rows", "wide_in", ROWLOCK_BINDING_WIDE, real, 32, false);
  expect_argument("gradient", "wide_out", ROWLOCK_BINDING_WIDE, real, 32, true);
  expect_argument("plane", "accum_out", ROWLOCK_BINDING_WIDE, real, 32, true);
}

Test(bind, float32_declares_floats_and_4_byte_uniforms) {
  add("every_role_f32");
  expect_argument("out", "out", ROWLOCK_BINDING_VECTOR, ROWLOCK_ELEMENT_FLOAT32, 40, true);
  expect_argument("rate", "uniform", ROWLOCK_BINDING_UNIFORM, ROWLOCK_ELEMENT_FLOAT32, 4, false);
  expect_argument("limit", "uniform", ROWLOCK_BINDING_UNIFORM, ROWLOCK_ELEMENT_INT64, 8, false);
  expect_argument("ticks", "mutable", ROWLOCK_BINDING_INT_HANDLE, ROWLOCK_ELEMENT_INT64, 32, true);
}

Test(bind, widths_shapes_and_counts_are_those_of_the_sidecar) {
  add("every_role");
  cr_expect(eq(u32, argument("out").width, 2));
  cr_expect(eq(u32, argument("state").width, 2));
  cr_expect(eq(u32, argument("mass").width, 1));
  cr_expect(eq(u32, argument("rotation").width, 6));
  cr_expect(eq(u32, argument("rotation").rows, 2));
  cr_expect(eq(u32, argument("rotation").columns, 3));
  cr_expect(eq(u32, argument("gain").columns, 2));
  cr_expect(eq(u64, argument("profile").table_count, 8));
  cr_expect(not(argument("rate").is_int_too));
}

Test(bind, a_mask_is_not_written_where_the_sidecar_says_so) {
  rlk_deployment_edit(&deployment, "every_role.sidecar.json",
                      "\"buffers\":", "\"terminated_readonly\": true, \"buffers\":");
  add("every_role");
  cr_expect(not(argument("done").is_written));
}

Test(bind, outputs_of_a_mapreduce_plugin_are_folded) {
  add("tally");
  cr_expect(argument("energy").is_folded && argument("sign").is_folded && argument("momentum").is_folded);
  cr_expect(not(argument("mass").is_folded));
}

Test(bind, outputs_of_other_plugins_are_not) {
  add("every_role");
  cr_expect(not(argument("energy").is_folded));
  expect_refused(rowlock_registry_bind_result(registry, "energy", data, 1, err), "bind.wrong-kind",
                 "'energy' cannot be bound as result: it is mutable of plugin 'every_role', for bind_handle");
}

/* Each is a declaration that gates accept and no binding could be measured against. */
Test(bind, declarations_that_do_not_hold_are_refused_on_load) {
  static const struct {
    const char *from, *to, *words;
  } faults[] = {
      {"\"vec_widths\": {\"out\": 2", "\"vec_widths\": {\"out\": 0",
       "the width of 'out' is 0, a positive integer is due"},
      {"\"vec_widths\": {\"out\": 2", "\"vec_widths\": {\"out\": \"2\"",
       "the width of 'out' is '2', a positive integer"},
      {"\"vec_widths\": {\"out\": 2", "\"vec_widths\": {\"out\": 2.0", "the width of 'out' is 2.0, a positive integer"},
      {"\"vec_widths\": {\"out\": 2", "\"vec_widths\": {\"out\": 4294967296", "the width of 'out' is 4294967296"},
      {"\"vec_widths\": {", "\"vec_widths\": 3, \"x\": {", "vec_widths of 'out' is 3, an object is due"},
      {"\"state\": 2}", "\"state\": 3}",
       "the width in vec_widths of 'state' is 3, the one that mutables declares is due"},
      {"\"position\": 3,", "\"position\": 3, \"rotation\": 0,",
       "the width of 'rotation' is 0, a positive integer is due"},
      {"\"rotation\": [2, 3]", "\"rotation\": [2]", "the shape of 'rotation' is [2], [rows, columns]"},
      {"\"rotation\": [2, 3]", "\"rotation\": [2, 0]", "the shape of 'rotation' is [2, 0]"},
      {"\"rotation\": [2, 3]", "\"rotation\": [65536, 65536]", "the shape of 'rotation' is [65536, 65536]"},
      {"\"width\": 4, \"shape\": [2, 2]", "\"width\": 5, \"shape\": [2, 2]",
       "the shape of 'gain' is [2, 2], one of as many"},
      {"\"dtype\": \"int\", \"width\": 1}", "\"dtype\": \"int\", \"width\": 2}", "the width of 'ticks' is 2, 1 is due"},
      {"\"vector\", \"width\": 2", "\"vector\", \"width\": -2", "the width of 'state' is -2"},
      {"\"name\": \"ticks\"", "\"name\": \"energy\"", "a second declaration of 'energy'"},
      {"\"buffers\": [", "\"buffers\": [{\"name\": \"profile\", \"kind\": \"lookup\", \"dtype\": \"float\"},",
       "a second declaration of 'profile'"},
      {"\"shape\": [2, 4]", "\"shape\": [2, \"4\"]", "the shape of 'profile' is [2, \"4\"], a list of extents"},
      {"\"shape\": [2, 4]", "\"shape\": [2, -4]", "the shape of 'profile' is [2, -4]"},
      {"\"count\": 8", "\"count\": -8", "the count of 'profile' is -8, a number of elements"},
      {"\"count\": 8", "\"count\": 8.0", "the count of 'profile' is 8.0"},
      {"\"shape\": [2, 4]", "\"shape\": 8", "the shape of 'profile' is 8, a list of extents"},
      {"\"kind\": \"lookup\", \"dtype\": \"float\"", "\"kind\": \"lookup\", \"dtype\": \"int\"",
       "the dtype of 'profile' is 'int', 'float' is due"},
      {"\"params_schema\": 2", "\"params_schema\": 3", "the params_schema of 'rate' is 3, 1 or 2 is due"},
      {"{\"name\": \"limit\", \"dtype\": \"int\"}", "{\"name\": \"limit\", \"dtype\": \"long\"}",
       "the dtype of 'limit' is 'long', 'float' or 'int' is due"},
      {"{\"name\": \"limit\", \"dtype\": \"int\"}", "{\"name\": \"limit\"}", "the dtype of 'limit' is absent"},
      {"\"kernel\": \"raptor_kernel\"", "\"kernel\": \"\"", "the kernel of the sidecar is ''"},
      {"\"kernel\": \"raptor_kernel\"", "\"kernel\": \"a\\u0000b\"",
       "the kernel of the sidecar is 'a\\u0000b', one without NUL"},
      {"\"kernel\": ", "\"host_entry\": 1, \"kernel\": ", "the host_entry of the sidecar is 1, the name of a symbol"},
      {"\"kernel\": ", "\"host_entry\": \"\", \"kernel\": ", "the host_entry of the sidecar is ''"},
      {"[\"per_sample\", \"mass\"]", "[\"per_sample\", \"m\\u0000\"]", "an argument of the sidecar is 'm\\u0000'"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i) {
    if (i > 0) {
      teardown();
      setup();
    }
    rlk_deployment_edit(&deployment, "every_role.sidecar.json", faults[i].from, faults[i].to);
    expect_refused(rlk_deployment_add(&deployment, "every_role"), "load.declaration", faults[i].words);
  }
}

Test(bind, a_mutable_without_a_known_type_is_refused_on_load) {
  static const char* const types[] = {"\"dtype\": \"bool\"", "\"dtype\": \"Float\""};
  for (size_t i = 0; i < 2; ++i) {
    rlk_deployment_edit(&deployment, "legacy.sidecar.json", i ? types[0] : "\"dtype\": \"float\"", types[i]);
    expect_refused(rlk_deployment_add(&deployment, "legacy"), "load.mutable-undeclared",
                   "mutables declares no type for 'value' (known: vector, float, int, matrix)");
  }
  rlk_deployment_edit(&deployment, "spans.sidecar.json", "{\"name\": \"runs\"", "{\"name\": \"walks\"");
  expect_refused(rlk_deployment_add(&deployment, "spans"), "load.mutable-undeclared", "no type for 'runs'");
}

/* --- Names and kinds ---------------------------------------------------------------------------------------------- */

Test(bind, an_unknown_name_is_refused_with_the_nearest) {
  add("every_role");
  expect_refused(rowlock_registry_bind_vector(registry, "positron", data, N, 3, err), "bind.unknown-name",
                 "no loaded plugin declares 'positron'; declared: position, rotation, ");
  cr_expect(not(zero(ptr, strstr(err->message, " and 8 more"))), "%s", err->message);
}

Test(bind, a_name_is_matched_letter_for_letter) {
  add("every_role");
  expect_refused(rowlock_registry_bind_handle(registry, "Mass", data, N, err), "bind.unknown-name",
                 "'Mass'; declared: mass,");
  expect_refused(rowlock_registry_bind_handle(registry, "", data, N, err), "bind.unknown-name", "''");
}

Test(bind, in_an_empty_registry_no_name_is_declared) {
  expect_refused(rowlock_registry_bind_uniform(registry, "mu", 1, err), "bind.unknown-name", "declared: nothing");
}

Test(bind, a_missing_name_is_bad_usage) {
  cr_expect(eq(int, rowlock_registry_bind_uniform(registry, NULL, 1, err), ROWLOCK_UNUSABLE));
  cr_expect(eq(int, rowlock_registry_unbind(registry, NULL, err), ROWLOCK_UNUSABLE));
}

Test(bind, a_name_is_bound_in_the_way_of_its_role) {
  add("every_role");
  const rowlock_shape_t shape = {2, 3};
  expect_refused(rowlock_registry_bind_vector(registry, "rotation", data, N, 6, err), "bind.wrong-kind",
                 "'rotation' cannot be bound as vector: it is mat_in of plugin 'every_role', for bind_matrix");
  expect_refused(rowlock_registry_bind_matrix(registry, "position", data, N, shape, err), "bind.wrong-kind",
                 "for bind_vector");
  expect_refused(rowlock_registry_bind_handle(registry, "ticks", data, N, err), "bind.wrong-kind",
                 "for bind_int_handle");
  expect_refused(rowlock_registry_bind_int_handle(registry, "energy", integers, N, err), "bind.wrong-kind",
                 "for bind_handle");
  expect_refused(rowlock_registry_bind_handle(registry, "done", data, N, err), "bind.wrong-kind", "for bind_mask");
  expect_refused(rowlock_registry_bind_mask(registry, "mass", mask, N, err), "bind.wrong-kind", "for bind_handle");
  expect_refused(rowlock_registry_bind_handle(registry, "rows", data, N, err), "bind.wrong-kind", "for bind_wide");
  expect_refused(rowlock_registry_bind_wide(registry, "profile", data, 8, err), "bind.wrong-kind", "for consolidate");
  expect_refused(rowlock_registry_consolidate(registry, "rate", data, 8, err), "bind.wrong-kind", "for bind_uniform");
  expect_refused(rowlock_registry_bind_uniform(registry, "mass", 1, err), "bind.wrong-kind", "as uniform");
  expect_refused(rowlock_registry_bind_uniform_int(registry, "n", N, err), "bind.wrong-kind",
                 "nsamples of plugin 'every_role', which each run passes itself: its sample count");
}

Test(bind, a_count_beyond_an_int64_is_told_as_it_is) {
  add("every_role");
  expect_refused(rowlock_registry_bind_mask(registry, "done", mask, UINT64_MAX, err), "bind.too-large",
                 "'done' is bound as 18446744073709551615 samples");
  expect_refused(rowlock_registry_bind_wide(registry, "rows", data, UINT64_MAX - 1, err), "bind.too-large",
                 "as 18446744073709551614 samples");
  expect_refused(rowlock_registry_consolidate(registry, "profile", data, UINT64_MAX, err), "bind.table-count",
                 "with 18446744073709551615 elements");
}

Test(bind, a_name_may_be_declared_in_two_ways_and_is_then_bound_in_both) {
  rlk_deployment_edit(&deployment, "mirror.sidecar.json", "[\"per_sample\", \"original\"]", "[\"wide_in\", \"mass\"]");
  add("mirror");
  add("scatter");
  expect_refused(rowlock_registry_bind_uniform(registry, "mass", 1, err), "bind.wrong-kind",
                 "per_sample of plugin 'scatter', for bind_handle, and wide_in of plugin 'mirror', for bind_wide");
  expect_ok(rowlock_registry_bind_handle(registry, "mass", data, N, err));
  expect_ok(rowlock_registry_bind_wide(registry, "mass", data, 9, err));
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

Test(bind, null_is_no_buffer) {
  add("every_role");
  expect_refused(rowlock_registry_bind_vector(registry, "out", NULL, N, 2, err), "bind.null",
                 "the address bound to 'out' is NULL; a buffer of 4 samples is due");
  expect_refused(rowlock_registry_bind_matrix(registry, "rotation", NULL, N, (rowlock_shape_t){2, 3}, err), "bind.null",
                 "4 samples");
  expect_refused(rowlock_registry_bind_mask(registry, "done", NULL, N, err), "bind.null", "4 samples");
  expect_refused(rowlock_registry_bind_int_handle(registry, "ticks", NULL, N, err), "bind.null", "4 samples");
  expect_refused(rowlock_registry_bind_wide(registry, "rows", NULL, 7, err), "bind.null", "a buffer of 7 elements");
  expect_refused(rowlock_registry_consolidate(registry, "profile", NULL, 8, err), "bind.null", "8 elements");
}

Test(bind, elements_are_aligned) {
  add("every_role");
  double* crooked = (double*)((char*)data + 4);
  expect_refused(rowlock_registry_bind_handle(registry, "mass", crooked, N, err), "bind.misaligned",
                 "the address bound to 'mass' is not a multiple of 8 bytes");
  expect_ok(rowlock_registry_bind_mask(registry, "done", mask + 1, N, err));
}

Test(bind, no_buffer_is_larger_than_memory) {
  add("every_role");
  expect_refused(rowlock_registry_bind_vector(registry, "out", data, UINT64_MAX / 2, 2, err), "bind.too-large",
                 "'out' is bound as 9223372036854775807 samples of width 2: no memory is that large");
  expect_refused(rowlock_registry_bind_handle(registry, "mass", data, (uint64_t)PTRDIFF_MAX / 8 + 1, err),
                 "bind.too-large", "'mass'");
  expect_ok(rowlock_registry_bind_handle(registry, "mass", data, (uint64_t)PTRDIFF_MAX / 8, err));
}

/* --- Against the declarations ------------------------------------------------------------------------------------- */

Test(bind, a_vector_has_its_declared_width) {
  add("every_role");
  expect_refused(rowlock_registry_bind_vector(registry, "position", data, N, 4, err), "bind.width",
                 "'position' is bound with width 4, plugin 'every_role' takes width 3");
  expect_refused(rowlock_registry_bind_vector(registry, "position", data, N, 2, err), "bind.width", "width 2");
  expect_refused(rowlock_registry_bind_vector(registry, "state", data, N, 0, err), "bind.width", "width 0");
  expect_ok(rowlock_registry_bind_vector(registry, "position", data, N, 3, err));
}

Test(bind, an_undeclared_width_is_any_but_none) {
  rlk_deployment_edit(&deployment, "tally.sidecar.json", "\"vec_widths\": {\"velocity\": 2, \"momentum\": 2},", "");
  add("tally");
  expect_ok(rowlock_registry_bind_vector(registry, "velocity", data, N, 9, err));
  expect_refused(rowlock_registry_bind_vector(registry, "velocity", data, N, 0, err), "bind.width",
                 "takes width 1 or more");
}

Test(bind, a_matrix_has_its_declared_shape) {
  add("every_role");
  expect_refused(rowlock_registry_bind_matrix(registry, "rotation", data, N, (rowlock_shape_t){3, 2}, err),
                 "bind.matrix-shape", "'rotation' is bound as a matrix of 3 x 2, plugin 'every_role' takes 2 x 3");
  expect_refused(rowlock_registry_bind_matrix(registry, "gain", data, N, (rowlock_shape_t){1, 4}, err),
                 "bind.matrix-shape", "1 x 4");
  expect_refused(rowlock_registry_bind_matrix(registry, "gain", data, N, (rowlock_shape_t){65536, 65537}, err),
                 "bind.matrix-shape", "65537");
  expect_ok(rowlock_registry_bind_matrix(registry, "gain", data, N, (rowlock_shape_t){2, 2}, err));
}

Test(bind, a_matrix_without_a_shape_has_its_declared_width) {
  rlk_deployment_edit(&deployment, "every_role.sidecar.json", "\"mat_shapes\": {\"rotation\": [2, 3]},", "");
  rlk_deployment_edit(&deployment, "every_role.sidecar.json", "\"position\": 3,", "\"position\": 3, \"rotation\": 6,");
  rlk_deployment_edit(&deployment, "every_role.sidecar.json", "\"width\": 4, \"shape\": [2, 2]", "\"width\": 4");
  add("every_role");
  expect_ok(rowlock_registry_bind_matrix(registry, "rotation", data, N, (rowlock_shape_t){3, 2}, err));
  expect_refused(rowlock_registry_bind_matrix(registry, "rotation", data, N, (rowlock_shape_t){2, 4}, err),
                 "bind.width", "takes width 6");
  expect_refused(rowlock_registry_bind_matrix(registry, "gain", data, N, (rowlock_shape_t){4, 0}, err),
                 "bind.matrix-shape", "4 x 0");
  expect_refused(rowlock_registry_bind_matrix(registry, "gain", data, N, (rowlock_shape_t){65536, 65536}, err),
                 "bind.width", "takes width 4");
}

Test(bind, elements_are_of_the_scalar_type) {
  add("every_role");
  expect_refused(rowlock_registry_bind_vector_f32(registry, "position", data32, N, 3, err), "bind.element-type",
                 "'position' is bound with float32 elements, plugin 'every_role' was compiled for float64");
  expect_refused(rowlock_registry_consolidate_f32(registry, "profile", data32, 8, err), "bind.element-type", "float64");
  expect_refused(rowlock_registry_bind_uniform_f32(registry, "rate", 1, err), "bind.element-type", "float64");
}

Test(bind, elements_of_a_float32_plugin_are_float32) {
  add("every_role_f32");
  expect_refused(rowlock_registry_bind_vector(registry, "position", data, N, 3, err), "bind.element-type",
                 "for float32");
  expect_refused(rowlock_registry_bind_handle(registry, "mass", data, N, err), "bind.element-type", "for float32");
  expect_refused(rowlock_registry_bind_uniform(registry, "rate", 1, err), "bind.element-type", "for float32");
  expect_refused(rowlock_registry_bind_wide(registry, "rows", data, N, err), "bind.element-type", "for float32");
  expect_ok(rowlock_registry_bind_int_handle(registry, "ticks", integers, N, err));
}

Test(bind, plugins_of_two_scalar_types_cannot_share_a_name) {
  add("every_role");
  add("every_role_f32");
  expect_refused(rowlock_registry_bind_handle(registry, "mass", data, N, err), "bind.element-type",
                 "plugin 'every_role_f32'");
  expect_refused(rowlock_registry_bind_handle_f32(registry, "mass", data32, N, err), "bind.element-type",
                 "plugin 'every_role' ");
}

Test(bind, every_plugin_that_declares_the_name_has_its_say) {
  add("forces");
  rlk_deployment_edit(&deployment, "tally.sidecar.json", "\"velocity\": 2, ", "\"velocity\": 4, ");
  add("tally");
  expect_refused(rowlock_registry_bind_vector(registry, "velocity", data, N, 3, err), "bind.width",
                 "plugin 'tally' takes width 4");
  expect_refused(rowlock_registry_bind_vector(registry, "velocity", data, N, 4, err), "bind.width",
                 "plugin 'drag' takes width 3");
}

Test(bind, a_refused_binding_leaves_the_one_before_it) {
  add("mirror");
  double original[N] = {1, 2, 3, 4}, image[N];
  expect_ok(rowlock_registry_bind_handle(registry, "original", original, N, err));
  expect_ok(rowlock_registry_bind_handle(registry, "image", image, N, err));
  expect_refused(rowlock_registry_bind_handle(registry, "original", NULL, N, err), "bind.null", "'original'");
  const rowlock_run_options_t options = {.sample_count = N};
  expect_ok(rowlock_registry_run(registry, &options, NULL, err));
  cr_expect(ieee_ulp_eq(dbl, image[0], 4, 0));
}

/* --- Uniforms ----------------------------------------------------------------------------------------------------- */

Test(bind, a_uniform_has_its_declared_type) {
  add("every_role");
  expect_refused(rowlock_registry_bind_uniform_int(registry, "rate", 1, err), "bind.uniform-type",
                 "uniform 'rate' is bound as int64, plugin 'every_role' declares float64 in its params");
  expect_refused(rowlock_registry_bind_uniform(registry, "limit", 1, err), "bind.uniform-type", "declares int64");
  expect_refused(rowlock_registry_bind_uniform_f32(registry, "limit", 1, err), "bind.uniform-type", "declares int64");
}

Test(bind, an_undeclared_uniform_takes_one_type_at_a_time) {
  rlk_deployment_edit(&deployment, "every_role.sidecar.json", "\"params_schema\": 2", "\"params_schema\": 1");
  add("every_role");
  cr_expect(argument("rate").is_int_too);
  expect_ok(rowlock_registry_bind_uniform_int(registry, "rate", 1, err));
  expect_ok(rowlock_registry_bind_uniform_int(registry, "rate", 2, err));
  expect_refused(rowlock_registry_bind_uniform(registry, "rate", 1, err), "bind.uniform-retyped",
                 "uniform 'rate' is already bound as int64, not as float64; unbind it first");
  expect_ok(rowlock_registry_unbind(registry, "rate", err));
  expect_ok(rowlock_registry_bind_uniform(registry, "rate", 1, err));
  expect_refused(rowlock_registry_bind_uniform_f32(registry, "limit", 1, err), "bind.element-type", "for float64");
}

Test(bind, a_uniform_that_params_leaves_out_is_undeclared) {
  rlk_deployment_edit(&deployment, "every_role.sidecar.json", "{\"name\": \"limit\", \"dtype\": \"int\"}",
                      "{\"name\": \"other\", \"dtype\": \"int\"}");
  add("every_role");
  cr_expect(argument("limit").is_int_too);
  expect_ok(rowlock_registry_bind_uniform(registry, "limit", 1, err));
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

Test(bind, a_table_has_its_declared_count) {
  add("every_role");
  expect_refused(rowlock_registry_consolidate(registry, "profile", data, 7, err), "bind.table-count",
                 "table 'profile' is consolidated with 7 elements, plugin 'every_role' declares 8");
  expect_refused(rowlock_registry_consolidate(registry, "profile", data, 9, err), "bind.table-count", "9 elements");
  expect_ok(rowlock_registry_consolidate(registry, "profile", data, 8, err));
  cr_expect(rowlock_registry_table_at(registry, 0).is_consolidated);
}

Test(bind, a_table_whose_count_is_not_that_of_its_shape_cannot_be_consolidated) {
  rlk_deployment_edit(&deployment, "every_role.sidecar.json", "\"count\": 8", "\"count\": 6");
  add("every_role");
  expect_refused(rowlock_registry_consolidate(registry, "profile", data, 6, err), "bind.table-shape",
                 "plugin 'every_role' declares 6 elements in a shape of 8");
  expect_refused(rowlock_registry_consolidate(registry, "profile", data, 8, err), "bind.table-shape", "shape of 8");
}

Test(bind, a_table_may_be_declared_empty) {
  rlk_deployment_edit(&deployment, "every_role.sidecar.json", "\"shape\": [2, 4], \"count\": 8",
                      "\"shape\": [0, 4], \"count\": 0");
  add("every_role");
  expect_refused(rowlock_registry_consolidate(registry, "profile", data, 1, err), "bind.table-count", "declares 0");
  expect_ok(rowlock_registry_consolidate(registry, "profile", NULL, 0, err));
}

Test(bind, an_undeclared_table_has_any_count) {
  rlk_deployment_edit(&deployment, "every_role.sidecar.json", "{\"name\": \"profile\"", "{\"name\": \"other\"");
  add("every_role");
  expect_ok(rowlock_registry_consolidate(registry, "profile", data, 3, err));
  expect_refused(rowlock_registry_consolidate(registry, "other", data, 8, err), "bind.unknown-name", "'other'");
}

Test(bind, a_table_without_a_count_has_that_of_its_shape) {
  rlk_deployment_edit(&deployment, "every_role.sidecar.json", ", \"count\": 8", "");
  add("every_role");
  expect_refused(rowlock_registry_consolidate(registry, "profile", data, 7, err), "bind.table-count", "declares 8");
}

Test(bind, a_table_is_replaced_by_the_next_and_referenced_in_place) {
  rlk_deployment_edit(&deployment, "thrust.sidecar.json", "\"host_entry\": \"push\"",
                      "\"host_entry\": \"push\", \"x\": 0");
  rlk_deployment_edit(&deployment, "forces.manifest.json", "\"id\": \"gravity\", \"order\": 0, \"enabled\": true",
                      "\"id\": \"gravity\", \"order\": 0, \"enabled\": false");
  rlk_deployment_edit(&deployment, "forces.manifest.json", "\"id\": \"drag\", \"order\": 1, \"enabled\": true",
                      "\"id\": \"drag\", \"order\": 1, \"enabled\": false");
  add("forces");
  double out[3] = {0}, rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mass[1] = {1}, first[3] = {1, 2, 3},
         second[3] = {4, 5, 6};
  expect_ok(rowlock_registry_bind_vector(registry, "out", out, 1, 3, err));
  expect_ok(rowlock_registry_bind_matrix(registry, "rotation", rotation, 1, (rowlock_shape_t){3, 3}, err));
  expect_ok(rowlock_registry_bind_handle(registry, "mass", mass, 1, err));
  expect_ok(rowlock_registry_consolidate(registry, "direction", first, 3, err));
  const rowlock_run_options_t options = {.sample_count = 1};
  expect_ok(rowlock_registry_run(registry, &options, NULL, err));
  cr_expect(ieee_ulp_eq(dbl, out[1], 2, 0));
  first[1] = 10;
  expect_ok(rowlock_registry_run(registry, &options, NULL, err));
  cr_expect(ieee_ulp_eq(dbl, out[1], 12, 0));
  expect_ok(rowlock_registry_consolidate(registry, "direction", second, 3, err));
  expect_ok(rowlock_registry_run(registry, &options, NULL, err));
  cr_expect(ieee_ulp_eq(dbl, out[1], 17, 0));
}

/* --- Unbinding ---------------------------------------------------------------------------------------------------- */

Test(bind, unbinding_forgets_every_way_of_the_name) {
  add("tally");
  expect_ok(rowlock_registry_bind_handle(registry, "energy", data, N, err));
  expect_ok(rowlock_registry_bind_result(registry, "energy", data, 1, err));
  cr_expect(eq(sz, rowlock_registry_unbound(registry, NULL, 0), 6));
  expect_ok(rowlock_registry_unbind(registry, "energy", err));
  cr_expect(eq(sz, rowlock_registry_unbound(registry, NULL, 0), 8));
  expect_refused(rowlock_registry_unbind(registry, "entropy", err), "bind.unknown-name", "declared: energy,");
}

Test(bind, the_error_is_empty_after_success) {
  add("mirror");
  expect_refused(rowlock_registry_bind_handle(registry, "x", data, N, err), "bind.unknown-name", "'x'");
  expect_ok(rowlock_registry_bind_handle(registry, "image", data, N, err));
  cr_expect(eq(str, err->message, (char*)""));
  cr_expect(zero(ptr, (void*)err->rule_id));
  cr_expect(eq(int, rowlock_registry_bind_handle(registry, "image", NULL, N, NULL), ROWLOCK_REJECTED));
}
