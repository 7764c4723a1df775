/* What one loader made of one row: the unit of every report. */
#ifndef ROWLOCK_HARNESS_RUNNER_RECORD_H
#define ROWLOCK_HARNESS_RUNNER_RECORD_H

#include "harness/rows/row.h"

typedef enum rlk_result_t { RLK_RESULT_PASS, RLK_RESULT_FAIL, RLK_RESULT_SKIP, RLK_RESULT_ERROR } rlk_result_t;

/* Whether the loader judged at all, and how. */
typedef enum rlk_got_t { RLK_GOT_NOTHING, RLK_GOT_ACCEPT, RLK_GOT_REJECT } rlk_got_t;

/* Strings are borrowed until the callback that gets the record returns. */
typedef struct rlk_record_t {
  uint32_t number;
  rlk_result_t result;
  const char* stem;
  const char* path;    /* of the row's file; of the corpus where the lock speaks */
  const char* fixture; /* the document that was judged; NULL where there is none */
  const char* level;   /* NULL when the row is missing */
  const char* loader;
  const char* implementation;
  const rlk_outcome_t* expected; /* NULL where the lock speaks, not a loader */
  const char* message;           /* of a reject, else NULL */
  rlk_rule_t rule;               /* of a reject */
  rlk_got_t got;
  const char* reason; /* why it did not pass, or was skipped; NULL on pass */
  const char* digest; /* SHA-256 of what a launch computed; NULL if nothing was */
  const char* note;   /* worth saying of a launch that passed; mostly NULL */
  const char* log;    /* of a driver's compiler that refused a module, with line ends; mostly NULL */
  uint64_t duration_us;
  /* What the run was told that the judgement depends on; NULL and 0 where it was not, or does not. */
  const char* built;
  uint32_t thread_count, time_ms, repeat;
  bool on_device; /* launched on the one of that ordinal */
  uint32_t device_ordinal;
  bool requires_device;
} rlk_record_t;

const char* rlk_result_name(rlk_result_t result);

typedef struct rlk_totals_t {
  uint64_t rows, passed, failed, skipped; /* records, but for rows; an error is a failure */
} rlk_totals_t;

void rlk_totals_add(rlk_totals_t* totals, const rlk_record_t* record);

#endif
