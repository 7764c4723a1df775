/* The reports of one run: those that --report names, Bazel's, and standard output. */
#ifndef ROWLOCK_HARNESS_CLI_RUN_REPORTS_H
#define ROWLOCK_HARNESS_CLI_RUN_REPORTS_H

#include "harness/cli/options.h"
#include "harness/report/report.h"

enum { RLK_RUN_REPORTS_MAX = RLK_OPTION_LIST_MAX + 2 };

typedef struct rlk_run_reports_t {
  rlk_report_t* open[RLK_RUN_REPORTS_MAX];
  size_t count;
} rlk_run_reports_t;

/* Opens a report for each FORMAT=FILE of `asked`, one in JUnit at `bazel_xml` unless that is NULL, and standard output
 * in `format`, which is known. No file is opened, and so none emptied, before all that was asked for makes sense.
 * Returns the exit status, 0 if all is open; whatever it is, *reports is to be closed. */
int rlk_run_reports_open(const rlk_command_t* command, const rlk_option_list_t* asked, const char* format,
                         const char* bazel_xml, rlk_run_reports_t* reports);

void rlk_run_reports_record(const rlk_run_reports_t* reports, const rlk_record_t* record);

/* Ends the reports of a run that came to `status`: one that broke off leaves no report that looks complete. Returns
 * `status`, or that of a report which could not be written. */
int rlk_run_reports_close(const rlk_command_t* command, const rlk_run_reports_t* reports, const rlk_totals_t* totals,
                          int status);

#endif
