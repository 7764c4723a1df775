#define _GNU_SOURCE /* access, symlink */
/* Every way in which a corpus can be malformed, by its defect; and what a sound row says. */
#include "harness/rows/corpus.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/rows/lock.h"
#include "harness/rows/scratch.h"

static rlk_scratch_t scratch;
static rlk_corpus_t corpus;
static rlk_lock_t lock;
static rlk_defects_t defects;

static void set_up(void) { rlk_scratch_create(&scratch); }

static void forget(void) {
  rlk_lock_deinit(&lock);
  rlk_corpus_deinit(&corpus);
  rlk_defects_deinit(&defects);
}

static void tear_down(void) {
  forget();
  rlk_scratch_remove(&scratch);
}

static void ignore(void* context, rlk_divergence_t divergence, const rlk_row_t* row, const rlk_lock_entry_t* entry) {
  (void)row, (void)entry;
  if (context) *(rlk_divergence_t*)context = divergence;
}

/* Loads the scratch folder as a corpus, its lock included. */
static void load(void) {
  forget();
  char* const paths[] = {scratch.path};
  rowlock_error_t err;
  cr_assert_eq(rlk_corpus_load(&corpus, paths, 1, &defects), ROWLOCK_OK);
  if (!corpus.lock_path || rlk_defects_any(&defects)) return;
  cr_assert_eq(rlk_lock_read(corpus.lock_path, &corpus.arena, &lock, &defects), ROWLOCK_OK);
  if (rlk_defects_any(&defects)) return;
  cr_assert_eq(rlk_lock_compare(&corpus, &lock, &defects, ignore, NULL, &err), ROWLOCK_OK, "%s", err.message);
}

static const char accept_row[] =
    "{\"row\":1,\"title\":\"t\",\"level\":\"sidecar\",\"expect\":\"accept\",\"error_substring\":null,"
    "\"loaders\":[\"shared_validator\"],\"overrides\":{},\"why\":[\"w\"]}";

/* A row's text with one key's value replaced, or a key added before the end. */
#define ROW(expect, loaders, rest)                                                              \
  "{\"row\":2,\"title\":\"t\",\"level\":\"sidecar\",\"expect\":" expect ",\"loaders\":" loaders \
  ",\"why\":[\"w\"]" rest "}"
#define WHY(why)                                                                                               \
  "{\"row\":2,\"title\":\"t\",\"level\":\"sidecar\",\"expect\":\"accept\",\"loaders\":[\"shared_validator\"]," \
  "\"why\":" why "}"
#define ACCEPT(rest) ROW("\"accept\"", "[\"shared_validator\"]", rest)
#define REJECT(rest) ROW("\"reject\"", "[\"shared_validator\"]", rest)
#define LAUNCHED_BY(loaders, rest)                                                       \
  "{\"row\":2,\"title\":\"t\",\"level\":\"gate\",\"expect\":\"accept\",\"why\":[\"w\"]," \
  "\"loaders\":" loaders rest "}"
#define LAUNCHED(rest) LAUNCHED_BY("[\"host_launch\"]", rest)
#define EXACT ",\"launch\":{\"compare\":[\"oracle\"]}"
#define ACCUMULATES "{\"arg_spec\":[[\"uniform\",\"x\"],[\"accum_out\",\"y\"]]}"

TestSuite(corpus, .init = set_up, .fini = tear_down);

/* Files that make a corpus malformed beside the sound row 1; the defect, and a word of what is said. */
typedef struct malformed_t {
  rlk_defect_t defect;
  const char* files[3][2];
  const char* says;
} malformed_t;

#define NAMED(row) \
  {"row2_b.expect.json", row}, { "deployments/b/manifest.json", "{}" }
#define PAIR(row) \
  {"row2_b.expect.json", row}, { "row2_b.sidecar.json", "{}" }

static const malformed_t malformed[] = {
    {RLK_DEFECT_ROW_NOT_JSON, {PAIR("{\"row\":2,}")}, "'}' where a key"},
    {RLK_DEFECT_ROW_NOT_JSON, {PAIR("{\"row\":2,\"row\":2}")}, "duplicate key 'row'"},
    {RLK_DEFECT_ROW_VALUE, {PAIR("[]")}, "the row must be an object"},
    {RLK_DEFECT_ROW_KEY_MISSING,
     {PAIR("{\"row\":2,\"title\":\"t\",\"level\":\"sidecar\",\"expect\":\"accept\",\"why\":[\"w\"]}")},
     "'loaders'"},
    {RLK_DEFECT_ROW_KEY_UNKNOWN, {PAIR(ACCEPT(",\"expct\":1"))}, "unknown key 'expct'"},
    {RLK_DEFECT_ROW_KEY_UNKNOWN, {PAIR(ACCEPT(",\"limits\":{\"width\":1}"))}, "unknown key 'width'"},
    {RLK_DEFECT_ROW_KEY_UNKNOWN, {PAIR(ACCEPT(",\"overrides\":{\"shared_validator\":{\"x\":1}}"))}, "unknown key 'x'"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(ROW("\"maybe\"", "[\"shared_validator\"]", ""))}, "one of accept, reject"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(ACCEPT(",\"schema\":\"yes\""))}, "one of accept, reject, absent"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(ACCEPT(",\"limits\":{\"depth\":0}"))}, "a positive integer"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(ACCEPT(",\"overrides\":[]"))}, "an object"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(ACCEPT(",\"twin\":\"\""))}, "a non-empty string"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(ACCEPT(",\"twin\":\"a\\u0000b\""))}, "a string without a NUL"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(ACCEPT(",\"order\":[\"json.utf8\"]"))}, "two rule ids"},
    {RLK_DEFECT_ROW_NUMBER_DISAGREES,
     {{"row3_b.expect.json", ACCEPT("")}, {"row3_b.sidecar.json", "{}"}},
     "row is 2, the file's name says 3"},
    {RLK_DEFECT_ROW_STEM, {{"row2-b.expect.json", ACCEPT("")}}, "row2-b"},
    {RLK_DEFECT_ROW_STEM, {{"row2_B.expect.json", ACCEPT("")}}, "row2_B"},
    {RLK_DEFECT_ROW_STEM, {{"row1000000_b.expect.json", ACCEPT("")}}, "row1000000_b"},
    {RLK_DEFECT_ROW_NUMBER_REPEATED, {{"b/row1_b.expect.json", accept_row}, {"b/row1_b.sidecar.json", "{}"}}, "row 1 "},
    {RLK_DEFECT_ROW_FIXTURE_MISSING, {{"row2_b.expect.json", ACCEPT("")}}, "row2_b.sidecar.json"},
    {RLK_DEFECT_ROW_FIXTURE_TWICE, {PAIR(ACCEPT("")), {"row2_b/sidecar.json", "{}"}}, "row2_b/sidecar.json"},
    {RLK_DEFECT_ROW_FIXTURE_TWICE, {PAIR(ACCEPT("")), {"row2_b.manifest.json", "{}"}}, "row2_b.manifest.json"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(WHY("[]"))}, "why must be a list of at least one line"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(WHY("\"w\""))}, "why must be a list of at least one line"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(WHY("[\"w\",\"\"]"))}, "a line of why"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(WHY("[\" \\t\"]"))}, "a line of why"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(WHY("[1]"))}, "a line of why"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(ACCEPT(",\"limits\":{}"))}, "an object with a limit"},
    {RLK_DEFECT_ROW_VALUE, {PAIR(ACCEPT(",\"overrides\":{\"shared_validator\":{}}"))}, "says something"},
    {RLK_DEFECT_ROW_FIXTURE_UNPAIRED, {{"row2_b.sidecar.json", "{}"}}, "row2_b.expect.json"},
    {RLK_DEFECT_ROW_FIXTURE_UNPAIRED, {{"misnamed.manifest.json", "{}"}}, "misnamed.expect.json"},
    {RLK_DEFECT_ROW_FIXTURE_UNPAIRED, {{"row2_b/manifest.json", "{}"}}, "row2_b.expect.json"},
    {RLK_DEFECT_ROW_LOADERS_EMPTY, {PAIR(ROW("\"accept\"", "[]", ""))}, "names no loader"},
    {RLK_DEFECT_ROW_LOADER_REPEATED, {PAIR(ROW("\"accept\"", "[\"a\",\"a\"]", ""))}, "'a' is named twice"},
    {RLK_DEFECT_ROW_LOADER_LEVEL, {PAIR(ROW("\"accept\"", "[\"py_load_manifest\"]", ""))}, "level sidecar"},
    {RLK_DEFECT_ROW_OVERRIDE_UNLISTED,
     {PAIR(ACCEPT(",\"overrides\":{\"vector_host\":{\"expect\":\"accept\"}}"))},
     "'vector_host'"},
    {RLK_DEFECT_ROW_SUBSTRING_MISSING, {PAIR(REJECT(""))}, "in the row"},
    {RLK_DEFECT_ROW_SUBSTRING_MISSING, {PAIR(REJECT(",\"error_substring\":null"))}, "in the row"},
    {RLK_DEFECT_ROW_SUBSTRING_MISSING,
     {PAIR(ACCEPT(",\"overrides\":{\"shared_validator\":{\"expect\":\"reject\"}}"))},
     "in an override"},
    {RLK_DEFECT_ROW_SUBSTRING_UNUSED, {PAIR(ACCEPT(",\"error_substring\":\"x\""))}, "in the row"},
    {RLK_DEFECT_ROW_RULE_UNKNOWN, {PAIR(REJECT(",\"error_substring\":\"x\",\"rule\":\"no.rule\""))}, "no.rule"},
    {RLK_DEFECT_ROW_RULE_UNUSED, {PAIR(ACCEPT(",\"rule\":\"json.utf8\""))}, "in the row"},
    {RLK_DEFECT_ROW_TWIN_UNKNOWN, {PAIR(REJECT(",\"error_substring\":\"x\",\"twin\":\"row9_x\""))}, "row9_x"},
    {RLK_DEFECT_ROW_TWIN_NOT_ACCEPTED, {PAIR(REJECT(",\"error_substring\":\"x\",\"twin\":\"row2_b\""))}, "row2_b"},
    {RLK_DEFECT_ROW_ORDER,
     {PAIR(REJECT(",\"error_substring\":\"x\",\"rule\":\"json.utf8\",\"order\":[\"json.depth\",\"json.utf8\"]"))},
     "two rules"},
    {RLK_DEFECT_ROW_NUMBER_RETIRED, {PAIR(ACCEPT("")), {"rows.lock", "2 retired row2_old\n"}}, "row2_old"},
    {RLK_DEFECT_ROW_NUMBER_RENAMED,
     {PAIR(ACCEPT("")), {"rows.lock", "2 row2_old 0000000000000000000000000000000000000000000000000000000000000000\n"}},
     "row2_old"},
    {RLK_DEFECT_LOCK_MALFORMED, {{"rows.lock", "2 row2_old\n"}}, "rows.lock:1:1"},
    {RLK_DEFECT_LOCK_MALFORMED, {{"rows.lock", "# c\n3 row2_old 00\n"}}, "rows.lock:2:1"},
    {RLK_DEFECT_LOCK_MALFORMED, {{"rows.lock", "2 row2_old zz\n"}}, "hexadecimal"},
    {RLK_DEFECT_LOCK_MALFORMED,
     {{"rows.lock", "2 retired row2_a\n# c\n2 retired row2_b\n"}},
     "rows.lock:3:1: row 2 stands in line 1 already"},
    {RLK_DEFECT_LOCK_MALFORMED,
     {{"rows.lock", "# c\r\n1 retired row1_a\r\n"}},
     "rows.lock:1:1: its lines end in CR LF"},
    {RLK_DEFECT_ROW_KEY_MISSING, {NAMED(LAUNCHED(",\"deployment\":\"b\""))}, "'launch'"},
    {RLK_DEFECT_ROW_KEY_LEVEL, {PAIR(ACCEPT(EXACT))}, "'launch' does not belong to rows of level sidecar"},
    {RLK_DEFECT_ROW_KEY_LEVEL, {PAIR(ACCEPT(",\"deployment\":\"b\""))}, "'deployment' does not belong"},
    {RLK_DEFECT_ROW_RUNS_NOTHING,
     {NAMED(LAUNCHED_BY("[\"host_launch\",\"device_launch\"]", ",\"deployment\":\"b\"" EXACT))},
     "'device_launch' runs none of the launch's structures: give it device_kernel"},
    {RLK_DEFECT_ROW_KEY_LEVEL,
     {PAIR(ACCEPT(",\"limits\":{\"time_ms\":1}"))},
     "'limits.time_ms' does not belong to rows of level sidecar"},
    {RLK_DEFECT_ROW_KEY_LEVEL,
     {NAMED(LAUNCHED(",\"deployment\":\"b\",\"limits\":{\"entries\":2}" EXACT))},
     "'limits.entries' does not belong to rows of level gate"},
    {RLK_DEFECT_ROW_KEY_UNKNOWN,
     {NAMED(LAUNCHED(",\"deployment\":\"b\",\"limits\":{\"width\":2}" EXACT))},
     "unknown key 'width' (known: time_ms, memory_mib)"},
    {RLK_DEFECT_ROW_COMPARES_NOTHING, {NAMED(LAUNCHED(",\"deployment\":\"b\",\"launch\":{}"))}, "give it a 'compare'"},
    {RLK_DEFECT_ROW_DEPLOYMENT_UNUSED,
     {NAMED(LAUNCHED(EXACT)), {"row2_b.manifest.json", "{}"}},
     "deployment 'deployments/b'"},
    {RLK_DEFECT_ROW_DEPLOYMENT_UNUSED,
     {NAMED(LAUNCHED(",\"deployment\":\"b\"" EXACT)), {"deployments/c/sidecar.json", "{}"}},
     "deployment 'deployments/c'"},
    {RLK_DEFECT_ROW_FIXTURE_MISSING, {NAMED(LAUNCHED(",\"deployment\":\"c\"" EXACT))}, "deployments/c/manifest.json"},
    {RLK_DEFECT_ROW_VALUE, {NAMED(LAUNCHED(",\"deployment\":\"../b\"" EXACT))}, "snake_case name"},
    {RLK_DEFECT_ROW_VALUE, {NAMED(LAUNCHED(",\"deployment\":\"b/c\"" EXACT))}, "snake_case name"},
    {RLK_DEFECT_ROW_VALUE, {NAMED(LAUNCHED(",\"deployment\":\"B\"" EXACT))}, "snake_case name"},
    {RLK_DEFECT_ROW_VALUE, {NAMED(LAUNCHED(",\"deployment\":\".\"" EXACT))}, "snake_case name"},
    {RLK_DEFECT_ROW_VALUE, {NAMED(LAUNCHED(",\"deployment\":\"\"" EXACT))}, "a non-empty string"},
    {RLK_DEFECT_ROW_VALUE, {NAMED(LAUNCHED(",\"deployment\":[\"b\"]" EXACT))}, "a non-empty string"},
    {RLK_DEFECT_ROW_VALUE, {NAMED(LAUNCHED(",\"deployment\":\"b\",\"launch\":{\"n\":-1}"))}, "0 or more"},
    {RLK_DEFECT_ROW_KEY_UNKNOWN, {NAMED(LAUNCHED(",\"deployment\":\"b\",\"launch\":{\"m\":1}"))}, "unknown key 'm'"},
    {RLK_DEFECT_ROW_GATE_CONTRACT,
     {{"row2_b.expect.json", LAUNCHED(EXACT)}, {"row2_b.manifest.json", "{\"exec_access\":\"mapreduce\"}"}},
     "mapreduce leaves the order"},
    {RLK_DEFECT_ROW_GATE_CONTRACT,
     {{"row2_b.expect.json", LAUNCHED(EXACT)}, {"row2_b.sidecar.json", ACCUMULATES}},
     "accum_out leaves the order"},
    {RLK_DEFECT_ROW_GATE_CONTRACT,
     {{"row2_b.expect.json", LAUNCHED(EXACT)},
      {"row2_b/manifest.json", "{\"plugins\":[{\"sidecar\":\"b/c.json\"}]}"},
      {"row2_b/b/c.json", ACCUMULATES}},
     "accum_out leaves the order"},
    {RLK_DEFECT_ROW_FIXTURE_NAMED, {{NULL, NULL}}, "name the row"},
    {RLK_DEFECT_ROW_LINK, {{NULL, NULL}}, "leaves"},
    {RLK_DEFECT_ROW_UNREADABLE, {{"row2_b.expect.json/x", ""}, {"row2_b.sidecar.json", "{}"}}, "folder"},
    {RLK_DEFECT_CORPUS_UNREADABLE, {{NULL, NULL}}, "No such file"},
    {RLK_DEFECT_CORPUS_EMPTY, {{NULL, NULL}}, "no rows"},
};
enum { MALFORMED_COUNT = sizeof malformed / sizeof *malformed };

static void write_sound_row(void) {
  rlk_scratch_write(&scratch, "row1_a.expect.json", accept_row);
  rlk_scratch_write(&scratch, "row1_a.sidecar.json", "{}");
}

static void expect_defect(const malformed_t* expected) {
  for (size_t i = 0; i < defects.count; ++i) {
    if (defects.records[i].defect == expected->defect && strstr(defects.records[i].text, expected->says)) return;
  }
  cr_expect_fail("%s saying '%s' was not reported, but: %s", rlk_defect_id(expected->defect), expected->says,
                 defects.count > 0 ? defects.records[0].text : "nothing");
}

Test(corpus, every_malformation_is_named) {
  for (int i = 0; i < MALFORMED_COUNT; ++i) {
    if (!malformed[i].files[0][0] || malformed[i].defect == RLK_DEFECT_ROW_UNREADABLE) continue;
    rlk_scratch_t outer = scratch;
    rlk_scratch_create(&scratch);
    write_sound_row();
    for (int f = 0; f < 3 && malformed[i].files[f][0]; ++f) {
      rlk_scratch_write(&scratch, malformed[i].files[f][0], malformed[i].files[f][1]);
    }
    load();
    expect_defect(&malformed[i]);
    rlk_scratch_remove(&scratch);
    scratch = outer;
  }
}

/* A band may be asked of what bit_exact may not, and bit_exact of everything else. */
Test(corpus, the_gate_goes_with_the_contract) {
  rlk_scratch_write(&scratch, "row2_b.expect.json",
                    LAUNCHED(",\"launch\":{\"gate\":{\"mode\":\"band\",\"ulp\":1},\"compare\":[\"oracle\"]}"));
  rlk_scratch_write(&scratch, "row2_b.manifest.json",
                    "{\"exec_access\":\"mapreduce\",\"plugins\":[{\"sidecar\":\"c.json\"}]}");
  rlk_scratch_write(&scratch, "c.json", ACCUMULATES);
  load();
  cr_expect_eq(defects.count, 0, "%s", defects.count > 0 ? defects.records[0].text : "");
  rlk_scratch_write(&scratch, "row2_b.expect.json", LAUNCHED(EXACT));
  rlk_scratch_write(&scratch, "row2_b.manifest.json", "{\"exec_access\":\"sample_local\"}");
  load();
  cr_expect_eq(defects.count, 0, "%s", defects.count > 0 ? defects.records[0].text : "");
}

Test(corpus, an_empty_folder_and_a_missing_one_are_malformed) {
  load();
  cr_assert_eq(defects.count, 1);
  cr_expect_eq(defects.records[0].defect, RLK_DEFECT_CORPUS_EMPTY);
  forget();
  char* const paths[] = {"no/such/folder"};
  cr_assert_eq(rlk_corpus_load(&corpus, paths, 1, &defects), ROWLOCK_OK);
  cr_assert_eq(defects.count, 1);
  cr_expect_eq(defects.records[0].defect, RLK_DEFECT_CORPUS_UNREADABLE);
}

Test(corpus, a_row_that_cannot_be_read_is_malformed) {
  rlk_row_t row;
  rlk_arena_t arena = {0};
  char path[512];
  snprintf(path, sizeof path, "%s/row2_b.expect.json", scratch.path);
  cr_assert_eq(rlk_row_read(path, &arena, &defects, &row), ROWLOCK_OK);
  cr_assert_eq(defects.count, 1);
  cr_expect_eq(defects.records[0].defect, RLK_DEFECT_ROW_UNREADABLE);
  rlk_arena_deinit(&arena);
}

/* Loads one path below the scratch folder. */
static void load_path(const char* name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", scratch.path, name);
  char* const paths[] = {path};
  forget();
  cr_assert_eq(rlk_corpus_load(&corpus, paths, 1, &defects), ROWLOCK_OK);
}

static void expect_only_defect(rlk_defect_t defect, const char* says) {
  cr_assert_eq(defects.count, 1, "%zu defects", defects.count);
  cr_expect_eq(defects.records[0].defect, defect, "%s", defects.records[0].text);
  cr_expect_not_null(strstr(defects.records[0].text, says), "%s", defects.records[0].text);
}

Test(corpus, a_fixture_that_is_named_points_to_its_row) {
  write_sound_row();
  rlk_scratch_write(&scratch, "row2_b.expect.json", ACCEPT(""));
  rlk_scratch_write(&scratch, "row2_b/sidecar.json", "{}");
  load_path("row1_a.sidecar.json");
  expect_only_defect(RLK_DEFECT_ROW_FIXTURE_NAMED, "/row1_a.expect.json'");
  load_path("row2_b/sidecar.json");
  expect_only_defect(RLK_DEFECT_ROW_FIXTURE_NAMED, "/row2_b.expect.json'");
  rlk_scratch_write(&scratch, "drag.sidecar.json", "{}");
  load_path("drag.sidecar.json");
  expect_only_defect(RLK_DEFECT_ROW_STEM, "'drag.sidecar.json'");
}

/* --- Links -------------------------------------------------------------------------------------------------------- */

static void make_link(const char* target, const char* name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", scratch.path, name);
  cr_assert_eq(symlink(target, path), 0, "%s", path);
}

Test(corpus, a_link_to_a_folder_is_not_followed) {
  write_sound_row();
  rlk_scratch_write(&scratch, "family/row2_b.expect.json", ACCEPT(""));
  rlk_scratch_write(&scratch, "family/row2_b.sidecar.json", "{}");
  make_link("family", "other");
  make_link(".", "bazel-out");
  make_link("..", "family/up");
  load();
  cr_assert_not(rlk_defects_any(&defects), "%s", defects.count > 0 ? defects.records[0].text : "");
  cr_expect_eq(corpus.count, 2);
}

Test(corpus, a_row_and_its_links_may_lead_to_its_own_files) {
  rlk_scratch_write(&scratch, "row2_b.expect.json", ACCEPT(""));
  rlk_scratch_write(&scratch, "row2_b/real.json", "{}");
  rlk_scratch_write(&scratch, "row2_b.companion", "x");
  make_link("real.json", "row2_b/sidecar.json");
  make_link("../row2_b.companion", "row2_b/beside.ptx");
  make_link("nowhere", "row2_b/dangling.ptx");
  load();
  cr_assert_not(rlk_defects_any(&defects), "%s", defects.count > 0 ? defects.records[0].text : "");
}

Test(corpus, a_link_that_leaves_a_rows_files_is_malformed) {
  static const char* const targets[] = {"/etc/passwd", "../row1_a.sidecar.json", "../../x", "../other/x",
                                        "/proc/self/fd/0"};
  write_sound_row();
  rlk_scratch_write(&scratch, "row2_b.expect.json", ACCEPT(""));
  rlk_scratch_write(&scratch, "row2_b/sidecar.json", "{}");
  rlk_scratch_write(&scratch, "other/x", "{}");
  for (size_t i = 0; i < sizeof targets / sizeof *targets; ++i) {
    make_link(targets[i], "row2_b/drift.ptx");
    char path[512];
    snprintf(path, sizeof path, "%s/row2_b/drift.ptx", scratch.path);
    const bool leads_somewhere = access(path, F_OK) == 0;
    load();
    if (leads_somewhere)
      expect_only_defect(RLK_DEFECT_ROW_LINK, "row2_b/drift.ptx: the link leaves the row's own files");
    rlk_scratch_delete(&scratch, "row2_b/drift.ptx");
  }
  make_link("row1_a.sidecar.json", "row2_b.other");
  load();
  expect_only_defect(RLK_DEFECT_ROW_LINK, "leaves");
}

Test(corpus, a_fixture_that_is_a_link_to_a_folder_is_malformed) {
  rlk_scratch_write(&scratch, "row2_b.expect.json", ACCEPT(""));
  rlk_scratch_write(&scratch, "elsewhere/sidecar.json", "{}");
  make_link("elsewhere", "row2_b");
  load();
  expect_only_defect(RLK_DEFECT_ROW_LINK, "/row2_b/: the link leads to a folder");
}

Test(corpus, a_link_of_a_shared_deployment_is_told_once) {
  rlk_scratch_write(&scratch, "deployments/drag/manifest.json", "{}");
  rlk_scratch_write(&scratch, "deployments/drag/real.json", "{}");
  rlk_scratch_write(&scratch, "deployments/other.json", "{}");
  for (int number = 1; number < 4; ++number) {
    char name[64], row[512];
    snprintf(name, sizeof name, "row%d_a.expect.json", number);
    snprintf(row, sizeof row,
             "{\"row\":%d,\"title\":\"t\",\"level\":\"placement\",\"expect\":\"accept\",\"loaders\":[\"host_launch\"],"
             "\"why\":[\"w\"],\"deployment\":\"drag\",\"launch\":{}}",
             number);
    rlk_scratch_write(&scratch, name, row);
  }
  make_link("real.json", "deployments/drag/inside.json");
  load_path("row1_a.expect.json");
  cr_assert_not(rlk_defects_any(&defects), "%s", defects.count > 0 ? defects.records[0].text : "");
  make_link("../other.json", "deployments/drag/outside.json");
  load();
  size_t told = 0;
  for (size_t i = 0; i < defects.count; ++i) told += defects.records[i].defect == RLK_DEFECT_ROW_LINK;
  cr_expect_eq(told, 1, "%zu", told);
  load_path("row1_a.expect.json");
  expect_only_defect(RLK_DEFECT_ROW_LINK, "deployments/drag/outside.json: the link leaves");
}

/* As a build tool lays out the files of a test: every one a link, to a source or to what was built. */
Test(corpus, a_tree_of_links_is_sound) {
  rlk_scratch_write(&scratch, "src/row2_b.expect.json", ACCEPT(""));
  rlk_scratch_write(&scratch, "src/row2_b/sidecar.json", "{}");
  rlk_scratch_write(&scratch, "built/row2_b/drift.so", "x");
  rlk_scratch_write(&scratch, "run/row2_b/.keep", "");
  make_link("../src/row2_b.expect.json", "run/row2_b.expect.json");
  make_link("../../src/row2_b/sidecar.json", "run/row2_b/sidecar.json");
  make_link("../../built/row2_b/drift.so", "run/row2_b/drift.so");
  load_path("run");
  cr_assert_not(rlk_defects_any(&defects), "%s", defects.count > 0 ? defects.records[0].text : "");
  make_link("/etc/passwd", "run/row2_b/other.so");
  load_path("run");
  expect_only_defect(RLK_DEFECT_ROW_LINK, "other.so");
}

Test(corpus, every_defect_has_a_case) {
  for (int defect = 0; defect < RLK_DEFECT_COUNT; ++defect) {
    bool found = false;
    for (int i = 0; i < MALFORMED_COUNT; ++i) found |= malformed[i].defect == (rlk_defect_t)defect;
    cr_expect(found, "%s", rlk_defect_id((rlk_defect_t)defect));
  }
}

Test(corpus, the_plugin_formats_own_rows_are_sound) {
  write_sound_row();
  rlk_scratch_write(
      &scratch, "row02_b.expect.json",
      "{\"row\":2,\"title\":\"t\",\"level\":\"manifest\",\"expect\":\"reject\",\"error_substring\":\"x\","
      "\"loaders\":[\"cpp_load_manifest\",\"py_load_manifest\",\"another\"],\"overrides\":"
      "{\"py_load_manifest\":{\"error_substring\":\"y\"},\"another\":{\"expect\":\"accept\"}},\"why\":[\"w\"]}");
  rlk_scratch_write(&scratch, "row02_b.manifest.json", "{}");
  load();
  cr_assert_not(rlk_defects_any(&defects), "%s", defects.count > 0 ? defects.records[0].text : "");
  cr_assert_eq(corpus.count, 2);
  const rlk_row_t* row = rlk_corpus_find(&corpus, "row02_b");
  cr_assert_not_null(row);
  cr_expect_eq(row->number, 2);
  cr_expect_str_eq(row->loaders[0].expected.substring, "x");
  cr_expect_str_eq(row->loaders[1].expected.substring, "y");
  cr_expect_not(row->loaders[2].expected.reject);
}

Test(corpus, files_that_claim_no_row_are_left_alone) {
  write_sound_row();
  rlk_scratch_write(&scratch, "README.md", "x");
  rlk_scratch_write(&scratch, "BUILD.bazel", "x");
  rlk_scratch_write(&scratch, "row1_a.cu", "a companion");
  rlk_scratch_write(&scratch, "row1_a/x.expect.json", "a fixture's own file");
  load();
  cr_assert_not(rlk_defects_any(&defects), "%s", defects.count > 0 ? defects.records[0].text : "");
  cr_expect_eq(corpus.count, 1);
  size_t begin, end;
  rlk_corpus_files(&corpus, &corpus.rows[0], &begin, &end);
  cr_expect_eq(end - begin, 4, "%zu files", end - begin);
}

Test(corpus, a_stem_is_split_into_number_and_letter) {
  uint32_t number;
  char letter;
  cr_assert(rlk_stem_parse("row041a_role_capital", &number, &letter));
  cr_expect_eq(number, 41);
  cr_expect_eq(letter, 'a');
  cr_assert(rlk_stem_parse("row999999_x", &number, &letter));
  cr_expect_eq(letter, '\0');
  static const char* const bad[] = {"row",    "row1",   "row1_",        "row_x",  "row1ab_x",
                                    "row1_X", "Row1_x", "row1000000_x", "row1A_x"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    cr_expect_not(rlk_stem_parse(bad[i], &number, &letter), "%s", bad[i]);
}

/* --- The lock ----------------------------------------------------------------------------------------------------- */

static void write_lock(void) {
  char path[512];
  rowlock_error_t err;
  load();
  cr_assert_not(rlk_defects_any(&defects), "%s", defects.count > 0 ? defects.records[0].text : "");
  snprintf(path, sizeof path, "%s/rows.lock", scratch.path);
  cr_assert_eq(rlk_lock_write(&corpus, &lock, path, &err), ROWLOCK_OK, "%s", err.message);
  load();
}

/* The divergence that comparing gives, or -1 for none. */
static int divergence(void) {
  rlk_divergence_t found = (rlk_divergence_t)-1;
  rowlock_error_t err;
  cr_assert_eq(rlk_lock_compare(&corpus, &lock, &defects, ignore, &found, &err), ROWLOCK_OK, "%s", err.message);
  return (int)found;
}

Test(corpus, the_lock_notices_a_changed_byte_a_new_and_a_missing_row) {
  write_sound_row();
  write_lock();
  cr_expect_eq(divergence(), -1);
  rlk_scratch_write(&scratch, "row1_a.sidecar.json", "{ }");
  load();
  cr_expect_eq(divergence(), RLK_LOCK_CHANGED);
  rlk_scratch_write(&scratch, "row1_a.sidecar.json", "{}");
  rlk_scratch_write(&scratch, "row2_b.expect.json", ACCEPT(""));
  rlk_scratch_write(&scratch, "row2_b.sidecar.json", "{}");
  load();
  cr_expect_eq(divergence(), RLK_LOCK_NEW);
  write_lock();
  rlk_scratch_delete(&scratch, "row2_b.expect.json");
  rlk_scratch_delete(&scratch, "row2_b.sidecar.json");
  load();
  cr_expect_eq(divergence(), RLK_LOCK_MISSING);
  cr_expect_eq(rlk_lock_next_number(&corpus, &lock), 3);
}

/* --- Parts of a corpus -------------------------------------------------------------------------------------------- */

static void write_families(void) {
  rlk_scratch_write(&scratch, "one/row1_a.expect.json", accept_row);
  rlk_scratch_write(&scratch, "one/row1_a.sidecar.json", "{}");
  rlk_scratch_write(&scratch, "two/row2_b.expect.json", ACCEPT(""));
  rlk_scratch_write(&scratch, "two/row2_b/sidecar.json", "{}");
  write_lock();
}

/* What comparing the part with the lock above it gives. */
static int divergence_of_part(const char* name) {
  load_path(name);
  cr_assert_not(rlk_defects_any(&defects), "%s", defects.count > 0 ? defects.records[0].text : "");
  cr_assert_eq(corpus.scope_count, 1);
  cr_assert_not_null(corpus.scopes[0].lock_path, "%s", name);
  cr_assert_eq(rlk_lock_read(corpus.scopes[0].lock_path, &corpus.arena, &lock, &defects), ROWLOCK_OK);
  return divergence();
}

Test(corpus, a_part_is_compared_with_the_lock_above_it) {
  static const char* const parts[] = {"one",   "one/", "one/row1_a.expect.json", "two", "two/row2_b.expect.json",
                                      "one//."};
  write_families();
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    cr_expect_eq(divergence_of_part(parts[i]), -1, "%s", parts[i]);
  rlk_scratch_write(&scratch, "two/row2_b/sidecar.json", "{ }");
  cr_expect_eq(divergence_of_part("one"), -1);
  cr_expect_eq(divergence_of_part("two"), RLK_LOCK_CHANGED);
  cr_expect_eq(divergence_of_part("two/row2_b.expect.json"), RLK_LOCK_CHANGED);
  rlk_scratch_write(&scratch, "two/row2_b/sidecar.json", "{}");
  rlk_scratch_write(&scratch, "two/row1_a.expect.json", accept_row);
  rlk_scratch_write(&scratch, "two/row1_a.sidecar.json", "{}");
  cr_expect_eq(divergence_of_part("two"), RLK_LOCK_MOVED);
  rlk_scratch_write(&scratch, "one/row02_b.expect.json", ACCEPT(""));
  cr_expect_eq(divergence_of_part("one/row1_a.expect.json"), -1);
}

Test(corpus, what_a_part_lacks_is_missing_there_alone) {
  write_families();
  rlk_scratch_write(
      &scratch, "two/row3_c.expect.json",
      "{\"row\":3,\"title\":\"t\",\"level\":\"bundle\",\"expect\":\"accept\",\"loaders\":[\"x\"],\"why\":[\"w\"]}");
  cr_expect_eq(divergence_of_part("two"), RLK_LOCK_NEW);
  write_lock();
  cr_expect_eq(divergence_of_part("two"), -1);
  rlk_scratch_delete(&scratch, "two/row3_c.expect.json");
  cr_expect_eq(divergence_of_part("two"), RLK_LOCK_MISSING);
  cr_expect_eq(divergence_of_part("two/row2_b.expect.json"), -1);
  cr_expect_eq(divergence_of_part("one"), -1);
}

Test(corpus, paths_that_overlap_are_read_once) {
  write_families();
  char whole[512], one[512], row[512];
  snprintf(whole, sizeof whole, "%s/.", scratch.path);
  snprintf(one, sizeof one, "%s/one", scratch.path);
  snprintf(row, sizeof row, "%s/one/row1_a.expect.json", scratch.path);
  char* const orders[][3] = {{whole, one, row}, {row, one, whole}, {one, whole, row}, {row, whole, whole}};
  for (int i = 0; i < 4; ++i) {
    forget();
    cr_assert_eq(rlk_corpus_load(&corpus, orders[i], 3, &defects), ROWLOCK_OK);
    cr_expect_not(rlk_defects_any(&defects), "%s", defects.count > 0 ? defects.records[0].text : "");
    cr_expect_eq(corpus.count, 2);
    cr_expect_eq(corpus.scope_count, 1);
    cr_expect(corpus.whole);
  }
}

Test(corpus, a_row_that_moves_to_another_folder_is_noticed) {
  write_sound_row();
  write_lock();
  rlk_scratch_delete(&scratch, "row1_a.expect.json");
  rlk_scratch_delete(&scratch, "row1_a.sidecar.json");
  rlk_scratch_write(&scratch, "family/row1_a.expect.json", accept_row);
  rlk_scratch_write(&scratch, "family/row1_a.sidecar.json", "{}");
  load();
  cr_expect_eq(divergence(), RLK_LOCK_MOVED);
}

Test(corpus, a_retired_row_leaves_a_tombstone_for_ever) {
  write_sound_row();
  rlk_scratch_write(&scratch, "row2_b.expect.json", ACCEPT(""));
  rlk_scratch_write(&scratch, "row2_b.sidecar.json", "{}");
  write_lock();
  rlk_scratch_delete(&scratch, "row2_b.expect.json");
  rlk_scratch_delete(&scratch, "row2_b.sidecar.json");
  write_lock();
  write_lock();
  cr_assert_eq(lock.count, 2);
  cr_expect(lock.entries[1].retired);
  cr_expect_str_eq(lock.entries[1].stem, "row2_b");
  cr_expect_eq(divergence(), -1);
}
