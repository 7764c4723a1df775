/* What `rowlock check` prints, document by document. A report keeps nothing of a document but what its own bounds
 * allow. */
#ifndef ROWLOCK_HARNESS_CHECK_REPORT_H
#define ROWLOCK_HARNESS_CHECK_REPORT_H

#include <stdio.h>

#include "harness/check/judgement.h"

typedef struct rlk_check_summary_t {
  uint64_t documents, accepted, refused; /* judged */
  uint64_t unreadable;                   /* paths that could not be judged */
  uint64_t findings_of[RLK_TIER_COUNT], findings_dropped;
  int exit_status;
} rlk_check_summary_t;

uint64_t rlk_check_summary_findings(const rlk_check_summary_t* summary);

/* Functions return ROWLOCK_OK or ROWLOCK_NO_MEMORY. Whether the output could be written is for whoever owns the stream.
 */
typedef struct rlk_check_report_t rlk_check_report_t;
struct rlk_check_report_t {
  rowlock_code_t (*begin)(rlk_check_report_t* report);
  rowlock_code_t (*document)(rlk_check_report_t* report, const rlk_judgement_t* judgement);
  rowlock_code_t (*unreadable)(rlk_check_report_t* report, const char* path, const char* sentence);
  rowlock_code_t (*end)(rlk_check_report_t* report, const rlk_check_summary_t* summary);
  void (*destroy)(rlk_check_report_t* report);
  FILE* out; /* borrowed */
};

/* Each is NULL when memory is short. */
ROWLOCK_MUST_CHECK rlk_check_report_t* rlk_check_text_report_create(FILE* out);
ROWLOCK_MUST_CHECK rlk_check_report_t* rlk_check_json_report_create(FILE* out);
ROWLOCK_MUST_CHECK rlk_check_report_t* rlk_check_sarif_report_create(FILE* out);

#endif
