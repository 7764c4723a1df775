/* rowlock new-row: the files of a corpus's next row, from a fixture. */
#define _GNU_SOURCE /* PATH_MAX */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check/shown.h"
#include "harness/cli/expectation.h"
#include "harness/cli/find_corpus.h"
#include "harness/cli/json_output.h"
#include "harness/cli/new_row.h"
#include "harness/report/report.h"
#include "validator/rules/text.h"

/* What is left to do, as the words of a command. */
static const char* const next_step[] = {"rowlock", "lock", "--update"};
enum { NEXT_STEP_COUNT = sizeof next_step / sizeof *next_step };

static const char* outcome_name(const rlk_verdict_t* verdict) { return verdict->reject ? "reject" : "accept"; }

static int show_text(const rlk_new_row_t* row, const char* corpus) {
  printf("%s\n", row->stem);
  for (size_t i = 0; i < row->verdict_count; ++i) {
    const rlk_verdict_t* verdict = &row->verdicts[i];
    printf("  %-20s  %s", verdict->loader, outcome_name(verdict));
    if (verdict->reject) printf("  %s  \"%s\"", rlk_rule_info(verdict->rule)->id, verdict->pin);
    printf("\n");
  }
  fputs("wrote ", stdout);
  rlk_put_shown(stdout, row->fixture_path);
  fputs("\nwrote ", stdout);
  rlk_put_shown(stdout, row->expect_path);
  fputs("\nnext: ", stdout);
  for (size_t i = 0; i < NEXT_STEP_COUNT; ++i) printf("%s ", next_step[i]);
  rlk_report_print_path(stdout, corpus);
  fputc('\n', stdout);
  return rowlock_code_exit_status(ROWLOCK_OK);
}

static bool put_verdicts(json_object* root, const rlk_new_row_t* row) {
  json_object* verdicts = json_object_new_array();
  if (!rlk_json_member(root, "verdicts", verdicts)) return false;
  for (size_t i = 0; i < row->verdict_count; ++i) {
    json_object* verdict = json_object_new_object();
    if (!rlk_json_element(verdicts, verdict) ||
        !rlk_json_member(verdict, "loader", json_object_new_string(row->verdicts[i].loader)) ||
        !rlk_expectation_put_outcome(verdict, &row->verdicts[i])) {
      return false;
    }
  }
  return true;
}

/* A path may be of any bytes, JSON is UTF-8. */
static json_object* path_text(const char* path) {
  char shown[6 * PATH_MAX]; /* six bytes for one, at most */
  rlk_text_t text = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&text, path, strlen(path), PATH_MAX - 1);
  return json_object_new_string(shown);
}

static bool put_next_step(json_object* root, const char* corpus) {
  json_object* next = json_object_new_array();
  if (!rlk_json_member(root, "next", next)) return false;
  for (size_t i = 0; i < NEXT_STEP_COUNT; ++i) {
    if (!rlk_json_element(next, json_object_new_string(next_step[i]))) return false;
  }
  char operand[PATH_MAX + 2];
  rlk_text_t text = rlk_text_over(operand, sizeof operand);
  rlk_text_printf(&text, "%s%s", corpus[0] == '-' ? "./" : "", corpus); /* or it would be an option */
  return rlk_json_element(next, path_text(operand));
}

static bool fill(json_object* root, const rlk_new_row_t* row, const char* corpus) {
  return rlk_json_member(root, "row", json_object_new_int64(row->number)) &&
         rlk_json_member(root, "stem", json_object_new_string(row->stem)) &&
         rlk_json_member(root, "level", json_object_new_string(rlk_level_name(row->level))) &&
         put_verdicts(root, row) && rlk_json_member(root, "fixture", path_text(row->fixture_path)) &&
         rlk_json_member(root, "expectation", path_text(row->expect_path)) && put_next_step(root, corpus);
}

static int show_json(const rlk_command_t* command, const rlk_new_row_t* row, const char* corpus) {
  json_object* root = json_object_new_object();
  const bool complete = root && fill(root, row, corpus);
  return rlk_json_print(command, root, complete);
}

static int make(const rlk_command_t* command, const rlk_new_row_request_t* request, const char* format) {
  rlk_new_row_t row;
  rlk_defects_t defects = {0};
  rowlock_error_t err;
  int status;
  const rowlock_code_t code = rlk_new_row_make(request, &row, &defects, &err);
  if (rlk_defects_any(&defects)) rlk_complain_of_defects(command, &defects);
  if (code) {
    status = rlk_complain(command, code, "%s", err.message);
  } else {
    status = strcmp(format, "json") == 0 ? show_json(command, &row, request->corpus) : show_text(&row, request->corpus);
    if (!request->twin && row.verdicts[0].reject) {
      fflush(stdout);
      fprintf(stderr,
              "rowlock %s: the row has no twin: an accept row whose fixture differs only in the fault; add its stem as "
              "\"twin\"\n",
              command->name);
    }
  }
  rlk_new_row_deinit(&row);
  rlk_defects_deinit(&defects);
  return status;
}

static int run(const rlk_command_t* command, int argc, char** argv) {
  const char* format = "text";
  rlk_option_list_t why = {0}, loaders = {0};
  rlk_new_row_request_t request = {.why = &why, .loaders = &loaders};
  const rlk_option_t options[] = {
      RLK_TEXT("name", &request.name, "SNAKE", "what the row is called after its number"),
      RLK_TEXT("title", &request.title, "TEXT", "the behaviour that the row locks, as a sentence"),
      RLK_LIST("why", &why, "LINE", "what would go wrong without the row; once a line"),
      RLK_TEXT("corpus", &request.corpus, "DIR", "where to (default: the nearest folder 'corpus')"),
      RLK_TEXT("family", &request.family, "NAME", "folder in the corpus (default: its level's; . for none)"),
      RLK_LIST("loader", &loaders, "NAME", "judge at this one; repeatable (default: every door)"),
      RLK_TEXT("twin", &request.twin, "STEM", "the accept row that lacks only the fault"),
      RLK_TEXT("number", &request.number, "N[letter]", "default: one above the largest, in use or retired"),
      RLK_CHOICE("format", &format, "text|json", "of the output (default: text)"),
      {0},
  };
  char** operands;
  const rlk_parsed_t parsed = rlk_options_parse(command, options, argc, argv, &operands);
  if (parsed != RLK_PARSED) return rlk_options_exit_status(parsed);
  if (!operands[0] || operands[1]) return rlk_complain(command, ROWLOCK_UNUSABLE, "takes one FIXTURE");
  if (!request.name || !request.title || why.count == 0) {
    return rlk_complain(command, ROWLOCK_UNUSABLE, "needs --name, --title and --why");
  }
  request.fixture = operands[0];
  char* found = request.corpus ? NULL : rlk_find_corpus();
  if (found) request.corpus = found;
  const int status = request.corpus ? make(command, &request, format)
                                    : rlk_complain(command, ROWLOCK_UNUSABLE,
                                                   "no folder 'corpus' with a " RLK_LOCK_NAME
                                                   " here or above; name one with --corpus");
  free(found);
  return status;
}

const rlk_command_t rlk_command_new_row = {
    .name = "new-row",
    .arguments = "--name SNAKE --title TEXT --why LINE FIXTURE",
    .summary = "Makes the next row of a corpus from a fixture",
    .details =
        "FIXTURE is a sidecar or a manifest, or a folder with a manifest.json and what it names. It is\n"
        "copied, a manifest with the sidecars that it names, and judged; what the reference says of the copy\n"
        "is what the row expects. Read it before you lock it. Rows of artifacts and launches are written by\n"
        "hand: see CONTRIBUTING.md.",
    .main = run,
};
