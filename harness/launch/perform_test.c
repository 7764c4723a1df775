#define _GNU_SOURCE /* fmemopen, setenv, pread */
/* Requests that are written, read and performed: what is bound, what is reported, and what cannot be used. The
 * deployments are those of corpus/gate. */
#include "harness/launch/perform.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/gate/npy.h"
#include "harness/launch/request.h"
#include "harness/rows/scratch.h"
#include "validator/rules/fault.h"

#define DEPLOYMENTS "corpus/gate/deployments/"

static rlk_scratch_t scratch;

static void set_up(void) { rlk_scratch_create(&scratch); }

static void tear_down(void) { rlk_scratch_remove(&scratch); }

TestSuite(perform, .init = set_up, .fini = tear_down);

/* What came of a request. */
typedef struct outcome_t {
  rowlock_code_t code;
  rowlock_error_t err;
  json_object* report;
  char stages[1024]; /* one behind the other, each with a '.' */
} outcome_t;

static void tell(void* context, const char* stage, bool of_another) {
  (void)of_another;
  outcome_t* outcome = context;
  const size_t length = strlen(outcome->stages);
  snprintf(outcome->stages + length, sizeof outcome->stages - length, "%s.", stage);
}

/* Outputs go to `out_file`, -1: to none. */
static void perform_text(const char* text, size_t length, int out_file, outcome_t* out) {
  *out = (outcome_t){.err = {.message = ""}};
  FILE* file = fmemopen((void*)text, length, "r");
  cr_assert_not_null(file);
  out->code = rlk_request_perform(file, out_file, tell, out, &out->report, &out->err);
  fclose(file);
  cr_expect_eq(out->report != NULL, out->code == ROWLOCK_OK);
}

static void perform_into(const rlk_request_t* request, int out_file, outcome_t* out) {
  char* text;
  size_t length;
  cr_assert_eq(rlk_request_write(request, &text, &length, &out->err), ROWLOCK_OK, "%s", out->err.message);
  perform_text(text, length, out_file, out);
  free(text);
}

static void perform_request(const rlk_request_t* request, outcome_t* out) { perform_into(request, -1, out); }

static rlk_request_t request_of(const char* deployment, const char* launch) {
  static char document[128], folder[128];
  snprintf(document, sizeof document, DEPLOYMENTS "%s/manifest.json", deployment);
  snprintf(folder, sizeof folder, DEPLOYMENTS "%s", deployment);
  return (rlk_request_t){
      .document = document, .object_folder = folder, .launch = launch, .launch_length = strlen(launch)};
}

static void perform(const char* deployment, const char* launch, outcome_t* out) {
  const rlk_request_t request = request_of(deployment, launch);
  perform_request(&request, out);
}

static void expect_ok(outcome_t* outcome, const char* what) {
  cr_expect_eq(outcome->code, ROWLOCK_OK, "%s: %s", what, outcome->err.message);
  json_object_put(outcome->report);
}

static void expect_failure(outcome_t* outcome, rowlock_code_t code, const char* says) {
  cr_expect_str_eq(rowlock_code_name(outcome->code), rowlock_code_name(code), "%s", outcome->err.message);
  cr_expect_not_null(strstr(outcome->err.message, says), "'%s' is not in: %s", says, outcome->err.message);
  json_object_put(outcome->report);
}

#define SCALE(in, rest) "{\"inputs\": {\"in\": " in "}, \"uniforms\": {\"factor\": 2}" rest "}"
#define GOLDEN(out) ", \"compare\": [\"golden\"], \"golden\": {\"out\": {\"values\": " out "}}"

/* --- Devices ------------------------------------------------------------------------------------------------------ */

/* A launch of which nothing is run is no success. */
Test(perform, refuses_a_launch_on_a_device_that_names_none_of_its_structures) {
  setenv("ROWLOCK_CUDA_DRIVER", "loader/device/testdata/driver_double.so", 1);
  outcome_t outcome;
  rlk_request_t request = request_of("scale", SCALE("{\"values\": [1, 2, 3, 4, 5, 6], \"shape\": [2, 3]}",
                                                    ", \"structures\": [\"host_serial\", \"host_team\"]"));
  request.on_device = true;
  perform_request(&request, &outcome);
  expect_failure(&outcome, ROWLOCK_UNUSABLE, "the launch is on a device, and names none of its structures");
}

/* --- The report --------------------------------------------------------------------------------------------------- */

static json_object* get(json_object* object, const char* key) {
  json_object* value = NULL;
  cr_assert(json_object_object_get_ex(object, key, &value), "no '%s' in %s", key, json_object_to_json_string(object));
  return value;
}

static void expect_json(json_object* value, const char* due) {
  cr_expect_str_eq(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), due);
}

Test(perform, reports_each_run_and_each_output) {
  outcome_t outcome;
  perform("scale",
          SCALE("{\"values\": [1, 2, 3, 4, 5, 6], \"shape\": [2, 3]}",
                ", \"n\": 3, \"structures\": [\"host_serial\", \"host_team\"], \"tile_samples\": 1,"
                "\"partitionings\": [\"whole\", 3]"),
          &outcome);
  cr_assert_eq(outcome.code, ROWLOCK_OK, "%s", outcome.err.message);
  json_object* runs = get(outcome.report, "runs");
  cr_assert_eq(json_object_array_length(runs), 4);
  json_object* last = json_object_array_get_idx(runs, 3);
  expect_json(get(last, "structure"), "\"host_team\"");
  expect_json(get(last, "partitions"), "3");
  expect_json(get(last, "samples"), "3");
  expect_json(get(last, "calls"), "3");
  expect_json(get(outcome.report, "outputs"),
              "[{\"name\":\"out\",\"as\":\"vector\",\"dtype\":\"float64\",\"shape\":[2,3]}]");
  cr_expect_eq(json_object_get_string_len(get(outcome.report, "sha256")), 64);
  cr_expect_not(json_object_object_get_ex(outcome.report, "note", NULL));
  json_object_put(outcome.report);
  static const char first[] = "while loading.while binding.under host_serial, 3 partitions.after the run.";
  cr_expect_eq(strncmp(outcome.stages, first, sizeof first - 1), 0, "%s", outcome.stages);
  cr_expect_not_null(strstr(outcome.stages, ".under host_serial, samples 2 to 2 alone."), "%s", outcome.stages);
  cr_expect_not_null(strstr(outcome.stages, ".under host_team, 3 partitions."), "%s", outcome.stages);
  cr_expect_not_null(strstr(outcome.stages, ".while the process ended."), "%s", outcome.stages);
}

Test(perform, the_digest_is_of_what_was_computed) {
  static const char* const inputs[] = {"[1, 2]", "[1, 2]", "[1, 3]"};
  char digests[3][65];
  for (int i = 0; i < 3; ++i) {
    char launch[256];
    snprintf(launch, sizeof launch, SCALE("{\"values\": %s, \"shape\": [2, 1]}", ", \"n\": 1"), inputs[i]);
    outcome_t outcome;
    perform("scale", launch, &outcome);
    cr_assert_eq(outcome.code, ROWLOCK_OK, "%s", outcome.err.message);
    snprintf(digests[i], sizeof digests[i], "%s", json_object_get_string(get(outcome.report, "sha256")));
    json_object_put(outcome.report);
  }
  cr_expect_str_eq(digests[0], digests[1]);
  cr_expect_str_neq(digests[0], digests[2]);
}

/* The error is 1e-6: less than a thousandth of the band, or a little more. */
Test(perform, a_band_that_is_far_too_wide_is_noted) {
  static const struct {
    const char* atol;
    bool is_noted;
  } bands[] = {{"1", true}, {"0.002", true}, {"0.0005", false}};
  for (size_t i = 0; i < sizeof bands / sizeof *bands; ++i) {
    char launch[512];
    snprintf(launch, sizeof launch,
             SCALE("{\"values\": [1, 2], \"shape\": [2, 1]}",
                   ", \"n\": 1, \"gate\": {\"mode\": \"band\", \"atol\": %s}" GOLDEN("[2, 4.000001]")),
             bands[i].atol);
    outcome_t outcome;
    perform("scale", launch, &outcome);
    cr_assert_eq(outcome.code, ROWLOCK_OK, "%s", outcome.err.message);
    json_object* note;
    const bool is_noted = json_object_object_get_ex(outcome.report, "note", &note);
    cr_expect_eq(is_noted, bands[i].is_noted, "atol %s", bands[i].atol);
    if (is_noted) cr_expect_not_null(strstr(json_object_get_string(note), "far too wide for 'out'"));
    json_object_put(outcome.report);
  }
}

Test(perform, a_plan_calls_nothing) {
  static const char launch[] = "{\"n\": 3, \"inputs\": {\"once\": 1}}";
  rlk_request_t request = request_of("steady_abort", launch);
  request.plan_only = true;
  outcome_t outcome;
  perform_request(&request, &outcome);
  expect_ok(&outcome, "a plan");
  cr_expect_null(strstr(outcome.stages, "after the run"), "%s", outcome.stages);
}

/* --- Files and shapes --------------------------------------------------------------------------------------------- */

static const char* below(const char* name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", scratch.path, name);
  return path;
}

static void write_npy(const char* name, rlk_dtype_t dtype, bool fortran, uint32_t rank, const uint64_t* shape,
                      void* data) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < rank; ++i) count *= shape[i];
  rlk_array_t array = rlk_array_over(dtype, data, count);
  array.rank = rank;
  memcpy(array.shape, shape, rank * sizeof *shape);
  array.fortran = fortran;
  rowlock_error_t err;
  const int file = open(below(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  cr_assert_eq(rlk_npy_write(file, &array, &err), ROWLOCK_OK, "%s", err.message);
  close(file);
}

/* Performs a launch whose text has one %s: the path of the file. */
static void perform_with_file(const char* deployment, const char* format, const char* name, outcome_t* out) {
  char launch[1024];
  snprintf(launch, sizeof launch, format, below(name)); /* NOLINT: every format is a literal of this file */
  rlk_request_t request = request_of(deployment, launch);
  request.files_anywhere = true;
  perform_request(&request, out);
}

/* Both hold 1 2 3 in the first component and 4 5 6 in the second. */
Test(perform, a_file_in_fortran_order_is_the_same_array) {
  double rows[] = {1, 2, 3, 4, 5, 6}, columns[] = {1, 4, 2, 5, 3, 6};
  write_npy("c.npy", RLK_DTYPE_FLOAT64, false, 2, (uint64_t[]){2, 3}, rows);
  write_npy("f.npy", RLK_DTYPE_FLOAT64, true, 2, (uint64_t[]){2, 3}, columns);
  static const char* const names[] = {"c.npy", "f.npy"};
  for (int i = 0; i < 2; ++i) {
    outcome_t outcome;
    perform_with_file("scale", SCALE("\"%s\"", GOLDEN("[2, 4, 6, 8, 10, 12]") ", \"n\": 3"), names[i], &outcome);
    expect_ok(&outcome, names[i]);
  }
}

Test(perform, a_matrix_file_has_rows_columns_and_samples) {
  double rotation[] = {0, 1, -1, 0, 1, 0, 0, 1}, columns[] = {0, 1, -1, 0, 1, 0, 0, 1};
  for (int r = 0; r < 2; ++r) {
    for (int c = 0; c < 2; ++c) {
      for (int i = 0; i < 2; ++i) columns[r + 2 * c + 4 * i] = rotation[4 * r + 2 * c + i];
    }
  }
  write_npy("c.npy", RLK_DTYPE_FLOAT64, false, 3, (uint64_t[]){2, 2, 2}, rotation);
  write_npy("f.npy", RLK_DTYPE_FLOAT64, true, 3, (uint64_t[]){2, 2, 2}, columns);
  static const char* const names[] = {"c.npy", "f.npy"};
  for (int i = 0; i < 2; ++i) {
    outcome_t outcome;
    perform_with_file("turn",
                      "{\"n\": 2, \"inputs\": {\"rotation\": \"%s\", \"in\": {\"values\": [3, 5, 4, 6]}},"
                      "\"compare\": [\"golden\"], \"golden\": {\"out\": {\"values\": [-4, 5, 3, 6]}}}",
                      names[i], &outcome);
    expect_ok(&outcome, names[i]);
  }
}

Test(perform, a_file_that_does_not_fit_is_refused) {
  double numbers[6] = {0};
  write_npy("wide.npy", RLK_DTYPE_FLOAT64, false, 2, (uint64_t[]){3, 2}, numbers);
  write_npy("single.npy", RLK_DTYPE_FLOAT32, false, 2, (uint64_t[]){2, 3}, numbers);
  write_npy("short.npy", RLK_DTYPE_FLOAT64, false, 1, (uint64_t[]){5}, numbers);
  rlk_scratch_write(&scratch, "not.npy", "numbers");
  outcome_t outcome;
  perform_with_file("scale", SCALE("\"%s\"", ""), "wide.npy", &outcome);
  expect_failure(&outcome, ROWLOCK_REJECTED, "'in'");
  cr_expect_str_eq(outcome.err.rule_id, "bind.width");
  perform_with_file("scale", SCALE("\"%s\"", ""), "single.npy", &outcome);
  expect_failure(&outcome, ROWLOCK_REJECTED, "'in'");
  cr_expect_str_eq(outcome.err.rule_id, "bind.element-type");
  perform_with_file("scale", SCALE("{\"file\": \"%s\", \"shape\": [2, 3]}", ""), "short.npy", &outcome);
  expect_failure(&outcome, ROWLOCK_UNUSABLE, "the file of 'in' has 5 elements of float64, due: 6 of float64");
  perform_with_file("scale", SCALE("{\"file\": \"%s\", \"dtype\": \"float64\"}", ""), "single.npy", &outcome);
  expect_failure(&outcome, ROWLOCK_UNUSABLE, "the file of 'in' has 6 elements of float32, due: 6 of float64");
  perform_with_file("scale", SCALE("\"%s\"", ""), "not.npy", &outcome);
  expect_failure(&outcome, ROWLOCK_UNUSABLE, "of 'in': ");
  perform_with_file("scale", SCALE("\"%s\"", ""), "none.npy", &outcome);
  expect_failure(&outcome, ROWLOCK_UNUSABLE, "No such file");
}

Test(perform, a_file_stays_in_its_folder_unless_the_caller_says_otherwise) {
  static const char* const paths[] = {"/dev/null", "../scale/manifest.json", "a/../../b.npy"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    char launch[256];
    snprintf(launch, sizeof launch, SCALE("\"%s\"", ""), paths[i]);
    outcome_t outcome;
    perform("scale", launch, &outcome);
    expect_failure(&outcome, ROWLOCK_UNUSABLE, paths[i]);
    cr_expect_null(outcome.err.rule_id);
  }
}

Test(perform, a_size_that_nobody_says_is_asked_for) {
  outcome_t outcome;
  perform("scale", SCALE("1", ""), &outcome);
  expect_failure(&outcome, ROWLOCK_UNUSABLE, "say how large 'in' is: n, or a shape");
  perform("scale", SCALE("{\"constant\": 1, \"shape\": [2, 3]}", GOLDEN("[2, 2, 2, 2, 2, 2]")), &outcome);
  expect_ok(&outcome, "an output is as long as the input");
  perform("scale", SCALE("{\"values\": [1, 2, 3]}", ", \"n\": 2"), &outcome);
  expect_failure(&outcome, ROWLOCK_UNUSABLE, "'in': 3 values are given, the array has 4 elements");
}

Test(perform, outputs_are_written_one_after_the_other) {
  static const char launch[] = SCALE("{\"values\": [1, 2, 3, 4], \"shape\": [2, 2]}", ", \"n\": 2");
  const rlk_request_t request = request_of("scale", launch);
  const int file = open(below("outputs"), O_RDWR | O_CREAT, 0600);
  cr_assert_eq(write(file, "it stands elsewhere", 19), 19);
  outcome_t outcome;
  perform_into(&request, file, &outcome);
  expect_ok(&outcome, "a run");
  double numbers[5];
  cr_assert_eq(pread(file, numbers, sizeof numbers, 0), 4 * sizeof(double));
  for (int i = 0; i < 4; ++i) cr_expect_eq(numbers[i], 2 * (i + 1));
  close(file);
  perform_into(&request, file, &outcome);
  expect_failure(&outcome, ROWLOCK_UNUSABLE, "cannot write output 'out': ");
}

/* --- Golden arrays ------------------------------------------------------------------------------------------------ */

#define ENERGY(golden)                                                                                  \
  "{\"n\": 2, \"inputs\": {\"velocity\": 3}, \"gate\": {\"mode\": \"band\", \"ulp\": 1}, \"compare\": " \
  "[\"golden\"]," golden "}"

Test(perform, golden_arrays_cover_every_output_and_nothing_else) {
  static const struct {
    const char *launch, *says;
  } gaps[] = {
      {ENERGY("\"golden\": {\"energy\": 9}"), "'results' does not say what the folded output 'energy' is"},
      {ENERGY("\"results\": {\"energy\": 18}"), "'golden' does not say what output 'energy' is"},
      {ENERGY("\"golden\": {\"energy\": 9, \"velocity\": 3}, \"results\": {\"energy\": 18}"),
       "'velocity' is given in 'golden', but no enabled plugin writes it"},
      {ENERGY("\"golden\": {\"energy\": 9}, \"results\": {\"energy\": 18, \"velocity\": 3}"),
       "'velocity' is given in 'results', but no enabled plugin folds it"},
      {ENERGY("\"golden\": {\"energy\": {\"values\": [9]}}, \"results\": {\"energy\": 18}"),
       "'energy': 1 value is given, the array has 2 elements"},
  };
  outcome_t outcome;
  for (size_t i = 0; i < sizeof gaps / sizeof *gaps; ++i) {
    perform("energy", gaps[i].launch, &outcome);
    expect_failure(&outcome, ROWLOCK_UNUSABLE, gaps[i].says);
  }
  perform("energy", ENERGY("\"golden\": {\"energy\": 9}, \"results\": {\"energy\": 18}"), &outcome);
  expect_ok(&outcome, "all of them");
  perform("energy", ENERGY("\"golden\": {\"energy\": 9}, \"results\": {\"energy\": 17}"), &outcome);
  expect_failure(&outcome, ROWLOCK_REJECTED, "the folded value of 'energy' is not the golden array");
}

Test(perform, an_open_order_asks_for_a_band) {
  outcome_t outcome;
  perform("energy", "{\"n\": 2, \"inputs\": {\"velocity\": 3}, \"compare\": [\"oracle\"]}", &outcome);
  expect_failure(&outcome, ROWLOCK_UNUSABLE, "plugin 'energy' is mapreduce, which leaves the order");
  perform("energy", "{\"n\": 2, \"inputs\": {\"velocity\": 3}}", &outcome);
  expect_ok(&outcome, "compared with nothing");
}

/* --- The same plugins from other artifacts ------------------------------------------------------------------------ */

static void copy_file(const char* from, const char* folder, const char* name) {
  char path[512], bytes[65536];
  snprintf(path, sizeof path, "%s/%s", from, name);
  FILE* in = fopen(path, "rb");
  cr_assert_not_null(in, "%s", path);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* out = fopen(path, "wb");
  cr_assert_not_null(out, "%s", path);
  for (size_t length; (length = fread(bytes, 1, sizeof bytes, in)) > 0;)
    cr_assert_eq(fwrite(bytes, 1, length, out), length);
  fclose(in);
  cr_assert_eq(fclose(out), 0);
}

#define MANIFEST(entries)                                                                                          \
  "{\"schema_version\": 2, \"pattern\": \"pure\", \"aether_abi\": \"aether-abi/2\", \"exec_targets\": [\"host\"]," \
  " \"exec_access\": \"sample_local\", \"plugins\": [" entries "]}"
#define ENTRY(id, order, enabled, name)                                                        \
  "{\"id\": \"" id "\", \"order\": " order ", \"enabled\": " enabled ", \"artifact\": \"" name \
  ".ptx\","                                                                                    \
  " \"sidecar\": \"scale.sidecar.json\", \"format\": \"ptx\"}"

/* In the scratch folder, where scale.so is, and a copy of it as again.so. */
static void perform_rebuilt(const char* rebuilt, outcome_t* out) {
  char launch[512], document[512];
  snprintf(
      launch, sizeof launch,
      SCALE("{\"values\": [1, 2], \"shape\": [2, 1]}", ", \"n\": 1, \"rebuilt\": \"%s\", \"compare\": [\"rebuilt\"]"),
      rebuilt);
  snprintf(document, sizeof document, "%s", below("manifest.json"));
  const rlk_request_t request = {.document = document, .launch = launch, .launch_length = strlen(launch)};
  perform_request(&request, out);
}

static void write_rebuilt(void) {
  char object[512];
  snprintf(object, sizeof object, "%s", below("scale.so"));
  copy_file(DEPLOYMENTS "scale", scratch.path, "scale.sidecar.json");
  copy_file(DEPLOYMENTS "scale", scratch.path, "scale.so");
  cr_assert_eq(rename(object, below("again.so")), 0);
  copy_file(DEPLOYMENTS "scale", scratch.path, "scale.so");
  cr_assert_eq(link(object, below("linked.so")), 0);
  cr_assert_eq(symlink("manifest.json", below("link.json")), 0);
  rlk_scratch_write(&scratch, "manifest.json",
                    MANIFEST(ENTRY("scale", "0", "true", "scale") "," ENTRY("spare", "1", "false", "scale")));
}

/* What is compared with itself is the same whatever it computes. */
Test(perform, what_is_rebuilt_is_the_same_plugins_from_other_artifacts) {
  write_rebuilt();
  static const struct {
    const char *name, *text; /* without a text: it is there */
    const char* says;        /* NULL: it passes */
  } cases[] = {
      {"again.json", MANIFEST(ENTRY("scale", "0", "true", "again") "," ENTRY("spare", "1", "false", "scale")), NULL},
      {"missing.json", NULL, "cannot launch 'missing.json': No such file"},
      {"manifest.json", NULL,
       "'rebuilt' must name another document than the one that is launched, and 'manifest.json' is that one"},
      {"./link.json", NULL, "and './link.json' is that one"},
      {"copy.json", MANIFEST(ENTRY("scale", "0", "true", "scale") "," ENTRY("spare", "1", "false", "scale")),
       "nothing to compare with: copy.json: the same plugins from other artifacts are due: every plugin that runs is "
       "of "
       "the same file in both"},
      {"hard.json", MANIFEST(ENTRY("scale", "0", "true", "linked") "," ENTRY("spare", "1", "false", "scale")),
       "every plugin that runs is of the same file in both"},
      {"idle.json", MANIFEST(ENTRY("scale", "0", "true", "scale") "," ENTRY("spare", "1", "false", "again")),
       "every plugin that runs is of the same file in both"},
      {"fewer.json", MANIFEST(ENTRY("scale", "0", "true", "again")), "the launch has 2 and this document 1"},
      {"other.json", MANIFEST(ENTRY("scale", "0", "true", "again") "," ENTRY("other", "1", "false", "scale")),
       "number 2 is 'spare' in the launch and 'other' in this document"},
      {"order.json", MANIFEST(ENTRY("spare", "0", "false", "again") "," ENTRY("scale", "1", "true", "scale")),
       "number 1 is 'scale' in the launch and 'spare' in this document"},
      {"more.json", MANIFEST(ENTRY("scale", "0", "true", "again") "," ENTRY("spare", "1", "true", "scale")),
       "'spare' is enabled in one of the two alone"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (cases[i].text) rlk_scratch_write(&scratch, cases[i].name, cases[i].text);
    outcome_t outcome;
    perform_rebuilt(cases[i].name, &outcome);
    if (cases[i].says) {
      expect_failure(&outcome, ROWLOCK_UNUSABLE, cases[i].says);
    } else {
      expect_ok(&outcome, cases[i].name);
    }
  }
}

/* --- Requests ----------------------------------------------------------------------------------------------------- */

/* Paths are bytes, of any encoding and none. */
Test(perform, a_path_that_is_not_utf_8_arrives_as_it_is) {
  static const char* const names[] = {"\xFF\xFE", "a b\n\"\\", "\xC3", "\xC3\xA9\x01"};
  static const char* const files[] = {"manifest.json", "scale.sidecar.json", "scale.so"};
  static const char launch[] = SCALE("{\"values\": [1, 2], \"shape\": [2, 1]}", ", \"n\": 1" GOLDEN("[2, 4]"));
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    char folder[300], document[400];
    snprintf(folder, sizeof folder, "%s/%s", scratch.path, names[i]);
    snprintf(document, sizeof document, "%s/manifest.json", folder);
    cr_assert_eq(mkdir(folder, 0777), 0);
    for (int f = 0; f < 3; ++f) copy_file(DEPLOYMENTS "scale", folder, files[f]);
    const rlk_request_t request = {.document = document, .launch = launch, .launch_length = sizeof launch - 1};
    outcome_t outcome;
    perform_request(&request, &outcome);
    expect_ok(&outcome, document);
  }
}

Test(perform, what_is_no_request_is_unusable) {
  static const char* const requests[][2] = {
      {" ", "it is empty or blank"},
      {"{", "ends early"},
      {"[]", "names no document"},
      {"{}", "names no document"},
      {"{\"request\": {}, \"launch\": {}}", "names no document"},
      {"{\"request\": {\"document\": \"612\"}, \"launch\": {}}", "a path is malformed"},
      {"{\"request\": {\"document\": \"61zz\"}, \"launch\": {}}", "a path is malformed"},
      {"{\"request\": {\"document\": \"61\"}}", "the request has no launch"},
      {"{\"request\": {\"document\": \"61\"}, \"launch\": {\"n\": -1}}",
       "n must be a number of samples, 0 or more, not -1"},
      {"{\"request\": {\"document\": \"61\"}, \"launch\": {\"m\": 1}}", "unknown key 'm' (known: n, "},
      {"{\"request\": {\"document\": \"61\"}, \"launch\": []}", "launch must be an object, not []"},
  };
  for (size_t i = 0; i < sizeof requests / sizeof *requests; ++i) {
    outcome_t outcome;
    perform_text(requests[i][0], strlen(requests[i][0]), -1, &outcome);
    expect_failure(&outcome, ROWLOCK_UNUSABLE, requests[i][1]);
  }
}

/* --- Memory ------------------------------------------------------------------------------------------------------- */

Test(perform, writing_a_request_survives_every_allocation_failure) {
  const rlk_request_t request = request_of("scale", "{}");
  for (uint64_t nth = 1;; ++nth) {
    char* text;
    size_t length;
    rowlock_error_t err;
    rlk_fault_arm(nth, false);
    const rowlock_code_t code = rlk_request_write(&request, &text, &length, &err);
    const bool refused = rlk_fault_disarm().refused > 0;
    cr_expect_eq(code, refused ? ROWLOCK_NO_MEMORY : ROWLOCK_OK, "allocation %llu", (unsigned long long)nth);
    cr_expect_eq(text != NULL, !refused);
    free(text);
    if (refused) continue;
    cr_expect_gt(nth, 2);
    break;
  }
}

/* From reading the request to the report, twice run and compared: whatever is refused, the answer is that. */
Test(perform, a_launch_survives_every_allocation_failure) {
  static const char launch[] =
      SCALE("{\"values\": [1, 2, 3, 4, 5, 6], \"shape\": [2, 3]}",
            ", \"n\": 3, \"partitionings\": [\"whole\", 3], \"compare\": [\"golden\", \"oracle\", \"split\"],"
            "\"golden\": {\"out\": {\"values\": [2, 4, 6, 8, 10, 12]}}");
  const rlk_request_t request = request_of("scale", launch);
  char* text;
  size_t length;
  rowlock_error_t err;
  cr_assert_eq(rlk_request_write(&request, &text, &length, &err), ROWLOCK_OK, "%s", err.message);
  for (uint64_t nth = 1;; ++nth) {
    outcome_t outcome;
    rlk_fault_arm(nth, false);
    perform_text(text, length, -1, &outcome);
    const bool refused = rlk_fault_relent();
    json_object_put(outcome.report);
    const rlk_fault_t fault = rlk_fault_disarm();
    cr_expect_str_eq(rowlock_code_name(outcome.code), refused ? "NO_MEMORY" : "OK", "allocation %llu: %s",
                     (unsigned long long)nth, outcome.err.message);
    cr_expect_eq(fault.live, 0, "allocation %llu leaks %zu blocks", (unsigned long long)nth, fault.live);
    if (refused) continue;
    cr_expect_gt(nth, 30);
    break;
  }
  free(text);
}
