/* rowlock perform: the other side of a launch, started by `run` and `launch` for each one. */
#define _GNU_SOURCE /* fdopen */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/cli/options.h"
#include "harness/launch/isolate.h"

static int complain(const rlk_command_t* command) {
  return rlk_complain(command, ROWLOCK_UNUSABLE,
                      "this is for 'rowlock run' and 'rowlock launch' to start; 'rowlock launch --help' tells how to "
                      "launch by hand");
}

static int perform_main(const rlk_command_t* command, int argc, char** argv) {
  char** operands;
  const rlk_parsed_t parsed = rlk_options_parse(command, &(rlk_option_t){0}, argc, argv, &operands);
  if (parsed != RLK_PARSED) return rlk_options_exit_status(parsed);
  if (operands[0] || isatty(STDIN_FILENO)) return complain(command);
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever waits for the answer may be stopped first */
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  fcntl(RLK_CHILD_ANSWER_FD, F_SETFD, FD_CLOEXEC); /* what a plugin starts has no answer to give */
  FILE* answer = fdopen(RLK_CHILD_ANSWER_FD, "w");
  if (!answer) return complain(command);
  const int status = rlk_answer(stdin, answer);
  return fclose(answer) == 0 ? status : rowlock_code_exit_status(ROWLOCK_INTERNAL);
}

const rlk_command_t rlk_command_perform = {
    .name = RLK_PERFORM_COMMAND,
    .arguments = "",
    .summary = NULL,
    .details =
        "Performs the launch that standard input describes and answers on descriptor 3. 'rowlock run' and "
        "'rowlock launch' start it, so that a plugin which crashes, exits or hangs ends this process and not "
        "theirs; it is not for use by hand.",
    .main = perform_main};
