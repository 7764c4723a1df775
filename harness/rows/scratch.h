/* A scratch folder for tests: written into, then removed with everything in it. */
#ifndef ROWLOCK_HARNESS_ROWS_SCRATCH_H
#define ROWLOCK_HARNESS_ROWS_SCRATCH_H

#include <stddef.h>

typedef struct rlk_scratch_t {
  char path[256];
} rlk_scratch_t;

/* Each aborts the test when the file system does not do what it is told. */
void rlk_scratch_create(rlk_scratch_t* scratch);
void rlk_scratch_remove(rlk_scratch_t* scratch);

/* Writes a file below the folder; the folders on the way are made. `name` may hold slashes. */
void rlk_scratch_write(const rlk_scratch_t* scratch, const char* name, const char* text);
void rlk_scratch_delete(const rlk_scratch_t* scratch, const char* name);

#endif
