/* Reports of a run. Each takes records one by one and is finished with the totals; none of them looks at another. */
#ifndef ROWLOCK_HARNESS_REPORT_REPORT_H
#define ROWLOCK_HARNESS_REPORT_REPORT_H

#include <stdio.h>

#include "harness/runner/record.h"

typedef struct rlk_report_t rlk_report_t;

/* What a format does. `data` is its own, made by `open` (NULL when memory is short) and given back by `close`, which
 * says whether the report is complete: false when memory was short on the way. */
typedef struct rlk_report_format_t {
  const char* name;
  void* (*open)(FILE* out);
  void (*record)(void* data, FILE* out, const rlk_record_t* record);
  bool (*close)(void* data, FILE* out, const rlk_totals_t* totals);
  void (*discard)(void* data); /* gives `data` back and writes nothing more */
} rlk_report_format_t;

/* RLK_REPORT_FORMAT(name): rlk_report_format_<name>, in <name>_report.c. */
#define RLK_REPORT_FORMATS(RLK_REPORT_FORMAT) \
  RLK_REPORT_FORMAT(text)                     \
  RLK_REPORT_FORMAT(json)                     \
  RLK_REPORT_FORMAT(tap)                      \
  RLK_REPORT_FORMAT(junit)

#define RLK_REPORT_FORMAT(name) extern const rlk_report_format_t rlk_report_format_##name;
RLK_REPORT_FORMATS(RLK_REPORT_FORMAT)
#undef RLK_REPORT_FORMAT

/* The names of all formats, "text|json", as options take them. */
#define RLK_REPORT_FORMAT_CHOICE(name) "|" #name
#define RLK_REPORT_FORMAT_CHOICES (&(RLK_REPORT_FORMATS(RLK_REPORT_FORMAT_CHOICE))[1])

/* The format of that name, or NULL. */
const rlk_report_format_t* rlk_report_format_find(const char* name, size_t length);

/* Opens a report on a stream that stays the caller's, or on a file that closing closes. A regular file is what it was
 * before until the report is closed, and then the whole report; a pipe or a device is written as the report comes.
 * ROWLOCK_UNUSABLE when the file cannot be written. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_report_open_stream(const rlk_report_format_t* format, FILE* out,
                                                         rlk_report_t** out_report, rowlock_error_t* err);
ROWLOCK_MUST_CHECK rowlock_code_t rlk_report_open_file(const rlk_report_format_t* format, const char* path,
                                                       rlk_report_t** out_report, rowlock_error_t* err);

/* Whether two paths, of files that need not be there yet, name one file, through links too; not so for devices, which
 * take any number of reports. */
bool rlk_report_same_file(const char* path, const char* other);

void rlk_report_record(rlk_report_t* report, const rlk_record_t* record);

/* Writes what ends the report and gives it back; NULL does nothing. ROWLOCK_UNUSABLE: not everything could be written,
 * and a regular file is as it was. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_report_close(rlk_report_t* report, const rlk_totals_t* totals,
                                                   rowlock_error_t* err);

/* Gives the report back without its end: a run that broke off leaves nothing that looks complete. */
void rlk_report_discard(rlk_report_t* report);

/* The path as one word of a command, which no shell and no option parser takes for anything else, and no terminal
 * either. */
void rlk_report_print_path(FILE* out, const char* path);

/* The command that runs the record's row and loader alone, in the folder where the run was started. */
void rlk_report_print_reproduction(FILE* out, const rlk_record_t* record);

/* "accept", or "reject: MESSAGE [rule]": what was due and what came. */
void rlk_report_print_expected(FILE* out, const rlk_record_t* record);
void rlk_report_print_got(FILE* out, const rlk_record_t* record);

/* The line at `*at`, without its end ("\n" or "\r\n"), and `*at` behind it; false at the end of the text. */
bool rlk_report_next_line(const char** at, const char** out_line, size_t* out_length);

/* The last part of the folder that holds the row's file: "sidecar". */
void rlk_report_family(const rlk_record_t* record, const char** out_name, size_t* out_length);

#endif
