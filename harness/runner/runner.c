#define _GNU_SOURCE /* clock_gettime, strdup, PATH_MAX */
#include "harness/runner/runner.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/launch/built.h"
#include "loader/artifact/deployment.h"
#include "loader/checker.h"
#include "validator/rules/text.h"

const char* rlk_result_name(rlk_result_t result) {
  static const char* const names[] = {"pass", "fail", "skip", "error"};
  return names[result];
}

void rlk_totals_add(rlk_totals_t* totals, const rlk_record_t* record) {
  switch (record->result) {
    case RLK_RESULT_PASS:
      ++totals->passed;
      break;
    case RLK_RESULT_SKIP:
      ++totals->skipped;
      break;
    case RLK_RESULT_FAIL:
    case RLK_RESULT_ERROR:
      ++totals->failed;
      break;
  }
}

/* A record that outlives its judgement: the texts are its own. */
typedef struct kept_t {
  rlk_record_t record;
  char *message, *reason, *digest, *note, *log;
} kept_t;

typedef struct row_result_t {
  kept_t* kept;
  size_t count;
  bool done;
} row_result_t;

typedef struct run_t {
  const rlk_row_t* const* rows;
  size_t row_count;
  const rlk_run_options_t* options;
  rlk_record_fn emit;
  void* context;
  pthread_mutex_t mutex; /* guards what follows */
  row_result_t* results;
  size_t next, emitted;
  rowlock_code_t code;
} run_t;

typedef struct worker_t {
  rowlock_checker_t* checker;
  rowlock_findings_t* findings;
} worker_t;

static void kept_deinit(kept_t* kept) {
  free(kept->message);
  free(kept->reason);
  free(kept->digest);
  free(kept->note);
  free(kept->log);
}

/* --- One judgement ------------------------------------------------------------------------------------------------ */

/* Who judges a row for a loader. */
typedef struct judge_t {
  enum { BY_DOOR, BY_LAUNCH, BY_PROOF } by;
  rlk_door_id_t door;
  rlk_launcher_t launcher;
} judge_t;

typedef struct judgement_t {
  rowlock_code_t code;
  const char* message; /* "" when nothing was found */
  rlk_rule_t rule;
  rowlock_error_t err;
  rlk_launched_t launched; /* by a launcher alone */
} judgement_t;

static void judgement_deinit(judgement_t* judgement) { rlk_launched_deinit(&judgement->launched); }

static void judge_by_launch(const run_t* run, const rlk_row_t* row, rlk_launcher_t launcher,
                            const rlk_outcome_t* expected, judgement_t* out) {
  out->code = rlk_launch_row(row, launcher, &run->options->launching, &out->launched);
  out->rule = out->launched.rule;
  out->err = out->launched.err;
  /* What this build lacks is a reason to skip a row, unless the row is about being told so. */
  const bool is_due = expected->reject && expected->rule != RLK_RULE_NONE && expected->rule == out->rule;
  if (out->code == ROWLOCK_UNAVAILABLE && is_due) out->code = ROWLOCK_REJECTED;
  if (out->code == ROWLOCK_REJECTED) out->message = out->launched.err.message;
}

static void take_first_finding(worker_t* worker, judgement_t* out) {
  if (out->code != ROWLOCK_REJECTED || rowlock_findings_count(worker->findings) == 0) return;
  out->message = rowlock_findings_at(worker->findings, 0)->message;
  out->rule = rlk_findings_rule(worker->findings, 0);
}

/* A row whose artifacts are not there proves nothing: it must not pass. */
static void judge_by_proof(worker_t* worker, const run_t* run, const rlk_row_t* row, judgement_t* out) {
  char built[PATH_MAX];
  const bool has_built = rlk_built_folder(row->fixture_path, run->options->launching.built, built);
  const rlk_deployment_options_t options = {
      .machine = row->machine, .built_folder = has_built ? built : NULL, .remedy = "build //corpus:all_rows"};
  out->code = rlk_checker_open(worker->checker, row->fixture_path, 0, worker->findings, &out->err);
  if (!out->code) out->code = rlk_deployment_prove(worker->checker, &options, worker->findings, &out->err);
  if (!out->code && rowlock_findings_count(worker->findings) > 0) out->code = ROWLOCK_REJECTED;
  take_first_finding(worker, out);
}

static void judge_at_door(worker_t* worker, const rlk_row_t* row, rlk_door_id_t door, judgement_t* out) {
  out->code = rlk_checker_open(worker->checker, row->fixture_path, (int)door, worker->findings, &out->err);
  if (!out->code) out->code = rlk_checker_run(worker->checker, door, false, worker->findings);
  take_first_finding(worker, out);
}

static void judge(worker_t* worker, const run_t* run, const rlk_row_t* row, judge_t by, const rlk_outcome_t* expected,
                  judgement_t* out) {
  *out = (judgement_t){.message = "", .rule = RLK_RULE_NONE};
  rowlock_findings_clear(worker->findings);
  rowlock_checker_set_limits(worker->checker, &row->limits);
  switch (by.by) {
    case BY_LAUNCH:
      judge_by_launch(run, row, by.launcher, expected, out);
      break;
    case BY_PROOF:
      judge_by_proof(worker, run, row, out);
      break;
    case BY_DOOR:
      judge_at_door(worker, row, by.door, out);
  }
}

static bool same_text(const char* a, const char* b) { return strcmp(a ? a : "", b ? b : "") == 0; }

/* Whether judging again comes to the same, to the last bit of what a launch computes. */
static bool repeats(worker_t* worker, const run_t* run, const rlk_row_t* row, judge_t by, const kept_t* first,
                    rowlock_code_t first_code) {
  bool same = true;
  for (unsigned i = 1; i < run->options->repeat && same; ++i) {
    judgement_t again;
    judge(worker, run, row, by, first->record.expected, &again);
    same = again.code == first_code && again.rule == first->record.rule && same_text(again.message, first->message) &&
           same_text(again.launched.digest, first->digest);
    judgement_deinit(&again);
  }
  return same;
}

static const char* accept_or_reject(bool reject) { return reject ? "reject" : "accept"; }

/* Why the judgement is not what the row expects, into `out`; empty when it is. */
static void compare(const rlk_outcome_t* expected, const judgement_t* got, rlk_text_t* out) {
  const bool reject = got->code == ROWLOCK_REJECTED;
  if (reject != expected->reject) {
    rlk_text_printf(out, "expected %s, got %s", accept_or_reject(expected->reject), accept_or_reject(reject));
  } else if (reject && !strstr(got->message, expected->substring)) {
    rlk_text_printf(out, "the message does not contain \"");
    rlk_text_put(out, expected->substring, strlen(expected->substring));
    rlk_text_printf(out, "\"");
  } else if (reject && expected->rule != RLK_RULE_NONE && got->rule != expected->rule) {
    rlk_text_printf(out, "expected rule %s, got %s", rlk_rule_info(expected->rule)->id,
                    got->rule == RLK_RULE_NONE ? "none" : rlk_rule_info(got->rule)->id);
  }
}

static rowlock_code_t keep_text(char** out, const char* text) {
  *out = strdup(text);
  return *out ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
}

static rowlock_code_t settle(kept_t* kept, rlk_result_t result, const char* reason) {
  kept->record.result = result;
  const rowlock_code_t code = reason[0] ? keep_text(&kept->reason, reason) : ROWLOCK_OK;
  kept->record.reason = kept->reason;
  return code;
}

static rowlock_code_t keep_judgement(kept_t* kept, judgement_t* got) {
  kept->record.got = got->code == ROWLOCK_OK ? RLK_GOT_ACCEPT : RLK_GOT_REJECT;
  kept->record.rule = got->rule;
  kept->record.digest = kept->digest = got->launched.digest;
  kept->record.note = kept->note = got->launched.note;
  kept->record.log = kept->log = got->launched.log;
  got->launched.digest = got->launched.note = got->launched.log = NULL; /* kept now */
  const rowlock_code_t code = got->code == ROWLOCK_OK ? ROWLOCK_OK : keep_text(&kept->message, got->message);
  kept->record.message = kept->message;
  return code;
}

static rowlock_code_t judge_and_compare(worker_t* worker, const run_t* run, const rlk_row_t* row, judge_t by,
                                        kept_t* kept) {
  judgement_t got;
  judge(worker, run, row, by, kept->record.expected, &got);
  /* What another process had no memory for is that row's trouble alone. */
  if (got.code == ROWLOCK_NO_MEMORY && by.by != BY_LAUNCH) return got.code;
  const bool is_required =
      by.by == BY_LAUNCH && by.launcher == RLK_LAUNCHER_DEVICE && run->options->launching.requires_device;
  if (got.code == ROWLOCK_UNAVAILABLE && !is_required) return settle(kept, RLK_RESULT_SKIP, got.err.message);
  if (got.code != ROWLOCK_OK && got.code != ROWLOCK_REJECTED) return settle(kept, RLK_RESULT_ERROR, got.err.message);
  char reason[1024];
  rlk_text_t text = rlk_text_over(reason, sizeof reason);
  compare(kept->record.expected, &got, &text);
  const rowlock_code_t code = keep_judgement(kept, &got);
  judgement_deinit(&got);
  if (code) return code;
  if (!repeats(worker, run, row, by, kept, got.code)) {
    kept->record.repeat = run->options->repeat;
    return settle(kept, RLK_RESULT_ERROR, "the outcome changed when the row was run again");
  }
  return settle(kept, reason[0] ? RLK_RESULT_FAIL : RLK_RESULT_PASS, reason);
}

static uint64_t now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* Who judges the row for the loader, or why nobody here does. */
static const char* find_judge(const rlk_row_t* row, const char* loader, const rlk_run_options_t* options,
                              judge_t* out_judge) {
  rlk_level_t doors = row->is_sidecar ? RLK_LEVEL_SIDECAR : RLK_LEVEL_MANIFEST;
  *out_judge = (judge_t){.by = BY_DOOR};
  if (rlk_row_level_is_proved(row->level)) {
    if (strcmp(loader, RLK_PROVER) == 0) {
      out_judge->by = BY_PROOF;
      return NULL;
    }
  } else if (rlk_row_level_is_launched(row->level)) {
    out_judge->launcher = rlk_launcher_find(loader);
    if (out_judge->launcher == RLK_LAUNCHER_DEVICE && options->launching.no_device) return options->launching.no_device;
    if (out_judge->launcher != RLK_LAUNCHER_COUNT) {
      out_judge->by = BY_LAUNCH;
      return options->launching.program ? NULL : "this run launches nothing";
    }
  } else if (!rlk_row_level_has_doors(row->level, &doors)) {
    return "this version does not judge rows of this level";
  }
  out_judge->door = rlk_door_find(loader, doors);
  return out_judge->door == RLK_DOOR_NONE ? "no implementation in this run offers this loader" : NULL;
}

/* What a cubin for one SM does says nothing of a device of another. */
static bool is_of_another_sm(const rlk_row_t* row, judge_t by, const rlk_run_options_t* options, char out_reason[96]) {
  const uint32_t due = row->machine.sm, sm = options->launching.device_sm;
  if (by.by != BY_LAUNCH || by.launcher != RLK_LAUNCHER_DEVICE || due == 0 || sm == 0 || due == sm) return false;
  snprintf(out_reason, 96, "it is about a device of sm_%u, and this one's is sm_%u", due, sm);
  return true;
}

/* What was said on the command line and bears on the judgement. */
static void note_settings(const rlk_run_options_t* options, judge_t by, rlk_record_t* record) {
  const rlk_launching_t* launching = &options->launching;
  if (by.by != BY_DOOR) record->built = launching->built;
  if (by.by != BY_LAUNCH) return;
  record->thread_count = launching->thread_count;
  record->time_ms = launching->time_ms;
  if (by.launcher != RLK_LAUNCHER_DEVICE) return;
  record->on_device = true;
  record->device_ordinal = launching->device_ordinal;
  record->requires_device = launching->requires_device;
}

static rowlock_code_t run_loader(worker_t* worker, const run_t* run, const rlk_row_t* row,
                                 const rlk_row_loader_t* loader, kept_t* kept) {
  kept->record = (rlk_record_t){.number = row->number,
                                .stem = row->stem,
                                .path = row->expect_path,
                                .fixture = row->fixture_path,
                                .level = rlk_row_level_name(row->level),
                                .loader = loader->name,
                                .implementation = RLK_REFERENCE_NAME,
                                .expected = &loader->expected,
                                .rule = RLK_RULE_NONE};
  judge_t by;
  const char* obstacle = find_judge(row, loader->name, run->options, &by);
  if (obstacle) return settle(kept, RLK_RESULT_SKIP, obstacle);
  char other[96];
  if (is_of_another_sm(row, by, run->options, other)) return settle(kept, RLK_RESULT_SKIP, other);
  note_settings(run->options, by, &kept->record);
  const uint64_t begin = now_us();
  const rowlock_code_t code = judge_and_compare(worker, run, row, by, kept);
  kept->record.duration_us = now_us() - begin;
  return code;
}

static bool is_wanted(const rlk_run_options_t* options, const char* loader) {
  for (size_t i = 0; i < options->loader_count; ++i) {
    if (strcmp(options->loaders[i], loader) == 0) return true;
  }
  return options->loader_count == 0;
}

bool rlk_run_judges(const rlk_row_t* row, const rlk_run_options_t* options) {
  for (size_t i = 0; i < row->loader_count; ++i) {
    judge_t by;
    if (is_wanted(options, row->loaders[i].name) && !find_judge(row, row->loaders[i].name, options, &by)) return true;
  }
  return false;
}

static rowlock_code_t run_row(worker_t* worker, const run_t* run, const rlk_row_t* row, row_result_t* result) {
  result->kept = calloc(row->loader_count, sizeof *result->kept);
  if (!result->kept) return ROWLOCK_NO_MEMORY;
  for (size_t i = 0; i < row->loader_count; ++i) {
    if (!is_wanted(run->options, row->loaders[i].name)) continue;
    const rowlock_code_t code = run_loader(worker, run, row, &row->loaders[i], &result->kept[result->count++]);
    if (code) return code;
  }
  return ROWLOCK_OK;
}

/* --- The threads -------------------------------------------------------------------------------------------------- */

static void row_result_deinit(row_result_t* result) {
  for (size_t i = 0; i < result->count; ++i) kept_deinit(&result->kept[i]);
  free(result->kept);
  *result = (row_result_t){.done = true};
}

/* Emits what is complete, in order. The mutex is held. */
static void flush(run_t* run) {
  while (run->emitted < run->row_count && run->results[run->emitted].done) {
    row_result_t* result = &run->results[run->emitted++];
    for (size_t i = 0; i < result->count; ++i) run->emit(run->context, &result->kept[i].record);
    row_result_deinit(result);
  }
}

static void work(run_t* run, worker_t* worker) {
  for (;;) {
    pthread_mutex_lock(&run->mutex);
    const size_t index = run->code ? run->row_count : run->next;
    if (index < run->row_count) ++run->next;
    pthread_mutex_unlock(&run->mutex);
    if (index == run->row_count) return;
    row_result_t result = {0};
    const rowlock_code_t code = run_row(worker, run, run->rows[index], &result);
    pthread_mutex_lock(&run->mutex);
    run->results[index] = result;
    run->results[index].done = true;
    if (code && !run->code) run->code = code;
    if (!run->code) flush(run);
    pthread_mutex_unlock(&run->mutex);
  }
}

static void* worker_main(void* argument) {
  run_t* run = argument;
  rowlock_error_t err;
  worker_t worker = {.findings = rowlock_findings_create()};
  rowlock_code_t code = worker.findings ? rowlock_checker_create(&worker.checker, &err) : ROWLOCK_NO_MEMORY;
  if (code) {
    pthread_mutex_lock(&run->mutex);
    run->code = code;
    pthread_mutex_unlock(&run->mutex);
  } else {
    rlk_checker_switch_off(worker.checker, run->options->switched_off);
    work(run, &worker);
  }
  rowlock_checker_destroy(worker.checker);
  rowlock_findings_destroy(worker.findings);
  return NULL;
}

rowlock_code_t rlk_run(const rlk_row_t* const* rows, size_t row_count, const rlk_run_options_t* options,
                       rlk_record_fn emit, void* context, rowlock_error_t* err) {
  if (row_count == 0) return ROWLOCK_OK;
  run_t run = {.rows = rows,
               .row_count = row_count,
               .options = options,
               .emit = emit,
               .context = context,
               .results = calloc(row_count, sizeof *run.results)};
  const unsigned extra = (options->jobs < row_count ? options->jobs : (unsigned)row_count) - 1;
  pthread_t* threads = calloc(extra + 1, sizeof *threads);
  if (!run.results || !threads || pthread_mutex_init(&run.mutex, NULL) != 0) {
    free(run.results);
    free(threads);
    return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for %zu rows", row_count);
  }
  unsigned started = 0;
  while (started < extra && pthread_create(&threads[started], NULL, worker_main, &run) == 0) ++started;
  worker_main(&run); /* this thread works too: a run goes on however few threads could be started */
  for (unsigned i = 0; i < started; ++i) pthread_join(threads[i], NULL);
  pthread_mutex_destroy(&run.mutex);
  for (size_t i = run.emitted; i < row_count; ++i) row_result_deinit(&run.results[i]);
  free(run.results);
  free(threads);
  return run.code ? rlk_fail(err, run.code, "the run stopped: %s", rowlock_code_meaning(run.code)) : ROWLOCK_OK;
}
