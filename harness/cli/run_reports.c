#include "harness/cli/run_reports.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A report that somebody asked for. */
typedef struct asked_report_t {
  const rlk_report_format_t* format;
  const char* path;
  const char* said; /* as it was asked for */
} asked_report_t;

typedef struct asked_reports_t {
  asked_report_t reports[RLK_RUN_REPORTS_MAX - 1];
  size_t count;
} asked_reports_t;

/* Two reports in one file would be neither. */
static int check_files(const rlk_command_t* command, const asked_reports_t* asked, const char* format) {
  struct stat out;
  const bool plain_output = fstat(STDOUT_FILENO, &out) == 0 && !S_ISCHR(out.st_mode);
  for (size_t i = 0; i < asked->count; ++i) {
    const asked_report_t* report = &asked->reports[i];
    struct stat file;
    const bool is_output =
        plain_output && stat(report->path, &file) == 0 && file.st_dev == out.st_dev && file.st_ino == out.st_ino;
    if (is_output) {
      return rlk_complain(command, ROWLOCK_UNUSABLE, "%s is standard output, which takes --format %s", report->said,
                          format);
    }
    for (size_t j = 0; j < i; ++j) {
      if (!rlk_report_same_file(report->path, asked->reports[j].path)) continue;
      return rlk_complain(command, ROWLOCK_UNUSABLE, "%s and %s name one file", asked->reports[j].said, report->said);
    }
  }
  return 0;
}

static int choose(const rlk_command_t* command, const rlk_option_list_t* options, const char* bazel_xml,
                  asked_reports_t* asked) {
  for (size_t i = 0; i < options->count; ++i) {
    const char* said = options->values[i];
    const char* equals = strchr(said, '=');
    const rlk_report_format_t* format = equals ? rlk_report_format_find(said, (size_t)(equals - said)) : NULL;
    if (!format || !equals[1] || strcmp(equals + 1, "-") == 0) {
      return rlk_complain(command, ROWLOCK_UNUSABLE,
                          "--report takes FORMAT=FILE with a format of %s, not '%s' (--format is for standard output)",
                          RLK_REPORT_FORMAT_CHOICES, said);
    }
    asked->reports[asked->count++] = (asked_report_t){.format = format, .path = equals + 1, .said = said};
  }
  if (bazel_xml) {
    asked->reports[asked->count++] =
        (asked_report_t){.format = &rlk_report_format_junit, .path = bazel_xml, .said = "XML_OUTPUT_FILE"};
  }
  return 0;
}

/* A path of NULL is standard output. */
static int open_report(const rlk_command_t* command, const rlk_report_format_t* format, const char* path,
                       rlk_run_reports_t* reports) {
  rowlock_error_t err;
  rlk_report_t** report = &reports->open[reports->count];
  const rowlock_code_t code =
      path ? rlk_report_open_file(format, path, report, &err) : rlk_report_open_stream(format, stdout, report, &err);
  if (code) return rlk_complain(command, code, "%s", err.message);
  ++reports->count;
  return 0;
}

int rlk_run_reports_open(const rlk_command_t* command, const rlk_option_list_t* asked, const char* format,
                         const char* bazel_xml, rlk_run_reports_t* reports) {
  asked_reports_t chosen = {.count = 0};
  int status = choose(command, asked, bazel_xml, &chosen);
  if (!status) status = check_files(command, &chosen, format);
  for (size_t i = 0; i < chosen.count && !status; ++i) {
    status = open_report(command, chosen.reports[i].format, chosen.reports[i].path, reports);
  }
  if (!status) status = open_report(command, rlk_report_format_find(format, strlen(format)), NULL, reports);
  return status;
}

void rlk_run_reports_record(const rlk_run_reports_t* reports, const rlk_record_t* record) {
  for (size_t i = 0; i < reports->count; ++i) rlk_report_record(reports->open[i], record);
}

int rlk_run_reports_close(const rlk_command_t* command, const rlk_run_reports_t* reports, const rlk_totals_t* totals,
                          int status) {
  const bool complete = status == 0 || status == rowlock_code_exit_status(ROWLOCK_REJECTED);
  for (size_t i = 0; i < reports->count; ++i) {
    if (!complete) {
      rlk_report_discard(reports->open[i]);
      continue;
    }
    rowlock_error_t err;
    const rowlock_code_t code = rlk_report_close(reports->open[i], totals, &err);
    if (code) status = rlk_complain(command, code, "%s", err.message);
  }
  return status;
}
