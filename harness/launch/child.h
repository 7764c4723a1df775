/* Runs a program in a process of its own, with limits: it may crash, exit, hang or allocate without end, and this
 * process goes on and says what happened. */
#ifndef ROWLOCK_HARNESS_LAUNCH_CHILD_H
#define ROWLOCK_HARNESS_LAUNCH_CHILD_H

#include <stddef.h>
#include <stdint.h>

#include "loader/rowlock.h"

/* Where the program writes what it has to say, a socket that cannot be read: its standard output and error are kept
 * apart from that. And where it has a file of the caller's, if it is given one. */
enum { RLK_CHILD_ANSWER_FD = 3, RLK_CHILD_FILE_FD = 4 };

typedef struct rlk_child_limits_t {
  uint32_t time_ms;      /* from start to end */
  uint64_t memory_bytes; /* resident at any time, with all that it started; looked at every few milliseconds */
  size_t answer_bytes;   /* more is not kept */
} rlk_child_limits_t;

typedef enum rlk_child_end_t {
  RLK_CHILD_EXITED,      /* `status` is its exit status */
  RLK_CHILD_SIGNALED,    /* `status` is the signal */
  RLK_CHILD_OUT_OF_TIME, /* stopped by us */
  RLK_CHILD_OUT_OF_MEMORY,
} rlk_child_end_t;

typedef struct rlk_child_result_t {
  rlk_child_end_t end;
  int status;
  char* answer; /* NUL-terminated; rlk_child_result_deinit frees it */
  size_t answer_length;
  bool answer_is_cut;
  char output[1024]; /* the last of its standard output and error, as they came */
  size_t output_length;
} rlk_child_result_t;

void rlk_child_result_deinit(rlk_child_result_t* result);

/* Starts `arguments` (NULL-terminated, the first is the program's path), writes `input` to its standard input, and
 * waits. `file` is a descriptor that it gets, or -1. Past a limit it gets SIGTERM, and SIGKILL if that does not end it.
 * Whatever it started is stopped with it, as far as that can be found: a program that calls rlk_supervise leaves
 * nothing. ROWLOCK_OK whatever became of it; ROWLOCK_INTERNAL or ROWLOCK_NO_MEMORY: it could not be started. Safe from
 * several threads. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_child_run(const char* const* arguments, const char* input, size_t input_length,
                                                int file, const rlk_child_limits_t* limits,
                                                rlk_child_result_t* out_result, rowlock_error_t* err);

#endif
