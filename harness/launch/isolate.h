/* A launch in a process of its own, and what became of it. */
#ifndef ROWLOCK_HARNESS_LAUNCH_ISOLATE_H
#define ROWLOCK_HARNESS_LAUNCH_ISOLATE_H

#include <json-c/json.h>
#include <stdio.h>

#include "harness/launch/child.h"
#include "validator/rules/rules.h"

/* The subcommand of the program that performs the request on its standard input. */
#define RLK_PERFORM_COMMAND "perform"
#define RLK_PERFORM_WITH_FILE "file" /* its operand where outputs are written, to RLK_CHILD_FILE_FD */

enum { RLK_LAUNCH_TIME_MS = 30000, RLK_LAUNCH_MEMORY_MIB = 4096, RLK_LAUNCH_TIME_MS_MAX = 3600000 };
enum { RLK_LAUNCH_MEMORY_MIB_MAX = 1 << 20 };

/* What a process is asked to do. Borrowed; NULL where there is none. */
typedef struct rlk_request_t {
  const char* document;
  bool is_sidecar;
  const char *object_path, *object_folder;
  bool files_anywhere, plan_only, on_device;
  uint32_t thread_count, device_ordinal;
  const char* launch; /* JSON text of the launch object */
  size_t launch_length;
} rlk_request_t;

typedef struct rlk_isolation_t {
  const char* program; /* this one's path: it is started again */
  uint32_t time_ms;    /* 0: RLK_LAUNCH_TIME_MS */
  uint32_t memory_mib; /* 0: RLK_LAUNCH_MEMORY_MIB */
  const int* out_file; /* a descriptor that the outputs are written to, as out_bytes.h has them; NULL: they are not */
} rlk_isolation_t;

/* Performs the request. The codes are those of rlk_perform, with a process that crashed, ended itself or passed a limit
 * as ROWLOCK_REJECTED by a process rule. `*out_report` as there; the caller puts it. `*out_rule` is the rule that
 * refused, or RLK_RULE_NONE. Safe from several threads.
 *
 * The answer is believed for a secret that is made anew for each process, goes there before the request and stands
 * before each line that comes back. What a plugin writes into the answer does not have it. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_isolate(const rlk_request_t* request, const rlk_isolation_t* isolation,
                                              json_object** out_report, rlk_rule_t* out_rule, rowlock_error_t* err);

/* The other side: reads the secret and a request, performs it and writes to `answer`, a line of JSON each, what it is
 * about to do and at last what came of it; outputs go to `out_file`, -1: to none. `answer` is closed, and what is
 * written goes by a number that is not to be guessed. Returns the exit status of the process: 0 if the answer is
 * complete. */
int rlk_answer(int request, int answer, int out_file);

#endif
