#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/launch/launch.h"
#include "harness/launch/operand_reader.h"
#include "validator/rules/text.h"

const char* rlk_comparison_name(rlk_comparison_kind_t kind) {
  static const char* const names[] = {
#define RLK_COMPARISON(ID, name, meaning) name,
      RLK_COMPARISONS(RLK_COMPARISON)
#undef RLK_COMPARISON
  };
  return names[kind];
}

bool rlk_launch_compares(const rlk_launch_t* launch, rlk_comparison_kind_t kind) {
  return launch->comparisons >> kind & 1;
}

/* --- Lists of names and numbers ----------------------------------------------------------------------------------- */

static void read_sample_count(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  if (!rlk_node_is_integer(node) || node->integer < 0) {
    rlk_launch_bad_value(reading, node, "n", "a number of samples, 0 or more");
    return;
  }
  reading->launch->sample_count = node->integer;
}

static void read_tile_samples(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  if (!rlk_node_is_integer(node) || node->integer < 1) {
    rlk_launch_bad_value(reading, node, "tile_samples", "a number of samples, 1 or more");
    return;
  }
  reading->launch->tile_samples = node->integer;
}

static void read_repeats(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  if (!rlk_node_is_integer(node) || node->integer < RLK_LAUNCH_REPEATS || node->integer > RLK_LAUNCH_REPEATS_MAX) {
    rlk_launch_bad_value(reading, node, "repeats", "a number of runs, 2 to 1000");
    return;
  }
  reading->launch->repeats = (uint32_t)node->integer;
}

static void read_rebuilt(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  const char* path = rlk_launch_read_text(reading, node, "rebuilt");
  if (path && rlk_path_problem(path, strlen(path))) {
    rlk_launch_bad_value(reading, node, "rebuilt", "a path beside the first document, not absolute and without '..'");
  }
  reading->launch->rebuilt = path;
}

static void read_names(rlk_launch_reading_t* reading, const rlk_node_t* node, const char* key, const char*** out_names,
                       size_t* out_count) {
  if (node->kind != RLK_ARRAY || node->count == 0 || node->count > RLK_LAUNCH_NAMES_MAX) {
    rlk_launch_bad_value(reading, node, key, "a list of strings, not empty");
    return;
  }
  *out_names = rlk_launch_alloc(reading, node->count * sizeof **out_names);
  if (!*out_names) return;
  for (const rlk_node_t* name = node->first; name; name = name->next) {
    const char* text = rlk_launch_read_text(reading, name, key);
    if (text) (*out_names)[(*out_count)++] = text;
  }
}

static void read_merge(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  read_names(reading, node, "merge", &reading->launch->merge, &reading->launch->merge_count);
}
static void read_enable(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  read_names(reading, node, "enable", &reading->launch->enable, &reading->launch->enable_count);
}
static void read_disable(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  read_names(reading, node, "disable", &reading->launch->disable, &reading->launch->disable_count);
}

/* --- Operands and uniforms ---------------------------------------------------------------------------------------- */

static void read_operands(rlk_launch_reading_t* reading, const rlk_node_t* node, const char* key,
                          rlk_operand_t** out_operands, size_t* out_count) {
  if (node->kind != RLK_OBJECT || node->count > RLK_LAUNCH_NAMES_MAX) {
    rlk_launch_bad_value(reading, node, key, "an object: name to array");
    return;
  }
  *out_operands = rlk_launch_alloc(reading, node->count * sizeof **out_operands);
  if (!*out_operands) return;
  for (const rlk_node_t* member = node->first; member; member = member->next) {
    rlk_operand_read(reading, member, &(*out_operands)[(*out_count)++]);
  }
}

static void read_inputs(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  read_operands(reading, node, "inputs", &reading->launch->inputs, &reading->launch->input_count);
}
static void read_tables(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  read_operands(reading, node, "tables", &reading->launch->tables, &reading->launch->table_count);
}
static void read_golden(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  read_operands(reading, node, "golden", &reading->launch->golden, &reading->launch->golden_count);
}
static void read_results(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  read_operands(reading, node, "results", &reading->launch->results, &reading->launch->result_count);
}

/* 0.5, or {"int64": 3}. */
static void read_uniform_value(rlk_launch_reading_t* reading, const char* name, const rlk_node_t* node) {
  rlk_uniform_value_t* uniform = &reading->launch->uniforms[reading->launch->uniform_count++];
  *uniform = (rlk_uniform_value_t){.name = name, .dtype = RLK_OPERAND_UNSTATED};
  if (node->kind == RLK_OBJECT && node->count == 1) {
    for (int i = 0; i < RLK_DTYPE_COUNT; ++i) {
      const char* dtype = rlk_dtype_name((rlk_dtype_t)i);
      if (i != RLK_DTYPE_BOOL && rlk_text_equal(node->first->key, node->first->key_length, dtype, strlen(dtype))) {
        uniform->dtype = i;
      }
    }
    if (uniform->dtype != RLK_OPERAND_UNSTATED) node = node->first;
  }
  if (!rlk_scalar_read(reading, node, &uniform->value)) {
    rlk_launch_bad_value(reading, node, "a uniform", "a number, or {\"float64\", \"float32\" or \"int64\": a number}");
  } else if (uniform->dtype == RLK_DTYPE_INT64 && !uniform->value.is_integer) {
    rlk_launch_bad_value(reading, node, "a uniform of int64", "an integer");
  }
}

static void read_uniforms(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  size_t count = 0;
  if (node->kind == RLK_OBJECT) {
    for (const rlk_node_t* member = node->first; member; member = member->next) {
      count += member->kind == RLK_ARRAY ? member->count : 1;
    }
  }
  if (node->kind != RLK_OBJECT || count > RLK_LAUNCH_NAMES_MAX) {
    rlk_launch_bad_value(reading, node, "uniforms", "an object: name to number, or to numbers that are bound in turn");
    return;
  }
  reading->launch->uniforms = rlk_launch_alloc(reading, count * sizeof *reading->launch->uniforms);
  if (!reading->launch->uniforms) return;
  for (const rlk_node_t* member = node->first; member; member = member->next) {
    const char* name = rlk_launch_read_name(reading, member, "a uniform's name");
    if (!name) continue;
    if (member->kind == RLK_ARRAY && member->count == 0) {
      rlk_launch_bad_value(reading, member, "a uniform", "a number, or a list of numbers, not empty");
    }
    if (member->kind != RLK_ARRAY) {
      read_uniform_value(reading, name, member);
      continue;
    }
    for (const rlk_node_t* value = member->first; value; value = value->next) read_uniform_value(reading, name, value);
  }
}

/* --- Structures and partitionings --------------------------------------------------------------------------------- */

static void read_structures(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  rlk_launch_t* launch = reading->launch;
  char known[256];
  rlk_text_t text = rlk_text_over(known, sizeof known);
  rlk_text_printf(&text, "a list of some of ");
  const size_t names = text.length;
  for (int i = 0; i < ROWLOCK_STRUCTURE_COUNT; ++i) {
    rlk_text_printf(&text, "%s%s", i > 0 ? ", " : "", rowlock_structure_name((rowlock_structure_t)i));
  }
  launch->structure_count = 0;
  uint32_t seen = 0;
  for (const rlk_node_t* name = node->kind == RLK_ARRAY ? node->first : NULL; name; name = name->next) {
    const char* word = rlk_launch_read_text(reading, name, "structures");
    const rowlock_structure_t structure = word ? rowlock_structure_find(word) : ROWLOCK_STRUCTURE_COUNT;
    if (structure == ROWLOCK_STRUCTURE_COUNT || (seen >> structure & 1)) {
      char expected[sizeof known + 32];
      snprintf(expected, sizeof expected, "one of %s, each once", known + names);
      rlk_launch_bad_value(reading, name, "a structure", expected);
      continue;
    }
    seen |= 1U << structure;
    launch->structures[launch->structure_count++] = structure;
  }
  if (node->kind != RLK_ARRAY || node->count == 0) rlk_launch_bad_value(reading, node, "structures", known);
}

/* [base, count], or [base, count, nSamples]. */
static bool read_partition(const rlk_node_t* node, rowlock_partition_t* out) {
  if (node->kind != RLK_ARRAY || node->count < 2 || node->count > 3) return false;
  int64_t numbers[3] = {0, 0, ROWLOCK_SAMPLES_OF_BINDINGS};
  int i = 0;
  for (const rlk_node_t* number = node->first; number; number = number->next, ++i) {
    if (!rlk_node_is_integer(number)) return false;
    numbers[i] = number->integer;
  }
  *out = (rowlock_partition_t){numbers[0], numbers[1], numbers[2]};
  return true;
}

static void read_partitioning(rlk_launch_reading_t* reading, const rlk_node_t* node, rlk_partitioning_t* out) {
  *out = (rlk_partitioning_t){.shares = 1};
  if (rlk_node_is_string(node, "whole")) return;
  if (rlk_node_is_integer(node) && node->integer >= 1 && node->integer <= RLK_LAUNCH_PARTITIONS_MAX) {
    out->shares = (uint64_t)node->integer;
    return;
  }
  bool sound = node->kind == RLK_ARRAY && node->count > 0 && node->count <= RLK_LAUNCH_PARTITIONS_MAX;
  if (sound) {
    out->shares = 0;
    out->partitions = rlk_launch_alloc(reading, node->count * sizeof *out->partitions);
    if (!out->partitions) return;
    for (const rlk_node_t* part = node->first; part && sound; part = part->next) {
      sound = read_partition(part, &out->partitions[out->partition_count++]);
    }
  }
  if (!sound) {
    rlk_launch_bad_value(reading, node, "a partitioning",
                         "\"whole\", a number of shares, or a list of [base, count] or [base, count, nSamples]");
  }
}

static void read_partitionings(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  rlk_launch_t* launch = reading->launch;
  if (node->kind != RLK_ARRAY || node->count == 0 || node->count > RLK_LAUNCH_PARTITIONINGS_MAX) {
    rlk_launch_bad_value(reading, node, "partitionings", "a list of 1 to 64 partitionings");
    return;
  }
  launch->partitionings = rlk_launch_alloc(reading, node->count * sizeof *launch->partitionings);
  if (!launch->partitionings) return;
  launch->partitioning_count = 0;
  for (const rlk_node_t* one = node->first; one; one = one->next) {
    read_partitioning(reading, one, &launch->partitionings[launch->partitioning_count++]);
  }
}

/* --- The gate and what it compares -------------------------------------------------------------------------------- */

static void read_bound(rlk_launch_reading_t* reading, const rlk_node_t* node, uint32_t bound) {
  rlk_result_gate_t* gate = &reading->launch->gate;
  rlk_scalar_t value;
  const bool sound = node->kind == RLK_NUMBER && rlk_scalar_read(reading, node, &value) && value.real >= 0 &&
                     (bound != RLK_BOUND_ULP || (value.is_integer && (uint64_t)value.integer <= RLK_GATE_ULP_MAX));
  if (!sound) {
    rlk_launch_bad_value(reading, node, "a bound of the gate", "a number that is not negative (ulp: an integer)");
    return;
  }
  gate->bounds |= bound;
  if (bound == RLK_BOUND_ATOL) gate->atol = value.real;
  if (bound == RLK_BOUND_RTOL) gate->rtol = value.real;
  if (bound == RLK_BOUND_ULP) gate->ulp = (uint64_t)value.integer;
}

static bool read_policy(rlk_launch_reading_t* reading, const rlk_node_t* member) {
  for (int i = 0; i < RLK_POLICY_COUNT; ++i) {
    const char* name = rlk_policy_name((rlk_policy_t)i);
    if (!rlk_text_equal(member->key, member->key_length, name, strlen(name))) continue;
    if (rlk_node_is_string(member, rlk_policy_setting((rlk_policy_t)i, true))) {
      reading->launch->gate.relaxed |= 1U << i;
    } else if (!rlk_node_is_string(member, rlk_policy_setting((rlk_policy_t)i, false))) {
      char expected[64];
      rlk_text_t text = rlk_text_over(expected, sizeof expected);
      rlk_text_printf(&text, "%s or %s", rlk_policy_setting((rlk_policy_t)i, false),
                      rlk_policy_setting((rlk_policy_t)i, true));
      rlk_launch_bad_value(reading, member, name, expected);
    }
    return true;
  }
  return false;
}

static void read_gate(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  static const struct {
    const char* key;
    uint32_t bound;
  } bounds[] = {{"atol", RLK_BOUND_ATOL}, {"rtol", RLK_BOUND_RTOL}, {"ulp", RLK_BOUND_ULP}};
  rlk_result_gate_t* gate = &reading->launch->gate;
  reading->launch->has_gate = true;
  const rlk_node_t* mode = rlk_node_member(node, "mode");
  if (rlk_node_is_string(mode, rlk_gate_mode_name(RLK_GATE_BAND))) {
    gate->mode = RLK_GATE_BAND;
  } else if (!rlk_node_is_string(mode, rlk_gate_mode_name(RLK_GATE_BIT_EXACT))) {
    rlk_launch_bad_value(reading, mode ? mode : node, "the gate's mode", "bit_exact or band");
    return;
  }
  for (const rlk_node_t* member = node->first; member; member = member->next) {
    bool known = member == mode || read_policy(reading, member);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds && !known; ++i) {
      known = rlk_text_equal(member->key, member->key_length, bounds[i].key, strlen(bounds[i].key));
      if (known) read_bound(reading, member, bounds[i].bound);
    }
    if (!known) rlk_launch_unknown_key(reading, member, "mode, atol, rtol, ulp, nan, zero, denormal");
  }
  rowlock_error_t err;
  if (rlk_gate_check(gate, &err)) rlk_launch_bad_value(reading, node, "gate", err.message);
}

static void read_compare(rlk_launch_reading_t* reading, const rlk_node_t* node) {
  char known[128];
  rlk_text_t text = rlk_text_over(known, sizeof known);
  rlk_text_printf(&text, "a list of some of");
  for (int i = 0; i < RLK_COMPARISON_COUNT; ++i) {
    rlk_text_printf(&text, "%s %s", i > 0 ? "," : "", rlk_comparison_name((rlk_comparison_kind_t)i));
  }
  if (node->kind != RLK_ARRAY || node->count == 0) {
    rlk_launch_bad_value(reading, node, "compare", known);
    return;
  }
  for (const rlk_node_t* name = node->first; name; name = name->next) {
    bool found = false;
    for (int i = 0; i < RLK_COMPARISON_COUNT; ++i) {
      if (!rlk_node_is_string(name, rlk_comparison_name((rlk_comparison_kind_t)i))) continue;
      found = !rlk_launch_compares(reading->launch, (rlk_comparison_kind_t)i);
      reading->launch->comparisons |= 1U << i;
    }
    if (!found) rlk_launch_bad_value(reading, name, "compare", known);
  }
}

/* --- The object --------------------------------------------------------------------------------------------------- */

static const struct {
  const char* key;
  void (*read)(rlk_launch_reading_t*, const rlk_node_t*);
} keys[] = {
    {"n", read_sample_count},
    {"inputs", read_inputs},
    {"uniforms", read_uniforms},
    {"tables", read_tables},
    {"merge", read_merge},
    {"enable", read_enable},
    {"disable", read_disable},
    {"structures", read_structures},
    {"tile_samples", read_tile_samples},
    {"partitionings", read_partitionings},
    {"repeats", read_repeats},
    {"rebuilt", read_rebuilt},
    {"gate", read_gate},
    {"compare", read_compare},
    {"golden", read_golden},
    {"results", read_results},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static void read_member(rlk_launch_reading_t* reading, const rlk_node_t* member) {
  for (int i = 0; i < KEY_COUNT; ++i) {
    if (!rlk_text_equal(member->key, member->key_length, keys[i].key, strlen(keys[i].key))) continue;
    keys[i].read(reading, member);
    return;
  }
  char known[256];
  rlk_text_t names = rlk_text_over(known, sizeof known);
  for (int i = 0; i < KEY_COUNT; ++i) rlk_text_printf(&names, "%s%s", i > 0 ? ", " : "", keys[i].key);
  rlk_launch_unknown_key(reading, member, known);
}

/* What is said in two places must agree: a golden array that nothing is compared with is a check that never runs. */
static void check_golden(rlk_launch_reading_t* reading, const rlk_node_t* object) {
  const rlk_launch_t* launch = reading->launch;
  const bool given = launch->golden_count + launch->result_count > 0;
  if (given == rlk_launch_compares(launch, RLK_COMPARISON_GOLDEN)) return;
  rlk_launch_bad_value(reading, object, "compare",
                       given ? "a list with 'golden', since golden arrays are given"
                             : "without 'golden', or arrays in 'golden' or 'results' to compare with");
}

static void check_rebuilt(rlk_launch_reading_t* reading, const rlk_node_t* object) {
  const bool given = rlk_node_member(object, "rebuilt") != NULL;
  if (given == rlk_launch_compares(reading->launch, RLK_COMPARISON_REBUILT)) return;
  rlk_launch_bad_value(reading, object, "compare",
                       given ? "a list with 'rebuilt', since a deployment is given in 'rebuilt'"
                             : "without 'rebuilt', or a deployment in 'rebuilt' to compare with");
}

rowlock_code_t rlk_launch_read(const rlk_launch_reader_t* reader, const rlk_node_t* object, rlk_launch_t* out_launch) {
  rlk_launch_reading_t reading = {.reader = reader, .launch = out_launch};
  *out_launch = (rlk_launch_t){.sample_count = ROWLOCK_SAMPLES_OF_BINDINGS,
                               .structures = {ROWLOCK_STRUCTURE_HOST_SERIAL},
                               .structure_count = 1,
                               .repeats = RLK_LAUNCH_REPEATS,
                               .partitioning_count = 1};
  out_launch->partitionings = rlk_launch_alloc(&reading, sizeof *out_launch->partitionings);
  if (!out_launch->partitionings) return ROWLOCK_NO_MEMORY;
  *out_launch->partitionings = (rlk_partitioning_t){.shares = 1};
  if (object->kind != RLK_OBJECT) {
    rlk_launch_bad_value(&reading, object, "launch", "an object");
    return ROWLOCK_OK;
  }
  for (const rlk_node_t* member = object->first; member; member = member->next) read_member(&reading, member);
  check_golden(&reading, object);
  check_rebuilt(&reading, object);
  return reading.code;
}
