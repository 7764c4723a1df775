#define _GNU_SOURCE /* fmemopen */
/* A whole check, in process: what becomes of it when memory runs out anywhere. */
#include "harness/check/check.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <json-c/json.h>
#include <string.h>

#include "harness/check/scratch_folder.h"
#include "validator/rules/fault.h"

TestSuite(check, .init = rlk_scratch_enter, .fini = rlk_scratch_leave);

typedef struct complaints_t {
  int count;
  rowlock_code_t worst;
} complaints_t;

static void complain(void* context, rowlock_code_t code, const char* sentence) {
  complaints_t* complaints = context;
  ++complaints->count;
  if (code > complaints->worst) complaints->worst = code;
  cr_expect(gt(sz, strlen(sentence), 0));
}

/* Checks the folder with a report that is made here. -1: there was no memory for the report. */
static int check(rlk_check_report_t* (*create)(FILE*), FILE* out, complaints_t* complaints) {
  static char* const paths[] = {(char*)"set", (char*)"sound.ptx", (char*)"cut.ptx", (char*)"gone.json", NULL};
  rlk_check_report_t* report = create(out);
  if (!report) return -1;
  const rlk_check_options_t options = {.report = report, .complain = complain, .context = complaints};
  const int status = rlk_check_run(&options, paths);
  report->destroy(report);
  return status;
}

static void write_documents(void) {
  rlk_scratch_write("set/manifest.json", RLK_SCRATCH_MANIFEST("vector", RLK_SCRATCH_ENTRY("a", "a.json"), ""));
  rlk_scratch_write("set/a.json", RLK_SCRATCH_SIDECAR_WITH("float32"));
  rlk_scratch_write("set/b.sidecar.json", RLK_SCRATCH_SIDECAR_WITH("float16"));
  rlk_scratch_write("set/c.json", "{");
  rlk_scratch_write("sound.ptx", ".version 8.4\n.target sm_90\n.address_size 64\n.entry k(.param .u32 a) { }\n");
  rlk_scratch_write("cut.ptx", ".version 8.4\n.target sm_90\n.address_size 64\n.entry k(");
}

/* Of a JSON report: each document has all that a document has, or an error in its place. */
static void expect_whole_documents(json_object* value, uint64_t nth) {
  static const char* const keys[] = {"path", "kind", "verdict", "doors", "reasons", "findings", "findings_dropped"};
  json_object *documents, *error;
  if (!json_object_object_get_ex(value, "documents", &documents)) return; /* SARIF */
  for (size_t i = 0; i < json_object_array_length(documents); ++i) {
    json_object* document = json_object_array_get_idx(documents, i);
    if (json_object_object_get_ex(document, "error", &error)) continue;
    for (size_t key = 0; key < sizeof keys / sizeof *keys; ++key) {
      cr_assert(json_object_object_get_ex(document, keys[key], NULL), "allocation %d: document %d without %s", (int)nth,
                (int)i, keys[key]);
    }
    json_object* findings = json_object_object_get(document, "findings");
    for (size_t j = 0; j < json_object_array_length(findings); ++j) {
      cr_assert(eq(int, json_object_object_length(json_object_array_get_idx(findings, j)), 11), "allocation %d",
                (int)nth);
    }
  }
}

/* Every `stride`-th output must be whole JSON, whatever was refused; 0: it is not JSON. */
static void survive_every_allocation_failure(rlk_check_report_t* (*create)(FILE*), uint64_t stride, uint64_t least) {
  static char text[1 << 20];
  FILE* out = fmemopen(text, sizeof text, "w");
  cr_assert(out != NULL);
  write_documents();
  uint64_t refused = 0;
  for (uint64_t nth = 1;; ++nth) {
    complaints_t complaints = {0};
    rewind(out);
    rlk_fault_arm(nth, false);
    const int status = check(create, out, &complaints);
    const rlk_fault_t fault = rlk_fault_disarm();
    cr_assert(eq(int, fflush(out), 0));
    cr_assert(eq(sz, fault.live, 0), "allocation %d", (int)nth);
    if (fault.refused == 0) {
      cr_expect(eq(int, status, rowlock_code_exit_status(ROWLOCK_UNUSABLE)));
      cr_expect(eq(int, complaints.count, 1));
      break;
    }
    ++refused;
    if (status == -1) continue;
    cr_assert(eq(int, status, rowlock_code_exit_status(ROWLOCK_NO_MEMORY)), "allocation %d", (int)nth);
    cr_assert(eq(int, complaints.worst, ROWLOCK_NO_MEMORY), "allocation %d", (int)nth);
    if (stride == 0 || nth % stride != 0 || ftell(out) == 0) continue; /* 0: it did not begin */
    json_object* value = json_tokener_parse(text);
    cr_assert(value != NULL, "allocation %d left '%.200s'", (int)nth, text);
    expect_whole_documents(value, nth);
    json_object_put(value);
  }
  cr_expect(gt(u64, refused, least), "%d refused", (int)refused);
  fclose(out);
}

Test(check, text_survives_every_allocation_failure) {
  survive_every_allocation_failure(rlk_check_text_report_create, 0, 10);
}

Test(check, json_survives_every_allocation_failure) {
  survive_every_allocation_failure(rlk_check_json_report_create, 1, 100);
}

Test(check, sarif_survives_every_allocation_failure) {
  survive_every_allocation_failure(rlk_check_sarif_report_create, 20, 300);
}
