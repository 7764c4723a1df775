#define _POSIX_C_SOURCE 200809L /* strdup */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/artifact/readers.h"
#include "loader/artifact/test_artifact.h"
#include "loader/host/test_object.h"
#include "validator/rules/fault.h"
#include "validator/rules/text.h"

#define HEAD ".version 8.4\n.target sm_90\n.address_size 64\n"

static rlk_arena_t arena;
static rlk_artifact_t artifact;
static rowlock_error_t err;
static char* built; /* a text that a test makes */

static void teardown(void) {
  rlk_arena_deinit(&arena);
  free(built);
}

TestSuite(ptx, .fini = teardown, .timeout = 120);

static rowlock_code_t read_bytes(const char* text, size_t length) {
  rlk_arena_reset(&arena);
  return rlk_artifact_read(text, length, &arena, &artifact, &err);
}

static const rlk_module_t* need(const char* text) {
  cr_assert(eq(i32, (int)read_bytes(text, strlen(text)), ROWLOCK_OK), "%.200s: %s", text, err.message);
  cr_assert(eq(i32, (int)artifact.kind, RLK_ARTIFACT_PTX));
  return artifact.modules;
}

static void expect_refused(const char* text, rlk_rule_t rule, const char* words) {
  rlk_test_expect_refused(read_bytes(text, strlen(text)), &err, rule, words, text);
}

static void expect_malformed(const char* text, const char* words) {
  expect_refused(text, RLK_RULE_ARTIFACT_PTX_SYNTAX, words);
}

/* --- What it is compiled for -------------------------------------------------------------------------------------- */

static void expect_target(const char* target, uint32_t sm, char suffix) {
  char text[256];
  snprintf(text, sizeof text, ".version 7.8\n.target %s\n.address_size 64\n", target);
  const rlk_module_t* module = need(text);
  cr_expect(eq(u32, module->target.sm, sm), "%s", target);
  cr_expect(eq(chr, module->target.suffix, suffix), "%s", target);
  cr_expect(eq(u32, module->ptx_version, 78));
}

Test(ptx, targets_have_two_or_three_digits_and_a_suffix) {
  expect_target("sm_75", 75, '\0');
  expect_target("sm_90a", 90, 'a');
  expect_target("sm_100", 100, '\0');
  expect_target("sm_120f", 120, 'f');
  expect_target("sm_103a, debug", 103, 'a');
  expect_target("texmode_independent,sm_20", 20, '\0');
}

Test(ptx, what_is_no_target_is_refused) {
  static const char* const targets[] = {"sm_x", "sm_0", "sm_000a", "sm_90b", "sm_90aa", "sm_1234567"};
  for (size_t i = 0; i < sizeof targets / sizeof *targets; ++i) {
    char text[128], words[128];
    snprintf(text, sizeof text, ".version 8.4\n.target %s\n.address_size 64\n", targets[i]);
    snprintf(words, sizeof words, "line 2, column 9: '%s' where a target such as sm_90 or sm_90a is due", targets[i]);
    expect_malformed(text, words);
  }
  expect_malformed(".version 8.4\n.target 90\n", "'90' where a target is due");
  expect_malformed(".version 8.4\n.target sm_90,,\n", "',' where a target is due");
  expect_malformed(".version 8.4\n.target a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a", "more target options than there are");
}

Test(ptx, what_it_is_compiled_for_must_be_said) {
  expect_malformed(".version 8.4\n.address_size 64\n", "it ends and names no .target");
  expect_malformed(".version 8\n.target sm_90\n.address_size 64\n", "'8' where a version such as 8.4 is due");
  expect_malformed(".version 8.44\n", "'8' where a version such as 8.4 is due");
  expect_malformed(".version x.4\n", "'x' where a version such as 8.4 is due");
  expect_malformed(".version", "it ends where a version such as 8.4 is due");
  expect_refused(".version 8.4\n.target sm_90\n", RLK_RULE_ARTIFACT_PTX_ADDRESS_SIZE, ".address_size 32; 64 is due");
  expect_refused(".version 8.4\n.target sm_90\n.address_size 32\n", RLK_RULE_ARTIFACT_PTX_ADDRESS_SIZE,
                 ".address_size 32; 64 is due");
  expect_malformed(".version 8.4\n.address_size 65\n", "'65' where an address size is due");
}

/* --- Entries ------------------------------------------------------------------------------------------------------ */

Test(ptx, parameters_stand_at_multiples_of_their_alignment) {
  const rlk_module_t* module =
      need(HEAD
           ".visible .entry k(.param .u8 a, .param .align 8 .b8 b[40], .param .f32 c, .param .u64 .ptr .global .align "
           "16 d,\n"
           " .param .b16 e, .param .align 16 .b8 f[3], .param .b128 g) .maxntid 128, 1, 1 { ret; }");
  static const struct {
    const char* type;
    uint32_t offset, bytes, alignment;
  } due[] = {{"u8", 0, 1, 1},   {"b8", 8, 40, 8},  {"f32", 48, 4, 4},   {"u64", 56, 8, 8},
             {"b16", 64, 2, 2}, {"b8", 80, 3, 16}, {"b128", 96, 16, 16}};
  const rlk_artifact_entry_t* entry = rlk_module_find(module, "k");
  cr_assert(ne(ptr, (void*)entry, NULL));
  cr_assert(eq(sz, entry->parameter_count, sizeof due / sizeof *due));
  for (size_t i = 0; i < entry->parameter_count; ++i) {
    const rlk_artifact_parameter_t* parameter = &entry->parameters[i];
    cr_expect(eq(str, (char*)parameter->type, (char*)due[i].type), "parameter %zu", i);
    cr_expect(eq(u32, parameter->offset, due[i].offset), "parameter %zu", i);
    cr_expect(eq(u32, parameter->bytes, due[i].bytes), "parameter %zu", i);
    cr_expect(eq(u32, parameter->alignment, due[i].alignment), "parameter %zu", i);
  }
  cr_expect(eq(str, (char*)entry->parameters[3].name, (char*)"d"));
  cr_expect(eq(u32, entry->block_bytes, 112));
}

Test(ptx, entries_are_found_among_everything_else) {
  const rlk_module_t* module =
      need("// by a compiler\n" HEAD
           "@@DWARF .section .debug_abbrev, \"{\n"
           "@@DWARF .byte 0x01, 0x7d\n"
           ".file 1 \"a;b.cu\", 1600000000, 42\n"
           ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n"
           ".global .align 1 .b8 text[3] = {104, 105, 0};\n"
           ".const .f64 half = 0d3FE0000000000000;\n"
           ".pragma \"nounroll\";\n"
           ".func helper() { .reg .b32 a; { } ret; }\n"
           ".alias other, helper;\n"
           ".extern .shared .align 16 .b8 scratch[];\n"
           ".weak .entry weak$1() { }\n"
           ".entry bare .attribute(.unified(1, 2)) .maxnreg 16 .language \"x\" { ret; }\n"
           ".visible .entry _k(.param .u32 a)\n .reqntid 1, 1, 1\n .minnctapersm 2\n{ // }\n ret; }\n"
           ".section .debug_str { info: .b8 1 }\n");
  static const char* const due[] = {"weak$1", "bare", "_k"};
  cr_assert(eq(sz, module->entry_count, 3));
  for (size_t i = 0; i < 3; ++i) {
    cr_expect(eq(str, (char*)module->entries[i].name, (char*)due[i]));
    cr_expect(module->entries[i].is_defined);
  }
  cr_expect(eq(sz, module->entries[2].parameter_count, 1));
}

Test(ptx, a_prototype_gives_way_to_its_definition) {
  static const char* const texts[] = {HEAD ".entry k(.param .u64 a);\n.entry k(.param .u32 b) { }\n",
                                      HEAD ".entry k(.param .u32 b) { }\n.entry k(.param .u64 a);\n"};
  for (size_t i = 0; i < 2; ++i) {
    const rlk_module_t* module = need(texts[i]);
    cr_assert(eq(sz, module->entry_count, 1));
    cr_expect(module->entries[0].is_defined);
    cr_expect(eq(u32, module->entries[0].block_bytes, 4));
  }
  cr_expect(not(need(HEAD ".entry k();\n.entry k();\n")->entries[0].is_defined));
  expect_malformed(HEAD ".entry k { }\n.entry k { }\n", "line 5, column 8: a second entry of this name");
}

Test(ptx, malformed_entries_are_refused_at_their_place) {
  static const struct {
    const char *text, *words;
  } cases[] = {
      {".entry (", "line 4, column 8: '(' where an entry's name is due"},
      {".entry 1k", "'1k' where an entry's name is due"},
      {".entry k(", "it ends where '.param' is due"},
      {".entry k(u32 a)", "'u32' where '.param' is due"},
      {".entry k(.param a)", "'a' where a type is due"},
      {".entry k(.param .quad a)", "'.quad' where the type of a parameter is due"},
      {".entry k(.param .u32 1)", "'1' where a parameter's name is due"},
      {".entry k(.param .align 3 .b8 a[3])", "an alignment that is no power of two"},
      {".entry k(.param .align 0 .b8 a[3])", "an alignment that is no power of two"},
      {".entry k(.param .align 65537 .b8 a[3])", "'65537' where an alignment is due"},
      {".entry k(.param .b8 a[0])", "a parameter without a byte"},
      {".entry k(.param .b8 a[])", "']' where a size in bytes is due"},
      {".entry k(.param .b8 a[08])", "'08' where a size in bytes is due"},
      {".entry k(.param .b8 a[99999999999999999999])", "where a size in bytes is due"},
      {".entry k(.param .b8 a[1)", "')' where ']' is due"},
      {".entry k(.param .u32 a .param .u32 b)", "'.param' where ',' or ')' is due"},
      {".entry k(.param .u32 a,)", "')' where '.param' is due"},
      {".entry k(.param .u32 a)", "it ends where a body or ';' is due"},
      {".entry k[.param .u32 a) { }", "line 4, column 9: '[' where a body or ';' is due"},
      {".entry k() l { }", "'l' where a body or ';' is due"},
      {".entry k() ) { }", "')' where a body or ';' is due"},
      {".entry k() () { }", "'(' where a body or ';' is due"},
      {".entry k() .attribute((", "it ends where a body or ';' is due"},
      {".func f .func g { }", "'.func' where a body or ';' is due"},
      {".entry k() .entry l() { }", "'.entry' where a body or ';' is due"},
      {".entry k() { {", "a '{' that nothing closes"},
      {".entry k() } ", "'}' where a body or ';' is due"},
      {".func f { ", "a '{' that nothing closes"},
      {".global .u32 a", "it ends where ';' is due"},
      {".global .u32 a[] = {", "a '{' that nothing closes"},
      {".section .debug_str", "it ends where '{' is due"},
      {".section .debug_str {", "a '{' that nothing closes"},
      {"/* on and on", "it ends in a comment or a string"},
      {"@DWARF", "'DWARF' where '@@DWARF' is due"},
      {"@@", "it ends where '@@DWARF' is due"},
      {"entry", "'entry' where a directive is due"},
      {"}", "'}' where a directive is due"},
      {";", "line 4, column 1: ';' where a directive is due"},
      {".visible .extern .global .u32 a;", "line 4, column 10: a second linkage of one declaration"},
      {".extern .extern .func f();", "a second linkage of one declaration"},
      {".extern .entry k() { }", "line 4, column 16: an external entry has a body"},
      {".global .u32 a;\n.visible", "it ends where a declaration is due"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[256];
    snprintf(text, sizeof text, HEAD "%s", cases[i].text);
    expect_malformed(text, cases[i].words);
  }
}

/* --- NUL ---------------------------------------------------------------------------------------------------------- */

Test(ptx, nul_may_end_it_and_nothing_else) {
  static const char ends[] = HEAD ".entry k { }\0\0\0", within[] = HEAD ".entry k { }\0 .entry l { }";
  cr_expect(eq(i32, (int)read_bytes(ends, sizeof ends), ROWLOCK_OK));
  cr_expect(eq(sz, artifact.modules->entry_count, 1));
  rlk_module_t module = {.kind = RLK_ARTIFACT_PTX};
  rlk_store_t store = {.arena = &arena};
  const rowlock_code_t code = rlk_ptx_read(within, sizeof within - 1, &store, &module, &err);
  rlk_test_expect_refused(code, &err, RLK_RULE_ARTIFACT_PTX_NUL, "a NUL byte at offset 56 of 70", "an inner NUL");
}

/* In a fatbin PTX is not recognised by its first directive. */
Test(ptx, a_version_must_be_said) {
  static const char text[] = ".target sm_90\n.address_size 64\n";
  rlk_module_t module = {.kind = RLK_ARTIFACT_PTX};
  rlk_store_t store = {.arena = &arena};
  rlk_test_expect_refused(rlk_ptx_read(text, sizeof text - 1, &store, &module, &err), &err,
                          RLK_RULE_ARTIFACT_PTX_SYNTAX, "it ends and names no .version", text);
  rlk_test_expect_refused(rlk_ptx_read("", 0, &store, &module, &err), &err, RLK_RULE_ARTIFACT_PTX_SYNTAX,
                          "line 1, column 1: it ends and names no .version", "nothing");
}

/* HEAD, then `count` times the format with the number in it, between the two. */
static const char* build(const char* before, const char* format, size_t count, const char* after) {
  const size_t size = 256 + count * (strlen(format) + 24) + strlen(before) + strlen(after);
  free(built);
  built = malloc(size);
  cr_assert(ne(ptr, built, NULL));
  rlk_text_t text = rlk_text_over(built, size);
  rlk_text_printf(&text, HEAD "%s", before);
  for (size_t i = 0; i < count; ++i) rlk_text_printf(&text, "%s%s%zu", i > 0 ? ", " : "", format, i);
  rlk_text_printf(&text, "%s", after);
  return built;
}

/* --- The layout array --------------------------------------------------------------------------------------------- */

static void expect_layout(const char* declaration, uint64_t length, uint64_t first, uint64_t second) {
  char text[512];
  snprintf(text, sizeof text, HEAD "%s", declaration);
  const rlk_module_t* module = need(text);
  cr_assert(module->layout.is_there, "%s", declaration);
  cr_assert(eq(u64, module->layout.length, length), "%s", declaration);
  uint64_t words[2] = {0};
  if (module->layout.bytes) memcpy(words, module->layout.bytes, length < sizeof words ? length : sizeof words);
  cr_expect(eq(u64, words[0], first), "%s", declaration);
  cr_expect(eq(u64, words[1], second), "%s", declaration);
}

Test(ptx, the_layout_array_is_read_in_every_notation) {
  expect_layout(".visible .global .align 8 .u64 eagle_layout_sizes[5] = {40, 0x20, 040U, 4, 24};", 40, 40, 32);
  expect_layout(".global .align 8 .b8 eagle_layout_sizes[40] = {40, 0, 0, 0, 0, 0, 0, 0, 32};", 40, 40, 32);
  expect_layout(".const .b32 eagle_layout_sizes[10] = {40, 0, 32};", 40, 40, 32);
  expect_layout(".global .b128 eagle_layout_sizes[1] = {40};", 16, 40, 0);
  expect_layout(".global .u64 eagle_layout_sizes[5];", 40, 0, 0);
  expect_layout(".global .u64 eagle_layout_sizes;", 8, 0, 0);
  expect_layout(".global .u64 eagle_layout_sizes[4000000000];", UINT64_C(32000000000), 0, 0);
  expect_layout(".global .u64 eagle_layout_sizes[4000000000] = {40, 32};", UINT64_C(32000000000), 40, 32);
}

Test(ptx, a_layout_array_of_elsewhere_is_none) {
  cr_expect(not(need(HEAD ".extern .global .u64 eagle_layout_sizes[5];")->layout.is_there));
  cr_expect(not(need(HEAD ".extern .global .u64 eagle_layout_sizes[];")->layout.is_there));
  cr_expect(need(HEAD ".extern .func f();\n.global .u64 eagle_layout_sizes[5];")->layout.is_there);
  cr_expect(not(need(HEAD ".global .u64 eagle_layout_size[5];")->layout.is_there));
  cr_expect(not(need(HEAD ".global .u64 other[1] = {eagle_layout_sizes};")->layout.is_there));
}

Test(ptx, malformed_layout_arrays_are_refused) {
  static const struct {
    const char *rest, *words;
  } cases[] = {{"[5] = {1, 2, 3, 4, 5, 6};", "more values than elements"},
               {"[5] = {1 2};", "'2' where ',' or '}' is due"},
               {"[5] = {x};", "'x' where a number is due"},
               {"[5] = {};", "'}' where a number is due"},
               {"[5] = 1;", "'1' where '{' is due"},
               {"[x];", "'x' where a number of elements is due"},
               {"[5;", "';' where ']' is due"},
               {"[5] = {1}", "it ends where ';' is due"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[256];
    snprintf(text, sizeof text, HEAD ".global .u64 eagle_layout_sizes%s", cases[i].rest);
    expect_malformed(text, cases[i].words);
  }
}

/* The declaration may stand on either side of the definition, as often as one likes. */
Test(ptx, a_layout_array_is_defined_once) {
#define ELSEWHERE ".extern .global .u64 eagle_layout_sizes"
#define HERE ".visible .global .u64 eagle_layout_sizes[5] = {40, 32};\n"
  expect_layout(ELSEWHERE "[];\n" ELSEWHERE "[5];\n" HERE ELSEWHERE "[5];\n" ELSEWHERE "[];\n", 40, 40, 32);
  static const struct {
    const char *text, *words;
  } cases[] = {
      {HERE HERE, "line 5, column 23: a second definition of the layout array"},
      {HERE ".weak .const .b8 eagle_layout_sizes[40];", "a second definition of the layout array"},
      {HERE ELSEWHERE "[4];", "the layout array is declared with another size before"},
      {ELSEWHERE "[6];\n" HERE, "the layout array is declared with another size before"},
      {HERE ELSEWHERE "[5] = {1};", "an external variable has an initial value"},
      {ELSEWHERE "[1] = {1};\n" HERE, "an external variable has an initial value"},
      {".visible .global .u64 eagle_layout_sizes[];", "']' where a number of elements is due"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[512];
    snprintf(text, sizeof text, HEAD "%s", cases[i].text);
    expect_malformed(text, cases[i].words);
  }
#undef ELSEWHERE
#undef HERE
}

/* Values behind those that are kept are passed over, to the end of the initialiser. */
Test(ptx, a_large_layout_array_is_read_to_what_is_kept) {
  const rlk_module_t* module = need(build(".global .u64 eagle_layout_sizes[600] = {", "", 600, "};"));
  cr_expect(eq(u64, module->layout.length, 4800));
  uint64_t last;
  memcpy(&last, module->layout.bytes + RLK_ARTIFACT_LAYOUT_MAX - sizeof last, sizeof last);
  cr_expect(eq(u64, last, 511));
  expect_malformed(build(".global .u64 eagle_layout_sizes[600] = {", "", 600, ""), "it ends within an initialiser");
}

/* --- Bounds ------------------------------------------------------------------------------------------------------- */

static const char* build_entries(size_t count, const char* tail) {
  const size_t size = 256 + count * 32 + strlen(tail);
  free(built);
  built = malloc(size);
  cr_assert(ne(ptr, built, NULL));
  rlk_text_t text = rlk_text_over(built, size);
  rlk_text_printf(&text, HEAD);
  for (size_t i = 0; i < count; ++i) rlk_text_printf(&text, ".entry k%zu();\n", i);
  rlk_text_printf(&text, "%s", tail);
  return built;
}

Test(ptx, entries_up_to_the_limit) {
  cr_expect(eq(sz, need(build_entries(RLK_ARTIFACT_ENTRIES_MAX, ""))->entry_count, RLK_ARTIFACT_ENTRIES_MAX));
  /* A definition takes the place of its prototype. */
  const rlk_module_t* module = need(build_entries(RLK_ARTIFACT_ENTRIES_MAX, ".entry k7() { }"));
  cr_expect(eq(sz, module->entry_count, RLK_ARTIFACT_ENTRIES_MAX));
  cr_expect(rlk_module_find(module, "k7")->is_defined);
  expect_refused(build_entries(RLK_ARTIFACT_ENTRIES_MAX + 1, ""), RLK_RULE_ARTIFACT_LIMIT,
                 "more than the limit of 4096 entries");
}

Test(ptx, parameters_up_to_the_limit) {
  const size_t most = RLK_ARTIFACT_PARAMETERS_MAX;
  const rlk_module_t* module = need(build(".entry k(", ".param .u32 p", most, ") { }"));
  cr_expect(eq(sz, module->entries[0].parameter_count, most));
  cr_expect(eq(u32, module->entries[0].block_bytes, 4 * most));
  expect_refused(build(".entry k(", ".param .u32 p", most + 1, ") { }"), RLK_RULE_ARTIFACT_LIMIT,
                 "more than the limit of 4096 parameters of an entry");
}

Test(ptx, parameters_take_up_to_a_mebibyte) {
  cr_expect(eq(u32, need(HEAD ".entry k(.param .b8 a[1048575], .param .u8 b) { }")->entries[0].block_bytes, 1 << 20));
  expect_refused(HEAD ".entry k(.param .b8 a[1048576], .param .u8 b) { }", RLK_RULE_ARTIFACT_LIMIT,
                 "more than the limit of 1048576 bytes of parameters");
  expect_refused(HEAD ".entry k(.param .b64 a[1048576]) { }", RLK_RULE_ARTIFACT_LIMIT, "bytes of parameters");
  expect_malformed(HEAD ".entry k(.param .b8 a[1048577]) { }", "'1048577' where a size in bytes is due");
}

Test(ptx, names_up_to_the_limit) {
  const size_t most = RLK_ARTIFACT_NAME_MAX;
  char name[RLK_ARTIFACT_NAME_MAX + 2], text[sizeof name + 128];
  memset(name, 'n', sizeof name);
  name[most] = '\0';
  snprintf(text, sizeof text, HEAD ".entry %s { }", name);
  cr_expect(eq(str, (char*)need(text)->entries[0].name, name));
  name[most] = 'n', name[most + 1] = '\0';
  snprintf(text, sizeof text, HEAD ".entry %s { }", name);
  expect_refused(text, RLK_RULE_ARTIFACT_LIMIT, "more than the limit of 4096 bytes of an entry's name");
}

/* HEAD, then `statement` so many times, and `last`. */
static const char* build_statements(const char* statement, size_t count, const char* last) {
  const size_t length = strlen(statement), size = sizeof HEAD + count * length + strlen(last);
  char* text = malloc(size);
  cr_assert(ne(ptr, text, NULL));
  char* at = (char*)memcpy(text, HEAD, sizeof HEAD) + sizeof HEAD - 1;
  for (size_t i = 0; i < count; ++i, at += length) memcpy(at, statement, length);
  memcpy(at, last, strlen(last) + 1);
  free(built);
  built = text;
  return built;
}

Test(ptx, declarations_up_to_the_limit) {
  const size_t most = (1 << 20) - 3; /* beside those of HEAD */
  need(build_statements(".a;", most, ""));
  expect_refused(build_statements(".a;", most, ".a;"), RLK_RULE_ARTIFACT_LIMIT,
                 "more than the limit of 1048576 declarations");
}

Test(ptx, parameters_of_all_entries_up_to_the_limit) {
  build(".entry k(", ".param .u8 p", RLK_ARTIFACT_PARAMETERS_MAX, ");");
  char* entry = strdup(built + sizeof HEAD - 1);
  cr_assert(ne(ptr, entry, NULL));
  const size_t most = (1 << 19) / RLK_ARTIFACT_PARAMETERS_MAX;
  need(build_statements(entry, most, ""));
  expect_refused(build_statements(entry, most, ".entry k(.param .u8 p);"), RLK_RULE_ARTIFACT_LIMIT,
                 "more than the limit of 524288 parameters of all entries");
  free(entry);
}

/* A NUL ends each. */
Test(ptx, bytes_of_names_up_to_the_limit) {
  char entry[RLK_ARTIFACT_NAME_MAX + 16];
  char name[RLK_ARTIFACT_NAME_MAX];
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = '\0';
  snprintf(entry, sizeof entry, ".entry %s;", name);
  const size_t most = (1 << 25) / sizeof name;
  need(build_statements(entry, most, ""));
  expect_refused(build_statements(entry, most, ".entry k;"), RLK_RULE_ARTIFACT_LIMIT,
                 "more than the limit of 33554432 bytes of names");
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

Test(ptx, every_failing_allocation_is_told) {
  const char* text = build_entries(2000, ".global .u64 eagle_layout_sizes[5] = {1};\n.entry x(.param .u32 a) { }");
  for (uint64_t nth = 1;; ++nth) {
    rlk_fault_arm(nth, false);
    const rowlock_code_t code = rlk_artifact_read(text, strlen(text), &arena, &artifact, &err);
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
}
