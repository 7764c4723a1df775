/* The processes that descend from one. */
#ifndef ROWLOCK_HARNESS_LAUNCH_PROCESSES_H
#define ROWLOCK_HARNESS_LAUNCH_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A process and those that it started, and they. Zeroed is empty. */
typedef struct rlk_family_t {
  pid_t* members; /* the first is the one that they descend from */
  size_t count;
} rlk_family_t;

void rlk_family_deinit(rlk_family_t* family);

/* Finds those that there are now. One whose parent has ended belongs to the nearest ancestor that takes in orphans (see
 * supervise.h), or to none. False where that cannot be told; the family is as it was. */
bool rlk_family_find(rlk_family_t* family, pid_t first);

/* The memory of one that is resident; 0 where it cannot be told. */
uint64_t rlk_process_resident(pid_t pid);

/* The same, with what it shares with others in equal parts; all of it where the parts cannot be told. */
uint64_t rlk_process_share(pid_t pid);

/* The most that was ever resident of this one, which a look from outside may miss; 0 where it cannot be told. */
uint64_t rlk_process_peak(void);

/* Stops every child of this process. False if there was none. */
bool rlk_children_stop(void);

#endif
