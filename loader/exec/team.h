/* An OpenMP team that runs one partition of a v2 body in tiles. */
#ifndef ROWLOCK_LOADER_EXEC_TEAM_H
#define ROWLOCK_LOADER_EXEC_TEAM_H

#include "loader/rowlock.h"

typedef struct rlk_team_t {
  rowlock_host_entry_v2_t entry;
  void* const* params;
  rowlock_partition_t partition; /* at least one sample */
  int64_t tile_samples;          /* at least 1 */
  uint32_t thread_count;         /* at least 1 */
} rlk_team_t;

typedef struct rlk_team_outcome_t {
  int64_t call_count;
  uint32_t thread_count;  /* that were started */
  uint32_t changed_parts; /* of the floating-point mode, of any thread (loader/host/fp_mode.h) */
} rlk_team_outcome_t;

/* Contiguous tiles, dynamic schedule, each with its own triple. Every thread computes in the caller's floating-point
 * mode. */
rlk_team_outcome_t rlk_team_run(const rlk_team_t* team);

/* What OMP_NUM_THREADS said at the start of the process, or the number of processors; at most ROWLOCK_THREADS_MAX. */
uint32_t rlk_team_default_threads(void);

#endif
