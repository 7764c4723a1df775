/* Command lines: one table a command, from which come parsing (getopt_long) and `--help`. */
#ifndef ROWLOCK_HARNESS_CLI_OPTIONS_H
#define ROWLOCK_HARNESS_CLI_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "loader/rowlock.h"

typedef enum rlk_option_kind_t {
  RLK_OPTION_FLAG,   /* `value` is a bool* */
  RLK_OPTION_TEXT,   /* `value` is a const char** */
  RLK_OPTION_NUMBER, /* `value` is a uint64_t*, `least` and `most` bound it */
  RLK_OPTION_REAL,   /* `value` is a double*: decimal, finite and not negative */
  RLK_OPTION_CHOICE, /* `value` is a const char**; `choices` is "a|b|c" */
  RLK_OPTION_LIST,   /* repeatable; `value` is an rlk_option_list_t* */
} rlk_option_kind_t;

#define RLK_OPTION_LIST_MAX 64
typedef struct rlk_option_list_t {
  const char* values[RLK_OPTION_LIST_MAX];
  size_t count;
} rlk_option_list_t;

typedef struct rlk_option_t {
  const char* name; /* without dashes */
  rlk_option_kind_t kind;
  void* value;
  const char* argument; /* shown in help: "FILE"; NULL for flags and choices */
  const char* help;
  const char* choices;
  uint64_t least, most;
} rlk_option_t;

/* Rows of an option table. */
#define RLK_FLAG(name_, value_, help_) \
  { .name = (name_), .kind = RLK_OPTION_FLAG, .value = (value_), .help = (help_) }
#define RLK_TEXT(name_, value_, argument_, help_) \
  { .name = (name_), .kind = RLK_OPTION_TEXT, .value = (value_), .argument = (argument_), .help = (help_) }
#define RLK_LIST(name_, value_, argument_, help_) \
  { .name = (name_), .kind = RLK_OPTION_LIST, .value = (value_), .argument = (argument_), .help = (help_) }
#define RLK_CHOICE(name_, value_, choices_, help_) \
  { .name = (name_), .kind = RLK_OPTION_CHOICE, .value = (value_), .choices = (choices_), .help = (help_) }
#define RLK_NUMBER(name_, value_, argument_, least_, most_, help_)                                             \
  {                                                                                                            \
    .name = (name_), .kind = RLK_OPTION_NUMBER, .value = (value_), .argument = (argument_), .least = (least_), \
    .most = (most_), .help = (help_)                                                                           \
  }
#define RLK_REAL(name_, value_, argument_, help_) \
  { .name = (name_), .kind = RLK_OPTION_REAL, .value = (value_), .argument = (argument_), .help = (help_) }

typedef struct rlk_command_t {
  const char* name;
  const char* arguments; /* "[PATH...]" */
  const char* summary;   /* one line, for `rowlock --help` */
  const char* details;   /* further lines of the command's own help, wrapped where they are long; may be "" */
  int (*main)(const struct rlk_command_t* command, int argc, char** argv); /* returns the exit status */
} rlk_command_t;

/* What parsing came to. DONE: help was printed. */
typedef enum rlk_parsed_t { RLK_PARSED, RLK_PARSED_HELP, RLK_PARSED_USAGE_ERROR } rlk_parsed_t;

/* Parses argv[1..] after the command's name (argv[0]). Options and operands may be mixed; `*out_operands` points into
 * argv, NULL-terminated. Usage errors are printed on stderr, help on stdout. `options` ends in a row without a name;
 * --help is added to every command. */
rlk_parsed_t rlk_options_parse(const rlk_command_t* command, const rlk_option_t* options, int argc, char** argv,
                               char*** out_operands);

/* Exit status for a parse that is not RLK_PARSED: 0 for help, 2 for a usage error. */
int rlk_options_exit_status(rlk_parsed_t parsed);

/* "rowlock COMMAND: MESSAGE" on stderr, controls and what is not UTF-8 escaped; returns the code's exit status. */
int rlk_complain(const rlk_command_t* command, rowlock_code_t code, const char* format, ...) ROWLOCK_PRINTF(3, 4);

/* The tests' door to a command: each is defined in cmd_<name>.c and listed once in commands.def. */
#define RLK_COMMAND(name) extern const rlk_command_t rlk_command_##name;
#include "harness/cli/commands.def"
#undef RLK_COMMAND

#endif
