#include "loader/exec/team.h"

#include <omp.h>
#include <stdatomic.h>

#include "loader/exec/fork_join.h"
#include "loader/exec/tiles.h"
#include "loader/host/fp_mode.h"

/* Static, so that a thread need not read what the caller wrote in order to find them. */
static char fork_place, join_place;

typedef struct shared_t {
  const rlk_team_t* team;
  int64_t tile_count;
  rlk_fp_mode_t mode;
  uint32_t thread_count; /* that are asked for; then, by the first thread, that are there */
  _Atomic uint32_t changed_parts;
} shared_t;

static void run_tile(shared_t* shared, int64_t tile) {
  const rlk_team_t* team = shared->team;
  const int64_t done = tile * team->tile_samples;
  const int64_t left = team->partition.count - done;
  team->entry(team->params, team->partition.base + done, left < team->tile_samples ? left : team->tile_samples,
              team->partition.sample_count);
  const rlk_fp_mode_t after = rlk_fp_mode_save();
  const uint32_t parts = rlk_fp_mode_compare(&shared->mode, &after);
  if (!parts) return;
  rlk_fp_mode_restore(&shared->mode);
  atomic_fetch_or_explicit(&shared->changed_parts, parts, memory_order_relaxed);
}

/* What each thread of the team does; the threads share the tiles out between them. */
static void take_tiles(shared_t* shared) {
  const rlk_fp_mode_t own = rlk_fp_mode_save();
  rlk_fp_mode_restore(&shared->mode);
  if (omp_get_thread_num() == 0) shared->thread_count = (uint32_t)omp_get_num_threads();
#pragma omp for schedule(dynamic, 1) nowait
  for (int64_t tile = 0; tile < shared->tile_count; ++tile) run_tile(shared, tile);
  rlk_fp_mode_restore(&own);
}

UNWATCHED rlk_team_outcome_t rlk_team_run(const rlk_team_t* team) {
  shared_t shared = {.team = team,
                     .tile_count = rlk_tile_count(team->partition.count, team->tile_samples),
                     .thread_count = team->thread_count,
                     .mode = rlk_fp_mode_save()};
  if (shared.tile_count < shared.thread_count) shared.thread_count = (uint32_t)shared.tile_count;
  tsan_release(&fork_place);
#pragma omp parallel num_threads(shared.thread_count) default(none) \
    shared(shared, fork_place, join_place) if (shared.thread_count > 1)
  {
    tsan_acquire(&fork_place);
    take_tiles(&shared);
    tsan_release(&join_place);
  }
  tsan_acquire(&join_place);
  return (rlk_team_outcome_t){
      .call_count = shared.tile_count, .thread_count = shared.thread_count, .changed_parts = shared.changed_parts};
}

uint32_t rlk_team_default_threads(void) {
  const int threads = omp_get_max_threads();
  return threads < ROWLOCK_THREADS_MAX ? (uint32_t)threads : ROWLOCK_THREADS_MAX;
}
