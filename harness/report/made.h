/* For tests: records made by hand, one of each kind, and the report of some. */
#ifndef ROWLOCK_HARNESS_REPORT_MADE_H
#define ROWLOCK_HARNESS_REPORT_MADE_H

#include "harness/report/report.h"

rlk_record_t rlk_passed(void);
rlk_record_t rlk_failed(void);
rlk_record_t rlk_skipped(void);
rlk_record_t rlk_broken(void);

/* What the lock says of a row that is gone. */
rlk_record_t rlk_divergent(void);

/* The records in the format of that name; the caller frees it. The second is of one record of each kind. */
char* rlk_report_of(const char* name, const rlk_record_t* records, size_t count);
char* rlk_report_of_all(const char* name);

void rlk_expect_contains(const char* text, const char* part);
size_t rlk_count_of(const char* text, const char* part);

#endif
