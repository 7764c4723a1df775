#define _GNU_SOURCE /* open_memstream */
/* What a launch object may say, what each malformation is called, and where the bounds are. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/launch/launch.h"
#include "validator/rules/fault.h"
#include "validator/wire/reader.h"

/* A launch that was read, and the first thing that was wrong with it. */
typedef struct read_t {
  rlk_arena_t arena;
  const char* text;
  rlk_launch_t launch;
  rowlock_code_t code;
  int complaints;
  char what[512]; /* "KEY must be EXPECTED: VALUE", or "unknown KEY (KNOWN)" */
} read_t;

static void bad_value(void* context, const rlk_node_t* at, const char* key, const char* expected) {
  read_t* read = context;
  if (read->complaints++ > 0) return;
  const int length = at->end - at->begin < 60 ? (int)(at->end - at->begin) : 60;
  snprintf(read->what, sizeof read->what, "%s must be %s: %.*s", key, expected, length, read->text + at->begin);
}

static void unknown_key(void* context, const rlk_node_t* at, const char* known) {
  read_t* read = context;
  if (read->complaints++ > 0) return;
  snprintf(read->what, sizeof read->what, "unknown %.*s (%s)", (int)at->key_length, at->key, known);
}

/* The document must be JSON; its nodes are in the arena, too. */
static const rlk_node_t* parse(read_t* read) {
  rlk_document_t document;
  rowlock_findings_t* findings = rowlock_findings_create();
  const rlk_read_options_t options = {
      .path = "launch", .limits = rlk_limits_effective(NULL), .door = -1, .switched_off = RLK_RULE_NONE};
  const rowlock_code_t code = rlk_read(read->text, strlen(read->text), &options, &read->arena, findings, &document);
  cr_assert_eq(code, ROWLOCK_OK, "%s", code == ROWLOCK_REJECTED ? rowlock_findings_at(findings, 0)->message : "");
  rowlock_findings_destroy(findings);
  return document.root;
}

static void read_launch(read_t* read, const char* text) {
  *read = (read_t){.text = text};
  const rlk_node_t* root = parse(read);
  const rlk_launch_reader_t reader = {&read->arena, read, bad_value, unknown_key};
  read->code = rlk_launch_read(&reader, root, &read->launch);
  cr_assert_eq(read->code, ROWLOCK_OK);
}

static void forget(read_t* read) { rlk_arena_deinit(&read->arena); }

/* --- Sound ones --------------------------------------------------------------------------------------------------- */

static const char full[] =
    "{\"n\": 7,"
    " \"inputs\": {\"a\": \"a.npy\", \"b\": 2.5, \"c\": {\"values\": [1, \"0x1p-3\", true, -0]},"
    "  \"d\": {\"uniform\": {\"seed\": 3, \"low\": -1, \"high\": 2}, \"dtype\": \"float32\", \"shape\": [2, 7]},"
    "  \"e\": {\"null\": true, \"as\": \"matrix\"}, \"f\": {\"range\": {}}, \"g\": {\"poison\": true}, \"h\": false},"
    " \"tables\": {\"t\": {\"linspace\": {\"to\": 9}, \"shape\": [4]}},"
    " \"uniforms\": {\"u\": 0.5, \"v\": {\"int64\": 3}, \"w\": [1, 2.5]},"
    " \"merge\": [\"more.json\"], \"enable\": [\"x\", \"y\"], \"disable\": [\"z\"],"
    " \"structures\": [\"host_team\", \"host_serial\"], \"tile_samples\": 64,"
    " \"partitionings\": [\"whole\", 3, [[0, 4], [4, 3, 7]]],"
    " \"gate\": {\"mode\": \"band\", \"atol\": 0, \"rtol\": 1e-9, \"ulp\": 4, \"nan\": \"class\", \"zero\": "
    "\"distinct\","
    "  \"denormal\": \"flush\"},"
    " \"repeats\": 1000, \"rebuilt\": \"again.json\","
    " \"compare\": [\"golden\", \"split\", \"rebuilt\"], \"golden\": {\"o\": {\"normal\": {\"seed\": 1}}}, "
    "\"results\": {\"o\": 1}}";

Test(launch_reader, reads_every_key) {
  read_t read;
  read_launch(&read, full);
  cr_assert_eq(read.complaints, 0, "%s", read.what);
  const rlk_launch_t* launch = &read.launch;
  cr_expect_eq(launch->sample_count, 7);
  cr_expect_eq(launch->tile_samples, 64);
  cr_expect_eq(launch->merge_count, 1);
  cr_expect_str_eq(launch->merge[0], "more.json");
  cr_expect_eq(launch->enable_count, 2);
  cr_expect_str_eq(launch->enable[1], "y");
  cr_expect_eq(launch->disable_count, 1);
  cr_expect_eq(launch->structure_count, 2);
  cr_expect_eq(launch->structures[0], ROWLOCK_STRUCTURE_HOST_TEAM);
  cr_expect_eq(launch->structures[1], ROWLOCK_STRUCTURE_HOST_SERIAL);
  cr_expect(rlk_launch_compares(launch, RLK_COMPARISON_GOLDEN) && rlk_launch_compares(launch, RLK_COMPARISON_SPLIT));
  cr_expect(rlk_launch_compares(launch, RLK_COMPARISON_REBUILT));
  cr_expect_not(rlk_launch_compares(launch, RLK_COMPARISON_ORACLE));
  cr_expect_eq(launch->repeats, RLK_LAUNCH_REPEATS_MAX);
  cr_expect_str_eq(launch->rebuilt, "again.json");
  cr_expect_eq(launch->golden_count, 1);
  cr_expect_eq(launch->result_count, 1);
  forget(&read);
}

Test(launch_reader, reads_every_way_to_fill_an_array) {
  read_t read;
  read_launch(&read, full);
  static const rlk_fill_kind_t kinds[] = {RLK_FILL_FILE, RLK_FILL_CONSTANT, RLK_FILL_VALUES, RLK_FILL_UNIFORM,
                                          RLK_FILL_NULL, RLK_FILL_RANGE,    RLK_FILL_POISON, RLK_FILL_CONSTANT};
  cr_assert_eq(read.launch.input_count, sizeof kinds / sizeof *kinds);
  const rlk_operand_t* inputs = read.launch.inputs;
  for (size_t i = 0; i < read.launch.input_count; ++i) {
    cr_expect_eq(inputs[i].fill.kind, kinds[i], "%s", inputs[i].name);
    cr_expect_eq(inputs[i].name[0], (char)('a' + i));
  }
  cr_expect_str_eq(inputs[0].fill.file, "a.npy");
  cr_expect_eq(inputs[1].fill.first.real, 2.5);
  cr_expect_not(inputs[1].fill.first.is_integer);
  const rlk_scalar_t* values = inputs[2].fill.values;
  cr_assert_eq(inputs[2].fill.value_count, 4);
  cr_expect(values[0].is_integer && values[0].integer == 1 && values[1].real == 0.125 && values[2].integer == 1);
  cr_expect_eq(rlk_scalar_bits(RLK_DTYPE_FLOAT64, &values[3]), UINT64_C(1) << 63, "-0 has a sign");
  cr_expect_eq(inputs[3].fill.seed, 3);
  cr_expect(inputs[3].fill.first.real == -1 && inputs[3].fill.second.real == 2);
  cr_expect(inputs[3].dtype == RLK_DTYPE_FLOAT32 && inputs[3].rank == 2 && inputs[3].shape[1] == 7);
  cr_expect_eq(inputs[3].binding, RLK_OPERAND_UNSTATED);
  cr_expect_eq(inputs[4].binding, ROWLOCK_BINDING_MATRIX);
  cr_expect(inputs[5].fill.first.real == 0 && inputs[5].fill.second.real == 1, "a range steps by 1 from 0");
  cr_expect(read.launch.tables[0].fill.first.real == 0 && read.launch.tables[0].fill.second.real == 9);
  forget(&read);
}

Test(launch_reader, reads_uniforms_partitionings_and_the_gate) {
  read_t read;
  read_launch(&read, full);
  const rlk_uniform_value_t* uniforms = read.launch.uniforms;
  cr_assert_eq(read.launch.uniform_count, 4);
  cr_expect(uniforms[0].value.real == 0.5 && uniforms[0].dtype == RLK_OPERAND_UNSTATED);
  cr_expect(uniforms[1].value.integer == 3 && uniforms[1].dtype == RLK_DTYPE_INT64);
  cr_expect_str_eq(uniforms[2].name, "w");
  cr_expect_str_eq(uniforms[3].name, "w");
  cr_expect_eq(uniforms[3].value.real, 2.5);
  const rlk_partitioning_t* partitionings = read.launch.partitionings;
  cr_assert_eq(read.launch.partitioning_count, 3);
  cr_expect_eq(partitionings[0].shares, 1);
  cr_expect_eq(partitionings[1].shares, 3);
  cr_assert(partitionings[2].shares == 0 && partitionings[2].partition_count == 2);
  cr_expect_eq(partitionings[2].partitions[0].sample_count, ROWLOCK_SAMPLES_OF_BINDINGS);
  cr_expect(partitionings[2].partitions[1].base == 4 && partitionings[2].partitions[1].sample_count == 7);
  const rlk_result_gate_t* gate = &read.launch.gate;
  cr_expect_eq(gate->mode, RLK_GATE_BAND);
  cr_expect_eq(gate->bounds, RLK_BOUND_ATOL | RLK_BOUND_RTOL | RLK_BOUND_ULP);
  cr_expect(gate->atol == 0 && gate->rtol == 1e-9 && gate->ulp == 4);
  cr_expect(rlk_gate_is_relaxed(gate, RLK_POLICY_NAN) && rlk_gate_is_relaxed(gate, RLK_POLICY_DENORMAL));
  cr_expect_not(rlk_gate_is_relaxed(gate, RLK_POLICY_ZERO));
  forget(&read);
}

Test(launch_reader, nothing_said_is_one_whole_serial_run) {
  read_t read;
  read_launch(&read, "{}");
  cr_assert_eq(read.complaints, 0, "%s", read.what);
  cr_expect_eq(read.launch.sample_count, ROWLOCK_SAMPLES_OF_BINDINGS);
  cr_expect(read.launch.structure_count == 1 && read.launch.structures[0] == ROWLOCK_STRUCTURE_HOST_SERIAL);
  cr_expect(read.launch.partitioning_count == 1 && read.launch.partitionings[0].shares == 1);
  cr_expect(read.launch.gate.mode == RLK_GATE_BIT_EXACT && read.launch.gate.relaxed == 0);
  cr_expect_eq(read.launch.comparisons, 0);
  forget(&read);
}

/* At the bound, and what is spelled as infinite. */
Test(launch_reader, the_largest_numbers_are_read) {
  static const char* const finite[] = {"1.7976931348623157e308", "\"0x1.fffffffffffffp+1023\"",
                                       "1.7976931348623158e+308"};
  static const char* const infinite[] = {"\"inf\"", "\"INF\"", "\"+Infinity\""};
  for (size_t i = 0; i < sizeof finite / sizeof *finite; ++i) {
    for (int j = 0; j < 2; ++j) {
      const char* number = j ? infinite[i] : finite[i];
      char text[128];
      snprintf(text, sizeof text, "{\"uniforms\": {\"u\": %s}}", number);
      read_t read;
      read_launch(&read, text);
      cr_expect_eq(read.complaints, 0, "%s", read.what);
      cr_expect_eq(read.launch.uniforms[0].value.real, j ? INFINITY : DBL_MAX, "%s", number);
      forget(&read);
    }
  }
}

/* --- Malformed ones ----------------------------------------------------------------------------------------------- */

/* A launch, and what is said of it: a part. */
static const struct {
  const char *text, *says;
} malformed[] = {
    {"[]", "launch must be an object: []"},
    {"{\"m\": 1}", "unknown m (n, inputs, uniforms, tables, merge, enable, disable, structures, tile_samples, "},
    {"{\"n\": -1}", "n must be a number of samples, 0 or more: -1"},
    {"{\"n\": 1.0}", "n must be a number of samples, 0 or more: 1.0"},
    {"{\"n\": \"1\"}", "n must be a number of samples, 0 or more: \"1\""},
    {"{\"n\": 9223372036854775808}", "n must be a number of samples, 0 or more: 9223372036854775808"},
    {"{\"tile_samples\": 0}", "tile_samples must be a number of samples, 1 or more: 0"},
    {"{\"tile_samples\": null}", "tile_samples must be a number of samples, 1 or more: null"},
    {"{\"merge\": []}", "merge must be a list of strings, not empty: []"},
    {"{\"merge\": \"x\"}", "merge must be a list of strings, not empty: \"x\""},
    {"{\"merge\": [\"\"]}", "merge must be a non-empty string: \"\""},
    {"{\"enable\": [1]}", "enable must be a non-empty string: 1"},
    {"{\"enable\": [\"a\\u0000b\"]}", "enable must be a string without a NUL"},
    {"{\"disable\": {}}", "disable must be a list of strings, not empty: {}"},
    /* Arrays. */
    {"{\"inputs\": []}", "inputs must be an object: name to array: []"},
    {"{\"tables\": 1}", "tables must be an object: name to array: 1"},
    {"{\"inputs\": {\"\": 1}}", "an array's name must be a non-empty string: 1"},
    {"{\"inputs\": {\"a\\u0000\": 1}}", "an array's name must be a string without a NUL: 1"},
    {"{\"inputs\": {\"a\": null}}", "an array must be a path, a number, or an object that says how to fill it: null"},
    {"{\"inputs\": {\"a\": []}}", "an array must be a path, a number, or an object that says how to fill it: []"},
    {"{\"inputs\": {\"a\": \"\"}}", "file must be a non-empty string: \"\""},
    {"{\"inputs\": {\"a\": {}}}", "an array must be a path, a number, or an object that says one way to fill it: {}"},
    {"{\"inputs\": {\"a\": {\"dtype\": \"bool\"}}}", "an object that says one way to fill it"},
    {"{\"inputs\": {\"a\": {\"constant\": 1, \"poison\": true}}}", "an object that says one way to fill it"},
    {"{\"inputs\": {\"a\": {\"vaules\": [1]}}}", "unknown vaules (file, values, constant, range, "},
    {"{\"inputs\": {\"a\": {\"file\": 1}}}", "file must be a non-empty string: 1"},
    {"{\"inputs\": {\"a\": {\"values\": 1}}}", "values must be a list of at most 65536 numbers: 1"},
    {"{\"inputs\": {\"a\": {\"values\": [null]}}}", "a value must be a number, or a string that holds one"},
    {"{\"inputs\": {\"a\": {\"values\": [\"1x\"]}}}", "a value must be a number, or a string that holds one"},
    {"{\"inputs\": {\"a\": {\"values\": [\"\"]}}}", "a value must be a number, or a string that holds one"},
    {"{\"inputs\": {\"a\": {\"values\": [\" 1\"]}}}", "a value must be a number, or a string that holds one"},
    {"{\"inputs\": {\"a\": {\"values\": [\"\\t1\"]}}}", "a value must be a number, or a string that holds one"},
    {"{\"inputs\": {\"a\": 1.8e308}}", "a number must be one that float64 holds, or 'inf' as a string: 1.8e308"},
    {"{\"inputs\": {\"a\": {\"values\": [\"-1e999\"]}}}", "a number must be one that float64 holds"},
    {"{\"inputs\": {\"a\": {\"constant\": \"+0x1p1024\"}}}", "a number must be one that float64 holds"},
    {"{\"inputs\": {\"a\": {\"range\": {\"start\": 1e309}}}}", "a number must be one that float64 holds"},
    {"{\"inputs\": {\"a\": {\"constant\": []}}}", "constant must be a number: []"},
    {"{\"inputs\": {\"a\": {\"poison\": false}}}", "poison must be true: false"},
    {"{\"inputs\": {\"a\": {\"null\": 1}}}", "null must be true: 1"},
    {"{\"inputs\": {\"a\": {\"range\": 1}}}", "range must be an object with its parameters: 1"},
    {"{\"inputs\": {\"a\": {\"range\": {\"from\": 1}}}}", "unknown from (start, step)"},
    {"{\"inputs\": {\"a\": {\"range\": {\"seed\": 1}}}}", "unknown seed (start, step)"},
    {"{\"inputs\": {\"a\": {\"linspace\": {\"to\": []}}}}", "to must be a number: []"},
    {"{\"inputs\": {\"a\": {\"uniform\": {}}}}", "seed must be an integer, 0 or more: {}"},
    {"{\"inputs\": {\"a\": {\"normal\": {\"seed\": -1}}}}", "seed must be an integer, 0 or more: -1"},
    {"{\"inputs\": {\"a\": {\"normal\": {\"seed\": 1.5}}}}", "seed must be an integer, 0 or more: 1.5"},
    {"{\"inputs\": {\"a\": {\"normal\": {\"seed\": 1, \"low\": 0}}}}", "unknown low (seed, mean, deviation)"},
    {"{\"inputs\": {\"a\": {\"constant\": 1, \"dtype\": \"int32\"}}}", "dtype must be float64, float32, int64 or bool"},
    {"{\"inputs\": {\"a\": {\"constant\": 1, \"as\": \"table\"}}}", "as must be one of 'vector', 'matrix', "},
    {"{\"inputs\": {\"a\": {\"constant\": 1, \"shape\": []}}}", "shape must be a list of 1 to 8 extents"},
    {"{\"inputs\": {\"a\": {\"constant\": 1, \"shape\": 3}}}", "shape must be a list of 1 to 8 extents"},
    {"{\"inputs\": {\"a\": {\"constant\": 1, \"shape\": [-1]}}}", "shape must be a list of 1 to 8 extents"},
    {"{\"inputs\": {\"a\": {\"constant\": 1, \"shape\": [2.0]}}}", "shape must be a list of 1 to 8 extents"},
    /* Uniforms. */
    {"{\"uniforms\": []}", "uniforms must be an object: name to number"},
    {"{\"uniforms\": {\"u\": null}}", "a uniform must be a number, or {\"float64\", \"float32\" or \"int64\""},
    {"{\"uniforms\": {\"u\": [1, {}]}}", "a uniform must be a number"},
    {"{\"uniforms\": {\"u\": {\"bool\": true}}}", "a uniform must be a number"},
    {"{\"uniforms\": {\"u\": {\"int64\": 1, \"float64\": 1}}}", "a uniform must be a number"},
    {"{\"uniforms\": {\"u\": {\"int64\": 1.5}}}", "a uniform of int64 must be an integer: 1.5"},
    {"{\"uniforms\": {\"\": 1}}", "a uniform's name must be a non-empty string"},
    {"{\"uniforms\": {\"u\\u0000v\": 1}}", "a uniform's name must be a string without a NUL"},
    {"{\"uniforms\": {\"u\": -1.8e308}}", "a number must be one that float64 holds"},
    {"{\"uniforms\": {\"u\": {\"float32\": 1e999}}}", "a number must be one that float64 holds"},
    {"{\"uniforms\": {\"u\": []}}", "a uniform must be a number"},
    /* Structures and partitionings. */
    {"{\"structures\": []}", "structures must be a list of some of host_serial, host_team, "},
    {"{\"structures\": \"host_team\"}", "structures must be a list of some of"},
    {"{\"structures\": [\"host\"]}", "a structure must be one of host_serial, host_team, "},
    {"{\"structures\": [\"host_team\", \"host_team\"]}", "a structure must be one of host_serial, host_team, "},
    {"{\"structures\": [1]}", "structures must be a non-empty string: 1"},
    {"{\"partitionings\": []}", "partitionings must be a list of 1 to 64 partitionings: []"},
    {"{\"partitionings\": 3}", "partitionings must be a list of 1 to 64 partitionings: 3"},
    {"{\"partitionings\": [0]}", "a partitioning must be \"whole\", a number of shares, or a list of"},
    {"{\"partitionings\": [\"half\"]}", "a partitioning must be \"whole\""},
    {"{\"partitionings\": [[]]}", "a partitioning must be \"whole\""},
    {"{\"partitionings\": [[[0]]]}", "a partitioning must be \"whole\""},
    {"{\"partitionings\": [[[0, 1, 2, 3]]]}", "a partitioning must be \"whole\""},
    {"{\"partitionings\": [[[0, 1.5]]]}", "a partitioning must be \"whole\""},
    {"{\"partitionings\": [[0, 1]]}", "a partitioning must be \"whole\""},
    /* The gate and what it compares. */
    {"{\"gate\": {}}", "the gate's mode must be bit_exact or band: {}"},
    {"{\"gate\": \"band\"}", "the gate's mode must be bit_exact or band: \"band\""},
    {"{\"gate\": {\"mode\": \"exact\"}}", "the gate's mode must be bit_exact or band: \"exact\""},
    {"{\"gate\": {\"mode\": \"band\"}}", "gate must be "},
    {"{\"gate\": {\"mode\": \"bit_exact\", \"ulp\": 1}}", "gate must be "},
    {"{\"gate\": {\"mode\": \"band\", \"atol\": -1}}", "a bound of the gate must be a number that is not negative"},
    {"{\"gate\": {\"mode\": \"band\", \"rtol\": \"1\"}}", "a bound of the gate must be a number that is not negative"},
    {"{\"gate\": {\"mode\": \"band\", \"ulp\": 1.5}}", "a bound of the gate must be a number that is not negative"},
    {"{\"gate\": {\"mode\": \"band\", \"atol\": 1e999}}", "a number must be one that float64 holds"},
    {"{\"gate\": {\"mode\": \"band\", \"ulp\": 1, \"nan\": \"any\"}}", "nan must be bits or class: \"any\""},
    {"{\"gate\": {\"mode\": \"band\", \"ulp\": 1, \"zero\": true}}", "zero must be distinct or equal: true"},
    {"{\"gate\": {\"mode\": \"band\", \"ulp\": 1, \"tol\": 1}}",
     "unknown tol (mode, atol, rtol, ulp, nan, zero, denormal)"},
    {"{\"compare\": []}", "compare must be a list of some of golden, oracle, split, rebuilt: []"},
    {"{\"compare\": \"oracle\"}", "compare must be a list of some of golden, oracle, split, rebuilt"},
    {"{\"compare\": [\"device\"]}", "compare must be a list of some of golden, oracle, split, rebuilt: \"device\""},
    {"{\"compare\": [\"oracle\", \"oracle\"]}",
     "compare must be a list of some of golden, oracle, split, rebuilt: \"oracle\""},
    {"{\"compare\": [\"golden\"]}", "compare must be without 'golden', or arrays"},
    {"{\"golden\": {\"o\": 1}, \"compare\": [\"split\"]}", "compare must be a list with 'golden', since golden arrays"},
    {"{\"results\": {\"o\": 1}}", "compare must be a list with 'golden', since golden arrays"},
    {"{\"rebuilt\": \"again.json\"}", "compare must be a list with 'rebuilt', since a deployment is given"},
    {"{\"compare\": [\"rebuilt\"]}", "compare must be without 'rebuilt', or a deployment in 'rebuilt'"},
    {"{\"rebuilt\": 1, \"compare\": [\"rebuilt\"]}", "rebuilt must be"},
    {"{\"rebuilt\": \"\\u0000\", \"compare\": [\"rebuilt\"]}", "rebuilt must be a string without a NUL"},
    {"{\"rebuilt\": \"../x\", \"compare\": [\"rebuilt\"]}", "rebuilt must be a path beside the first document"},
    {"{\"rebuilt\": \"a/..\", \"compare\": [\"rebuilt\"]}", "rebuilt must be a path beside the first document"},
    {"{\"rebuilt\": \"/x\", \"compare\": [\"rebuilt\"]}",
     "rebuilt must be a path beside the first document, not absolute and without '..': \"/x\""},
    {"{\"repeats\": 1}", "repeats must be a number of runs, 2 to 1000: 1"},
    {"{\"repeats\": 1001}", "repeats must be a number of runs, 2 to 1000: 1001"},
    {"{\"repeats\": \"3\"}", "repeats must be a number of runs, 2 to 1000"},
};

Test(launch_reader, every_malformation_is_named) {
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; ++i) {
    read_t read;
    read_launch(&read, malformed[i].text);
    cr_expect_gt(read.complaints, 0, "%s passes", malformed[i].text);
    cr_expect_not_null(strstr(read.what, malformed[i].says), "%s: %s", malformed[i].text, read.what);
    forget(&read);
  }
}

/* --- Bounds ------------------------------------------------------------------------------------------------------- */

/* BEFORE, COUNT times the piece, separated by commas and with its number for each '#', AFTER. */
static char* repeat(const char* before, const char* piece, size_t count, const char* after) {
  char* text = NULL;
  size_t size;
  FILE* memory = open_memstream(&text, &size);
  cr_assert_not_null(memory);
  fputs(before, memory);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) fputc(',', memory);
    for (const char* at = piece; *at; ++at) {
      if (*at == '#') {
        fprintf(memory, "%zu", i);
      } else {
        fputc(*at, memory);
      }
    }
  }
  fputs(after, memory);
  cr_assert_eq(fclose(memory), 0);
  return text;
}

/* The longest list that is read, and one more. */
static const struct {
  const char *before, *piece, *after;
  size_t most;
} lists[] = {
    {"{\"merge\": [", "\"m\"", "]}", RLK_LAUNCH_NAMES_MAX},
    {"{\"enable\": [", "\"m\"", "]}", RLK_LAUNCH_NAMES_MAX},
    {"{\"inputs\": {", "\"a#\": 1", "}}", RLK_LAUNCH_NAMES_MAX},
    {"{\"tables\": {", "\"a#\": 1", "}}", RLK_LAUNCH_NAMES_MAX},
    {"{\"uniforms\": {", "\"u#\": 1", "}}", RLK_LAUNCH_NAMES_MAX},
    {"{\"uniforms\": {\"u\": [", "1", "]}}", RLK_LAUNCH_NAMES_MAX},
    {"{\"inputs\": {\"a\": {\"values\": [", "1", "]}}}", RLK_LAUNCH_VALUES_MAX},
    {"{\"inputs\": {\"a\": {\"constant\": 1, \"shape\": [", "1", "]}}}", RLK_RANK_MAX},
    {"{\"partitionings\": [", "\"whole\"", "]}", RLK_LAUNCH_PARTITIONINGS_MAX},
    {"{\"partitionings\": [[", "[#, 1]", "]]}", RLK_LAUNCH_PARTITIONS_MAX},
};

Test(launch_reader, lists_end_at_their_bound) {
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    for (size_t more = 0; more < 2; ++more) {
      char* text = repeat(lists[i].before, lists[i].piece, lists[i].most + more, lists[i].after);
      read_t read;
      read_launch(&read, text);
      cr_expect_eq(read.complaints > 0, more > 0, "%s%s with %zu: %s", lists[i].before, lists[i].piece,
                   lists[i].most + more, read.what);
      forget(&read);
      free(text);
    }
  }
}

/* The last number that is taken, and the next. */
static const char* const edges[][2] = {
    {"{\"n\": 0}", "{\"n\": -1}"},
    {"{\"n\": 9223372036854775807}", "{\"n\": 9223372036854775808}"},
    {"{\"tile_samples\": 1}", "{\"tile_samples\": 0}"},
    {"{\"partitionings\": [1]}", "{\"partitionings\": [0]}"},
    {"{\"partitionings\": [65536]}", "{\"partitionings\": [65537]}"},
    {"{\"inputs\": {\"a\": {\"constant\": 1, \"shape\": [65536, 65536]}}}",
     "{\"inputs\": {\"a\": {\"constant\": 1, \"shape\": [65536, 65537]}}}"},
    {"{\"inputs\": {\"a\": {\"constant\": 1, \"shape\": [0, 4294967296]}}}",
     "{\"inputs\": {\"a\": {\"constant\": 1, \"shape\": [4294967296, 4294967296]}}}"},
    {"{\"gate\": {\"mode\": \"band\", \"ulp\": 9007199254740992}}",
     "{\"gate\": {\"mode\": \"band\", \"ulp\": 9007199254740993}}"},
    {"{\"gate\": {\"mode\": \"band\", \"atol\": 1.7976931348623157e308}}",
     "{\"gate\": {\"mode\": \"band\", \"atol\": 2e308}}"},
};

Test(launch_reader, numbers_end_at_their_bound) {
  for (size_t i = 0; i < sizeof edges / sizeof *edges; ++i) {
    read_t read;
    read_launch(&read, edges[i][0]);
    cr_expect_eq(read.complaints, 0, "%s: %s", edges[i][0], read.what);
    forget(&read);
    read_launch(&read, edges[i][1]);
    cr_expect_gt(read.complaints, 0, "%s passes", edges[i][1]);
    forget(&read);
  }
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

/* A list that does not fit into what the arena has at hand, so that more than one allocation can fail. */
Test(launch_reader, survives_every_allocation_failure) {
  char* text = repeat("{\"inputs\": {", "\"a#\": {\"values\": [1, \"0x1p1\"], \"shape\": [2]}", 4000,
                      "}, \"uniforms\": {\"u\": [1, 2]}}");
  for (uint64_t nth = 1;; ++nth) {
    read_t read = {.text = text};
    const rlk_node_t* root = parse(&read);
    const rlk_launch_reader_t reader = {&read.arena, &read, bad_value, unknown_key};
    rlk_fault_arm(nth, false);
    read.code = rlk_launch_read(&reader, root, &read.launch);
    const rlk_fault_t fault = rlk_fault_disarm();
    const rowlock_code_t due = fault.refused ? ROWLOCK_NO_MEMORY : ROWLOCK_OK;
    cr_expect_eq(read.code, due, "allocation %llu: %s", (unsigned long long)nth, rowlock_code_name(read.code));
    forget(&read);
    if (fault.refused) continue;
    cr_expect_gt(nth, 1);
    break;
  }
  free(text);
}
