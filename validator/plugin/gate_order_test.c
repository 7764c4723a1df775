/* The order of gates where it can be seen: a document with two defects is refused for the one whose gate comes first.
 * Each chain lists single defects of a sound document in the door's order; every two of them are put together. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "validator/plugin/judging.h"

typedef struct defect_t {
  rlk_member_t edit;
  rlk_rule_t rule;
} defect_t;

#define DEFECT(key, value, RULE) \
  { {key, value}, RLK_RULE_##RULE }

/* Shared validator, on a kernel sidecar. */
#define SHARED_CHAIN                                                                                 \
  DEFECT("schema_version", "3", SIDECAR_SCHEMA_VERSION_TOO_NEW),                                     \
      DEFECT("arg_spec", "[[\"in\", \"x\"]]", SIDECAR_ROLE_UNKNOWN),                                 \
      DEFECT("scalar_type", "\"half\"", SIDECAR_SCALAR_TYPE_UNKNOWN),                                \
      DEFECT("pattern", "\"matrix\"", SIDECAR_PATTERN_UNKNOWN),                                      \
      DEFECT("derivative", "{\"kind\": \"hvp\"}", SIDECAR_DERIVATIVE_KIND),                          \
      DEFECT("derivative", "{\"kind\": \"vjp\", \"residuals\": [1]}", SIDECAR_DERIVATIVE_RESIDUALS), \
      DEFECT("buffers", "[{\"name\": \"b\", \"kind\": \"scratch\", \"dtype\": \"float\"}]", SIDECAR_BUFFER_KIND)

#define HOST_CHAIN                                                       \
  DEFECT("mutables", "[{}]", SIDECAR_KEY_MISSING), SHARED_CHAIN,         \
      DEFECT("aether_abi", "\"aether-abi/9\"", SIDECAR_ABI_TAG_UNKNOWN), \
      DEFECT("scalar_type", "\"softdouble\"", SIDECAR_HOST_FLOAT64_ONLY)

static const defect_t shared_chain[] = {SHARED_CHAIN, DEFECT("mutables", "{}", SIDECAR_MUTABLES_NOT_ARRAY),
                                        DEFECT("kernel", NULL, SIDECAR_KEY_MISSING)};

static const defect_t descriptor_chain[] = {
    DEFECT("schema_version", "3", SIDECAR_SCHEMA_VERSION_TOO_NEW),
    DEFECT("kernel", "\"\"", NEURAL_KERNEL_EMPTY),
    DEFECT("scalar_type", "\"softdouble\"", NEURAL_SCALAR_TYPE),
    DEFECT("arg_spec", NULL, NEURAL_ARG_SPEC_MISSING),
    DEFECT("arg_spec", "[[\"out\", \"out\"]]", NEURAL_ARG_SPEC_POPULATED),
    DEFECT("in_degree", NULL, NEURAL_FIELD_MISSING),
    DEFECT("out_degree", "0", NEURAL_NOT_POSITIVE),
    DEFECT("param_width", "-1", NEURAL_NEGATIVE),
    DEFECT("output_width", "7", NEURAL_OUTPUT_WIDER),
    DEFECT("scatter_policy", "\"atomic\"", NEURAL_SCATTER_POLICY),
    DEFECT("forward_exec", "{\"kind\": \"plan\"}", NEURAL_EXEC_KIND),
    DEFECT("jvp_exec", "{\"kind\": \"kernel\", \"kernel\": \"\"}", NEURAL_EXEC_KERNEL_EMPTY),
    DEFECT("vjp_exec", "null", NEURAL_EXEC_NOT_OBJECT),
    DEFECT("aether_abi", "\"aether-abi/1\"", NEURAL_FORBIDDEN_FIELD),
    DEFECT("derivative", "{}", SIDECAR_DERIVATIVE_KIND),
};

static const defect_t host_chain[] = {HOST_CHAIN};

#define LOADED_VECTOR_CHAIN                                                                                         \
  DEFECT("aether_abi", NULL, SIDECAR_ABI_TAG_MISSING), SHARED_CHAIN, DEFECT("kernel", "1", SIDECAR_KEY_NOT_STRING), \
      DEFECT("params", "null", SIDECAR_KEY_NOT_ARRAY), DEFECT("params_schema", "3", SIDECAR_PARAMS_SCHEMA),         \
      DEFECT("terminated_readonly", "1", SIDECAR_TERMINATED_READONLY),                                              \
      DEFECT("finish", "[]", SIDECAR_FINISH_NOT_OBJECT)

static const defect_t loaded_vector_chain[] = {LOADED_VECTOR_CHAIN, DEFECT("pattern", "\"pure\"", SIDECAR_NOT_VECTOR)};

static const defect_t dispatch_entry_chain[] = {LOADED_VECTOR_CHAIN,
                                                DEFECT("pattern", "\"pure\"", SIDECAR_FAMILY_DISAGREES)};

static const defect_t loaded_pure_chain[] = {
    DEFECT("aether_abi", NULL, SIDECAR_ABI_TAG_MISSING),
    SHARED_CHAIN,
    DEFECT("vector_inputs", NULL, SIDECAR_KEY_MISSING),
    DEFECT("params", "[1]", SIDECAR_PARAM_NOT_OBJECT),
    DEFECT("terminated_readonly", "\"no\"", SIDECAR_TERMINATED_READONLY),
    DEFECT("finish", "{\"mask\": \"m\", \"counter\": \"finished_count\"}", SIDECAR_FINISH_STEPS),
    DEFECT("pattern", NULL, SIDECAR_NOT_PURE),
};

static const defect_t vector_host_chain[] = {
    SHARED_CHAIN,
    DEFECT("kernel", NULL, SIDECAR_KEY_MISSING),
    DEFECT("pattern", "\"pure\"", SIDECAR_NOT_LAUNCHABLE),
    DEFECT("aether_abi", NULL, SIDECAR_ABI_TAG_MISSING),
};

static const defect_t device_entry_chain[] = {
    DEFECT("mutables", "[{}]", SIDECAR_KEY_MISSING),
    DEFECT("aether_abi", NULL, SIDECAR_ABI_TAG_MISSING),
    SHARED_CHAIN,
    DEFECT("aether_abi", "\"aether-abi/2\"", SIDECAR_ABI_GENERATION),
};

#define ENTRY(id, format, sidecar) RLK_SAMPLE_ENTRY(id, "0", "true", "a", sidecar, format)

static const defect_t registry_chain[] = {
    DEFECT("plugins", "[]", MANIFEST_PLUGINS_EMPTY),
    DEFECT("aether_abi", NULL, MANIFEST_ABI_TAG_MISSING),
    DEFECT("schema_version", "3", MANIFEST_SCHEMA_VERSION_TOO_NEW),
    DEFECT("exec_access", "\"mapreduce\"", MANIFEST_EXEC_KEYS_FORBIDDEN),
    DEFECT("pattern", "\"matrix\"", MANIFEST_PATTERN_UNKNOWN),
    DEFECT("plugins", "[" ENTRY("a", "ptx", "gravity.json") ", " ENTRY("a", "ptx", "gravity.json") "]",
           MANIFEST_DUPLICATE_ID),
    DEFECT("blocks", "[]", MANIFEST_ORPHANED_BLOCKS),
    DEFECT("plugins", "[" ENTRY("a", "elf", "gravity.json") "]", MANIFEST_ENTRY_FORMAT),
    DEFECT("plugins", "[" ENTRY("a", "ptx", "absent.json") "]", MANIFEST_SIDECAR_UNREADABLE),
};

/* The execution axis of a v2 manifest is one gate; its checks have an order too. */
static const defect_t axis_chain[] = {
    DEFECT("exec_targets", NULL, MANIFEST_EXEC_KEYS_MISSING),
    DEFECT("aether_abi", "\"aether-abi/1\"", MANIFEST_ABI_VERSION_DISAGREE),
    DEFECT("exec_targets", "[]", MANIFEST_EXEC_TARGETS_MALFORMED),
    DEFECT("exec_access", "\"gather\"", MANIFEST_EXEC_ACCESS),
    DEFECT("exec_op", NULL, MANIFEST_EXEC_OP_MISSING),
    DEFECT("exec_op", "\"min\"", MANIFEST_EXEC_OP_UNKNOWN),
    DEFECT("pattern", "\"matrix\"", MANIFEST_PATTERN_UNKNOWN),
};

static const defect_t dispatch_chain[] = {
    DEFECT("schema_version", "3", MANIFEST_SCHEMA_VERSION_TOO_NEW),
    DEFECT("exec_access", "\"mapreduce\"", MANIFEST_EXEC_KEYS_FORBIDDEN),
    DEFECT("aether_abi", "null", MANIFEST_ABI_TAG_UNKNOWN),
    DEFECT("pattern", NULL, MANIFEST_PATTERN_NOT_DISPATCHED),
    DEFECT("blocks", "[1]", MANIFEST_ORPHANED_BLOCKS),
    DEFECT("plugins", "{}", MANIFEST_PLUGINS_NOT_ARRAY),
    DEFECT("plugins", "[" ENTRY("a", "elf", "gravity.json") "]", MANIFEST_ENTRY_FORMAT),
    DEFECT("plugins", "[" ENTRY("a", "ptx", "absent.json") "]", MANIFEST_SIDECAR_UNREADABLE),
};

static const defect_t neural_chain[] = {
    DEFECT("aether_abi", "\"\"", MANIFEST_ABI_TAG_MISSING),
    DEFECT("blocks", "[1]", MANIFEST_BLOCK_NOT_OBJECT),
    DEFECT("plugins", "[{}]", MANIFEST_ENTRY_KEY_MISSING),
    DEFECT("plugins", "[" ENTRY("forward", "elf", "forward.json") "]", MANIFEST_ENTRY_FORMAT),
    DEFECT("plugins", "[" ENTRY("forward", "ptx", "forward.json") "]", MANIFEST_EXEC_DANGLING),
};

/* --- Putting defects together ------------------------------------------------------------------------------------- */

typedef struct chain_t {
  rlk_door_id_t door;
  rlk_sample_t sample; /* what the defects are put into */
  const char* beside;  /* if not NULL: the sample is this file, beside a v1 manifest that is judged */
  const defect_t* defects;
  size_t count;
} chain_t;

static rlk_judging_t judging;

static void setup(void) {
  cr_assert(eq(i32, (int)rlk_judging_init(&judging), ROWLOCK_OK));
  cr_assert(eq(i32, (int)rlk_judging_put_sample_files(&judging), ROWLOCK_OK));
}

static void teardown(void) { rlk_judging_deinit(&judging); }

TestSuite(gate_order, .init = setup, .fini = teardown);

static void judge(const chain_t* chain, const rlk_member_t edits[2], bool every_finding) {
  char* edited = rlk_sample_text(chain->sample, edits, 2);
  char* manifest = rlk_sample_text(RLK_SAMPLE_MANIFEST_V1, NULL, 0);
  cr_assert(edited && manifest);
  const char* text = edited;
  if (chain->beside) {
    cr_assert(eq(i32, (int)rlk_judging_put_file(&judging, chain->beside, edited, strlen(edited)), ROWLOCK_OK));
    text = manifest;
  }
  rowlock_findings_clear(judging.findings);
  judging.every_finding = every_finding;
  cr_assert(eq(i32, (int)rlk_judging_read(&judging, text, strlen(text)), ROWLOCK_OK), "%s", text);
  cr_expect(eq(i32, (int)rlk_judging_run(&judging, chain->door), ROWLOCK_REJECTED), "%s", text);
  free(edited);
  free(manifest);
}

/* Where the rule stands in the list of findings; the count when it does not. */
static size_t place_of(rlk_rule_t rule) {
  size_t at = 0;
  while (at < rowlock_findings_count(judging.findings) && rlk_findings_rule(judging.findings, at) != rule) ++at;
  return at;
}

static void expect_order(const chain_t* chain, const defect_t* first, const defect_t* second) {
  const rlk_member_t edits[] = {first->edit, second->edit};
  const char* door = rlk_door_info(chain->door)->name;
  const char *first_id = rlk_rule_info(first->rule)->id, *second_id = rlk_rule_info(second->rule)->id;
  judge(chain, edits, false);
  cr_assert(eq(sz, rowlock_findings_count(judging.findings), 1), "%s and %s at %s", first_id, second_id, door);
  cr_expect(eq(str, (char*)rowlock_findings_at(judging.findings, 0)->rule_id, (char*)first_id), "before %s at %s",
            second_id, door);
  judge(chain, edits, true);
  cr_expect(eq(sz, place_of(first->rule), 0), "%s before %s at %s, all findings wanted", first_id, second_id, door);
}

static void expect_chain(const chain_t chain) {
  for (size_t i = 0; i < chain.count; ++i) {
    for (size_t j = i; j < chain.count; ++j) {
      const bool two_values = i != j && strcmp(chain.defects[i].edit.key, chain.defects[j].edit.key) == 0;
      if (!two_values) expect_order(&chain, &chain.defects[i], &chain.defects[j]);
    }
  }
}

#define EXPECT_CHAIN(DOOR, SAMPLE, beside, defects) \
  expect_chain((chain_t){RLK_DOOR_##DOOR, RLK_SAMPLE_##SAMPLE, beside, defects, sizeof(defects) / sizeof *(defects)})

Test(gate_order, of_the_shared_validator) { EXPECT_CHAIN(SHARED_VALIDATOR, VECTOR, NULL, shared_chain); }

Test(gate_order, of_the_descriptor_clause) { EXPECT_CHAIN(SHARED_VALIDATOR, DESCRIPTOR, NULL, descriptor_chain); }

Test(gate_order, of_host_add_plugin) { EXPECT_CHAIN(HOST_ADD_PLUGIN, VECTOR, NULL, host_chain); }

Test(gate_order, of_loaded_vector) { EXPECT_CHAIN(LOADED_VECTOR, VECTOR, NULL, loaded_vector_chain); }

Test(gate_order, of_loaded_pure) { EXPECT_CHAIN(LOADED_PURE, PURE, NULL, loaded_pure_chain); }

Test(gate_order, of_vector_host) { EXPECT_CHAIN(VECTOR_HOST, VECTOR, NULL, vector_host_chain); }

Test(gate_order, of_the_registry_manifest_doors) {
  EXPECT_CHAIN(HOST_LOAD_MANIFEST, MANIFEST_V1, NULL, registry_chain);
  EXPECT_CHAIN(DEVICE_LOAD_MANIFEST, MANIFEST_V1, NULL, registry_chain);
  EXPECT_CHAIN(CPP_LOAD_MANIFEST, MANIFEST_V1, NULL, registry_chain);
}

Test(gate_order, of_the_execution_axis) {
  EXPECT_CHAIN(HOST_LOAD_MANIFEST, MANIFEST_V2, NULL, axis_chain);
  EXPECT_CHAIN(DEVICE_LOAD_MANIFEST, MANIFEST_V2, NULL, axis_chain);
}

Test(gate_order, of_py_load_manifest) { EXPECT_CHAIN(PY_LOAD_MANIFEST, MANIFEST_V1, NULL, dispatch_chain); }

Test(gate_order, of_the_neural_road) { EXPECT_CHAIN(PY_LOAD_MANIFEST, NEURAL, NULL, neural_chain); }

Test(gate_order, of_an_entry_at_the_host_doors) {
  EXPECT_CHAIN(HOST_LOAD_MANIFEST, VECTOR, "gravity.json", host_chain);
  EXPECT_CHAIN(CPP_LOAD_MANIFEST, VECTOR, "gravity.json", host_chain);
}

Test(gate_order, of_an_entry_at_the_device_door) {
  EXPECT_CHAIN(DEVICE_LOAD_MANIFEST, VECTOR, "gravity.json", device_entry_chain);
}

Test(gate_order, of_an_entry_at_py_load_manifest) {
  EXPECT_CHAIN(PY_LOAD_MANIFEST, VECTOR, "gravity.json", dispatch_entry_chain);
}

/* --- Orders that no pair of members shows ------------------------------------------------------------------------- */

static void expect_first_rule(rlk_door_id_t door, const char* plugins, rlk_rule_t rule) {
  const chain_t chain = {.door = door, .sample = RLK_SAMPLE_MANIFEST_V1};
  const rlk_member_t edits[2] = {{"plugins", plugins}, {NULL, NULL}};
  judge(&chain, edits, false);
  cr_expect(eq(str, (char*)rowlock_findings_at(judging.findings, 0)->rule_id, (char*)rlk_rule_info(rule)->id), "at %s",
            rlk_door_info(door)->name);
}

#define UNKNOWN_FORMAT_THEN_DUPLICATE_ID "[" ENTRY("a", "elf", "gravity.json") ", " ENTRY("a", "ptx", "drag.json") "]"

Test(gate_order, registries_compare_all_ids_before_they_look_at_a_format) {
  expect_first_rule(RLK_DOOR_HOST_LOAD_MANIFEST, UNKNOWN_FORMAT_THEN_DUPLICATE_ID, RLK_RULE_MANIFEST_DUPLICATE_ID);
  expect_first_rule(RLK_DOOR_DEVICE_LOAD_MANIFEST, UNKNOWN_FORMAT_THEN_DUPLICATE_ID, RLK_RULE_MANIFEST_DUPLICATE_ID);
}

Test(gate_order, the_dispatching_loader_goes_entry_by_entry) {
  expect_first_rule(RLK_DOOR_PY_LOAD_MANIFEST, UNKNOWN_FORMAT_THEN_DUPLICATE_ID, RLK_RULE_MANIFEST_ENTRY_FORMAT);
}

Test(gate_order, no_sidecar_is_opened_before_every_entry_has_its_format) {
  static const char plugins[] = "[" ENTRY("a", "ptx", "absent.json") ", " ENTRY("b", "elf", "drag.json") "]";
  expect_first_rule(RLK_DOOR_HOST_LOAD_MANIFEST, plugins, RLK_RULE_MANIFEST_ENTRY_FORMAT);
  expect_first_rule(RLK_DOOR_PY_LOAD_MANIFEST, plugins, RLK_RULE_MANIFEST_ENTRY_FORMAT);
  cr_expect(eq(sz, judging.lookups, 0));
}

Test(gate_order, entries_are_judged_in_declared_order) {
  static const char plugins[] = "[" RLK_SAMPLE_ENTRY("a", "1", "true", "a", "../a.json", "ptx") ", " RLK_SAMPLE_ENTRY(
      "b", "0", "true", "b", "absent.json", "ptx") "]";
  expect_first_rule(RLK_DOOR_HOST_LOAD_MANIFEST, plugins, RLK_RULE_MANIFEST_SIDECAR_ESCAPES);
  expect_first_rule(RLK_DOOR_PY_LOAD_MANIFEST, plugins, RLK_RULE_MANIFEST_SIDECAR_ESCAPES);
}
