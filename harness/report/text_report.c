/* For people: each failure as it comes, with the command that repeats it, then what was run by family and by loader. */
#include <stdlib.h>
#include <string.h>

#include "harness/check/shown.h"
#include "harness/report/report.h"
#include "validator/rules/text.h"

enum { GROUPS_MAX = 64, NAME_BYTES = 48, LOG_LINES_SHOWN = 20, LOG_LINE_SHOWN = 400 };

typedef struct group_t {
  char name[NAME_BYTES];
  char last_stem[160]; /* rows are counted where the stem changes: records come in the rows' order */
  rlk_totals_t totals;
} group_t;

typedef struct groups_t {
  const char* title;
  group_t groups[GROUPS_MAX]; /* the last one takes what does not fit, as "others" */
  size_t count;
} groups_t;

typedef struct reason_t {
  char text[160];
  uint64_t count;
} reason_t;

typedef struct text_report_t {
  groups_t families, loaders;
  reason_t reasons[8]; /* of skips */
  size_t reason_count;
  bool after_note; /* the next block is set off from the notes above it */
} text_report_t;

static void* text_open(FILE* out) {
  (void)out;
  text_report_t* report = calloc(1, sizeof *report);
  if (report) {
    report->families.title = "family";
    report->loaders.title = "loader";
  }
  return report;
}

/* A group goes by what is shown of its name. */
static group_t* find_group(groups_t* groups, const char* name, size_t name_length) {
  char shown[NAME_BYTES];
  rlk_text_t text = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&text, name, name_length, name_length);
  for (size_t i = 0; i < groups->count; ++i) {
    if (strcmp(groups->groups[i].name, shown) == 0) return &groups->groups[i];
  }
  if (groups->count == GROUPS_MAX) return &groups->groups[GROUPS_MAX - 1];
  group_t* group = &groups->groups[groups->count++];
  snprintf(group->name, sizeof group->name, "%s", groups->count == GROUPS_MAX ? "others" : shown);
  return group;
}

static void count_in(groups_t* groups, const char* name, size_t length, const rlk_record_t* record) {
  group_t* group = find_group(groups, name, length);
  if (strncmp(group->last_stem, record->stem, sizeof group->last_stem - 1) != 0) {
    ++group->totals.rows;
    snprintf(group->last_stem, sizeof group->last_stem, "%s", record->stem);
  }
  rlk_totals_add(&group->totals, record);
}

static void count_reason(text_report_t* report, const char* reason) {
  const size_t most = sizeof report->reasons / sizeof *report->reasons;
  for (size_t i = 0; i < report->reason_count; ++i) {
    if (strcmp(report->reasons[i].text, reason) == 0 || i + 1 == most) {
      ++report->reasons[i].count;
      return;
    }
  }
  reason_t* added = &report->reasons[report->reason_count++];
  snprintf(added->text, sizeof added->text, "%s", report->reason_count == most ? "other reasons" : reason);
  added->count = 1;
}

/* What is worth saying of a launch that passed: bands that are too wide do not show otherwise. */
static void print_note(FILE* out, const rlk_record_t* record) {
  fprintf(out, "note: %s at ", record->stem);
  rlk_put_shown(out, record->loader);
  fputs(": ", out);
  rlk_put_shown(out, record->note);
  fputc('\n', out);
}

static void end_notes(text_report_t* report, FILE* out) {
  if (report->after_note) fputc('\n', out);
  report->after_note = false;
}

/* What a driver's compiler said: the first lines that are not empty, and how many are left. */
static void print_log(FILE* out, const char* log) {
  uint64_t lines = 0;
  size_t length;
  for (const char* line; rlk_report_next_line(&log, &line, &length);) {
    if (length == 0 || ++lines > LOG_LINES_SHOWN) continue;
    char shown[6 * LOG_LINE_SHOWN + 4];
    rlk_text_t text = rlk_text_over(shown, sizeof shown);
    rlk_text_put_shown(&text, line, length, LOG_LINE_SHOWN);
    fprintf(out, "  %-8s  %s\n", lines == 1 ? "compiler" : "", shown);
  }
  if (lines <= LOG_LINES_SHOWN) return;
  lines -= LOG_LINES_SHOWN;
  fprintf(out, "  %-8s  ... %llu more line%s, in --report json\n", "", (unsigned long long)lines,
          lines == 1 ? "" : "s");
}

static void print_failure(FILE* out, const rlk_record_t* record) {
  fprintf(out, "%s: %s at ", rlk_result_name(record->result), record->stem);
  rlk_put_shown(out, record->loader);
  fputs(": ", out);
  rlk_put_shown(out, record->reason);
  fputc('\n', out);
  if (record->expected) {
    fputs("  expected  ", out);
    rlk_report_print_expected(out, record);
    fputs("\n  got       ", out);
    rlk_report_print_got(out, record);
    fputc('\n', out);
  }
  if (record->log) print_log(out, record->log);
  fputs("  ", out);
  rlk_report_print_reproduction(out, record);
  fputs("\n\n", out);
}

static void text_record(void* data, FILE* out, const rlk_record_t* record) {
  text_report_t* report = data;
  const char* family;
  size_t length;
  rlk_report_family(record, &family, &length);
  count_in(&report->families, family, length, record);
  count_in(&report->loaders, record->loader, strlen(record->loader), record);
  if (record->result == RLK_RESULT_SKIP) count_reason(report, record->reason);
  if (record->result == RLK_RESULT_PASS && record->note) {
    print_note(out, record);
    report->after_note = true;
  }
  if (record->result == RLK_RESULT_FAIL || record->result == RLK_RESULT_ERROR) {
    end_notes(report, out);
    print_failure(out, record);
  }
}

static void print_group(FILE* out, const char* name, int width, const rlk_totals_t* totals) {
  fprintf(out, "%-*s %7llu %7llu %7llu %7llu\n", width, name, (unsigned long long)totals->rows,
          (unsigned long long)totals->passed, (unsigned long long)totals->failed, (unsigned long long)totals->skipped);
}

static void print_groups(FILE* out, const groups_t* groups, const rlk_totals_t* totals) {
  int width = 20;
  for (size_t i = 0; i < groups->count; ++i) {
    if ((int)strlen(groups->groups[i].name) > width) width = (int)strlen(groups->groups[i].name);
  }
  fprintf(out, "%-*s %7s %7s %7s %7s\n", width, groups->title, "rows", "passed", "failed", "skipped");
  for (size_t i = 0; i < groups->count; ++i) {
    print_group(out, groups->groups[i].name, width, &groups->groups[i].totals);
  }
  if (totals && groups->count > 1) print_group(out, "all", width, totals);
  fputc('\n', out);
}

static bool text_close(void* data, FILE* out, const rlk_totals_t* totals) {
  text_report_t* report = data;
  end_notes(report, out);
  if (report->families.count > 0) {
    print_groups(out, &report->families, totals);
    print_groups(out, &report->loaders, NULL);
  }
  for (size_t i = 0; i < report->reason_count; ++i) {
    fprintf(out, "skipped %llu: ", (unsigned long long)report->reasons[i].count);
    rlk_put_shown(out, report->reasons[i].text);
    fputc('\n', out);
  }
  fprintf(out, "%llu passed, %llu failed, %llu skipped\n", (unsigned long long)totals->passed,
          (unsigned long long)totals->failed, (unsigned long long)totals->skipped);
  free(report);
  return true;
}

const rlk_report_format_t rlk_report_format_text = {"text", text_open, text_record, text_close, free};
