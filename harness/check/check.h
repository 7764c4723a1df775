/* `rowlock check` without its command line: judges documents and folders one after the other and reports as it goes.
 * Memory does not grow with their number. */
#ifndef ROWLOCK_HARNESS_CHECK_CHECK_H
#define ROWLOCK_HARNESS_CHECK_CHECK_H

#include "harness/check/report.h"
#include "harness/check/walk.h"

typedef struct rlk_check_options_t {
  const char* door; /* NULL: every door of a document's level */
  bool gates_only;
  rlk_target_machine_t machine; /* where artifacts are to go; zeros: anywhere */
  rlk_check_report_t* report;
  rlk_walk_limits_t walk_limits;
  /* Told of what stands in the way; `sentence` is safe for a terminal. */
  void (*complain)(void* context, rowlock_code_t code, const char* sentence);
  void* context;
} rlk_check_options_t;

/* Judges `paths` (NULL-terminated), documents or folders. Returns the exit status: 0 nothing found, 1 a finding, 2 a
 * path that cannot be judged or a door that does not exist, 3 memory is short; the largest wins. */
int rlk_check_run(const rlk_check_options_t* options, char* const* paths);

#endif
