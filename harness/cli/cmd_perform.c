/* rowlock perform: the other side of a launch, started by `run` and `launch` for each one. */
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/cli/options.h"
#include "harness/launch/isolate.h"
#include "harness/launch/supervise.h"

static int complain(const rlk_command_t* command) {
  return rlk_complain(command, ROWLOCK_UNUSABLE,
                      "this is for 'rowlock run' and 'rowlock launch' to start; 'rowlock launch --help' tells how to "
                      "launch by hand");
}

static int perform_main(const rlk_command_t* command, int argc, char** argv) {
  char** operands;
  const rlk_parsed_t parsed = rlk_options_parse(command, &(rlk_option_t){0}, argc, argv, &operands);
  if (parsed != RLK_PARSED) return rlk_options_exit_status(parsed);
  const bool is_asked = !isatty(STDIN_FILENO) && fcntl(RLK_CHILD_ANSWER_FD, F_GETFD) >= 0;
  /* That a descriptor is open says nothing: tools that watch a process open some of their own in it. */
  const bool has_file = operands[0] && strcmp(operands[0], RLK_PERFORM_WITH_FILE) == 0;
  if ((operands[0] && !has_file) || (has_file && operands[1]) || !is_asked) return complain(command);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (!rlk_supervise()) return rlk_complain(command, ROWLOCK_INTERNAL, "no process can be started");
  return rlk_answer(STDIN_FILENO, RLK_CHILD_ANSWER_FD, has_file ? RLK_CHILD_FILE_FD : -1);
}

const rlk_command_t rlk_command_perform = {
    .name = RLK_PERFORM_COMMAND,
    .arguments = "",
    .summary = NULL,
    .details =
        "Performs the launch that standard input describes and answers on descriptor 3, each line behind the secret "
        "that comes first. 'rowlock run' and 'rowlock launch' start it, so that a plugin which crashes, exits or "
        "hangs ends this process and not theirs; it is not for use by hand.",
    .main = perform_main};
