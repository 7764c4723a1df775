/* What the corpus must hold so that no rule can be lost unnoticed: every rule fires in a row, no row is needed by
 * nothing, and removing any one rule's check changes some row's outcome. */
#define _GNU_SOURCE /* memmem */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/coverage/twin.h"
#include "harness/runner/runner.h"
#include "loader/files.h"

static rlk_corpus_t corpus;
static rlk_defects_t defects;

static void load_corpus(void) {
  char* const paths[] = {"corpus"};
  cr_assert_eq(rlk_corpus_load(&corpus, paths, 1, &defects), ROWLOCK_OK);
  for (size_t i = 0; i < defects.count; ++i) cr_log_error("%s", defects.records[i].text);
  cr_assert_not(rlk_defects_any(&defects), "the corpus is malformed");
  cr_assert_gt(corpus.count, 0);
}

static void unload_corpus(void) {
  rlk_corpus_deinit(&corpus);
  rlk_defects_deinit(&defects);
}

TestSuite(coverage, .init = load_corpus, .fini = unload_corpus);

/* Whether a loader of the row owes a refusal by this rule. */
static bool fires(const rlk_row_t* row, rlk_rule_t rule) {
  for (size_t i = 0; i < row->loader_count; ++i) {
    if (row->loaders[i].expected.reject && row->loaders[i].expected.rule == rule) return true;
  }
  return false;
}

static bool has_reject_row(rlk_rule_t rule) {
  bool found = false;
  for (size_t i = 0; i < corpus.count && !found; ++i) found = fires(&corpus.rows[i], rule);
  return found;
}

/* What no row can bring about, and the test that does: a row says which files, names, arrays and numbers are launched,
 * and the harness binds them as a careful caller would. */
static const struct {
  rlk_rule_t rule;
  const char* test;
  const char* reason;
} out_of_reach[] = {
    {RLK_RULE_HOST_FILE_TOO_LARGE, "loader/host/elf_test.c", "the corpus would have to hold the largest file and more"},
    {RLK_RULE_HOST_REPLACED, "loader/host/object_test.c", "a launch has its own process, which opens an object once"},
    {RLK_RULE_BIND_MISALIGNED, "loader/exec/launch_rules_test.c", "the harness allocates what it binds, aligned"},
    {RLK_RULE_BIND_TOO_LARGE, "loader/exec/launch_rules_test.c", "the harness binds no more than it has memory for"},
    {RLK_RULE_EXEC_UNBOUND_RESULT, "loader/exec/launch_rules_test.c", "the harness binds every result of what it runs"},
    {RLK_RULE_EXEC_PARTITION_ORDER, "loader/exec/launch_rules_test.c", "a row launches whole runs, not parts of one"},
    {RLK_RULE_EXEC_THREAD_COUNT, "loader/exec/launch_rules_test.c", "threads are the caller's choice, not the row's"},
    {RLK_RULE_DEVICE_FUNCTION, "loader/device/device_rules_test.c", "the entry is found in the artifact before"},
    {RLK_RULE_DEVICE_PARAMETERS, "loader/device/device_rules_test.c",
     "the artifact and the driver would have to differ"},
    {RLK_RULE_DEVICE_TABLE_BUDGET, "loader/device/device_rules_test.c", "the budget is the caller's, not the row's"},
};
enum { OUT_OF_REACH_COUNT = sizeof out_of_reach / sizeof *out_of_reach };

static bool is_out_of_reach(rlk_rule_t rule) {
  size_t i = 0;
  while (i < OUT_OF_REACH_COUNT && out_of_reach[i].rule != rule) ++i;
  return i < OUT_OF_REACH_COUNT;
}

Test(coverage, every_rule_has_a_reject_row) {
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    if (is_out_of_reach((rlk_rule_t)rule)) continue;
    cr_expect(has_reject_row((rlk_rule_t)rule), "no row fires %s", rlk_rule_info((rlk_rule_t)rule)->id);
  }
}

/* The rule's name in C: RLK_RULE_ and its id, in capitals. */
static void put_enumerator(rlk_rule_t rule, char* out, size_t size) {
  snprintf(out, size, "RLK_RULE_%s", rlk_rule_info(rule)->id);
  for (char* c = out; *c; ++c) *c = (char)(*c == '.' || *c == '-' ? '_' : toupper((unsigned char)*c));
}

Test(coverage, a_rule_out_of_reach_of_rows_has_a_test) {
  for (size_t i = 0; i < OUT_OF_REACH_COUNT; ++i) {
    const rlk_rule_t rule = out_of_reach[i].rule;
    const rlk_rule_info_t* info = rlk_rule_info(rule);
    cr_expect_eq(info->tier, RLK_TIER_LAUNCH, "%s is asked at a door, which every row reaches", info->id);
    cr_expect_not(has_reject_row(rule), "%s: '%s' is not so", info->id, out_of_reach[i].reason);
    rlk_file_buffer_t source = {0};
    rowlock_error_t err;
    cr_assert_eq(rlk_file_read(out_of_reach[i].test, 1 << 20, &source, &err), ROWLOCK_OK, "%s", err.message);
    char enumerator[128];
    put_enumerator(rule, enumerator, sizeof enumerator);
    cr_expect_not_null(memmem(source.bytes, source.length, enumerator, strlen(enumerator)), "%s does not name %s",
                       out_of_reach[i].test, enumerator);
    rlk_file_buffer_deinit(&source);
  }
}

Test(coverage, every_reject_names_its_rule) {
  for (size_t i = 0; i < corpus.count; ++i) {
    const rlk_row_t* row = &corpus.rows[i];
    for (size_t j = 0; j < row->loader_count; ++j) {
      const rlk_outcome_t* expected = &row->loaders[j].expected;
      cr_expect(!expected->reject || expected->rule != RLK_RULE_NONE, "%s at %s pins no rule", row->stem,
                row->loaders[j].name);
    }
  }
}

Test(coverage, every_row_says_why) {
  for (size_t i = 0; i < corpus.count; ++i) cr_expect_gt(corpus.rows[i].why_count, 0, "%s", corpus.rows[i].stem);
}

Test(coverage, every_reject_row_has_a_near_twin) {
  for (size_t i = 0; i < corpus.count; ++i) {
    const rlk_row_t* row = &corpus.rows[i];
    if (!row->expected.reject || row->has_order) continue; /* two faults have no neighbour that is sound */
    cr_expect_not_null(row->twin, "%s names no twin", row->stem);
    const rlk_row_t* twin = row->twin ? rlk_corpus_find(&corpus, row->twin) : NULL;
    if (!twin) continue;
    rlk_twin_distance_t distance;
    rowlock_error_t err;
    cr_assert_eq(rlk_twin_measure(&corpus, row, twin, &distance, &err), ROWLOCK_OK, "%s: %s", row->stem, err.message);
    cr_expect(rlk_twin_is_near(&distance),
              "%s is not near its twin %s: %zu file%s (%s), where the longest span from the first byte that differs "
              "to the last has %zu bytes; due is one file, and a span of at most %d: change one place, and leave the "
              "comments alone",
              row->stem, twin->stem, distance.files, distance.files == 1 ? " differs" : "s differ",
              distance.files > 0 ? distance.file : "the row shows no fault", distance.bytes, RLK_TWIN_BYTES_MAX);
  }
}

/* What a run of one row came to, with a rule's check removed or with every check in place (RLK_RULE_NONE). */
typedef struct removal_t {
  const rlk_row_t* row;
  rlk_rule_t removed;
  size_t unmet;      /* loaders whose outcome is not what the row expects */
  size_t unexpected; /* of an order row: loaders that do not report the second rule then */
} removal_t;

static void watch(void* context, const rlk_record_t* record) {
  removal_t* removal = context;
  if (record->result != RLK_RESULT_PASS) ++removal->unmet;
  const bool first_reports = record->expected->reject && record->expected->rule == removal->removed;
  const bool first_removed = removal->row->has_order && removal->row->order[0] == removal->removed;
  if (first_removed && first_reports && record->rule != removal->row->order[1]) {
    cr_log_error("%s at %s: with %s removed, %s is due, not %s", record->stem, record->loader,
                 rlk_rule_info(removal->removed)->id, rlk_rule_info(removal->row->order[1])->id,
                 record->rule == RLK_RULE_NONE ? "none" : rlk_rule_info(record->rule)->id);
    ++removal->unexpected;
  }
}

static removal_t run_without(const rlk_row_t* row, rlk_rule_t rule) {
  removal_t removal = {.row = row, .removed = rule};
  const rlk_run_options_t options = {.jobs = 1, .repeat = 1, .switched_off = rule};
  rowlock_error_t err;
  cr_assert_eq(rlk_run(&row, 1, &options, watch, &removal, &err), ROWLOCK_OK);
  return removal;
}

/* The row is as it should be with the rule's check in place, and not without it. */
static bool needs(const rlk_row_t* row, rlk_rule_t rule) {
  return run_without(row, RLK_RULE_NONE).unmet == 0 && run_without(row, rule).unmet > 0;
}

Test(coverage, removing_any_rule_changes_a_row) {
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    const rlk_tier_t tier = rlk_rule_info((rlk_rule_t)rule)->tier;
    if (tier == RLK_TIER_LAUNCH || tier == RLK_TIER_VERDICT)
      continue; /* they cannot be switched off: no door asks them */
    bool needed = false;
    for (size_t i = 0; i < corpus.count && !needed; ++i) {
      needed = fires(&corpus.rows[i], (rlk_rule_t)rule) && needs(&corpus.rows[i], (rlk_rule_t)rule);
    }
    cr_expect(needed, "no row notices that %s is gone", rlk_rule_info((rlk_rule_t)rule)->id);
  }
}

Test(coverage, every_loader_is_a_door_and_every_override_says_something_else) {
  for (size_t i = 0; i < corpus.count; ++i) {
    const rlk_row_t* row = &corpus.rows[i];
    rlk_level_t level;
    if (!rlk_row_level_has_doors(row->level, &level)) continue;
    for (size_t j = 0; j < row->loader_count; ++j) {
      const rlk_row_loader_t* loader = &row->loaders[j];
      cr_expect(rlk_door_find(loader->name, level) != RLK_DOOR_NONE, "%s names '%s'", row->stem, loader->name);
      const bool same = loader->expected.reject == row->expected.reject &&
                        loader->expected.rule == row->expected.rule &&
                        (!loader->expected.reject || strcmp(loader->expected.substring, row->expected.substring) == 0);
      cr_expect(!loader->overridden || !same, "%s overrides '%s' with what it says anyway", row->stem, loader->name);
    }
  }
}

Test(coverage, an_order_row_reports_its_second_fault_without_the_first) {
  size_t orders = 0;
  for (size_t i = 0; i < corpus.count; ++i) {
    if (!corpus.rows[i].has_order) continue;
    ++orders;
    const removal_t removal = run_without(&corpus.rows[i], corpus.rows[i].order[0]);
    cr_expect_eq(removal.unexpected, 0, "%s", corpus.rows[i].stem);
  }
  cr_expect_gt(orders, 0, "no row locks a gate order");
}

Test(coverage, every_door_judges_rows_of_both_outcomes) {
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    const rlk_door_t* info = rlk_door_info((rlk_door_id_t)door);
    size_t accepts = 0, rejects = 0;
    for (size_t i = 0; i < corpus.count; ++i) {
      rlk_level_t level;
      if (!rlk_row_level_has_doors(corpus.rows[i].level, &level) || level != info->level) continue;
      for (size_t j = 0; j < corpus.rows[i].loader_count; ++j) {
        const rlk_row_loader_t* loader = &corpus.rows[i].loaders[j];
        if (strcmp(loader->name, info->name) != 0) continue;
        accepts += !loader->expected.reject;
        rejects += loader->expected.reject;
      }
    }
    cr_expect_gt(accepts, 0, "%s (%s) accepts no row", info->name, rlk_level_name(info->level));
    cr_expect_gt(rejects, 0, "%s (%s) rejects no row", info->name, rlk_level_name(info->level));
  }
}
