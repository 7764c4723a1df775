/* Runs rows. Records come out in the rows' order whatever the number of threads. */
#ifndef ROWLOCK_HARNESS_RUNNER_RUNNER_H
#define ROWLOCK_HARNESS_RUNNER_RUNNER_H

#include "harness/rows/corpus.h"
#include "harness/runner/launching.h"
#include "harness/runner/record.h"

#define RLK_REFERENCE_NAME "rowlock-c"

typedef struct rlk_run_options_t {
  const char* const* loaders; /* only these; all when `loader_count` is 0 */
  size_t loader_count;
  unsigned jobs;           /* threads, at least 1 */
  unsigned repeat;         /* each judgement this many times, at least 1; one that changes is an error */
  rlk_rule_t switched_off; /* for the coverage test; RLK_RULE_NONE */
  rlk_launching_t launching;
} rlk_run_options_t;

/* Whether the run would judge the row at some loader, and not only skip it. */
bool rlk_run_judges(const rlk_row_t* row, const rlk_run_options_t* options);

/* Called with one record at a time, never from two threads at once. */
typedef void (*rlk_record_fn)(void* context, const rlk_record_t* record);

/* Runs the selected rows. ROWLOCK_OK whatever their results; ROWLOCK_NO_MEMORY or ROWLOCK_INTERNAL when the run itself
 * could not go on. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_run(const rlk_row_t* const* rows, size_t row_count,
                                          const rlk_run_options_t* options, rlk_record_fn emit, void* context,
                                          rowlock_error_t* err);

#endif
