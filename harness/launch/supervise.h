/* A process that watches over the one which runs foreign code: whatever that starts and leaves behind comes to it, and
 * is stopped, also when the program that waits for an answer is gone. */
#ifndef ROWLOCK_HARNESS_LAUNCH_SUPERVISE_H
#define ROWLOCK_HARNESS_LAUNCH_SUPERVISE_H

#include "loader/rowlock.h"

/* Divides this process, which must have one thread, in two, and returns in the new one, which is to do the work. The
 * old one stays the child of whoever started it and does not return: once the work has ended, or SIGTERM, SIGINT,
 * SIGHUP or SIGQUIT arrives, or its parent has ended, it stops every process that descends from it and ends as the work
 * did. False: it could not be divided. */
ROWLOCK_MUST_CHECK bool rlk_supervise(void);

#endif
