/* The door table: names, levels and gates as the format lists them (plugin facts, section 4), and which sound documents
 * each door takes. What a gate refuses is in gates_test.c, in which order in gate_order_test.c. */
#include "validator/plugin/doors.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/plugin/judging.h"

#define SHARED "schema_version roles scalar_type pattern descriptor derivative buffer_kinds kernel_structure"
#define LOADED "abi_tag " SHARED " loaded_keys params_schema terminated_readonly finish"
#define REGISTRY                                                                       \
  "manifest_reading manifest_abi_tag manifest_schema_version manifest_execution_axis " \
  "manifest_launch_certification manifest_duplicate_ids manifest_orphaned_blocks manifest_entry_formats"

static const struct {
  rlk_door_id_t door;
  rlk_level_t level;
  const char *name, *gates;
} expected[] = {
    {RLK_DOOR_SHARED_VALIDATOR, RLK_LEVEL_SIDECAR, "shared_validator", SHARED},
    {RLK_DOOR_HOST_ADD_PLUGIN, RLK_LEVEL_SIDECAR, "host_add_plugin",
     "registry_reading " SHARED " launch_certification abi_tag host_float64"},
    {RLK_DOOR_LOADED_VECTOR, RLK_LEVEL_SIDECAR, "loaded_vector", LOADED " is_vector"},
    {RLK_DOOR_LOADED_PURE, RLK_LEVEL_SIDECAR, "loaded_pure", LOADED " is_pure"},
    {RLK_DOOR_VECTOR_HOST, RLK_LEVEL_SIDECAR, "vector_host", SHARED " vector_launchable abi_tag"},
    {RLK_DOOR_HOST_LOAD_MANIFEST, RLK_LEVEL_MANIFEST, "host_load_manifest", REGISTRY " host_entries"},
    {RLK_DOOR_DEVICE_LOAD_MANIFEST, RLK_LEVEL_MANIFEST, "device_load_manifest", REGISTRY " device_entries"},
    {RLK_DOOR_CPP_LOAD_MANIFEST, RLK_LEVEL_MANIFEST, "cpp_load_manifest", REGISTRY " host_entries"},
    {RLK_DOOR_PY_LOAD_MANIFEST, RLK_LEVEL_MANIFEST, "py_load_manifest",
     "manifest_dispatch_schema_version manifest_dispatch_execution_axis manifest_abi_tag manifest_dispatch_pattern "
     "manifest_dispatch_orphaned_blocks manifest_blocks manifest_ids_and_formats manifest_resolve_exec "
     "dispatch_entries"},
    {RLK_DOOR_SIDECAR_CONTRACT, RLK_LEVEL_SIDECAR, "contract_checks",
     "contract_base contract_arguments contract_mutables contract_shapes contract_buffers contract_extras"},
    {RLK_DOOR_MANIFEST_CONTRACT, RLK_LEVEL_MANIFEST, "contract_checks",
     "contract_manifest contract_blocks contract_entries"},
};

enum { EXPECTED_COUNT = sizeof expected / sizeof *expected };

#define EACH_DOOR(door) for (rlk_door_id_t door = 0; door < RLK_DOOR_COUNT; ++door)

/* --- The table ---------------------------------------------------------------------------------------------------- */

Test(doors, are_nine_and_contract_checks_at_both_levels) {
  size_t entry_points = 0, checks[] = {0, 0};
  EACH_DOOR(door) {
    const rlk_door_t* info = rlk_door_info(door);
    entry_points += !info->contract;
    checks[info->level] += info->contract;
  }
  cr_expect(eq(sz, entry_points, 9));
  cr_expect(eq(sz, checks[RLK_LEVEL_SIDECAR], 1));
  cr_expect(eq(sz, checks[RLK_LEVEL_MANIFEST], 1));
  cr_expect(eq(sz, EXPECTED_COUNT, RLK_DOOR_COUNT));
}

Test(doors, have_the_names_and_levels_that_rows_use) {
  for (size_t i = 0; i < EXPECTED_COUNT; ++i) {
    const rlk_door_t* info = rlk_door_info(expected[i].door);
    cr_expect(eq(str, (char*)info->name, (char*)expected[i].name));
    cr_expect(eq(i32, (int)info->level, (int)expected[i].level), "%s", info->name);
  }
}

Test(doors, run_their_gates_in_the_format_s_order) {
  for (size_t i = 0; i < EXPECTED_COUNT; ++i) {
    const rlk_door_t* info = rlk_door_info(expected[i].door);
    char gates[1024] = "";
    for (size_t g = 0; g < info->gate_count; ++g) {
      const size_t length = strlen(gates);
      snprintf(gates + length, sizeof gates - length, "%s%s", g > 0 ? " " : "", info->gates[g].name);
    }
    cr_expect(eq(str, gates, (char*)expected[i].gates), "%s", info->name);
  }
}

Test(doors, are_found_by_name_at_their_level_alone) {
  EACH_DOOR(door) {
    const rlk_door_t* info = rlk_door_info(door);
    const rlk_level_t other = info->level == RLK_LEVEL_SIDECAR ? RLK_LEVEL_MANIFEST : RLK_LEVEL_SIDECAR;
    cr_expect(eq(i32, (int)rlk_door_find(info->name, info->level), (int)door), "%s", info->name);
    cr_expect(ne(i32, (int)rlk_door_find(info->name, other), (int)door), "%s", info->name);
  }
  cr_expect(eq(i32, (int)rlk_door_find("shared_validator", RLK_LEVEL_MANIFEST), RLK_DOOR_NONE));
  cr_expect(eq(i32, (int)rlk_door_find("py_load_manifest", RLK_LEVEL_SIDECAR), RLK_DOOR_NONE));
  cr_expect(eq(i32, (int)rlk_door_find("contract_checks", RLK_LEVEL_SIDECAR), RLK_DOOR_SIDECAR_CONTRACT));
  cr_expect(eq(i32, (int)rlk_door_find("contract_checks", RLK_LEVEL_MANIFEST), RLK_DOOR_MANIFEST_CONTRACT));
}

Test(doors, an_unknown_name_is_no_door) {
  cr_expect(eq(i32, (int)rlk_door_find("", RLK_LEVEL_SIDECAR), RLK_DOOR_NONE));
  cr_expect(eq(i32, (int)rlk_door_find("Loaded_pure", RLK_LEVEL_SIDECAR), RLK_DOOR_NONE));
  cr_expect(eq(i32, (int)rlk_door_find("loaded_pure ", RLK_LEVEL_SIDECAR), RLK_DOOR_NONE));
}

Test(doors, levels_have_their_names) {
  cr_expect(eq(str, (char*)rlk_level_name(RLK_LEVEL_SIDECAR), (char*)"sidecar"));
  cr_expect(eq(str, (char*)rlk_level_name(RLK_LEVEL_MANIFEST), (char*)"manifest"));
}

/* --- Sound documents ---------------------------------------------------------------------------------------------- */

/* The rule by which each door refuses each sample, sidecars at sidecar doors and manifests at manifest doors. */
static const struct {
  rlk_door_id_t door;
  rlk_sample_t sample;
  rlk_rule_t rule;
} outcomes[] = {
    {RLK_DOOR_SHARED_VALIDATOR, RLK_SAMPLE_VECTOR, RLK_RULE_NONE},
    {RLK_DOOR_SHARED_VALIDATOR, RLK_SAMPLE_PURE, RLK_RULE_NONE},
    {RLK_DOOR_SHARED_VALIDATOR, RLK_SAMPLE_DESCRIPTOR, RLK_RULE_NONE},
    {RLK_DOOR_HOST_ADD_PLUGIN, RLK_SAMPLE_VECTOR, RLK_RULE_NONE},
    {RLK_DOOR_HOST_ADD_PLUGIN, RLK_SAMPLE_PURE, RLK_RULE_NONE},
    {RLK_DOOR_HOST_ADD_PLUGIN, RLK_SAMPLE_DESCRIPTOR, RLK_RULE_SIDECAR_NOT_LAUNCHABLE},
    {RLK_DOOR_LOADED_VECTOR, RLK_SAMPLE_VECTOR, RLK_RULE_NONE},
    {RLK_DOOR_LOADED_VECTOR, RLK_SAMPLE_PURE, RLK_RULE_SIDECAR_NOT_VECTOR},
    {RLK_DOOR_LOADED_VECTOR, RLK_SAMPLE_DESCRIPTOR, RLK_RULE_SIDECAR_ABI_TAG_MISSING},
    {RLK_DOOR_LOADED_PURE, RLK_SAMPLE_VECTOR, RLK_RULE_SIDECAR_NOT_PURE},
    {RLK_DOOR_LOADED_PURE, RLK_SAMPLE_PURE, RLK_RULE_NONE},
    {RLK_DOOR_LOADED_PURE, RLK_SAMPLE_DESCRIPTOR, RLK_RULE_SIDECAR_ABI_TAG_MISSING},
    {RLK_DOOR_VECTOR_HOST, RLK_SAMPLE_VECTOR, RLK_RULE_NONE},
    {RLK_DOOR_VECTOR_HOST, RLK_SAMPLE_PURE, RLK_RULE_SIDECAR_NOT_LAUNCHABLE},
    {RLK_DOOR_VECTOR_HOST, RLK_SAMPLE_DESCRIPTOR, RLK_RULE_SIDECAR_NOT_LAUNCHABLE},
    {RLK_DOOR_SIDECAR_CONTRACT, RLK_SAMPLE_VECTOR, RLK_RULE_NONE},
    {RLK_DOOR_SIDECAR_CONTRACT, RLK_SAMPLE_PURE, RLK_RULE_NONE},
    {RLK_DOOR_SIDECAR_CONTRACT, RLK_SAMPLE_DESCRIPTOR, RLK_RULE_NONE},
    {RLK_DOOR_HOST_LOAD_MANIFEST, RLK_SAMPLE_MANIFEST_V1, RLK_RULE_NONE},
    {RLK_DOOR_HOST_LOAD_MANIFEST, RLK_SAMPLE_MANIFEST_V2, RLK_RULE_NONE},
    {RLK_DOOR_HOST_LOAD_MANIFEST, RLK_SAMPLE_NEURAL, RLK_RULE_MANIFEST_NOT_LAUNCHABLE},
    {RLK_DOOR_DEVICE_LOAD_MANIFEST, RLK_SAMPLE_MANIFEST_V1, RLK_RULE_NONE},
    {RLK_DOOR_DEVICE_LOAD_MANIFEST, RLK_SAMPLE_MANIFEST_V2, RLK_RULE_NONE},
    {RLK_DOOR_DEVICE_LOAD_MANIFEST, RLK_SAMPLE_NEURAL, RLK_RULE_MANIFEST_NOT_LAUNCHABLE},
    {RLK_DOOR_CPP_LOAD_MANIFEST, RLK_SAMPLE_MANIFEST_V1, RLK_RULE_NONE},
    {RLK_DOOR_CPP_LOAD_MANIFEST, RLK_SAMPLE_MANIFEST_V2, RLK_RULE_NONE},
    {RLK_DOOR_CPP_LOAD_MANIFEST, RLK_SAMPLE_NEURAL, RLK_RULE_MANIFEST_NOT_LAUNCHABLE},
    {RLK_DOOR_PY_LOAD_MANIFEST, RLK_SAMPLE_MANIFEST_V1, RLK_RULE_NONE},
    {RLK_DOOR_PY_LOAD_MANIFEST, RLK_SAMPLE_MANIFEST_V2, RLK_RULE_NONE},
    {RLK_DOOR_PY_LOAD_MANIFEST, RLK_SAMPLE_NEURAL, RLK_RULE_NONE},
    {RLK_DOOR_MANIFEST_CONTRACT, RLK_SAMPLE_MANIFEST_V1, RLK_RULE_NONE},
    {RLK_DOOR_MANIFEST_CONTRACT, RLK_SAMPLE_MANIFEST_V2, RLK_RULE_NONE},
    {RLK_DOOR_MANIFEST_CONTRACT, RLK_SAMPLE_NEURAL, RLK_RULE_NONE},
};

/* The sample as the door judges it; the rule of its one finding, or RLK_RULE_NONE. */
static rlk_rule_t refusing_rule(rlk_door_id_t door, rlk_sample_t sample) {
  rlk_judging_t judging;
  cr_assert(eq(i32, (int)rlk_judging_init(&judging), ROWLOCK_OK));
  cr_assert(eq(i32, (int)rlk_judging_put_sample_files(&judging), ROWLOCK_OK));
  char* text = rlk_sample_text(sample, NULL, 0);
  cr_assert(eq(i32, (int)rlk_judging_read(&judging, text, strlen(text)), ROWLOCK_OK));
  const rowlock_code_t code = rlk_judging_run(&judging, door);
  const size_t count = rowlock_findings_count(judging.findings);
  cr_expect(le(sz, count, 1));
  cr_expect(eq(i32, (int)code, count == 0 ? ROWLOCK_OK : ROWLOCK_REJECTED));
  const rlk_rule_t rule = count > 0 ? rlk_findings_rule(judging.findings, 0) : RLK_RULE_NONE;
  free(text);
  rlk_judging_deinit(&judging);
  return rule;
}

Test(doors, take_the_sound_documents_of_their_kind_and_refuse_the_others) {
  for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; ++i) {
    cr_expect(eq(i32, (int)refusing_rule(outcomes[i].door, outcomes[i].sample), (int)outcomes[i].rule),
              "sample %d at %s", (int)outcomes[i].sample, rlk_door_info(outcomes[i].door)->name);
  }
}

Test(doors, one_is_a_second_name_of_another) {
  EACH_DOOR(door) {
    const rlk_door_id_t due = door == RLK_DOOR_CPP_LOAD_MANIFEST ? RLK_DOOR_HOST_LOAD_MANIFEST : door;
    cr_expect(eq(str, (char*)rlk_door_info(rlk_door_original(door))->name, (char*)rlk_door_info(due)->name));
  }
}

Test(doors, the_outcomes_cover_every_door_and_sample_of_its_level) {
  size_t due = 0;
  EACH_DOOR(door) due += rlk_door_info(door)->level == RLK_LEVEL_SIDECAR ? 3 : RLK_SAMPLE_COUNT - 3;
  cr_expect(eq(sz, sizeof outcomes / sizeof *outcomes, due));
}
