/* rowlock run: rows against the implementations that this run has. */
#define _GNU_SOURCE /* fnmatch, sysconf, asprintf */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/find_corpus.h"
#include "harness/report/report.h"
#include "harness/rows/lock.h"
#include "harness/runner/runner.h"
#include "validator/rules/text.h"

enum {
  JOBS_MAX = 256,
  SHARDS_MAX = 10000,
  REPEAT_MAX = 1000000,
  REPORTS_MAX = RLK_OPTION_LIST_MAX + 2,
  PROGRESS_STEP = 64
};

typedef struct kept_divergence_t {
  rlk_divergence_t divergence;
  const rlk_row_t* row;
  const rlk_lock_entry_t* entry;
} kept_divergence_t;

typedef struct run_command_t {
  const rlk_command_t* command;
  /* Options. */
  const char *level, *filter, *format, *shard;
  rlk_option_list_t loaders, reports;
  uint64_t jobs, repeat;
  /* Where Bazel splits the run, and which shard of how many this is; 0 of 1 otherwise. */
  uint64_t shard_index, shard_count;
  rlk_corpus_t corpus;
  rlk_lock_t lock;
  rlk_defects_t defects;
  const rlk_row_t** selected;
  size_t selected_count;
  kept_divergence_t* divergences; /* of the corpus from its lock */
  size_t divergence_count;
  rlk_report_t* open_reports[REPORTS_MAX];
  size_t report_count;
  rlk_totals_t totals;
  bool progress; /* on a terminal */
  uint64_t done;
} run_command_t;

/* --- Sharding ----------------------------------------------------------------------------------------------------- */

static bool parse_count(const char* text, size_t length, uint64_t most, uint64_t* out_value) {
  uint64_t value = 0;
  for (size_t i = 0; i < length; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + (uint64_t)(text[i] - '0');
    if (value > most) return false;
  }
  *out_value = value;
  return length > 0;
}

static int choose_shard(run_command_t* run) {
  run->shard_count = 1;
  const char* total = getenv("TEST_TOTAL_SHARDS");
  const char* index = getenv("TEST_SHARD_INDEX");
  if (run->shard) {
    const char* slash = strchr(run->shard, '/');
    if (!slash || !parse_count(run->shard, (size_t)(slash - run->shard), SHARDS_MAX, &run->shard_index) ||
        !parse_count(slash + 1, strlen(slash + 1), SHARDS_MAX, &run->shard_count) || run->shard_index < 1 ||
        run->shard_index > run->shard_count) {
      return rlk_complain(run->command, ROWLOCK_UNUSABLE, "--shard takes I/N with 1 <= I <= N <= %d, not '%s'",
                          SHARDS_MAX, run->shard);
    }
    --run->shard_index;
  } else if (total && index) {
    if (!parse_count(total, strlen(total), SHARDS_MAX, &run->shard_count) || run->shard_count == 0 ||
        !parse_count(index, strlen(index), run->shard_count - 1, &run->shard_index)) {
      return rlk_complain(run->command, ROWLOCK_UNUSABLE, "TEST_SHARD_INDEX %s of TEST_TOTAL_SHARDS %s is unusable",
                          index, total);
    }
    const char* status = getenv("TEST_SHARD_STATUS_FILE"); /* touching it tells Bazel that shards are honoured */
    const int fd = status ? open(status, O_WRONLY | O_CREAT | O_CLOEXEC, 0644) : -1;
    if (fd >= 0) close(fd);
  }
  return 0;
}

/* --- Selection ---------------------------------------------------------------------------------------------------- */

static const char* filter_of(const run_command_t* run) {
  return run->filter ? run->filter : getenv("TESTBRIDGE_TEST_ONLY");
}

/* Whether options, not shards, choose some of the rows. */
static bool selects(const run_command_t* run) { return filter_of(run) || run->level || run->loaders.count > 0; }

/* A glob over the stem, or over the label ("41a"). */
static bool matches(const rlk_row_t* row, const char* filter) {
  char label[16];
  return !filter || fnmatch(filter, row->stem, 0) == 0 ||
         fnmatch(filter, rlk_row_label(row->number, row->letter, label), 0) == 0;
}

static bool names_loader(const rlk_row_t* row, const rlk_option_list_t* loaders) {
  for (size_t i = 0; i < row->loader_count; ++i) {
    for (size_t j = 0; j < loaders->count; ++j) {
      if (strcmp(row->loaders[i].name, loaders->values[j]) == 0) return true;
    }
  }
  return loaders->count == 0;
}

static int select_rows(run_command_t* run) {
  run->selected = calloc(run->corpus.count, sizeof *run->selected);
  if (!run->selected) return rlk_complain(run->command, ROWLOCK_NO_MEMORY, "no memory to select rows");
  uint64_t wanted = 0;
  for (size_t i = 0; i < run->corpus.count; ++i) {
    const rlk_row_t* row = &run->corpus.rows[i];
    const bool fits = matches(row, filter_of(run)) && names_loader(row, &run->loaders) &&
                      (!run->level || strcmp(run->level, rlk_row_level_name(row->level)) == 0);
    if (fits && wanted++ % run->shard_count == run->shard_index) run->selected[run->selected_count++] = row;
  }
  run->totals.rows = run->selected_count;
  if (wanted > 0) return 0; /* an empty shard of a run that has rows is sound */
  return rlk_complain(run->command, ROWLOCK_UNUSABLE,
                      "no row matches: %zu are here, and --filter, --level or --loader "
                      "leave none",
                      run->corpus.count);
}

/* --- Reports ------------------------------------------------------------------------------------------------------ */

static int open_report(run_command_t* run, const rlk_report_format_t* format, const char* path) {
  rowlock_error_t err;
  const rowlock_code_t code = path
                                  ? rlk_report_open_file(format, path, &run->open_reports[run->report_count], &err)
                                  : rlk_report_open_stream(format, stdout, &run->open_reports[run->report_count], &err);
  if (code) return rlk_complain(run->command, code, "%s", err.message);
  ++run->report_count;
  return 0;
}

static int open_reports(run_command_t* run) {
  int status = 0;
  for (size_t i = 0; i < run->reports.count && !status; ++i) {
    const char* equals = strchr(run->reports.values[i], '=');
    const rlk_report_format_t* format =
        equals ? rlk_report_format_find(run->reports.values[i], (size_t)(equals - run->reports.values[i])) : NULL;
    status = format && equals[1] ? open_report(run, format, equals + 1)
                                 : rlk_complain(run->command, ROWLOCK_UNUSABLE,
                                                "--report takes json=FILE, tap=FILE, junit=FILE or text=FILE, not '%s'",
                                                run->reports.values[i]);
  }
  const char* bazel_xml = getenv("XML_OUTPUT_FILE");
  if (!status && bazel_xml) status = open_report(run, &rlk_report_format_junit, bazel_xml);
  if (!status) status = open_report(run, rlk_report_format_find(run->format, strlen(run->format)), NULL);
  return status;
}

static void clear_progress(const run_command_t* run) {
  if (run->progress && run->done >= PROGRESS_STEP) fputs("\r\033[K", stderr);
}

static void emit(void* context, const rlk_record_t* record) {
  run_command_t* run = context;
  rlk_totals_add(&run->totals, record);
  if (record->result == RLK_RESULT_FAIL || record->result == RLK_RESULT_ERROR) clear_progress(run);
  for (size_t i = 0; i < run->report_count; ++i) rlk_report_record(run->open_reports[i], record);
  if (run->progress && ++run->done % PROGRESS_STEP == 0) {
    fprintf(stderr, "\r%llu judged, %llu failed", (unsigned long long)run->done,
            (unsigned long long)run->totals.failed);
  }
}

/* A run that broke off leaves no report that looks complete. */
static int close_reports(run_command_t* run, int status) {
  clear_progress(run);
  const bool complete = status == 0 || status == rowlock_code_exit_status(ROWLOCK_REJECTED);
  for (size_t i = 0; i < run->report_count; ++i) {
    rowlock_error_t err;
    if (!complete) {
      rlk_report_discard(run->open_reports[i]);
      continue;
    }
    const rowlock_code_t code = rlk_report_close(run->open_reports[i], &run->totals, &err);
    if (code) status = rlk_complain(run->command, code, "%s", err.message);
  }
  return status;
}

/* --- The lock ----------------------------------------------------------------------------------------------------- */

static void keep_divergence(void* context, rlk_divergence_t divergence, const rlk_row_t* row,
                            const rlk_lock_entry_t* entry) {
  run_command_t* run = context;
  run->divergences[run->divergence_count++] = (kept_divergence_t){divergence, row, entry};
}

/* Before anything is reported: a corpus whose numbers changed their meaning is malformed, and nothing of it is run. */
static int compare_lock(run_command_t* run) {
  if (!run->corpus.lock_path) return 0;
  run->divergences = calloc(run->corpus.count + run->lock.count + 1, sizeof *run->divergences);
  if (!run->divergences) return rlk_complain(run->command, ROWLOCK_NO_MEMORY, "no memory to compare the lock");
  rowlock_error_t err;
  const rowlock_code_t code = rlk_lock_compare(&run->corpus, &run->lock, &run->defects, keep_divergence, run, &err);
  if (rlk_defects_any(&run->defects)) return rlk_complain_of_defects(run->command, &run->defects);
  return code ? rlk_complain(run->command, code, "%s", err.message) : 0;
}

/* Whether this run speaks of the divergence: of a row that it runs; of one that is gone, when it runs all that there
 * is, the first of several shards for all of them. */
static bool is_ours(const run_command_t* run, const kept_divergence_t* kept) {
  if (!kept->row) return !selects(run) && run->shard_index == 0;
  for (size_t i = 0; i < run->selected_count; ++i) {
    if (run->selected[i] == kept->row) return true;
  }
  return false;
}

/* A divergence is a failed record of its own, by the name of the file that speaks. */
static void emit_divergences(run_command_t* run) {
  for (size_t i = 0; i < run->divergence_count; ++i) {
    const kept_divergence_t* kept = &run->divergences[i];
    if (!is_ours(run, kept)) continue;
    const rlk_row_t* row = kept->row;
    emit(run, &(rlk_record_t){.number = row ? row->number : kept->entry->number,
                              .stem = row ? row->stem : kept->entry->stem,
                              .path = run->corpus.root,
                              .level = row ? rlk_row_level_name(row->level) : NULL,
                              .loader = RLK_LOCK_NAME,
                              .implementation = RLK_REFERENCE_NAME,
                              .result = RLK_RESULT_FAIL,
                              .reason = rlk_divergence_phrase(kept->divergence),
                              .rule = RLK_RULE_NONE});
  }
}

/* --- The command -------------------------------------------------------------------------------------------------- */

static int load(run_command_t* run, char** paths) {
  char* found = NULL;
  char* found_paths[2] = {NULL, NULL};
  if (!paths[0]) {
    found = rlk_find_corpus();
    if (!found) {
      return rlk_complain(run->command, ROWLOCK_UNUSABLE,
                          "no folder 'corpus' with a " RLK_LOCK_NAME " here or above; name one");
    }
    found_paths[0] = found;
    paths = found_paths;
  }
  size_t count = 0;
  while (paths[count]) ++count;
  rowlock_code_t code = rlk_corpus_load(&run->corpus, paths, count, &run->defects);
  if (!code && run->corpus.lock_path) {
    code = rlk_lock_read(run->corpus.lock_path, &run->corpus.arena, &run->lock, &run->defects);
  }
  free(found);
  if (rlk_defects_any(&run->defects)) return rlk_complain_of_defects(run->command, &run->defects);
  return code ? rlk_complain(run->command, code, "%s", rowlock_code_meaning(code)) : 0;
}

static int run_selected(run_command_t* run) {
  const rlk_run_options_t options = {.loaders = run->loaders.values,
                                     .loader_count = run->loaders.count,
                                     .jobs = (unsigned)run->jobs,
                                     .repeat = (unsigned)run->repeat,
                                     .switched_off = RLK_RULE_NONE};
  emit_divergences(run);
  rowlock_error_t err;
  const rowlock_code_t code = rlk_run(run->selected, run->selected_count, &options, emit, run, &err);
  if (code) return rlk_complain(run->command, code, "%s", err.message);
  return run->totals.failed > 0 ? rowlock_code_exit_status(ROWLOCK_REJECTED) : 0;
}

static int run_main(const rlk_command_t* command, int argc, char** argv) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  run_command_t* run = calloc(1, sizeof *run);
  if (!run) return rlk_complain(command, ROWLOCK_NO_MEMORY, "no memory");
  *run = (run_command_t){.command = command, .format = "text", .jobs = cores > 0 ? (uint64_t)cores : 1, .repeat = 1};
  const rlk_option_t options[] = {
      RLK_CHOICE("level", &run->level, "sidecar|manifest|placement|launch|artifact|gate|bundle",
                 "only rows of this level"),
      RLK_LIST("loader", &run->loaders, "NAME", "only this loader; repeatable"),
      RLK_TEXT("filter", &run->filter, "GLOB", "only rows whose stem or label matches: 'row4*', '41a'"),
      RLK_NUMBER("jobs", &run->jobs, "N", 1, JOBS_MAX, "threads (default: one a core)"),
      RLK_TEXT("shard", &run->shard, "I/N", "every N-th of the rows, starting with the I-th"),
      RLK_NUMBER("repeat", &run->repeat, "N", 1, REPEAT_MAX, "judge each row N times; one that changes is an error"),
      RLK_CHOICE("format", &run->format, "text|json|tap|junit", "of standard output; json is one object a line"),
      RLK_LIST("report", &run->reports, "FORMAT=FILE", "also write json, tap, junit or text to FILE"),
      {0}};
  char** paths;
  const rlk_parsed_t parsed = rlk_options_parse(command, options, argc, argv, &paths);
  int status = parsed == RLK_PARSED ? 0 : rlk_options_exit_status(parsed);
  if (parsed == RLK_PARSED) {
    run->progress = strcmp(run->format, "text") == 0 && isatty(STDERR_FILENO);
    status = choose_shard(run);
    if (!status) status = load(run, paths);
    if (!status) status = select_rows(run);
    if (!status) status = compare_lock(run);
    if (!status) status = open_reports(run);
    if (!status) status = run_selected(run);
    status = close_reports(run, status);
  }
  free(run->selected);
  free(run->divergences);
  rlk_lock_deinit(&run->lock);
  rlk_corpus_deinit(&run->corpus);
  rlk_defects_deinit(&run->defects);
  free(run);
  return status;
}

const rlk_command_t rlk_command_run = {
    .name = "run",
    .arguments = "[PATH...]",
    .summary = "Runs the rows of a corpus against the reference",
    .details =
        "PATH is a corpus, a folder of rows or one row's *" RLK_EXPECT_SUFFIX
        " (default: the nearest folder 'corpus'\n"
        "with a " RLK_LOCK_NAME "). A corpus with a " RLK_LOCK_NAME
        " is also compared with it. The last line of the text is\n"
        "'N passed, N failed, N skipped'. Under Bazel, TEST_TOTAL_SHARDS, TEST_SHARD_INDEX, TESTBRIDGE_TEST_ONLY and\n"
        "XML_OUTPUT_FILE are honoured.",
    .main = run_main};
