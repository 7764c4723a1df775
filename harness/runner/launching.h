/* Judges a row by launching it, in a process of its own. */
#ifndef ROWLOCK_HARNESS_RUNNER_LAUNCHING_H
#define ROWLOCK_HARNESS_RUNNER_LAUNCHING_H

#include "harness/rows/row.h"

/* How a run launches. Zeroed, it does not. */
typedef struct rlk_launching_t {
  const char* program; /* this one's path, which is started again for each launch; NULL: launched rows are skipped */
  const char* built;   /* where fixtures built from sources are; NULL: in the workspace's bazel-bin, or beside links */
  uint32_t time_ms;    /* of a launch, where the row does not say; 0: the default */
  const char* no_device; /* why nothing is launched on a device, by the caller's wish; NULL: if there is one */
  uint32_t device_ordinal;
  uint32_t device_sm;    /* rows about another are skipped; 0: not known */
  bool requires_device;  /* a row that finds no device is an error then, not skipped */
  uint32_t thread_count; /* of teams; 0: as OMP_NUM_THREADS says, or the processors */
} rlk_launching_t;

/* What became of it. The caller frees what is not NULL. */
typedef struct rlk_launched_t {
  rowlock_error_t err; /* of any code but ROWLOCK_OK */
  rlk_rule_t rule;     /* of ROWLOCK_REJECTED */
  char* digest;        /* SHA-256 of all outputs, of ROWLOCK_OK */
  char* note;          /* what is worth saying of a launch that passed; mostly NULL */
  char* log;           /* of a driver's compiler that refused a module; mostly NULL */
} rlk_launched_t;

void rlk_launched_deinit(rlk_launched_t* launched);

/* ROWLOCK_OK every run passed; ROWLOCK_REJECTED with the rule; others: it could not be judged. */
rowlock_code_t rlk_launch_row(const rlk_row_t* row, rlk_launcher_t launcher, const rlk_launching_t* launching,
                              rlk_launched_t* out_launched);

#endif
