/* Processes that a child leaves behind outside of its process group, where stopping the group does not reach them. */
#ifndef ROWLOCK_HARNESS_LAUNCH_STRAYS_H
#define ROWLOCK_HARNESS_LAUNCH_STRAYS_H

#include <sys/types.h>

enum { RLK_MARK_SIZE = 64 };

/* An environment variable that no other child has, "NAME=VALUE": what a process starts has it, too. */
void rlk_mark_make(char out_mark[RLK_MARK_SIZE]);

/* A copy of the environment with the mark: an array to be freed, of strings that are borrowed. NULL: no memory. */
char** rlk_mark_environment(char* mark);

/* Stops whatever has the mark and was started after `since`, as long as there is anything. A process that took itself
 * another environment is not found: this is for accidents, not against malice. */
void rlk_strays_stop(const char* mark, pid_t since);

#endif
