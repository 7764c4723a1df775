/* rowlock: picks the command. Exit status: 0 as expected, 1 a divergence or a finding, 2 unusable input or usage, 3 an
 * internal failure or a required capability that is missing. */
#include <string.h>

#include "harness/check/shown.h"
#include "harness/cli/options.h"

static const rlk_command_t* const commands[] = {
#define RLK_COMMAND(name) &rlk_command_##name,
#include "harness/cli/commands.def"
#undef RLK_COMMAND
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE* out) {
  fprintf(
      out,
      "Usage: rowlock COMMAND [OPTION...] [ARGUMENT...]\n\n"
      "Checks what the files of a deployed kernel plugin promise, and runs the corpus that locks it.\n\nCommands:\n");
  for (int i = 0; i < COMMAND_COUNT; ++i) {
    if (commands[i]->summary) fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  }
  fprintf(out,
          "\n'rowlock COMMAND --help' explains one.\n"
          "Exit status: 0 as expected, 1 a divergence or a finding, 2 unusable input or usage,\n"
          "3 an internal failure.\n");
}

/* Output that could not be written is a failure, whatever the command found. */
static int finish(int status) {
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("rowlock: cannot write the output");
    return rowlock_code_exit_status(ROWLOCK_INTERNAL);
  }
  return status;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    print_help(stderr);
    return rowlock_code_exit_status(ROWLOCK_UNUSABLE);
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return finish(0);
  }
  const char* name = strcmp(argv[1], "--version") == 0 ? "version" : argv[1];
  for (int i = 0; i < COMMAND_COUNT; ++i) {
    if (strcmp(commands[i]->name, name) == 0) return finish(commands[i]->main(commands[i], argc - 1, argv + 1));
  }
  fputs("rowlock: there is no command '", stderr);
  rlk_put_shown(stderr, argv[1]);
  fputs("'; 'rowlock --help' lists them\n", stderr);
  return rowlock_code_exit_status(ROWLOCK_UNUSABLE);
}
