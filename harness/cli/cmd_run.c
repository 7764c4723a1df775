/* rowlock run: rows against the implementations that this run has. */
#define _GNU_SOURCE /* fnmatch, sysconf, asprintf, PATH_MAX */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cli/find_corpus.h"
#include "harness/cli/run_reports.h"
#include "harness/cli/self.h"
#include "harness/launch/isolate.h"
#include "harness/rows/lock.h"
#include "harness/runner/runner.h"
#include "loader/device/device.h"
#include "validator/rules/nearest.h"
#include "validator/rules/text.h"

enum {
  JOBS_MAX = 256,
  SHARDS_MAX = 10000,
  REPEAT_MAX = 1000000,
  PROGRESS_STEP = 64,
  TIMEOUT_S_MAX = RLK_LAUNCH_TIME_MS_MAX / 1000
};

/* A lock, and the folder that it covers. */
typedef struct run_lock_t {
  rlk_lock_t lock;
  const char* folder;
} run_lock_t;

typedef struct kept_divergence_t {
  const run_lock_t* lock;
  rlk_divergence_t divergence;
  const rlk_row_t* row;
  const rlk_lock_entry_t* entry;
} kept_divergence_t;

typedef struct run_command_t {
  const rlk_command_t* command;
  /* Options. */
  const char *level, *filter, *format, *shard;
  rlk_option_list_t loaders, asked_reports;
  uint64_t jobs, repeat, threads, timeout_s;
  const char *built, *device;
  bool require_device;
  uint32_t device_ordinal, device_sm;
  char program[PATH_MAX];
  /* Where Bazel splits the run, and which shard of how many this is; 0 of 1 otherwise. */
  uint64_t shard_index, shard_count;
  rlk_corpus_t corpus;
  run_lock_t* locks; /* those over the rows that are here */
  size_t lock_count;
  const run_lock_t* comparing;
  rlk_defects_t defects;
  const rlk_row_t** selected;
  size_t selected_count;
  bool judges;                    /* some row that matches, in this shard or another, at some loader */
  kept_divergence_t* divergences; /* of the rows from their locks */
  size_t divergence_count;
  rlk_run_reports_t reports;
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

/* A variable that is set and empty is as good as not set. */
static const char* environment(const char* name) {
  const char* value = getenv(name);
  return value && *value ? value : NULL;
}

static int choose_shard(run_command_t* run) {
  run->shard_count = 1;
  const char* total = environment("TEST_TOTAL_SHARDS");
  const char* index = environment("TEST_SHARD_INDEX");
  if (run->shard) {
    const char* slash = strchr(run->shard, '/');
    if (!slash || !parse_count(run->shard, (size_t)(slash - run->shard), SHARDS_MAX, &run->shard_index) ||
        !parse_count(slash + 1, strlen(slash + 1), SHARDS_MAX, &run->shard_count) || run->shard_index < 1 ||
        run->shard_index > run->shard_count) {
      return rlk_complain(run->command, ROWLOCK_UNUSABLE, "--shard takes I/N with 1 <= I <= N <= %d, not '%s'",
                          SHARDS_MAX, run->shard);
    }
    --run->shard_index;
  } else if (!total != !index) {
    return rlk_complain(run->command, ROWLOCK_UNUSABLE, "%s is set and %s is not: both say which shard this is",
                        total ? "TEST_TOTAL_SHARDS" : "TEST_SHARD_INDEX",
                        total ? "TEST_SHARD_INDEX" : "TEST_TOTAL_SHARDS");
  } else if (total) {
    if (!parse_count(total, strlen(total), SHARDS_MAX, &run->shard_count) || run->shard_count == 0 ||
        !parse_count(index, strlen(index), run->shard_count - 1, &run->shard_index)) {
      return rlk_complain(run->command, ROWLOCK_UNUSABLE, "TEST_SHARD_INDEX %s of TEST_TOTAL_SHARDS %s is unusable",
                          index, total);
    }
    const char* status = environment("TEST_SHARD_STATUS_FILE"); /* touching it tells Bazel that shards are honoured */
    const int fd = status ? open(status, O_WRONLY | O_CREAT | O_CLOEXEC, 0644) : -1;
    if (fd >= 0) close(fd);
  }
  return 0;
}

/* --- Selection ---------------------------------------------------------------------------------------------------- */

static const char* filter_of(const run_command_t* run) {
  return run->filter ? run->filter : environment("TESTBRIDGE_TEST_ONLY");
}

/* A glob over the stem, or over the label ("41a"). */
static bool matches(const run_command_t* run, uint32_t number, char letter, const char* stem) {
  const char* filter = filter_of(run);
  char label[16];
  return !filter || fnmatch(filter, stem, 0) == 0 || fnmatch(filter, rlk_row_label(number, letter, label), 0) == 0;
}

static bool names_loader(const rlk_row_t* row, const rlk_option_list_t* loaders) {
  for (size_t i = 0; i < row->loader_count; ++i) {
    for (size_t j = 0; j < loaders->count; ++j) {
      if (strcmp(row->loaders[i].name, loaders->values[j]) == 0) return true;
    }
  }
  return loaders->count == 0;
}

/* The reference's own loaders; what judges at two levels is there twice. */
static const char* own_loader(int index) {
  static const char* const others[] = {
#define RLK_LAUNCHER(ID, name) name,
      RLK_LAUNCHERS(RLK_LAUNCHER)
#undef RLK_LAUNCHER
          RLK_PROVER};
  const int other = index - RLK_DOOR_COUNT;
  if (other < 0) return rlk_door_info((rlk_door_id_t)index)->name;
  return other < (int)(sizeof others / sizeof *others) ? others[other] : NULL;
}

static bool is_own_loader(const char* name, int count) {
  for (int i = 0; i < count && own_loader(i); ++i) {
    if (strcmp(own_loader(i), name) == 0) return true;
  }
  return false;
}

static int complain_of_loader(const run_command_t* run, const char* name) {
  rlk_nearest_t nearest = {.text = name};
  char own[1024], near[256];
  rlk_text_t list = rlk_text_over(own, sizeof own);
  for (int i = 0; own_loader(i); ++i) {
    if (is_own_loader(own_loader(i), i)) continue;
    rlk_nearest_offer(&nearest, own_loader(i), own_loader(i));
    rlk_text_printf(&list, "%s%s", i > 0 ? ", " : "", own_loader(i));
  }
  for (size_t i = 0; i < run->corpus.count; ++i) {
    const rlk_row_t* row = &run->corpus.rows[i];
    for (size_t j = 0; j < row->loader_count; ++j) {
      rlk_nearest_offer(&nearest, row->loaders[j].name, row->loaders[j].name);
    }
  }
  const bool close = rlk_nearest_list(&nearest, near, sizeof near);
  return rlk_complain(run->command, ROWLOCK_UNUSABLE,
                      "there is no loader '%s', and no row here names it%s%s; the reference's own are %s", name,
                      close ? "; near it: " : "", close ? near : "", own);
}

/* Names that are neither the reference's own nor in any row here judge nothing: a misspelt one must not pass. */
static int check_loaders(const run_command_t* run) {
  for (size_t i = 0; i < run->loaders.count; ++i) {
    const rlk_option_list_t one = {.values = {run->loaders.values[i]}, .count = 1};
    bool known = is_own_loader(one.values[0], INT_MAX);
    for (size_t row = 0; row < run->corpus.count && !known; ++row) known = names_loader(&run->corpus.rows[row], &one);
    if (!known) return complain_of_loader(run, one.values[0]);
  }
  return 0;
}

static bool is_none(const char* device) { return strcmp(device, "none") == 0; }

/* --device and --require-device. Without either, rows of a device are skipped where there is none, and say why. */
static int choose_device(run_command_t* run) {
  uint64_t ordinal = 0;
  const bool is_auto = strcmp(run->device, "auto") == 0;
  if (!is_auto && !is_none(run->device) && !parse_count(run->device, strlen(run->device), UINT16_MAX, &ordinal)) {
    return rlk_complain(run->command, ROWLOCK_UNUSABLE, "--device takes auto, none or a number, not '%s'", run->device);
  }
  run->device_ordinal = (uint32_t)ordinal;
  if (!run->require_device) return 0;
  uint32_t count = 0;
  rowlock_error_t err = {.message = "--device none"};
  const rowlock_code_t code = is_none(run->device) ? ROWLOCK_UNAVAILABLE : rowlock_device_count(&count, &err);
  if (code) return rlk_complain(run->command, ROWLOCK_UNAVAILABLE, "a device is required: %s", err.message);
  if (ordinal < count) return 0;
  return rlk_complain(run->command, ROWLOCK_UNAVAILABLE, "a device is required: device %llu of %u",
                      (unsigned long long)ordinal, count);
}

static rlk_run_options_t run_options(const run_command_t* run) {
  return (rlk_run_options_t){.loaders = run->loaders.values,
                             .loader_count = run->loaders.count,
                             .jobs = (unsigned)run->jobs,
                             .repeat = (unsigned)run->repeat,
                             .switched_off = RLK_RULE_NONE,
                             .launching = {.program = run->program,
                                           .built = run->built,
                                           .time_ms = (uint32_t)run->timeout_s * 1000,
                                           .no_device = is_none(run->device) ? "--device none" : NULL,
                                           .device_ordinal = run->device_ordinal,
                                           .device_sm = run->device_sm,
                                           .requires_device = run->require_device,
                                           .thread_count = (uint32_t)run->threads}};
}

static int select_rows(run_command_t* run) {
  const rlk_run_options_t options = run_options(run);
  run->selected = calloc(run->corpus.count, sizeof *run->selected);
  if (!run->selected) return rlk_complain(run->command, ROWLOCK_NO_MEMORY, "no memory to select rows");
  uint64_t wanted = 0;
  for (size_t i = 0; i < run->corpus.count; ++i) {
    const rlk_row_t* row = &run->corpus.rows[i];
    const bool fits = matches(run, row->number, row->letter, row->stem) && names_loader(row, &run->loaders) &&
                      (!run->level || strcmp(run->level, rlk_row_level_name(row->level)) == 0);
    if (fits && rlk_run_judges(row, &options)) run->judges = true;
    if (fits && wanted++ % run->shard_count == run->shard_index) run->selected[run->selected_count++] = row;
  }
  run->totals.rows = run->selected_count;
  if (wanted > 0) return 0; /* an empty shard of a run that has rows is sound */
  return rlk_complain(run->command, ROWLOCK_UNUSABLE,
                      "no row matches: %zu %s here, and --filter, --level or --loader "
                      "leave none",
                      run->corpus.count, run->corpus.count == 1 ? "is" : "are");
}

/* The end of a run whose rows were all skipped: it is no success. */
static int check_judged(const run_command_t* run, int status) {
  if (status != 0 || run->judges) return status;
  return rlk_complain(run->command, ROWLOCK_UNUSABLE,
                      "nothing was judged: no implementation in this run offers what the rows ask for");
}

/* --- Records ------------------------------------------------------------------------------------------------------ */

static void clear_progress(const run_command_t* run) {
  if (run->progress && run->done >= PROGRESS_STEP) fputs("\r\033[K", stderr);
}

static void emit(void* context, const rlk_record_t* record) {
  run_command_t* run = context;
  rlk_totals_add(&run->totals, record);
  if (record->result == RLK_RESULT_FAIL || record->result == RLK_RESULT_ERROR) clear_progress(run);
  rlk_run_reports_record(&run->reports, record);
  if (run->progress && ++run->done % PROGRESS_STEP == 0) {
    fprintf(stderr, "\r%llu judged, %llu failed", (unsigned long long)run->done,
            (unsigned long long)run->totals.failed);
  }
}

/* --- The lock ----------------------------------------------------------------------------------------------------- */

static run_lock_t* find_lock(const run_command_t* run, const char* path) {
  for (size_t i = 0; i < run->lock_count; ++i) {
    if (strcmp(run->locks[i].lock.path, path) == 0) return &run->locks[i];
  }
  return NULL;
}

/* The folder of the lock's path. */
static char* copy_folder(run_command_t* run, const char* path) {
  const size_t length = (size_t)(strrchr(path, '/') - path);
  char* folder = rlk_arena_alloc(&run->corpus.arena, length + 2);
  if (!folder) return NULL;
  rlk_text_t text = rlk_text_over(folder, length + 2);
  rlk_text_put(&text, length > 0 ? path : "/", length > 0 ? length : 1);
  return folder;
}

/* Reads the lock over each of the paths, once. */
static rowlock_code_t read_locks(run_command_t* run) {
  run->lock_count = 0;
  run->locks = calloc(run->corpus.scope_count + 1, sizeof *run->locks);
  if (!run->locks) return ROWLOCK_NO_MEMORY;
  for (size_t i = 0; i < run->corpus.scope_count; ++i) {
    const char* path = run->corpus.scopes[i].lock_path;
    if (!path || find_lock(run, path)) continue;
    run_lock_t* lock = &run->locks[run->lock_count++];
    lock->folder = copy_folder(run, path);
    if (!lock->folder) return ROWLOCK_NO_MEMORY;
    const rowlock_code_t code = rlk_lock_read(path, &run->corpus.arena, &lock->lock, &run->defects);
    if (code) return code;
  }
  return ROWLOCK_OK;
}

static void keep_divergence(void* context, rlk_divergence_t divergence, const rlk_row_t* row,
                            const rlk_lock_entry_t* entry) {
  run_command_t* run = context;
  const bool asked =
      row ? matches(run, row->number, row->letter, row->stem) : matches(run, entry->number, entry->letter, entry->stem);
  if (asked) run->divergences[run->divergence_count++] = (kept_divergence_t){run->comparing, divergence, row, entry};
}

/* Before anything is reported: a corpus whose numbers changed their meaning is malformed, and nothing of it is run.
 * Every row below the paths that the filter names is compared, whatever it is judged by: a row that is gone has no
 * level and no loaders. */
static int compare_locks(run_command_t* run) {
  size_t most = run->corpus.count;
  for (size_t i = 0; i < run->lock_count; ++i) most += run->locks[i].lock.count;
  run->divergences = calloc(most + 1, sizeof *run->divergences);
  if (!run->divergences) return rlk_complain(run->command, ROWLOCK_NO_MEMORY, "no memory to compare the lock");
  for (size_t i = 0; i < run->lock_count; ++i) {
    rowlock_error_t err;
    run->comparing = &run->locks[i];
    const rowlock_code_t code =
        rlk_lock_compare(&run->corpus, &run->locks[i].lock, &run->defects, keep_divergence, run, &err);
    if (rlk_defects_any(&run->defects)) return rlk_complain_of_defects(run->command, &run->defects);
    if (code) return rlk_complain(run->command, code, "%s", err.message);
  }
  return 0;
}

/* A divergence is a failed record of its own, by the name of the file that speaks. */
static void emit_divergences(run_command_t* run) {
  for (size_t i = 0; i < run->divergence_count; ++i) {
    const kept_divergence_t* kept = &run->divergences[i];
    if (i % run->shard_count != run->shard_index) continue; /* another shard's to tell */
    const rlk_row_t* row = kept->row;
    emit(run, &(rlk_record_t){.number = row ? row->number : kept->entry->number,
                              .stem = row ? row->stem : kept->entry->stem,
                              .path = kept->lock->folder,
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
  if (!code) code = read_locks(run);
  free(found);
  if (rlk_defects_any(&run->defects)) return rlk_complain_of_defects(run->command, &run->defects);
  return code ? rlk_complain(run->command, code, "%s", rowlock_code_meaning(code)) : 0;
}

/* Asked only for rows that are about one SM: a driver takes its time to start. Where there is none, they say so. */
static void find_sm(run_command_t* run) {
  bool asks = false;
  for (size_t i = 0; i < run->selected_count; ++i) {
    asks |= rlk_row_level_is_launched(run->selected[i]->level) && run->selected[i]->machine.sm > 0;
  }
  if (!asks || is_none(run->device)) return;
  const rlk_driver_t* driver;
  rowlock_device_t device;
  if (rlk_driver_get(&driver, NULL) || rlk_device_describe(driver, run->device_ordinal, &device, NULL)) return;
  run->device_sm = device.sm;
}

static int run_selected(run_command_t* run) {
  find_sm(run);
  const rlk_run_options_t options = run_options(run);
  emit_divergences(run);
  rowlock_error_t err;
  const rowlock_code_t code = rlk_run(run->selected, run->selected_count, &options, emit, run, &err);
  if (code) return rlk_complain(run->command, code, "%s", err.message);
  return run->totals.failed > 0 ? rowlock_code_exit_status(ROWLOCK_REJECTED) : 0;
}

/* One more than the cores, since some rows wait for time to pass. */
static uint64_t default_jobs(void) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : cores < JOBS_MAX ? (uint64_t)cores + 1 : JOBS_MAX;
}

static int run_main(const rlk_command_t* command, int argc, char** argv) {
  run_command_t* run = calloc(1, sizeof *run);
  if (!run) return rlk_complain(command, ROWLOCK_NO_MEMORY, "no memory");
  *run = (run_command_t){.command = command, .format = "text", .device = "auto", .jobs = default_jobs(), .repeat = 1};
  const rlk_option_t options[] = {
      RLK_CHOICE("level", &run->level, RLK_ROW_LEVEL_CHOICES, "only rows of this level"),
      RLK_LIST("loader", &run->loaders, "NAME", "only this loader; repeatable"),
      RLK_TEXT("filter", &run->filter, "GLOB", "only rows whose stem or label matches: 'row4*', '41a'"),
      RLK_NUMBER("jobs", &run->jobs, "N", 1, JOBS_MAX, "threads (default: one more than the cores: some rows wait)"),
      RLK_TEXT("shard", &run->shard, "I/N", "every N-th of the rows, starting with the I-th"),
      RLK_NUMBER("repeat", &run->repeat, "N", 1, REPEAT_MAX, "judge each row N times; one that changes is an error"),
      RLK_TEXT("built", &run->built, "DIR", "where fixtures built from sources are (default: bazel-bin)"),
      RLK_NUMBER("timeout", &run->timeout_s, "S", 1, TIMEOUT_S_MAX, "stop a launch after S seconds (default: 30)"),
      RLK_NUMBER("threads", &run->threads, "N", 1, ROWLOCK_THREADS_MAX,
                 "of a launch's team (default: OMP_NUM_THREADS, or the processors)"),
      RLK_TEXT("device", &run->device, "auto|none|N", "launch on this CUDA device (default: auto, the first)"),
      RLK_FLAG("require-device", &run->require_device, "end with 3 if there is no such device, instead of skipping"),
      RLK_CHOICE("format", &run->format, RLK_REPORT_FORMAT_CHOICES, "of standard output; json is one object a line"),
      RLK_LIST("report", &run->asked_reports, "FORMAT=FILE", "also write FILE, in a format of --format; repeatable"),
      {0}};
  char** paths;
  const rlk_parsed_t parsed = rlk_options_parse(command, options, argc, argv, &paths);
  int status = parsed == RLK_PARSED ? 0 : rlk_options_exit_status(parsed);
  if (parsed == RLK_PARSED) {
    run->progress = strcmp(run->format, "text") == 0 && isatty(STDERR_FILENO);
    status = rlk_find_self(command, run->program);
    if (!status) status = choose_shard(run);
    if (!status) status = choose_device(run);
    if (!status) status = load(run, paths);
    if (!status) status = check_loaders(run);
    if (!status) status = select_rows(run);
    if (!status) status = compare_locks(run);
    if (!status) {
      status = rlk_run_reports_open(command, &run->asked_reports, run->format, environment("XML_OUTPUT_FILE"),
                                    &run->reports);
    }
    const bool runs = !status;
    if (!status) status = run_selected(run);
    clear_progress(run);
    status = rlk_run_reports_close(command, &run->reports, &run->totals, status);
    if (runs) status = check_judged(run, status);
  }
  free(run->selected);
  free(run->divergences);
  for (size_t i = 0; i < run->lock_count; ++i) rlk_lock_deinit(&run->locks[i].lock);
  free(run->locks);
  rlk_corpus_deinit(&run->corpus);
  rlk_defects_deinit(&run->defects);
  free(run);
  return status;
}

const rlk_command_t rlk_command_run = {
    .name = "run",
    .arguments = "[PATH...]",
    .summary = "Runs the rows of a corpus against the reference",
    .details = "PATH is a corpus, a folder of rows or one row's *" RLK_EXPECT_SUFFIX
               " (default: the nearest folder 'corpus'\n"
               "with a " RLK_LOCK_NAME
               "). Links to folders are not followed.\n"
               "Where a " RLK_LOCK_NAME
               " lies in PATH or above it, each row below PATH that --filter matches is compared\n"
               "with it, and what changed, is missing or is not listed fails; --level and --loader change nothing of\n"
               "that. A run with no row for a loader that judges here ends with 2.\n"
               "A file of --report is made, or replaced, when the whole report is written; a pipe or a device\n"
               "takes it as it comes.\n"
               "The last line of the text is 'N passed, N failed, N skipped'. Under Bazel, TEST_TOTAL_SHARDS,\n"
               "TEST_SHARD_INDEX, TESTBRIDGE_TEST_ONLY and XML_OUTPUT_FILE are honoured.",
    .main = run_main};
