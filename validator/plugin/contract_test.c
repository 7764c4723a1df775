/* Every contract check on a document that breaks one promise: all findings are wanted, and there is just the one. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "validator/plugin/judging.h"

typedef struct case_t {
  rlk_rule_t rule; /* RLK_RULE_NONE: nothing is wrong with it */
  rlk_sample_t sample;
  const char* pointer;
  rlk_member_t edits[3];
} case_t;

#define VECTOR(RULE, pointer, ...)                               \
  {                                                              \
    RLK_RULE_##RULE, RLK_SAMPLE_VECTOR, pointer, { __VA_ARGS__ } \
  }
#define PURE(RULE, pointer, ...)                               \
  {                                                            \
    RLK_RULE_##RULE, RLK_SAMPLE_PURE, pointer, { __VA_ARGS__ } \
  }
#define DESCRIPTOR(RULE, pointer, ...)                               \
  {                                                                  \
    RLK_RULE_##RULE, RLK_SAMPLE_DESCRIPTOR, pointer, { __VA_ARGS__ } \
  }

/* The vector sample's arguments and one more. */
#define ONE_MORE_ARGUMENT(pair)                                                                                     \
  {                                                                                                                 \
    "arg_spec",                                                                                                     \
        "[[\"out\", \"out\"], [\"vec_in\", \"position\"], [\"mat_in\", \"rotation\"], [\"per_sample\", \"mass\"], " \
        "[\"lookup\", \"profile\"], [\"uniform\", \"mu\"], [\"uniform\", \"softening\"], " pair "]"                 \
  }

/* A pure sidecar's arguments with one mutable, and what else depends on them. */
#define ONE_MUTABLE \
  {"arg_spec", "[[\"mutable\", \"m\"], [\"uniform\", \"rate\"], [\"uniform\", \"limit\"]]"}, { "vec_widths", "{}" }

static const case_t sidecar_cases[] = {
    VECTOR(SIDECAR_SCHEMA_VERSION_NOT_POSITIVE, "/schema_version", {"schema_version", "0"}),
    VECTOR(SIDECAR_SCHEMA_VERSION_NOT_POSITIVE, "/schema_version", {"schema_version", "-18446744073709551617"}),
    VECTOR(SIDECAR_REQUIRED_KEY, "", {"format", NULL}),
    VECTOR(SIDECAR_REQUIRED_KEY, "", {"accumulate", NULL}),
    PURE(SIDECAR_REQUIRED_KEY, "", {"mutables", NULL},
         {"arg_spec", "[[\"uniform\", \"rate\"], [\"uniform\", \"limit\"]]"}, {"vec_widths", "{}"}),
    DESCRIPTOR(SIDECAR_REQUIRED_KEY, "", {"schema_version", NULL}),
    VECTOR(SIDECAR_KERNEL_EMPTY, "/kernel", {"kernel", "\"\""}),
    VECTOR(SIDECAR_FORMAT_UNKNOWN, "/format", {"format", "\"elf\""}),
    PURE(SIDECAR_HOST_ENTRY, "/host_entry", {"host_entry", "\"\""}),
    VECTOR(SIDECAR_NAME_NUL, "/kernel", {"kernel", "\"k\\u0000\""}),
    PURE(SIDECAR_NAME_NUL, "/host_entry", {"host_entry", "\"k\\u0000x\""}),
    VECTOR(SIDECAR_NAME_NUL, "/arg_spec/7/1", ONE_MORE_ARGUMENT("[\"nsamples\", \"n\\u0000\"]")),
    VECTOR(SIDECAR_ARG_NAME_DUPLICATE, "/arg_spec/7/1", ONE_MORE_ARGUMENT("[\"nsamples\", \"mu\"]")),
    VECTOR(SIDECAR_ROLE_FOREIGN, "/arg_spec/7/0", ONE_MORE_ARGUMENT("[\"mutable\", \"m\"]"),
           {"mutables", "[{\"name\": \"m\", \"dtype\": \"int\", \"width\": 1}]"}),
    VECTOR(SIDECAR_LIST_ELEMENT, "/per_sample/0", {"per_sample", "[1]"}),
    VECTOR(SIDECAR_LIST_ELEMENT, "/per_sample", {"per_sample", "\"mass\""}),
    VECTOR(SIDECAR_LIST_DISAGREES, "/per_sample", {"per_sample", "[]"}),
    VECTOR(SIDECAR_LIST_DISAGREES, "/vector_inputs", {"vector_inputs", "[\"velocity\"]"}),
    VECTOR(NONE, NULL, {"params", "[\"softening\", \"mu\"]"}),
    VECTOR(SIDECAR_VEC_WIDTHS_NOT_OBJECT, "/vec_widths", {"vec_widths", "[]"}),
    VECTOR(SIDECAR_VEC_WIDTH_INVALID, "/vec_widths/out", {"vec_widths", "{\"out\": 0, \"position\": 3}"}),
    VECTOR(SIDECAR_VEC_WIDTH_MISSING, "/vec_widths", {"vec_widths", "{\"out\": 3}"}),
    VECTOR(SIDECAR_VEC_WIDTH_UNUSED, "/vec_widths/mass", {"vec_widths", "{\"out\": 3, \"position\": 3, \"mass\": 1}"}),
    VECTOR(SIDECAR_ACCUMULATE, "/accumulate", {"accumulate", "\"yes\""}),
    VECTOR(SIDECAR_SINK, "/sink", {"sink", "null"}),
    VECTOR(SIDECAR_MAT_SHAPE_INVALID, "/mat_shapes/rotation", {"mat_shapes", "{\"rotation\": [3]}"}),
    VECTOR(SIDECAR_MAT_SHAPE_INVALID, "/mat_shapes/rotation",
           {"mat_shapes", "{\"rotation\": [4294967296, 4294967296]}"}),
    VECTOR(SIDECAR_MAT_SHAPE_MISSING, "/mat_shapes", {"mat_shapes", "{}"}),
    VECTOR(SIDECAR_MAT_SHAPE_UNUSED, "/mat_shapes/mass", {"mat_shapes", "{\"rotation\": [3, 3], \"mass\": [1, 1]}"}),
    PURE(SIDECAR_MUTABLE_FIELD, "/mutables/0", ONE_MUTABLE, {"mutables", "[{\"name\": \"m\", \"dtype\": \"int\"}]"}),
    PURE(SIDECAR_MUTABLE_DTYPE, "/mutables/0/dtype", ONE_MUTABLE,
         {"mutables", "[{\"name\": \"m\", \"dtype\": \"bool\", \"width\": 1}]"}),
    PURE(SIDECAR_MUTABLE_WIDTH, "/mutables/0/width", ONE_MUTABLE,
         {"mutables", "[{\"name\": \"m\", \"dtype\": \"float\", \"width\": 2}]"}),
    PURE(SIDECAR_MUTABLE_WIDTH, "/mutables/0/width", ONE_MUTABLE,
         {"mutables", "[{\"name\": \"m\", \"dtype\": \"matrix\", \"shape\": [2, 2], \"width\": 5}]"}),
    PURE(SIDECAR_MUTABLE_SHAPE, "/mutables/0", ONE_MUTABLE,
         {"mutables", "[{\"name\": \"m\", \"dtype\": \"matrix\", \"width\": 4}]"}),
    PURE(SIDECAR_MUTABLE_SHAPE, "/mutables/0/shape", ONE_MUTABLE,
         {"mutables", "[{\"name\": \"m\", \"dtype\": \"int\", \"width\": 1, \"shape\": [1, 1]}]"}),
    PURE(SIDECAR_MUTABLE_DEFAULT, "/mutables/0/default", ONE_MUTABLE,
         {"mutables", "[{\"name\": \"m\", \"dtype\": \"int\", \"width\": 1, \"default\": \"0\"}]"}),
    PURE(SIDECAR_MUTABLE_DUPLICATE, "/mutables/1/name", ONE_MUTABLE,
         {"mutables",
          "[{\"name\": \"m\", \"dtype\": \"int\", \"width\": 1}, {\"name\": \"m\", \"dtype\": \"int\", "
          "\"width\": 1}]"}),
    PURE(SIDECAR_MUTABLE_UNUSED, "/mutables/1/name", ONE_MUTABLE,
         {"mutables",
          "[{\"name\": \"m\", \"dtype\": \"int\", \"width\": 1}, {\"name\": \"k\", \"dtype\": \"int\", "
          "\"width\": 1}]"}),
    PURE(SIDECAR_MUTABLE_UNDECLARED, "/arg_spec/0/1", ONE_MUTABLE, {"mutables", "[]"}),
    VECTOR(SIDECAR_BUFFER_FIELD, "/buffers/0",
           {"buffers", "[{\"name\": \"profile\", \"kind\": \"lookup\", \"dtype\": \"float\", \"shape\": [8]}]"}),
    VECTOR(SIDECAR_BUFFER_FIELD, "/buffers/0/shape",
           {"buffers",
            "[{\"name\": \"profile\", \"kind\": \"lookup\", \"dtype\": \"float\", \"shape\": [4611686018427387904,"
            " 4], \"count\": 0}]"}),
    VECTOR(SIDECAR_BUFFER_DTYPE, "/buffers/0/dtype",
           {"buffers", "[{\"name\": \"profile\", \"dtype\": \"int\", \"shape\": [8], \"count\": 8}]"}),
    VECTOR(SIDECAR_BUFFER_COUNT, "/buffers/0/count",
           {"buffers", "[{\"name\": \"profile\", \"dtype\": \"float\", \"shape\": [2, 4], \"count\": 9}]"}),
    VECTOR(SIDECAR_BUFFER_DUPLICATE, "/buffers/1/name",
           {"buffers",
            "[{\"name\": \"profile\", \"dtype\": \"float\", \"shape\": [8], \"count\": 8}, {\"name\": "
            "\"profile\", \"dtype\": \"float\", \"shape\": [8], \"count\": 8}]"}),
    VECTOR(SIDECAR_BUFFER_UNUSED, "/buffers/1/name",
           {"buffers",
            "[{\"name\": \"profile\", \"dtype\": \"float\", \"shape\": [8], \"count\": 8}, {\"name\": "
            "\"mass\", \"dtype\": \"float\", \"shape\": [8], \"count\": 8}]"}),
    VECTOR(SIDECAR_BUFFER_UNDECLARED, "/arg_spec/4/1", {"buffers", "[]"}),
    PURE(SIDECAR_DERIVATIVE_INCOMPLETE, "/derivative/wrt",
         {"derivative", "{\"kind\": \"vjp\", \"wrt\": [1], \"residual_policy\": \"recompute\", \"residuals\": []}"}),
    PURE(SIDECAR_DERIVATIVE_INCOMPLETE, "/derivative",
         {"derivative", "{\"kind\": \"vjp\", \"wrt\": [], \"residual_policy\": \"recompute\"}"}),
    PURE(SIDECAR_LAUNCH, "/launch/block", {"launch", "{\"block\": 1.5}"}),
    PURE(SIDECAR_LAUNCH, "/launch", {"launch", "256"}),
};

/* What stands beside the manifest of the case is changed by `beside`. */
#define PLUGINS(entries) \
  { "plugins", "[" entries "]" }
#define ENTRY(id, order, artifact, sidecar, format) RLK_SAMPLE_ENTRY(id, order, "true", artifact, sidecar, format)
#define MANIFEST(RULE, pointer, ...)                                  \
  {                                                                   \
    RLK_RULE_##RULE, RLK_SAMPLE_MANIFEST_V1, pointer, { __VA_ARGS__ } \
  }

#define NEURAL(RULE, pointer, ...)                               \
  {                                                              \
    RLK_RULE_##RULE, RLK_SAMPLE_NEURAL, pointer, { __VA_ARGS__ } \
  }

/* A sound kernel sidecar where a descriptor is due. */
#define KERNEL_BLOCK                                                                                             \
  "[{\"format\":\"ptx\",\"pattern\":\"pure\",\"aether_abi\":\"aether-abi/"                                       \
  "1\",\"scalar_type\":\"float64\",\"kernel\":\"k\","                                                            \
  "\"vector_inputs\":[],\"params\":[],\"per_sample\":[],\"vec_widths\":{},\"buffers\":[],\"mutables\":[],\"arg_" \
  "spec\":[]}]"

static const case_t manifest_cases[] = {
    MANIFEST(MANIFEST_BLOCK_NOT_DESCRIPTOR, "/blocks/0", {"blocks", KERNEL_BLOCK}),
    MANIFEST(MANIFEST_LEGACY_VERSION, "/version", {"version", "2"}),
    MANIFEST(MANIFEST_ID_EMPTY, "/plugins/0/id", PLUGINS(ENTRY("", "0", "gravity.ptx", "gravity.json", "ptx"))),
    MANIFEST(MANIFEST_ID_NOT_COMPONENT, "/plugins/0/id",
             PLUGINS(ENTRY("a/b", "0", "gravity.ptx", "gravity.json", "ptx"))),
    MANIFEST(MANIFEST_ID_NOT_COMPONENT, "/plugins/0/id",
             PLUGINS(ENTRY("/", "0", "gravity.ptx", "gravity.json", "ptx"))),
    MANIFEST(MANIFEST_ID_NOT_COMPONENT, "/plugins/0/id",
             PLUGINS(ENTRY("..", "0", "gravity.ptx", "gravity.json", "ptx"))),
    MANIFEST(MANIFEST_ID_NOT_COMPONENT, "/plugins/0/id",
             PLUGINS(ENTRY("a\\u0000", "0", "gravity.ptx", "gravity.json", "ptx"))),
    MANIFEST(MANIFEST_ID_NOT_COMPONENT, "/plugins/0/id",
             PLUGINS(ENTRY("a\\n", "0", "gravity.ptx", "gravity.json", "ptx"))),
    MANIFEST(MANIFEST_ID_NOT_COMPONENT, "/plugins/0/id",
             PLUGINS(ENTRY("a\\u007f", "0", "gravity.ptx", "gravity.json", "ptx"))),
    MANIFEST(NONE, NULL, PLUGINS(ENTRY("a b.\\u00e9", "0", "gravity.ptx", "gravity.json", "ptx"))),
    MANIFEST(MANIFEST_ORDER_NOT_INDEX, "/plugins/0/order",
             PLUGINS(ENTRY("a", "1", "gravity.ptx", "gravity.json", "ptx"))),
    MANIFEST(MANIFEST_ARTIFACT_ESCAPES, "/plugins/0/artifact",
             PLUGINS(ENTRY("a", "0", "../gravity.ptx", "gravity.json", "ptx"))),
    MANIFEST(MANIFEST_ARTIFACT_MISSING, "/plugins/0/artifact",
             PLUGINS(ENTRY("a", "0", "absent.ptx", "gravity.json", "ptx"))),
    MANIFEST(MANIFEST_FORMAT_DISAGREES, "/format", PLUGINS(ENTRY("a", "0", "gravity.ptx", "gravity.json", "fatbin"))),
    MANIFEST(MANIFEST_PATTERN_DISAGREES, "/pattern", {"pattern", "\"pure\""},
             PLUGINS(ENTRY("a", "0", "gravity.ptx", "gravity.json", "ptx"))),
    NEURAL(NONE, "", {"version", "1"}),
    NEURAL(MANIFEST_BLOCKS_MISSING, "/blocks", {"blocks", "[]"}),
    NEURAL(MANIFEST_BLOCKS_MISSING, "", {"blocks", NULL}),
    NEURAL(MANIFEST_ENTRY_INCOMPLETE, "/plugins/0",
           PLUGINS("{\"id\": \"a\", \"order\": 0, \"sidecar\": \"forward.json\", \"format\": \"cubin\"}")),
    NEURAL(MANIFEST_ENTRY_INCOMPLETE, "/plugins/0/artifact",
           PLUGINS("{\"id\": \"a\", \"order\": 0, \"artifact\": null, \"sidecar\": \"forward.json\"}")),
    NEURAL(MANIFEST_ENTRY_INCOMPLETE, "/plugins/0",
           PLUGINS("{\"id\": \"a\", \"artifact\": \"forward.cubin\", \"sidecar\": \"forward.json\"}")),
    NEURAL(MANIFEST_ENTRY_INCOMPLETE, "/plugins/0",
           PLUGINS("{\"id\": \"a\", \"order\": 0, \"artifact\": \"forward.cubin\"}")),
    NEURAL(MANIFEST_ENTRY_INCOMPLETE, "/plugins/0/sidecar",
           PLUGINS("{\"id\": \"a\", \"order\": 0, \"artifact\": \"forward.cubin\", \"sidecar\": []}")),
    NEURAL(
        MANIFEST_ORDER_NOT_INDEX, "/plugins/0/order",
        PLUGINS("{\"id\": \"a\", \"order\": \"0\", \"artifact\": \"forward.cubin\", \"sidecar\": \"forward.json\"}")),
    NEURAL(MANIFEST_KERNEL_REFUSED, "/plugins/0/sidecar",
           PLUGINS(ENTRY("a", "0", "forward.cubin", "absent.json", "cubin"))),
    MANIFEST(MANIFEST_ABI_DISAGREES, "/aether_abi", {"aether_abi", "\"aether-abi/2\""},
             PLUGINS(ENTRY("a", "0", "gravity.ptx", "gravity.json", "ptx"))),
};

/* --- Judging a case ----------------------------------------------------------------------------------------------- */

static rlk_judging_t judging;
static char* text;

static void setup(void) {
  cr_assert(eq(i32, (int)rlk_judging_init(&judging), ROWLOCK_OK));
  cr_assert(eq(i32, (int)rlk_judging_put_sample_files(&judging), ROWLOCK_OK));
  judging.every_finding = true;
}

static void teardown(void) {
  rlk_judging_deinit(&judging);
  free(text);
}

TestSuite(contract, .init = setup, .fini = teardown);

static rowlock_code_t judge(rlk_door_id_t door, rlk_sample_t sample, const rlk_member_t* edits, size_t edit_count) {
  rowlock_findings_clear(judging.findings);
  free(text);
  text = rlk_sample_text(sample, edits, edit_count);
  cr_assert(not(zero(ptr, text)));
  cr_assert(eq(i32, (int)rlk_judging_read(&judging, text, strlen(text)), ROWLOCK_OK), "%s", text);
  return rlk_judging_run(&judging, door);
}

static void expect_only(rlk_rule_t rule, const char* pointer) {
  const size_t count = rowlock_findings_count(judging.findings);
  if (rule == RLK_RULE_NONE) {
    cr_expect(eq(sz, count, 0), "%s", text);
    return;
  }
  const rlk_rule_info_t* info = rlk_rule_info(rule);
  cr_assert(lt(sz, 0, count), "nothing instead of %s in %s", info->id, text);
  for (size_t i = 0; i < count; ++i) {
    const rowlock_finding_t* finding = rowlock_findings_at(judging.findings, i);
    cr_expect(eq(str, (char*)finding->rule_id, (char*)info->id), "%s at '%s'", finding->message, finding->json_pointer);
  }
  const rowlock_finding_t* finding = rowlock_findings_at(judging.findings, 0);
  cr_expect(eq(sz, count, 1), "%s", info->id);
  cr_expect(eq(str, (char*)finding->json_pointer, (char*)pointer), "%s", finding->message);
  cr_expect(eq(u32, finding->doors, 0), "%s", info->id);
  cr_expect(zero(ptr, strchr(finding->message, '{')), "%s", finding->message);
}

static void expect_cases(const case_t* cases, size_t count, rlk_door_id_t door) {
  for (const case_t* c = cases; c < cases + count; ++c) {
    const rowlock_code_t code = judge(door, c->sample, c->edits, sizeof c->edits / sizeof *c->edits);
    cr_expect(eq(i32, (int)code, c->rule == RLK_RULE_NONE ? ROWLOCK_OK : ROWLOCK_REJECTED), "%s", text);
    expect_only(c->rule, c->pointer);
  }
}

enum {
  SIDECAR_CASES = sizeof sidecar_cases / sizeof *sidecar_cases,
  MANIFEST_CASES = sizeof manifest_cases / sizeof *manifest_cases
};

Test(contract, finds_the_broken_promise_of_a_sidecar) {
  expect_cases(sidecar_cases, SIDECAR_CASES, RLK_DOOR_SIDECAR_CONTRACT);
}

Test(contract, finds_the_broken_promise_of_a_manifest) {
  expect_cases(manifest_cases, MANIFEST_CASES, RLK_DOOR_MANIFEST_CONTRACT);
}

/* --- What takes more than one change ------------------------------------------------------------------------------ */

Test(contract, a_vector_sidecar_without_out_has_no_use_for_a_sink) {
  const rlk_member_t edits[] = {{"arg_spec", "[]"},   {"vector_inputs", "[]"}, {"matrix_inputs", "[]"},
                                {"params", "[]"},     {"per_sample", "[]"},    {"vec_widths", "{}"},
                                {"mat_shapes", "{}"}, {"buffers", "[]"}};
  judge(RLK_DOOR_SIDECAR_CONTRACT, RLK_SAMPLE_VECTOR, edits, sizeof edits / sizeof *edits);
  expect_only(RLK_RULE_SIDECAR_SINK_WITHOUT_OUT, "/sink");
}

Test(contract, a_list_of_the_limit_is_compared_and_a_longer_one_is_not) {
  judging.limits.entries = 2;
  const rlk_member_t of_two[] = {{"params", "[\"mu\", \"drag\"]"}, {"arg_spec", "[[\"out\", \"out\"]]"}};
  judge(RLK_DOOR_SIDECAR_CONTRACT, RLK_SAMPLE_VECTOR, of_two, 2);
  bool compared = false;
  for (size_t i = 0; i < rowlock_findings_count(judging.findings); ++i) {
    const rlk_rule_t rule = rlk_findings_rule(judging.findings, i);
    compared = compared || rule == RLK_RULE_SIDECAR_LIST_DISAGREES;
    cr_expect(ne(i32, (int)rule, RLK_RULE_SIDECAR_LIST_TOO_LONG));
  }
  cr_expect(compared, "params of two names was not compared");
  const rlk_member_t of_three[] = {{"params", "[\"mu\", \"drag\", \"lift\"]"}, {"arg_spec", "[]"}};
  judge(RLK_DOOR_SIDECAR_CONTRACT, RLK_SAMPLE_VECTOR, of_three, 2);
  bool too_long = false;
  for (size_t i = 0; i < rowlock_findings_count(judging.findings); ++i) {
    too_long = too_long || rlk_findings_rule(judging.findings, i) == RLK_RULE_SIDECAR_LIST_TOO_LONG;
  }
  cr_expect(too_long, "params of three names was compared");
}

static bool has(rlk_rule_t rule) {
  for (size_t i = 0; i < rowlock_findings_count(judging.findings); ++i) {
    if (rlk_findings_rule(judging.findings, i) == rule) return true;
  }
  return false;
}

Test(contract, a_mutable_is_compared_with_widths_of_the_limit_and_not_with_one_more) {
  judging.limits.entries = 2;
  const rlk_member_t mutables = {"mutables", "[{\"name\": \"a\", \"dtype\": \"vector\", \"width\": 3}]"};
  const rlk_member_t of_two[] = {mutables, {"vec_widths", "{\"b\": 1, \"a\": 4}"}};
  judge(RLK_DOOR_SIDECAR_CONTRACT, RLK_SAMPLE_PURE, of_two, 2);
  cr_expect(has(RLK_RULE_SIDECAR_MUTABLE_WIDTH));
  const rlk_member_t of_three[] = {mutables, {"vec_widths", "{\"b\": 1, \"a\": 4, \"c\": 1}"}};
  judge(RLK_DOOR_SIDECAR_CONTRACT, RLK_SAMPLE_PURE, of_three, 2);
  cr_expect(not(has(RLK_RULE_SIDECAR_MUTABLE_WIDTH)));
  cr_expect(has(RLK_RULE_SIDECAR_LIST_TOO_LONG));
}

static void put_sample_beside(const char* path, rlk_sample_t sample, const rlk_member_t edit) {
  char* sidecar = rlk_sample_text(sample, &edit, 1);
  cr_assert(not(zero(ptr, sidecar)));
  cr_assert(eq(i32, (int)rlk_judging_put_file(&judging, path, sidecar, strlen(sidecar)), ROWLOCK_OK));
  free(sidecar);
}

Test(contract, a_kernel_of_a_neural_set_that_cannot_be_loaded_is_told_with_the_gate_that_refuses_it) {
  put_sample_beside("forward.json", RLK_SAMPLE_PURE, (rlk_member_t){"scalar_type", "\"half\""});
  judge(RLK_DOOR_MANIFEST_CONTRACT, RLK_SAMPLE_NEURAL, NULL, 0);
  expect_only(RLK_RULE_MANIFEST_KERNEL_REFUSED, "/scalar_type");
  const rowlock_finding_t* finding = rowlock_findings_at(judging.findings, 0);
  cr_expect(eq(str, (char*)finding->path, (char*)"forward.json"));
  cr_expect(not(zero(ptr, strstr(finding->message, "(sidecar.scalar-type-unknown)"))), "%s", finding->message);
}

Test(contract, each_entry_is_compared_with_a_sidecar_that_several_name) {
  const rlk_member_t plugins = PLUGINS(ENTRY("a", "0", "gravity.ptx", "gravity.json", "cubin") ", " ENTRY(
      "b", "1", "gravity.ptx", "gravity.json", "ptx") ", " ENTRY("c", "2", "gravity.ptx", "gravity.json", "fatbin"));
  judging.lookups = 0;
  judge(RLK_DOOR_MANIFEST_CONTRACT, RLK_SAMPLE_MANIFEST_V1, &plugins, 1);
  cr_assert(eq(sz, rowlock_findings_count(judging.findings), 2));
  static const char* const ids[] = {"plugin 'a'", "plugin 'c'"};
  for (size_t i = 0; i < 2; ++i) {
    cr_expect(eq(i32, (int)rlk_findings_rule(judging.findings, i), RLK_RULE_MANIFEST_FORMAT_DISAGREES));
    cr_expect(not(zero(ptr, strstr(rowlock_findings_at(judging.findings, i)->message, ids[i]))));
  }
  cr_expect(eq(sz, judging.lookups, 3 + 1), "three artifacts and one sidecar");
}

Test(contract, tables_of_one_name_have_one_count_in_the_whole_set) {
  const rlk_member_t other[] = {
      {"buffers",
       "[{\"name\": \"profile\", \"kind\": \"lookup\", \"dtype\": \"float\", \"shape\": [9], \"count\": 9}]"}};
  char* drag = rlk_sample_text(RLK_SAMPLE_VECTOR, other, 1);
  cr_assert(not(zero(ptr, drag)));
  cr_assert(eq(i32, (int)rlk_judging_put_file(&judging, "drag.json", drag, strlen(drag)), ROWLOCK_OK));
  free(drag);
  judge(RLK_DOOR_MANIFEST_CONTRACT, RLK_SAMPLE_MANIFEST_V1, NULL, 0);
  expect_only(RLK_RULE_MANIFEST_TABLE_COUNTS, "/buffers/0/name");
  const rowlock_finding_t* finding = rowlock_findings_at(judging.findings, 0);
  cr_expect(eq(str, (char*)finding->path, (char*)"drag.json"));
  cr_expect(eq(str, (char*)finding->message,
               (char*)"table 'profile' is declared with conflicting element counts: 8 by "
                      "'gravity', 9 by 'drag'"));
}

Test(contract, a_sidecar_of_a_set_is_checked_like_one_alone) {
  const rlk_member_t broken[] = {{"accumulate", "1"}};
  char* drag = rlk_sample_text(RLK_SAMPLE_VECTOR, broken, 1);
  cr_assert(not(zero(ptr, drag)));
  cr_assert(eq(i32, (int)rlk_judging_put_file(&judging, "drag.json", drag, strlen(drag)), ROWLOCK_OK));
  free(drag);
  judge(RLK_DOOR_MANIFEST_CONTRACT, RLK_SAMPLE_MANIFEST_V1, NULL, 0);
  expect_only(RLK_RULE_SIDECAR_ACCUMULATE, "/accumulate");
  cr_expect(eq(str, (char*)rowlock_findings_at(judging.findings, 0)->path, (char*)"drag.json"));
}

Test(contract, sound_documents_keep_every_promise) {
  for (rlk_sample_t sample = 0; sample < RLK_SAMPLE_COUNT; ++sample) {
    const bool sidecar = sample <= RLK_SAMPLE_DESCRIPTOR;
    const rowlock_code_t code =
        judge(sidecar ? RLK_DOOR_SIDECAR_CONTRACT : RLK_DOOR_MANIFEST_CONTRACT, sample, NULL, 0);
    cr_expect(eq(i32, (int)code, ROWLOCK_OK), "%s", text);
    expect_only(RLK_RULE_NONE, NULL);
  }
}

Test(contract, the_cases_break_every_promise) {
  static const rlk_rule_t elsewhere[] = {RLK_RULE_SIDECAR_SINK_WITHOUT_OUT, RLK_RULE_SIDECAR_LIST_TOO_LONG,
                                         RLK_RULE_MANIFEST_TABLE_COUNTS};
  for (rlk_rule_t rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    if (rlk_rule_info(rule)->tier != RLK_TIER_CONTRACT) continue;
    size_t cases = 0;
    for (size_t i = 0; i < SIDECAR_CASES; ++i) cases += sidecar_cases[i].rule == rule;
    for (size_t i = 0; i < MANIFEST_CASES; ++i) cases += manifest_cases[i].rule == rule;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; ++i) cases += elsewhere[i] == rule;
    cr_expect(lt(sz, 0, cases), "%s", rlk_rule_info(rule)->id);
  }
}
