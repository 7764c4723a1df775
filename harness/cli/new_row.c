#define _GNU_SOURCE /* asprintf, PATH_MAX */
#include "harness/cli/new_row.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cli/companions.h"
#include "harness/cli/expectation.h"
#include "harness/cli/hold.h"
#include "harness/cli/staging.h"
#include "harness/rows/lock.h"
#include "harness/rows/tree.h"
#include "harness/runner/runner.h"
#include "loader/checker.h"
#include "validator/rules/text.h"

/* With the largest number and the longest suffix a stem is still a file's name. */
enum { NAME_LENGTH_MAX = 200, ROW_NUMBER_MAX = 999999 };

typedef struct making_t {
  const rlk_new_row_request_t* request;
  rlk_new_row_t* row;
  rlk_corpus_t corpus;
  rlk_lock_t lock;
  bool fixture_is_folder;           /* or becomes one */
  rlk_companions_t companions;      /* of a manifest that was given as a file */
  int held;                         /* the corpus's folder, held against others; -1 when it is not */
  char* folder;                     /* of the row's files */
  char *expect_name, *fixture_name; /* in it */
  rlk_staging_t staging;
  rowlock_error_t* err;
} making_t;

static rowlock_code_t no_memory(rowlock_error_t* err) {
  return rlk_fail(err, ROWLOCK_NO_MEMORY, "no memory for a row");
}

void rlk_new_row_deinit(rlk_new_row_t* row) {
  free(row->stem);
  free(row->expect_path);
  free(row->fixture_path);
  *row = (rlk_new_row_t){0};
}

/* --- The words of the request ------------------------------------------------------------------------------------- */

/* snake_case: words of small letters and digits with one '_' between them. */
static bool is_snake_case(const char* name) {
  bool in_word = false;
  for (; *name; ++name) {
    const bool letter = (*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9');
    if (!letter && (*name != '_' || !in_word)) return false;
    in_word = letter;
  }
  return in_word;
}

/* A line of text as a row's file can hold it. */
static bool is_line(const char* text) {
  const size_t length = strlen(text);
  for (size_t at = 0; at < length;) {
    const size_t character = rlk_utf8_length(text + at, length - at);
    if (character == 0 || (unsigned char)text[at] < 0x20 || text[at] == 0x7F) return false;
    at += character;
  }
  return length > 0;
}

/* A folder below the corpus, none of its parts hidden: discovery does not look into those. */
static bool is_family(const char* family) {
  if (strcmp(family, ".") == 0) return true; /* the corpus itself */
  for (;;) {
    const size_t length = strcspn(family, "/");
    if (length == 0 || family[0] == '.') return false;
    if (!family[length]) return true;
    family += length + 1;
  }
}

static rowlock_code_t check_words(const making_t* making) {
  const rlk_new_row_request_t* request = making->request;
  if (strlen(request->fixture) >= PATH_MAX) {
    return rlk_fail(making->err, ROWLOCK_UNUSABLE, "the fixture's path is longer than %d bytes", PATH_MAX - 1);
  }
  if (!is_snake_case(request->name)) {
    return rlk_fail(making->err, ROWLOCK_UNUSABLE, "the name '%s' is not snake_case", request->name);
  }
  if (strlen(request->name) > NAME_LENGTH_MAX) {
    return rlk_fail(making->err, ROWLOCK_UNUSABLE, "the name is longer than %d letters", NAME_LENGTH_MAX);
  }
  if (!is_line(request->title)) {
    return rlk_fail(making->err, ROWLOCK_UNUSABLE, "the title is not a line of UTF-8 text");
  }
  for (size_t i = 0; i < request->why->count; ++i) {
    if (!is_line(request->why->values[i])) {
      return rlk_fail(making->err, ROWLOCK_UNUSABLE, "why, line %zu, is not a line of UTF-8 text", i + 1);
    }
  }
  if (request->family && !is_family(request->family)) {
    return rlk_fail(making->err, ROWLOCK_UNUSABLE, "the family '%s' is not a folder below the corpus", request->family);
  }
  return ROWLOCK_OK;
}

/* --- The corpus --------------------------------------------------------------------------------------------------- */

static bool is_folder(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A part of a corpus does not know which numbers are in use. */
static rowlock_code_t check_whole(const making_t* making) {
  const rlk_scope_t* scope = making->corpus.scopes;
  if (!*scope->below) return ROWLOCK_OK;
  return rlk_fail(making->err, ROWLOCK_UNUSABLE, "'%s' is a part of a corpus that '%s' covers: its family is '%s'",
                  making->request->corpus, scope->lock_path, scope->below);
}

static rowlock_code_t load_corpus(making_t* making, rlk_defects_t* defects) {
  const char* path = making->request->corpus;
  if (!is_folder(path)) return rlk_fail(making->err, ROWLOCK_UNUSABLE, "there is no folder '%s'", path);
  /* From choosing a number to writing it down: two that ran together would choose the same. A file system that cannot
   * lock leaves that to the reader of the corpus, who refuses a number that is there twice. */
  making->held = rlk_hold_folder(path);
  char* const paths[] = {(char*)path};
  rowlock_code_t code = rlk_corpus_load(&making->corpus, paths, 1, defects);
  /* The first row has to come from somewhere. */
  if (!code && defects->count == 1 && defects->records[0].defect == RLK_DEFECT_CORPUS_EMPTY) {
    rlk_defects_deinit(defects);
  }
  if (!code && making->corpus.lock_path) {
    code = rlk_lock_read(making->corpus.lock_path, &making->corpus.arena, &making->lock, defects);
  }
  if (code) return no_memory(making->err);
  if (!rlk_defects_any(defects)) return check_whole(making);
  return rlk_fail(making->err, ROWLOCK_UNUSABLE, "the corpus '%s' is malformed: no row is added to it", path);
}

/* Fills the number that was asked for, "41" or "41a". */
static bool parse_number(const char* text, uint32_t* out_number, char* out_letter) {
  char stem[16];
  const size_t length = strlen(text);
  if (strspn(text, "0123456789abcdefghijklmnopqrstuvwxyz") != length || length > sizeof stem - sizeof "row_x")
    return false;
  snprintf(stem, sizeof stem, "row%s_x", text);
  return rlk_stem_parse(stem, out_number, out_letter);
}

static rowlock_code_t choose_number(making_t* making) {
  rlk_new_row_t* row = making->row;
  if (!making->request->number) {
    row->number = rlk_lock_next_number(&making->corpus, &making->lock);
    if (row->number <= ROW_NUMBER_MAX) return ROWLOCK_OK;
    return rlk_fail(making->err, ROWLOCK_UNUSABLE, "the largest row number is in use: name another with --number");
  }
  if (!parse_number(making->request->number, &row->number, &row->letter)) {
    return rlk_fail(making->err, ROWLOCK_UNUSABLE, "'%s' is not a row number: 41 or 41a, at most %d",
                    making->request->number, ROW_NUMBER_MAX);
  }
  char label[16];
  rlk_row_label(row->number, row->letter, label);
  for (size_t i = 0; i < making->corpus.count; ++i) {
    const rlk_row_t* other = &making->corpus.rows[i];
    if (other->number == row->number && other->letter == row->letter) {
      return rlk_fail(making->err, ROWLOCK_UNUSABLE, "row %s is '%s' already", label, other->stem);
    }
  }
  for (size_t i = 0; i < making->lock.count; ++i) {
    const rlk_lock_entry_t* entry = &making->lock.entries[i];
    if (entry->number == row->number && entry->letter == row->letter) {
      return rlk_fail(making->err, ROWLOCK_UNUSABLE, "row %s was '%s': a number is not used again", label, entry->stem);
    }
  }
  return ROWLOCK_OK;
}

static bool rejects(const rlk_new_row_t* row) {
  for (size_t i = 0; i < row->verdict_count; ++i) {
    if (row->verdicts[i].reject) return true;
  }
  return false;
}

static rowlock_code_t check_twin(const making_t* making) {
  const char* stem = making->request->twin;
  if (!stem) return ROWLOCK_OK;
  if (!rejects(making->row)) {
    return rlk_fail(making->err, ROWLOCK_UNUSABLE,
                    "every loader accepts the fixture: it has no fault that a twin lacks");
  }
  const rlk_row_t* twin = rlk_corpus_find(&making->corpus, stem);
  if (!twin) return rlk_fail(making->err, ROWLOCK_UNUSABLE, "the twin '%s' is no row of this corpus", stem);
  rlk_level_t level;
  const bool same = rlk_row_level_has_doors(twin->level, &level) && level == making->row->level;
  if (same && !twin->expected.reject) return ROWLOCK_OK;
  return rlk_fail(making->err, ROWLOCK_UNUSABLE, "the twin '%s' is not an accept row of the same level", stem);
}

/* --- The fixture's level and its loaders -------------------------------------------------------------------------- */

static bool has_file(const char* folder, const char* name) {
  char* path;
  if (asprintf(&path, "%s/%s", folder, name) < 0) return false;
  const bool there = access(path, F_OK) == 0;
  free(path);
  return there;
}

/* What its name says of the fixture, or what the loaders do. False when neither does. */
static bool level_from_request(const making_t* making, rlk_level_t* out_level) {
  const rlk_new_row_request_t* request = making->request;
  for (int level = RLK_LEVEL_SIDECAR; level <= RLK_LEVEL_MANIFEST; ++level) {
    *out_level = (rlk_level_t)level;
    const bool sidecar = level == RLK_LEVEL_SIDECAR;
    if (rlk_path_ends_with(request->fixture, sidecar ? "sidecar.json" : "manifest.json")) return true;
  }
  for (size_t i = 0; i < request->loaders->count; ++i) {
    const bool sidecar = rlk_door_find(request->loaders->values[i], RLK_LEVEL_SIDECAR) != RLK_DOOR_NONE;
    const bool manifest = rlk_door_find(request->loaders->values[i], RLK_LEVEL_MANIFEST) != RLK_DOOR_NONE;
    *out_level = sidecar ? RLK_LEVEL_SIDECAR : RLK_LEVEL_MANIFEST;
    if (sidecar != manifest) return true;
  }
  return false;
}

/* Why the fixture, which is not JSON, is none. */
static rowlock_code_t refuse_fixture(const making_t* making) {
  const char* fixture = making->request->fixture;
  static const char* const suffixes[] = {".ptx", ".cubin", ".fatbin", ".so"};
  bool is_artifact = false;
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; ++i)
    is_artifact |= rlk_path_ends_with(fixture, suffixes[i]);
  return rlk_fail(making->err, ROWLOCK_UNUSABLE,
                  is_artifact
                      ? "'%s' is an artifact, whose row is written by hand: CONTRIBUTING.md says how, under 'Add "
                        "an artifact row' and 'Add a launch row'"
                      : "'%s' is not JSON, so it does not say what it is: name it *.sidecar.json or "
                        "*.manifest.json",
                  fixture);
}

static rowlock_code_t level_from_keys(const making_t* making, rlk_level_t* out_level) {
  rowlock_checker_t* checker = NULL;
  rowlock_findings_t* findings = rowlock_findings_create();
  if (!findings) return no_memory(making->err);
  rowlock_code_t code = rowlock_checker_create(&checker, making->err);
  if (!code) code = rlk_checker_open(checker, making->request->fixture, -1, findings, making->err);
  if (!code) *out_level = rlk_checker_level(checker);
  if (code == ROWLOCK_REJECTED) code = refuse_fixture(making);
  rowlock_checker_destroy(checker);
  rowlock_findings_destroy(findings);
  return code;
}

static rowlock_code_t find_level(making_t* making) {
  const char* fixture = making->request->fixture;
  struct stat status;
  if (stat(fixture, &status) != 0) {
    return rlk_fail(making->err, ROWLOCK_UNUSABLE, "cannot read '%s': %s", fixture, strerror(errno));
  }
  making->fixture_is_folder = S_ISDIR(status.st_mode);
  if (making->fixture_is_folder) {
    const bool manifest = has_file(fixture, "manifest.json");
    making->row->level = manifest ? RLK_LEVEL_MANIFEST : RLK_LEVEL_SIDECAR;
    if (manifest || has_file(fixture, "sidecar.json")) return ROWLOCK_OK;
    return rlk_fail(making->err, ROWLOCK_UNUSABLE, "the folder '%s' has neither a manifest.json nor a sidecar.json",
                    fixture);
  }
  rowlock_code_t code = ROWLOCK_OK;
  if (!level_from_request(making, &making->row->level)) code = level_from_keys(making, &making->row->level);
  if (code || making->row->level != RLK_LEVEL_MANIFEST) return code;
  if (rlk_companions_find(&making->companions, fixture, making->err)) return no_memory(making->err);
  making->fixture_is_folder = making->companions.count > 0;
  return ROWLOCK_OK;
}

static rowlock_code_t choose_loaders(making_t* making) {
  rlk_new_row_t* row = making->row;
  const rlk_option_list_t* named = making->request->loaders;
  for (size_t i = 0; i < named->count; ++i) {
    const char* loader = named->values[i];
    if (rlk_door_find(loader, row->level) == RLK_DOOR_NONE) {
      return rlk_fail(making->err, ROWLOCK_UNUSABLE,
                      "there is no loader '%s' for a %s ('rowlock rules --doors' lists them)", loader,
                      rlk_level_name(row->level));
    }
    for (size_t j = 0; j < i; ++j) {
      if (strcmp(named->values[j], loader) == 0) {
        return rlk_fail(making->err, ROWLOCK_UNUSABLE, "the loader '%s' is named twice", loader);
      }
    }
    row->verdicts[row->verdict_count++].loader = loader;
  }
  for (int door = 0; named->count == 0 && door < RLK_DOOR_COUNT; ++door) {
    const rlk_door_t* info = rlk_door_info((rlk_door_id_t)door);
    if (info->level == row->level && !info->contract) row->verdicts[row->verdict_count++].loader = info->name;
  }
  return ROWLOCK_OK;
}

/* Whether the corpus has rows and no families. */
static bool is_flat(const rlk_corpus_t* corpus) {
  for (size_t i = 0; i < corpus->count; ++i) {
    if (strcmp(corpus->rows[i].folder, corpus->root) != 0) return false;
  }
  return corpus->count > 0;
}

/* The folder of the row's files: the family's, or the corpus itself. */
static rowlock_code_t choose_folder(making_t* making) {
  const char* family = making->request->family;
  const char* root = making->corpus.root;
  const bool flat = family ? strcmp(family, ".") == 0 : is_flat(&making->corpus);
  if (!family) family = rlk_level_name(making->row->level);
  const int length = flat ? asprintf(&making->folder, "%s", root) : asprintf(&making->folder, "%s/%s", root, family);
  if (length < 0) {
    making->folder = NULL;
    return no_memory(making->err);
  }
  if (!flat && rlk_lies_behind_link(root, family)) {
    return rlk_fail(making->err, ROWLOCK_UNUSABLE, "'%s' is, or lies behind, a link, which no run follows",
                    making->folder);
  }
  if (is_folder(making->folder)) return ROWLOCK_OK;
  return rlk_fail(making->err, ROWLOCK_UNUSABLE,
                  "there is no folder '%s': make the family's first, or say --family . for a corpus without families",
                  making->folder);
}

static rowlock_code_t name_files(making_t* making) {
  rlk_new_row_t* row = making->row;
  const rowlock_code_t code = choose_folder(making);
  if (code) return code;
  const char letter[] = {row->letter, '\0'};
  const char* suffix = making->fixture_is_folder          ? ""
                       : row->level == RLK_LEVEL_MANIFEST ? ".manifest.json"
                                                          : ".sidecar.json";
  if (asprintf(&row->stem, "row%02u%s_%s", row->number, letter, making->request->name) < 0 ||
      asprintf(&making->expect_name, "%s" RLK_EXPECT_SUFFIX, row->stem) < 0 ||
      asprintf(&making->fixture_name, "%s%s", row->stem, suffix) < 0 ||
      asprintf(&row->expect_path, "%s/%s", making->folder, making->expect_name) < 0 ||
      asprintf(&row->fixture_path, "%s/%s", making->folder, making->fixture_name) < 0) {
    return no_memory(making->err);
  }
  return ROWLOCK_OK;
}

/* --- What the reference says -------------------------------------------------------------------------------------- */

/* Collects the records of one run: one a loader, in order. */
typedef struct listening_t {
  rlk_new_row_t* row;
  size_t index;
  rowlock_code_t code;
  rowlock_error_t* err;
} listening_t;

static void take_verdict(void* context, const rlk_record_t* record) {
  listening_t* listening = context;
  if (listening->code) return;
  rlk_verdict_t* verdict = &listening->row->verdicts[listening->index++];
  if (record->got == RLK_GOT_NOTHING) {
    listening->code = rlk_fail(listening->err, ROWLOCK_UNUSABLE, "%s: %s", record->loader, record->reason);
    return;
  }
  verdict->reject = record->got == RLK_GOT_REJECT;
  verdict->rule = record->rule;
  if (!verdict->reject) return;
  rlk_rule_pin(verdict->rule, record->message, verdict->pin);
  if (strstr(record->message, verdict->pin)) return;
  listening->code = rlk_fail(listening->err, ROWLOCK_INTERNAL, "the message of %s does not hold '%s'",
                             rlk_rule_info(verdict->rule)->id, verdict->pin);
}

static rowlock_code_t run_row(const rlk_row_t* row, rlk_record_fn emit, void* context, rowlock_error_t* err) {
  const rlk_run_options_t options = {.jobs = 1, .repeat = 1, .switched_off = RLK_RULE_NONE};
  return rlk_run(&row, 1, &options, emit, context, err);
}

static rowlock_code_t judge(making_t* making) {
  rlk_new_row_t* row = making->row;
  rlk_row_loader_t loaders[RLK_ROW_LOADERS_MAX];
  for (size_t i = 0; i < row->verdict_count; ++i) {
    loaders[i] = (rlk_row_loader_t){.name = row->verdicts[i].loader, .expected = {.rule = RLK_RULE_NONE}};
  }
  const char* inside = !making->fixture_is_folder         ? ""
                       : row->level == RLK_LEVEL_MANIFEST ? "/manifest.json"
                                                          : "/sidecar.json";
  char* path;
  if (asprintf(&path, "%s/%s%s", making->staging.aside, making->fixture_name, inside) < 0)
    return no_memory(making->err);
  const rlk_row_t candidate = {
      .stem = row->stem,
      .expect_path = row->expect_path,
      .fixture_path = path,
      .level = row->level == RLK_LEVEL_MANIFEST ? RLK_ROW_LEVEL_MANIFEST : RLK_ROW_LEVEL_SIDECAR,
      .loaders = loaders,
      .loader_count = row->verdict_count};
  listening_t listening = {.row = row, .err = making->err};
  const rowlock_code_t code = run_row(&candidate, take_verdict, &listening, making->err);
  free(path);
  return code ? code : listening.code;
}

/* --- The row's file ----------------------------------------------------------------------------------------------- */

static rowlock_code_t write_expectation(const making_t* making) {
  json_object* object = rlk_expectation(making->request, making->row);
  const char* json = object ? rlk_json_text(object) : NULL;
  char* text = NULL;
  rowlock_code_t code = ROWLOCK_OK;
  if (!json || asprintf(&text, "%s\n", json) < 0) {
    code = no_memory(making->err);
  } else {
    code = rlk_staging_write(&making->staging, making->expect_name, text, making->err);
    free(text);
  }
  json_object_put(object);
  return code;
}

static void take_result(void* context, const rlk_record_t* record) {
  listening_t* listening = context;
  if (record->result == RLK_RESULT_PASS || listening->code) return;
  listening->code = rlk_fail(listening->err, ROWLOCK_INTERNAL, "the row that was made fails at %s: %s", record->loader,
                             record->reason);
}

/* Reads the row as any run will and runs it: what is wrong with it must not reach the corpus. */
static rowlock_code_t prove(making_t* making, rlk_defects_t* defects) {
  char* path = rlk_staging_path(&making->staging, making->expect_name);
  if (!path) return no_memory(making->err);
  rlk_row_t row;
  rowlock_code_t code = rlk_row_read(path, &making->corpus.arena, defects, &row);
  free(path);
  if (code) return no_memory(making->err);
  if (rlk_defects_any(defects)) return rlk_fail(making->err, ROWLOCK_INTERNAL, "the row that was made is malformed");
  listening_t listening = {.row = making->row, .err = making->err};
  code = run_row(&row, take_result, &listening, making->err);
  return code ? code : listening.code;
}

/* Copies a file to `name` below the fixture's folder. */
static rowlock_code_t copy_into(const making_t* making, const char* source, const char* name) {
  char* path;
  if (asprintf(&path, "%s/%s", making->fixture_name, name) < 0) return no_memory(making->err);
  const rowlock_code_t code = rlk_staging_copy(&making->staging, source, path, making->err);
  free(path);
  return code;
}

static rowlock_code_t copy_fixture(const making_t* making) {
  const char* fixture = making->request->fixture;
  const rlk_companions_t* companions = &making->companions;
  if (companions->count == 0) {
    return rlk_staging_copy(&making->staging, fixture, making->fixture_name, making->err);
  }
  rowlock_code_t code = copy_into(making, fixture, "manifest.json");
  for (size_t i = 0; i < companions->count && !code; ++i) {
    code = copy_into(making, companions->files[i].path, companions->files[i].name);
  }
  return code;
}

static rowlock_code_t make(making_t* making, rlk_defects_t* defects) {
  rowlock_code_t code = check_words(making);
  if (!code) code = load_corpus(making, defects);
  if (!code) code = choose_number(making);
  if (!code) code = find_level(making);
  if (!code) code = choose_loaders(making);
  if (!code) code = name_files(making);
  if (!code) code = rlk_staging_open(&making->staging, making->folder, making->err);
  if (!code) code = copy_fixture(making);
  if (!code) code = judge(making);
  if (!code) code = check_twin(making);
  if (!code) code = write_expectation(making);
  if (!code) code = prove(making, defects);
  if (!code) {
    code = rlk_staging_commit(&making->staging, making->fixture_name, making->expect_name, making->err);
  }
  return code;
}

rowlock_code_t rlk_new_row_make(const rlk_new_row_request_t* request, rlk_new_row_t* out_row, rlk_defects_t* defects,
                                rowlock_error_t* err) {
  *out_row = (rlk_new_row_t){0};
  making_t making = {.request = request, .row = out_row, .held = -1, .err = err};
  const rowlock_code_t code = make(&making, defects);
  rlk_staging_close(&making.staging);
  rlk_companions_deinit(&making.companions);
  if (making.held >= 0) close(making.held);
  free(making.folder);
  free(making.expect_name);
  free(making.fixture_name);
  rlk_lock_deinit(&making.lock);
  rlk_corpus_deinit(&making.corpus);
  if (code) rlk_new_row_deinit(out_row);
  return code;
}
