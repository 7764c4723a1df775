/* The workers that OpenMP keeps for the calling thread. A v1 body threads itself with them, and what it leaves in their
 * floating-point modes is there for whoever has a team next. */
#ifndef ROWLOCK_LOADER_EXEC_WORKERS_H
#define ROWLOCK_LOADER_EXEC_WORKERS_H

#include <sys/types.h>

#include "loader/host/fp_mode.h"

/* Puts every worker into that mode. Returns the parts that differed in any of them (loader/host/fp_mode.h). A process
 * of one thread has no workers and starts none here; else the team has as many threads as a region has by default, two
 * at the least, and workers beyond those end. Threads that are no OpenMP worker of the caller's are out of reach. In a
 * process other than `owner` nothing is done: a child that was forked would wait for workers that were left behind. */
uint32_t rlk_workers_set_mode(const rlk_fp_mode_t* mode, pid_t owner);

#endif
