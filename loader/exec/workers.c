#include "loader/exec/workers.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "loader/exec/fork_join.h"
#include "loader/rowlock.h"

static char fork_place, join_place;

typedef struct shared_t {
  rlk_fp_mode_t mode;
  _Atomic uint32_t changed_parts;
} shared_t;

static void set_own_mode(shared_t* shared) {
  const rlk_fp_mode_t own = rlk_fp_mode_save();
  const uint32_t parts = rlk_fp_mode_compare(&shared->mode, &own);
  if (!parts) return;
  rlk_fp_mode_restore(&shared->mode);
  atomic_fetch_or_explicit(&shared->changed_parts, parts, memory_order_relaxed);
}

/* libgomp lets workers that are too many for a team end when it starts, but only if it is one: of two threads or more.
 * The default number is what most bodies ask for, so that their workers are there for the next call. */
static int team_size(void) {
  const int threads = omp_get_max_threads();
  if (threads < 2) return 2;
  return threads < ROWLOCK_THREADS_MAX ? threads : ROWLOCK_THREADS_MAX;
}

UNWATCHED static uint32_t set_modes(const rlk_fp_mode_t* mode) {
  shared_t shared = {.mode = *mode};
  tsan_release(&fork_place);
#pragma omp parallel num_threads(team_size()) default(none) shared(shared, fork_place, join_place)
  {
    tsan_acquire(&fork_place);
    set_own_mode(&shared);
    tsan_release(&join_place);
  }
  tsan_acquire(&join_place);
  return shared.changed_parts;
}

uint32_t rlk_workers_set_mode(const rlk_fp_mode_t* mode, pid_t owner) {
  if (__libc_single_threaded || getpid() != owner) return 0;
  const bool is_dynamic = omp_get_dynamic() != 0; /* fewer threads on a busy machine, down to one */
  if (is_dynamic) omp_set_dynamic(0);
  const uint32_t parts = set_modes(mode);
  if (is_dynamic) omp_set_dynamic(1);
  return parts;
}
