/* Every gate rule on a document that breaks it: where it is reported and with what message, and that it is not once it
 * is switched off. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "validator/plugin/judging.h"

typedef struct case_t {
  rlk_rule_t rule;
  const char* pointer;
  rlk_door_id_t door;
  rlk_sample_t sample;
  rlk_member_t edits[2];
  const char* message; /* begins so; NULL: not looked at */
} case_t;

#define SHARED(RULE, pointer, key, value, message) \
  { RLK_RULE_##RULE, pointer, RLK_DOOR_SHARED_VALIDATOR, RLK_SAMPLE_VECTOR, {{key, value}}, message }
#define NEURAL(RULE, pointer, key, value, message) \
  { RLK_RULE_##RULE, pointer, RLK_DOOR_SHARED_VALIDATOR, RLK_SAMPLE_DESCRIPTOR, {{key, value}}, message }
#define AT(DOOR, SAMPLE, RULE, pointer, key, value, message) \
  { RLK_RULE_##RULE, pointer, RLK_DOOR_##DOOR, RLK_SAMPLE_##SAMPLE, {{key, value}}, message }

static const case_t sidecar_cases[] = {
    SHARED(SIDECAR_SCHEMA_VERSION_NOT_INTEGER, "/schema_version", "schema_version", "1.0",
           "sidecar schema_version is not an integer: 1.0"),
    SHARED(SIDECAR_SCHEMA_VERSION_NOT_INTEGER, "/schema_version", "schema_version", "\"1\"",
           "sidecar schema_version is not an integer: '1'"),
    SHARED(SIDECAR_SCHEMA_VERSION_TOO_NEW, "/schema_version", "schema_version", "3",
           "sidecar is schema v3, this loader reads up to v2: upgrade eagle"),
    SHARED(SIDECAR_SCHEMA_VERSION_TOO_NEW, "/schema_version", "schema_version", "18446744073709551617",
           "sidecar is schema v18446744073709551617,"),
    SHARED(SIDECAR_ARG_SPEC_NOT_ARRAY, "/arg_spec", "arg_spec", "null", "malformed arg_spec: null is not a list"),
    SHARED(SIDECAR_ARG_PAIR_MALFORMED, "/arg_spec/1", "arg_spec", "[[\"out\", \"a\"], [\"out\"]]",
           "malformed arg_spec: element 1 is [\"out\"], not a [role, name] pair"),
    SHARED(SIDECAR_ARG_ROLE_NOT_STRING, "/arg_spec/0/0", "arg_spec", "[[1, \"a\"]]",
           "malformed arg_spec: the role of element 0 is not a string: 1"),
    SHARED(SIDECAR_ARG_NAME_NOT_STRING, "/arg_spec/0/1", "arg_spec", "[[\"out\", null]]",
           "malformed arg_spec: the name of element 0 is not a string: null"),
    SHARED(SIDECAR_ROLE_UNKNOWN, "/arg_spec/0/0", "arg_spec", "[[\"Uniform\", \"mu\"]]",
           "unknown arg role 'Uniform' (known: out, vec_in,"),
    SHARED(SIDECAR_SCALAR_TYPE_NOT_STRING, "/scalar_type", "scalar_type", "64",
           "sidecar scalar_type is not a string: 64"),
    SHARED(SIDECAR_SCALAR_TYPE_UNKNOWN, "/scalar_type", "scalar_type", "\"double\"",
           "unknown sidecar scalar_type 'double' (known: float64, float32, softdouble)"),
    SHARED(SIDECAR_PATTERN_NOT_STRING, "/pattern", "pattern", "null", "sidecar pattern is not a string: null"),
    SHARED(SIDECAR_PATTERN_UNKNOWN, "/pattern", "pattern", "\"\"", "unknown sidecar pattern '' (known: vector, pure,"),
    SHARED(SIDECAR_DERIVATIVE_NOT_OBJECT, "/derivative", "derivative", "null", "sidecar derivative is not an object"),
    SHARED(SIDECAR_DERIVATIVE_KIND, "/derivative", "derivative", "{}", "derivative.kind '(absent)' is not supported"),
    SHARED(SIDECAR_DERIVATIVE_KIND, "/derivative/kind", "derivative", "{\"kind\": \"hvp\"}", "derivative.kind 'hvp'"),
    SHARED(SIDECAR_DERIVATIVE_RESIDUALS_NOT_ARRAY, "/derivative/residuals", "derivative",
           "{\"kind\": \"vjp\", \"residuals\": null}", "derivative.residuals is not a list: null"),
    SHARED(SIDECAR_DERIVATIVE_RESIDUALS, "/derivative/residuals", "derivative",
           "{\"kind\": \"vjp\", \"residuals\": [1, 2]}", "derivative.residuals holds 2 element(s)"),
    SHARED(SIDECAR_BUFFERS_NOT_ARRAY, "/buffers", "buffers", "{}", "sidecar buffers is not a list"),
    SHARED(SIDECAR_BUFFER_NOT_OBJECT, "/buffers/0", "buffers", "[\"b\"]", "buffers[0] is not an object: 'b'"),
    SHARED(SIDECAR_BUFFER_KIND, "/buffers/0/kind", "buffers", "[{\"name\": \"b\", \"kind\": \"scratch\"}]",
           "buffer 'b' has unknown kind 'scratch' (known: lookup): upgrade eagle"),
    SHARED(SIDECAR_MUTABLES_NOT_ARRAY, "/mutables", "mutables", "null", "sidecar mutables is not a list: null"),
    SHARED(SIDECAR_MUTABLE_NOT_OBJECT, "/mutables/0", "mutables", "[7]", "mutables[0] is not an object: 7"),
    SHARED(SIDECAR_MAT_SHAPES_NOT_OBJECT, "/mat_shapes", "mat_shapes", "[]", "sidecar mat_shapes is not an object"),
    SHARED(SIDECAR_ARG_SPEC_MISSING, "", "arg_spec", NULL, "missing arg_spec"),
    SHARED(SIDECAR_KEY_MISSING, "", "kernel", NULL, "missing key: kernel (in the sidecar)"),
    SHARED(SIDECAR_KEY_NOT_STRING, "/kernel", "kernel", "5", "kernel is not a string: 5 (in the sidecar)"),
    AT(LOADED_VECTOR, VECTOR, SIDECAR_KEY_NOT_ARRAY, "/params", "params", "7", "params is not a list: 7"),
    AT(VECTOR_HOST, VECTOR, SIDECAR_NOT_LAUNCHABLE, "/pattern", "pattern", "\"pure\"",
       "sidecar pattern 'pure' is recognized but not launchable by this loader"),
    AT(VECTOR_HOST, VECTOR, SIDECAR_ABI_TAG_MISSING, "", "aether_abi", NULL,
       "the sidecar does not say which aether_abi it was built for"),
    AT(VECTOR_HOST, VECTOR, SIDECAR_ABI_TAG_MISSING, "/aether_abi", "aether_abi", "\"\"",
       "the sidecar does not say which aether_abi it was built for"),
    AT(VECTOR_HOST, VECTOR, SIDECAR_ABI_TAG_UNKNOWN, "/aether_abi", "aether_abi", "null",
       "the sidecar was built for aether_abi null,"),
    AT(HOST_ADD_PLUGIN, VECTOR, SIDECAR_HOST_FLOAT64_ONLY, "/scalar_type", "scalar_type", "\"float32\"",
       "the host loader executes float64 only, the sidecar's scalar_type is 'float32'"),
    AT(LOADED_PURE, PURE, SIDECAR_PARAMS_SCHEMA, "/params_schema", "params_schema", "3", "params_schema 3 is unknown"),
    AT(LOADED_VECTOR, VECTOR, SIDECAR_PARAM_NOT_NAME, "/params/0", "params", "[1]", "params[0] is 1; under"),
    AT(LOADED_PURE, PURE, SIDECAR_PARAM_NOT_OBJECT, "/params/0", "params", "[\"rate\"]", "params[0] is 'rate'; under"),
    AT(LOADED_PURE, PURE, SIDECAR_PARAM_DTYPE, "/params/0/dtype", "params",
       "[{\"name\": \"rate\", \"dtype\": \"double\"}]", "params[0] has unknown dtype 'double' (known: float, int)"),
    AT(LOADED_PURE, PURE, SIDECAR_TERMINATED_READONLY, "/terminated_readonly", "terminated_readonly", "0",
       "terminated_readonly is not a boolean: 0"),
    AT(LOADED_PURE, PURE, SIDECAR_FINISH_NOT_OBJECT, "/finish", "finish", "null", "finish is not an object: null"),
    AT(LOADED_PURE, PURE, SIDECAR_FINISH_MASK, "/finish", "finish", "{\"counter\": \"finished_count\", \"steps\": 1}",
       "finish.mask does not name the mask: absent"),
    AT(LOADED_PURE, PURE, SIDECAR_FINISH_COUNTER, "/finish/counter", "finish",
       "{\"mask\": \"m\", \"counter\": \"count\", \"steps\": 1}", "finish.counter is 'count',"),
    AT(LOADED_PURE, PURE, SIDECAR_FINISH_STEPS, "/finish/steps", "finish",
       "{\"mask\": \"m\", \"counter\": \"finished_count\", \"steps\": 0}", "finish.steps is 0,"),
    AT(LOADED_PURE, PURE, SIDECAR_FINISH_STEPS_MAX, "/finish/steps_max", "finish",
       "{\"mask\": \"m\", \"counter\": \"finished_count\", \"steps\": \"auto\", \"steps_max\": 1.5}",
       "finish.steps \"auto\" needs steps_max, a positive integer, not 1.5"),
    AT(LOADED_VECTOR, VECTOR, SIDECAR_NOT_VECTOR, "/pattern", "pattern", "\"pure\"",
       "the sidecar's pattern is 'pure': it is not a vector plugin"),
    AT(LOADED_PURE, PURE, SIDECAR_NOT_PURE, "", "pattern", NULL,
       "the sidecar's pattern is absent: it is not a pure plugin"),

    NEURAL(NEURAL_KERNEL_EMPTY, "/kernel", "kernel", "\"\"",
           "neural_block descriptor must carry a non-empty 'kernel', not ''"),
    NEURAL(NEURAL_SCALAR_TYPE, "/scalar_type", "scalar_type", "\"softdouble\"",
           "neural_block requires scalar_type in (float64, float32), not 'softdouble'"),
    NEURAL(NEURAL_ARG_SPEC_MISSING, "", "arg_spec", NULL,
           "neural_block descriptor must carry an arg_spec, present and empty"),
    NEURAL(NEURAL_ARG_SPEC_POPULATED, "/arg_spec", "arg_spec", "[[\"out\", \"o\"]]",
           "neural_block descriptor must carry an EMPTY arg_spec, not 1 argument(s)"),
    NEURAL(NEURAL_FIELD_MISSING, "", "state_width", NULL, "missing required neural_block field 'state_width'"),
    NEURAL(NEURAL_NOT_POSITIVE, "/in_degree", "in_degree", "4294967296",
           "neural_block in_degree must be a positive integer below 2^32, not 4294967296"),
    NEURAL(NEURAL_NEGATIVE, "/param_width", "param_width", "4.0",
           "neural_block param_width must be a non-negative integer below 2^32, not 4.0"),
    NEURAL(NEURAL_OUTPUT_WIDER, "/output_width", "output_width", "7",
           "neural_block output_width 7 must not exceed state_width 6"),
    NEURAL(NEURAL_SCATTER_POLICY, "/scatter_policy", "scatter_policy", "\"atomic\"",
           "neural_block scatter_policy 'atomic' is not a supported terminal-write contract (known: unique_write,"),
    NEURAL(NEURAL_EXEC_NOT_OBJECT, "/vjp_exec", "vjp_exec", "\"k\"",
           "neural_block vjp_exec must be an object, not 'k'"),
    NEURAL(NEURAL_EXEC_KIND, "/forward_exec/kind", "forward_exec", "{\"kind\": \"plan\", \"kernel\": \"k\"}",
           "forward_exec.kind 'plan' is not a supported exec reference kind (known: kernel): upgrade eagle"),
    NEURAL(NEURAL_EXEC_UNKNOWN_KEYS, "/jvp_exec", "jvp_exec",
           "{\"kind\": \"kernel\", \"digest\": 1, \"kernel\": \"k\", \"plan\": 2}",
           "jvp_exec carries unknown key(s): digest, plan"),
    NEURAL(NEURAL_EXEC_KERNEL_EMPTY, "/forward_exec", "forward_exec", "{\"kind\": \"kernel\"}",
           "forward_exec.kernel must be a non-empty kernel id, not absent"),
    NEURAL(NEURAL_FORBIDDEN_FIELD, "/host_entry", "host_entry", "\"h\"",
           "neural_block descriptor must not carry 'host_entry'"),
};

#define HOST(RULE, pointer, key, value, message) AT(HOST_LOAD_MANIFEST, MANIFEST_V1, RULE, pointer, key, value, message)
#define AXIS(RULE, pointer, key, value, message) AT(HOST_LOAD_MANIFEST, MANIFEST_V2, RULE, pointer, key, value, message)
#define PY(RULE, pointer, key, value, message) AT(PY_LOAD_MANIFEST, NEURAL, RULE, pointer, key, value, message)
#define ENTRY(id, enabled, sidecar, format) RLK_SAMPLE_ENTRY(id, "0", enabled, "a.ptx", sidecar, format)

static const case_t manifest_cases[] = {
    HOST(MANIFEST_PLUGINS_MISSING, "", "plugins", NULL, "manifest missing plugins"),
    HOST(MANIFEST_PLUGINS_NOT_ARRAY, "/plugins", "plugins", "null", "manifest plugins is not a list: null"),
    HOST(MANIFEST_PLUGINS_EMPTY, "/plugins", "plugins", "[]", "manifest has no plugins"),
    HOST(MANIFEST_ENTRY_NOT_OBJECT, "/plugins/0", "plugins",
         "["
         "1"
         "]",
         "plugins[0] is not an object: 1"),
    HOST(MANIFEST_ENTRY_KEY_MISSING, "/plugins/0", "plugins",
         "["
         "{\"id\": \"a\", \"order\": 0, \"artifact\": \"a\", \"sidecar\": \"gravity.json\", \"format\": \"ptx\"}"
         "]",
         "missing key: enabled (in plugins[0])"),
    HOST(MANIFEST_ENTRY_KEY_NOT_STRING, "/plugins/0/id", "plugins",
         "["
         "{\"id\": 7, \"order\": 0, \"enabled\": true, \"artifact\": \"a\", \"sidecar\": \"gravity.json\", "
         "\"format\": \"ptx\"}"
         "]",
         "id of plugins[0] is not a string: 7"),
    HOST(MANIFEST_ENTRY_ORDER_NOT_INTEGER, "/plugins/0/order", "plugins",
         "[" RLK_SAMPLE_ENTRY("a", "1.0", "true", "a", "gravity.json", "ptx") "]",
         "order of plugins[0] is not an integer: 1.0"),
    HOST(MANIFEST_ENTRY_ENABLED_NOT_BOOLEAN, "/plugins/0/enabled", "plugins",
         "[" RLK_SAMPLE_ENTRY("a", "0", "1", "a", "gravity.json", "ptx") "]",
         "enabled of plugins[0] is not a boolean: 1"),
    HOST(MANIFEST_SCHEMA_VERSION_NOT_INTEGER, "/schema_version", "schema_version", "true",
         "manifest schema_version is not an integer: true"),
    HOST(MANIFEST_SCHEMA_VERSION_TOO_NEW, "/schema_version", "schema_version", "3",
         "manifest is schema v3 (key schema_version), this loader reads up to v2: upgrade eagle"),
    HOST(MANIFEST_ABI_TAG_MISSING, "", "aether_abi", NULL,
         "the manifest does not say which aether_abi its artifacts were built for"),
    HOST(MANIFEST_ABI_TAG_UNKNOWN, "/aether_abi", "aether_abi", "\"aether-abi/3\"",
         "the manifest's artifacts were built for aether_abi 'aether-abi/3',"),
    HOST(MANIFEST_EXEC_KEYS_FORBIDDEN, "", "exec_op", "null", "schema v1 must not carry execution key(s): exec_op"),
    AXIS(MANIFEST_EXEC_KEYS_MISSING, "", "exec_targets", NULL, "schema v2 requires execution key(s): exec_targets"),
    AXIS(MANIFEST_ABI_VERSION_DISAGREE, "/aether_abi", "aether_abi", "\"aether-abi/1\"",
         "schema v2 requires aether_abi aether-abi/2, the manifest was built for 'aether-abi/1'"),
    AXIS(MANIFEST_EXEC_TARGETS_MALFORMED, "/exec_targets", "exec_targets", "\"host\"",
         "exec_targets must be a non-empty list drawn from device, host, not 'host'"),
    AXIS(MANIFEST_EXEC_TARGET_UNKNOWN, "/exec_targets/1", "exec_targets", "[\"host\", \"rank\"]",
         "exec_targets must be a non-empty list drawn from device, host: 'rank' is not one"),
    AXIS(MANIFEST_EXEC_TARGET_DUPLICATE, "/exec_targets/1", "exec_targets", "[\"host\", \"host\"]",
         "exec_targets must be a non-empty list without duplicates: 'host' stands twice"),
    AXIS(MANIFEST_EXEC_ACCESS, "/exec_access", "exec_access", "\"gather\"",
         "exec_access 'gather' is not a supported access class (known: sample_local,"),
    AXIS(MANIFEST_EXEC_OP_MISSING, "/exec_access", "exec_op", NULL,
         "exec_access 'mapreduce' requires exec_op (known: sum, times, max, land)"),
    AXIS(MANIFEST_EXEC_OP_FORBIDDEN, "/exec_op", "exec_access", "\"sample_local\"",
         "exec_op is forbidden unless exec_access is 'mapreduce', not 'sample_local'"),
    AXIS(MANIFEST_EXEC_OP_UNKNOWN, "/exec_op", "exec_op", "\"min\"",
         "exec_op 'min' is not a supported reduction op (known: sum, times, max, land)"),
    HOST(MANIFEST_PATTERN_NOT_STRING, "/pattern", "pattern", "null",
         "manifest pattern null is not a supported plugin family: it is not a string"),
    HOST(MANIFEST_PATTERN_UNKNOWN, "/pattern", "pattern", "\"matrix\"",
         "manifest pattern 'matrix' is not a supported plugin family (known: vector, pure): upgrade eagle"),
    AT(PY_LOAD_MANIFEST, MANIFEST_V1, MANIFEST_PATTERN_NOT_DISPATCHED, "", "pattern", NULL,
       "manifest pattern absent is not a supported plugin family (this loader dispatches on: vector,"),
    HOST(MANIFEST_NOT_LAUNCHABLE, "/pattern", "pattern", "\"neural_block\"",
         "manifest pattern 'neural_block' is recognized but not launchable by this loader"),
    HOST(MANIFEST_DUPLICATE_ID, "/plugins/1/id", "plugins",
         "[" ENTRY("a", "true", "gravity.json", "ptx") ", " ENTRY("a", "false", "drag.json", "ptx") "]",
         "duplicate plugin id 'a': plugins[0] and plugins[1]"),
    HOST(MANIFEST_ORPHANED_BLOCKS, "/blocks", "blocks", "[]",
         "manifest carrying blocks[] must declare pattern 'neural_block'"),
    HOST(MANIFEST_ENTRY_FORMAT, "/plugins/0/format", "plugins", "[" ENTRY("a", "true", "gravity.json", "PTX") "]",
         "unknown artifact format 'PTX' of plugin 'a' (known: ptx, cubin, fatbin): upgrade eagle"),
    HOST(MANIFEST_SIDECAR_ESCAPES, "/plugins/0/sidecar", "plugins", "[" ENTRY("a", "true", "../a.json", "ptx") "]",
         "sidecar path '../a.json' of plugins[0] climbs with '..'; it must stay inside the manifest's folder"),
    HOST(MANIFEST_SIDECAR_UNREADABLE, "/plugins/0/sidecar", "plugins", "[" ENTRY("a", "true", "a.json", "ptx") "]",
         "cannot read sidecar 'a.json' of plugins[0]: there is no such file"),
    PY(MANIFEST_BLOCKS_NOT_ARRAY, "/blocks", "blocks", "{}", "manifest blocks is not a list"),
    PY(MANIFEST_BLOCK_NOT_OBJECT, "/blocks/0", "blocks", "[\"b\"]", "blocks[0] is not an object: 'b'"),
    PY(MANIFEST_EXEC_DANGLING, "/blocks/0/vjp_exec/kernel", "plugins",
       "[" ENTRY("forward", "true", "forward.json", "ptx") ", " ENTRY("backward", "false", "backward.json", "ptx") "]",
       "blocks[0].vjp_exec.kernel 'backward' does not resolve to an enabled plugin"),
};

/* --- Judging a case ----------------------------------------------------------------------------------------------- */

static rlk_judging_t judging;
static char* text;

static void setup(void) {
  cr_assert(eq(i32, (int)rlk_judging_init(&judging), ROWLOCK_OK));
  cr_assert(eq(i32, (int)rlk_judging_put_sample_files(&judging), ROWLOCK_OK));
}

static void teardown(void) {
  rlk_judging_deinit(&judging);
  free(text);
}

TestSuite(gates, .init = setup, .fini = teardown);

static rowlock_code_t judge(const case_t* c) {
  rowlock_findings_clear(judging.findings);
  free(text);
  text = rlk_sample_text(c->sample, c->edits, sizeof c->edits / sizeof *c->edits);
  cr_assert(not(zero(ptr, text)));
  cr_assert(eq(i32, (int)rlk_judging_read(&judging, text, strlen(text)), ROWLOCK_OK), "%s", text);
  return rlk_judging_run(&judging, c->door);
}

/* Each slot of the rule's message is gone from the finding's. */
static void expect_slots_filled(const rowlock_finding_t* finding) {
  const char* format = rlk_rule_info(rlk_rule_find(finding->rule_id))->message;
  for (const char* open = strchr(format, '{'); open; open = strchr(open + 1, '{')) {
    char slot[32] = "";
    memcpy(slot, open, (size_t)(strchr(open, '}') - open) + 1);
    cr_expect(zero(ptr, strstr(finding->message, slot)), "%s: %s", finding->rule_id, finding->message);
  }
}

static void expect_finding(const case_t* c, const rowlock_finding_t* finding) {
  const rlk_rule_info_t* info = rlk_rule_info(c->rule);
  cr_expect(eq(str, (char*)finding->rule_id, (char*)info->id), "%s", text);
  cr_expect(eq(str, (char*)finding->json_pointer, (char*)c->pointer), "%s", info->id);
  cr_expect(eq(i32, (int)finding->severity, (int)info->severity), "%s", info->id);
  cr_expect(eq(u32, finding->doors, UINT32_C(1) << c->door), "%s", info->id);
  cr_expect(eq(str, (char*)finding->path, (char*)"main.json"), "%s", info->id);
  expect_slots_filled(finding);
  if (c->message && strncmp(finding->message, c->message, strlen(c->message)) == 0) return;
  cr_expect(eq(str, (char*)finding->message, (char*)c->message), "%s", info->id);
}

static void expect_refusals(const case_t* cases, size_t count) {
  for (const case_t* c = cases; c < cases + count; ++c) {
    cr_expect(eq(i32, (int)judge(c), ROWLOCK_REJECTED), "%s", rlk_rule_info(c->rule)->id);
    cr_assert(eq(sz, rowlock_findings_count(judging.findings), 1), "%s", rlk_rule_info(c->rule)->id);
    expect_finding(c, rowlock_findings_at(judging.findings, 0));
  }
}

enum {
  SIDECAR_CASES = sizeof sidecar_cases / sizeof *sidecar_cases,
  MANIFEST_CASES = sizeof manifest_cases / sizeof *manifest_cases
};

Test(gates, refuse_a_sidecar_with_the_rule_and_the_place) { expect_refusals(sidecar_cases, SIDECAR_CASES); }

Test(gates, refuse_a_manifest_with_the_rule_and_the_place) { expect_refusals(manifest_cases, MANIFEST_CASES); }

/* --- A rule that is switched off ---------------------------------------------------------------------------------- */

static void expect_silence(const case_t* cases, size_t count) {
  for (const case_t* c = cases; c < cases + count; ++c) {
    judging.switched_off = c->rule;
    const rowlock_code_t code = judge(c);
    for (size_t i = 0; i < rowlock_findings_count(judging.findings); ++i) {
      cr_expect(ne(i32, (int)rlk_findings_rule(judging.findings, i), (int)c->rule), "%s", rlk_rule_info(c->rule)->id);
    }
    cr_expect(eq(i32, (int)code, rowlock_findings_count(judging.findings) > 0 ? ROWLOCK_REJECTED : ROWLOCK_OK), "%s",
              rlk_rule_info(c->rule)->id);
  }
}

Test(gates, a_rule_that_is_switched_off_is_not_reported) {
  expect_silence(sidecar_cases, SIDECAR_CASES);
  expect_silence(manifest_cases, MANIFEST_CASES);
}

/* --- Coverage ----------------------------------------------------------------------------------------------------- */

Test(gates, the_cases_break_every_gate_rule) {
  static const rlk_rule_t elsewhere[] = {
      RLK_RULE_SIDECAR_ABI_GENERATION, RLK_RULE_SIDECAR_FAMILY_DISAGREES, RLK_RULE_MANIFEST_LIST_TOO_LONG,
      RLK_RULE_MANIFEST_SIDECARS_TOO_LARGE, /* judge_test.c */
  };
  for (rlk_rule_t rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    const rlk_rule_info_t* info = rlk_rule_info(rule);
    if (info->tier != RLK_TIER_GATE || info->class_ == RLK_CLASS_READING) continue;
    size_t cases = 0;
    for (size_t i = 0; i < SIDECAR_CASES; ++i) cases += sidecar_cases[i].rule == rule;
    for (size_t i = 0; i < MANIFEST_CASES; ++i) cases += manifest_cases[i].rule == rule;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; ++i) cases += elsewhere[i] == rule;
    cr_expect(lt(sz, 0, cases), "%s", info->id);
  }
}
