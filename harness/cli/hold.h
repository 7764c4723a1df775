/* Holding a corpus while it is changed. */
#ifndef ROWLOCK_HARNESS_CLI_HOLD_H
#define ROWLOCK_HARNESS_CLI_HOLD_H

/* Waits until nobody else holds the folder, and holds it until the file descriptor is closed. -1 if it cannot be held:
 * there is no such folder, or its file system has no locks. */
int rlk_hold_folder(const char* path);

#endif
