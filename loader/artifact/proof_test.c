#include "loader/artifact/proof.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "loader/host/test_object.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"
#define LAYOUT ".global .u64 eagle_layout_sizes[5] = {40, 32, 32, 4, 24};\n"

enum { FINDINGS_MAX = 8 };

typedef struct told_t {
  const char* rule;
  int argument;
  char message[RLK_MESSAGE_SIZE];
} told_t;

static struct {
  told_t told[FINDINGS_MAX];
  size_t count;
  rowlock_code_t answer; /* what the listener returns */
} heard;

static rlk_arena_t arena;
static rlk_artifact_t artifact;
static rowlock_error_t err;

static void setup(void) { memset(&heard, 0, sizeof heard); }
static void teardown(void) { rlk_arena_deinit(&arena); }

TestSuite(proof, .init = setup, .fini = teardown, .timeout = 60);

static rowlock_code_t report(void* context, rlk_rule_t rule, int argument, const rlk_slot_t* slots, size_t slot_count) {
  (void)context;
  cr_assert(lt(sz, heard.count, FINDINGS_MAX));
  told_t* told = &heard.told[heard.count++];
  *told = (told_t){.rule = rlk_rule_info(rule)->id, .argument = argument};
  rlk_message_format(told->message, sizeof told->message, rlk_rule_info(rule)->message, slots, slot_count);
  cr_expect(eq(ptr, strchr(told->message, '{'), NULL), "a slot is not filled: %s", told->message);
  return heard.answer;
}

static rowlock_code_t repeat(void* context, const rowlock_error_t* problem) {
  (void)context;
  cr_assert(lt(sz, heard.count, FINDINGS_MAX));
  told_t* told = &heard.told[heard.count++];
  *told = (told_t){.rule = problem->rule_id, .argument = -1};
  snprintf(told->message, sizeof told->message, "%s", problem->message);
  return heard.answer;
}

static const rlk_proof_listener_t listener = {.report = report, .repeat = repeat};

/* --- What is proved ----------------------------------------------------------------------------------------------- */

/* out: a view of 40 bytes; mass: a handle of 32; scale: a number of 8. */
static rlk_parameter_t parameters[] = {
    {.name = "out", .binding = ROWLOCK_BINDING_VECTOR, .element = ROWLOCK_ELEMENT_FLOAT64},
    {.name = "mass", .binding = ROWLOCK_BINDING_HANDLE, .element = ROWLOCK_ELEMENT_FLOAT64},
    {.name = "scale", .binding = ROWLOCK_BINDING_UNIFORM, .element = ROWLOCK_ELEMENT_FLOAT64},
};

static rlk_description_t sidecar(size_t count, bool has_triple) {
  return (rlk_description_t){.id = "plugin",
                             .kernel = "drag",
                             .host_symbol = "drag_host",
                             .tag = has_triple ? RLK_WORD_ABI_2 : RLK_WORD_ABI_1,
                             .parameters = parameters,
                             .parameter_count = count};
}

static void read_ptx(const char* text) {
  cr_assert(eq(i32, (int)rlk_artifact_read(text, strlen(text), &arena, &artifact, &err), ROWLOCK_OK), "%s",
            err.message);
}

static void prove(const rlk_description_t* description, const char* text) {
  heard.count = 0;
  read_ptx(text);
  cr_assert(eq(i32, (int)rlk_prove(description, &artifact, &arena, &listener, &err), ROWLOCK_OK));
}

static void expect_nothing(const rlk_description_t* description, const char* text) {
  prove(description, text);
  cr_expect(zero(sz, heard.count), "%s: %s", text, heard.told[0].message);
}

static void expect_told(rlk_rule_t rule, int argument, const char* words) {
  cr_assert(eq(sz, heard.count, 1), "%s: %zu findings", words, heard.count);
  cr_expect(eq(str, (char*)heard.told[0].rule, (char*)rlk_rule_info(rule)->id));
  cr_expect(eq(i32, heard.told[0].argument, argument), "%s", words);
  cr_expect(ne(ptr, strstr(heard.told[0].message, words), NULL), "'%s' is not in '%s'", words, heard.told[0].message);
}

static void expect_finding(size_t count, bool has_triple, const char* text, rlk_rule_t rule, int argument,
                           const char* words) {
  const rlk_description_t description = sidecar(count, has_triple);
  prove(&description, text);
  expect_told(rule, argument, words);
}

#define VIEW ".param .align 8 .b8 a[40]"
#define HANDLE ".param .align 8 .b8 b[32]"
#define NUMBER ".param .f64 c"
#define TRIPLE ".param .u64 d, .param .u64 e, .param .u64 f"

Test(proof, what_agrees_is_left_alone) {
  const rlk_description_t one = sidecar(3, false), two = sidecar(3, true), none = sidecar(0, false);
  expect_nothing(&one, HEAD ".entry drag(" VIEW ", " HANDLE ", " NUMBER ") { }");
  expect_nothing(&two, HEAD LAYOUT ".entry drag(" VIEW ", " HANDLE ", " NUMBER ", " TRIPLE ") { }");
  expect_nothing(&none, HEAD ".entry other(.param .u8 a) { } .entry drag { }");
}

/* --- The entry ---------------------------------------------------------------------------------------------------- */

Test(proof, a_missing_entry_is_told_with_the_nearest_name) {
  expect_finding(0, false, HEAD ".entry drog { } .entry lift { }", RLK_RULE_ARTIFACT_ENTRY_MISSING, -1,
                 "there is no entry 'drag' in the PTX 8.4 for sm_90, did you mean 'drog'?; entries: 'drog', 'lift'");
  expect_finding(0, false, HEAD ".entry _Z4dragPdS_ { }", RLK_RULE_ARTIFACT_ENTRY_MISSING, -1,
                 ", but there is '_Z4dragPdS_': declare it extern \"C\"; entries: '_Z4dragPdS_'");
  expect_finding(0, false, HEAD, RLK_RULE_ARTIFACT_ENTRY_MISSING, -1, "for sm_90; entries: none");
  expect_finding(0, false,
                 HEAD
                 ".entry k1 { } .entry k2 { } .entry k3 { } .entry k4 { } .entry k5 { } .entry k6 { } "
                 ".entry k7 { } .entry k8 { }",
                 RLK_RULE_ARTIFACT_ENTRY_MISSING, -1, "'k5', 'k6' and 2 more");
}

Test(proof, a_prototype_alone_is_told) {
  expect_finding(0, false, HEAD ".entry drag();", RLK_RULE_ARTIFACT_ENTRY_UNDEFINED, -1,
                 "entry 'drag' in the PTX 8.4 for sm_90 is a prototype without a body");
}

/* --- Parameters --------------------------------------------------------------------------------------------------- */

Test(proof, another_count_is_told_with_both_tables) {
  expect_finding(3, false, HEAD ".entry drag(" VIEW ", " HANDLE ") { }", RLK_RULE_ARTIFACT_PARAMETER_COUNT, -1,
                 "takes 2 parameters, arg_spec implies 3; arg_spec: out 40 @0, mass 32 @40, scale 8 @72 (80 bytes); "
                 "artifact: 40 @0, 32 @40 (72 bytes)");
  expect_finding(1, false, HEAD ".entry drag { }", RLK_RULE_ARTIFACT_PARAMETER_COUNT, -1, "artifact: none (0 bytes)");
}

Test(proof, the_triple_is_told_by_itself) {
  expect_finding(1, true, HEAD LAYOUT ".entry drag(" VIEW ") { }", RLK_RULE_ARTIFACT_TRIPLE_MISSING, -1,
                 "does not end in base, count and nSamples, which aether-abi/2 passes");
  expect_finding(1, false, HEAD ".entry drag(" VIEW ", " TRIPLE ") { }", RLK_RULE_ARTIFACT_TRIPLE_PRESENT, -1,
                 "three 64-bit integers more than arg_spec has, and aether-abi/1 passes none");
  /* Three more that are no integers are no triple. */
  expect_finding(1, false, HEAD ".entry drag(" VIEW ", .param .f64 d, .param .u64 e, .param .u64 f) { }",
                 RLK_RULE_ARTIFACT_PARAMETER_COUNT, -1, "takes 4 parameters, arg_spec implies 1");
}

Test(proof, another_size_is_told_at_the_first_that_differs) {
  expect_finding(3, false, HEAD ".entry drag(" VIEW ", " VIEW ", " NUMBER ") { }", RLK_RULE_ARTIFACT_PARAMETER_SIZE, 1,
                 "parameter 1 ('mass') of entry 'drag' in the PTX 8.4 for sm_90 has 40 bytes, arg_spec implies 32; ");
}

Test(proof, another_order_is_told) {
  expect_finding(3, false, HEAD ".entry drag(" HANDLE ", " VIEW ", " NUMBER ") { }", RLK_RULE_ARTIFACT_PARAMETER_ORDER,
                 -1, "stand in another order than arg_spec; ");
}

Test(proof, another_alignment_is_told_where_it_moves_a_parameter) {
  expect_finding(2, false, HEAD ".entry drag(" VIEW ", .param .align 16 .b8 b[32]) { }",
                 RLK_RULE_ARTIFACT_PARAMETER_OFFSET, 1,
                 "('mass') of entry 'drag' in the PTX 8.4 for sm_90 is at "
                 "offset 48, 40 is due; ");
}

Test(proof, another_type_of_the_same_size_is_told) {
  expect_finding(3, false, HEAD ".entry drag(" VIEW ", " HANDLE ", .param .u64 c) { }",
                 RLK_RULE_ARTIFACT_PARAMETER_TYPE, 2, "is of type u64, a float is due");
  expect_finding(1, true, HEAD LAYOUT ".entry drag(" VIEW ", .param .u64 d, .param .f64 e, .param .u64 f) { }",
                 RLK_RULE_ARTIFACT_PARAMETER_TYPE, -1, "parameter 2 ('count') of entry 'drag'");
  const rlk_description_t description = sidecar(3, false);
  parameters[2].is_int_too = true;
  expect_nothing(&description, HEAD ".entry drag(" VIEW ", " HANDLE ", .param .u64 c) { }");
  parameters[2].is_int_too = false;
  expect_nothing(&description, HEAD ".entry drag(" VIEW ", " HANDLE ", .param .b64 c) { }");
}

Test(proof, tables_are_cut_after_some_parameters) {
  rlk_parameter_t many[20];
  for (size_t i = 0; i < 20; ++i) many[i] = parameters[2];
  const rlk_description_t description = {
      .kernel = "drag", .host_symbol = "drag_host", .tag = RLK_WORD_ABI_1, .parameters = many, .parameter_count = 20};
  prove(&description, HEAD ".entry drag { }");
  expect_told(RLK_RULE_ARTIFACT_PARAMETER_COUNT, -1, "scale 8 @88 and 8 more (160 bytes); artifact: none");
}

/* --- The layout array --------------------------------------------------------------------------------------------- */

Test(proof, the_layout_is_due_with_the_triple_alone) {
#define DRAG ".entry drag(" TRIPLE ") { }"
  expect_finding(0, true, HEAD DRAG, RLK_RULE_HOST_LAYOUT_ABSENT, -1, "eagle_layout_sizes");
  expect_finding(0, true, HEAD DRAG ".extern .global .u64 eagle_layout_sizes[5];", RLK_RULE_HOST_LAYOUT_ABSENT, -1,
                 "eagle_layout_sizes");
  expect_finding(0, true, HEAD DRAG ".global .u64 eagle_layout_sizes[3] = {40, 32, 32};", RLK_RULE_HOST_LAYOUT_LENGTH,
                 -1, "24");
  expect_finding(0, true, HEAD DRAG ".global .u64 eagle_layout_sizes[5] = {40, 32, 32, 4, 16};",
                 RLK_RULE_HOST_LAYOUT_MISMATCH, -1, "16");
  expect_finding(0, true, HEAD DRAG ".global .u64 eagle_layout_sizes[5];", RLK_RULE_HOST_LAYOUT_MISMATCH, -1, "0");
}

/* --- The listener ------------------------------------------------------------------------------------------------- */

Test(proof, what_the_listener_says_ends_the_proof) {
  const rlk_description_t description = sidecar(0, true);
  heard.answer = ROWLOCK_NO_MEMORY;
  read_ptx(HEAD);
  cr_expect(eq(i32, (int)rlk_prove(&description, &artifact, &arena, &listener, &err), ROWLOCK_NO_MEMORY));
  cr_expect(eq(sz, heard.count, 1));
  const rlk_target_machine_t machine = {.driver = 110, .sm = 70};
  heard.count = 0;
  cr_expect(eq(i32, (int)rlk_prove_machine(&artifact, &machine, &listener), ROWLOCK_NO_MEMORY));
  cr_expect(eq(sz, heard.count, 1));
}

/* --- The machine -------------------------------------------------------------------------------------------------- */

typedef struct modules_t {
  rlk_module_t modules[16];
  rlk_artifact_t artifact;
} modules_t;

static void expect_machine(const modules_t* held, uint32_t driver, uint32_t sm, rlk_rule_t rule, const char* words) {
  const rlk_target_machine_t machine = {.driver = driver, .sm = sm};
  heard.count = 0;
  cr_assert(eq(i32, (int)rlk_prove_machine(&held->artifact, &machine, &listener), ROWLOCK_OK));
  if (words) {
    expect_told(rule, -1, words);
  } else {
    cr_expect(zero(sz, heard.count), "%s", heard.told[0].message);
  }
}

static void hold(modules_t* held, size_t count) {
  held->artifact = (rlk_artifact_t){.kind = RLK_ARTIFACT_FATBIN, .modules = held->modules, .module_count = count};
}

Test(proof, a_driver_that_is_too_old_is_told) {
  modules_t held = {.modules = {{.kind = RLK_ARTIFACT_PTX, .target = {.sm = 75}, .ptx_version = 84}}};
  hold(&held, 1);
  expect_machine(&held, 124, 0, 0, NULL);
  expect_machine(&held, 123, 0, RLK_RULE_ARTIFACT_DRIVER,
                 "the PTX 8.4 for sm_75 is newer than the driver's compiler: it needs a driver for CUDA 12.4 or later, "
                 "the driver is for 12.3");
  held.modules[0].compression = RLK_COMPRESSION_ZSTD; /* both need 12.4 */
  expect_machine(&held, 123, 0, RLK_RULE_ARTIFACT_DRIVER, "is newer than the driver's compiler");
  held.modules[0].ptx_version = 70;
  expect_machine(&held, 123, 0, RLK_RULE_ARTIFACT_DRIVER, "is compressed with zstd: it needs a driver for CUDA 12.4");
  expect_machine(&held, 124, 0, 0, NULL);
  held.modules[0].ptx_version = 95; /* not known yet */
  expect_machine(&held, 131, 0, RLK_RULE_ARTIFACT_DRIVER, "for CUDA 13.5 or later");
  held.modules[0].ptx_version = 79; /* there is none */
  expect_machine(&held, 131, 0, 0, NULL);
}

Test(proof, a_device_without_code_is_told_by_what_there_is) {
  modules_t held = {.modules = {{.kind = RLK_ARTIFACT_CUBIN, .target = {.sm = 90, .suffix = 'a'}},
                                {.kind = RLK_ARTIFACT_PTX, .target = {.sm = 100}, .ptx_version = 88}}};
  hold(&held, 1);
  expect_machine(&held, 0, 90, 0, NULL);
  expect_machine(&held, 0, 100, RLK_RULE_ARTIFACT_CUBIN_ONLY,
                 "there is no code for sm_100, and no PTX from which a driver could make it: the artifact holds the "
                 "cubin for sm_90a");
  hold(&held, 2);
  expect_machine(&held, 0, 120, RLK_RULE_ARTIFACT_PTX_ONLY, "for sm_120 there is PTX alone");
  expect_machine(&held, 0, 80, RLK_RULE_ARTIFACT_NO_CODE,
                 "there is no code for sm_80: the artifact holds the cubin for sm_90a, the PTX 8.8 for sm_100");
  expect_machine(&held, 0, 0, 0, NULL);
  for (size_t i = 0; i < 16; ++i) held.modules[i] = held.modules[0];
  hold(&held, 16);
  expect_machine(&held, 0, 100, RLK_RULE_ARTIFACT_CUBIN_ONLY, "the cubin for sm_90a and 4 more");
}

Test(proof, a_host_object_is_for_no_device) {
  modules_t held = {.modules = {{.kind = RLK_ARTIFACT_HOST}}};
  hold(&held, 1);
  held.artifact.kind = RLK_ARTIFACT_HOST;
  expect_machine(&held, 110, 90, 0, NULL);
}

Test(proof, cuda_versions_are_two_numbers) {
  uint32_t version = 0;
  cr_expect(rlk_cuda_version_read("12.4", &version) && version == 124);
  cr_expect(rlk_cuda_version_read("9.0", &version) && version == 90);
  static const char* const others[] = {"",     "12",    "12.",   ".4",    "12.4.1", "12.44", "a",     "-1.0",
                                       "12.x", "12. 4", " 12.4", "12.4 ", "0.1",    "12.+4", "9999.1"};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    cr_expect(not(rlk_cuda_version_read(others[i], &version)), "'%s'", others[i]);
  }
}
