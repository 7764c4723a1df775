#define _GNU_SOURCE /* vasprintf */
#include "harness/cli/options.h"

#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check/shown.h"

/* Of help. */
enum { COLUMNS = 100, OPTION_COLUMNS = 26, HELP_COLUMN = OPTION_COLUMNS + 3 };

enum { OPTIONS_MAX = 32, FIRST_OPTION = 256, HELP_OPTION = FIRST_OPTION + OPTIONS_MAX };

static size_t count_options(const rlk_option_t* options) {
  size_t count = 0;
  while (options[count].name) ++count;
  return count;
}

/* Prints a paragraph that goes on in lines of at most COLUMNS, each after the first indented. `column` is where it
 * begins. */
static void print_wrapped(const char* text, size_t length, size_t column, int indent) {
  for (size_t at = 0; at < length;) {
    size_t word = 0;
    while (at + word < length && text[at + word] != ' ') ++word;
    const bool first = at == 0;
    if (!first && column + 1 + word > COLUMNS) {
      printf("\n%*s", indent, "");
      column = (size_t)indent;
    } else if (!first) {
      putchar(' ');
      ++column;
    }
    fwrite(text + at, 1, word, stdout);
    column += word;
    at += word;
    if (at < length) ++at;
  }
  putchar('\n');
}

static void print_lines(const char* text) {
  while (*text) {
    const size_t length = strcspn(text, "\n");
    print_wrapped(text, length, 0, 0);
    text += length + (text[length] == '\n');
  }
}

static void print_option(const char* name, const char* argument, const char* help) {
  char left[128];
  const int length = snprintf(left, sizeof left, argument ? "--%s %s" : "--%s", name, argument);
  if (length > OPTION_COLUMNS) {
    printf("  %s\n%*s", left, HELP_COLUMN, "");
  } else {
    printf("  %-*s ", OPTION_COLUMNS, left);
  }
  print_wrapped(help, strlen(help), HELP_COLUMN, HELP_COLUMN);
}

static void print_help(const rlk_command_t* command, const rlk_option_t* options) {
  printf("Usage: rowlock %s [OPTION...]%s%s\n\n", command->name, command->arguments[0] ? " " : "", command->arguments);
  if (command->summary) printf("%s.\n", command->summary);
  print_lines(command->details);
  printf("\nOptions:\n");
  for (const rlk_option_t* option = options; option->name; ++option) {
    print_option(option->name, option->kind == RLK_OPTION_CHOICE ? option->choices : option->argument, option->help);
  }
  print_option("help", NULL, "print this and exit");
}

static bool is_choice(const char* choices, const char* value) {
  const size_t length = strlen(value);
  if (length == 0 || strchr(value, '|')) return false;
  for (const char* at = choices; at; at = strchr(at, '|')) {
    if (*at == '|') ++at;
    if (strncmp(at, value, length) == 0 && (at[length] == '|' || at[length] == '\0')) return true;
  }
  return false;
}

static bool to_number(const char* text, uint64_t least, uint64_t most, uint64_t* out_value) {
  char* end;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (errno || end == text || *end || text[0] < '0' || text[0] > '9' || value < least || value > most) return false;
  *out_value = value;
  return true;
}

static const char* skip_digits(const char* at) { return at + strspn(at, "0123456789"); }

/* A number like 3, 0.25 or 1e-9. strtod takes more: spaces, signs, hexadecimal, "inf" and "nan". */
static bool is_decimal(const char* text) {
  const char* at = skip_digits(text);
  if (at == text) return false;
  if (*at == '.') {
    const char* fraction = at + 1;
    at = skip_digits(fraction);
    if (at == fraction) return false;
  }
  if (*at == 'e' || *at == 'E') {
    at += at[1] == '+' || at[1] == '-' ? 2 : 1;
    const char* exponent = at;
    at = skip_digits(exponent);
    if (at == exponent) return false;
  }
  return *at == '\0';
}

static bool to_real(const char* text, double* out_value) {
  if (!is_decimal(text)) return false;
  char* end;
  const double value = strtod(text, &end);
  if (*end || value > DBL_MAX) return false; /* it ends early where a locale's point is a comma */
  const char first = text[strspn(text, "0.")];
  if (value == 0 && first >= '1' && first <= '9') return false; /* too small to be told from zero */
  *out_value = value;
  return true;
}

/* Stores one option's value; prints what is wrong with it. */
static bool store(const rlk_command_t* command, const rlk_option_t* option, const char* value) {
  switch (option->kind) {
    case RLK_OPTION_FLAG:
      *(bool*)option->value = true;
      return true;
    case RLK_OPTION_TEXT:
      *(const char**)option->value = value;
      return true;
    case RLK_OPTION_CHOICE:
      if (is_choice(option->choices, value)) {
        *(const char**)option->value = value;
        return true;
      }
      rlk_complain(command, ROWLOCK_UNUSABLE, "--%s takes one of %s, not '%s'", option->name, option->choices, value);
      return false;
    case RLK_OPTION_NUMBER:
      if (to_number(value, option->least, option->most, option->value)) return true;
      rlk_complain(command, ROWLOCK_UNUSABLE, "--%s takes a whole number from %llu to %llu, not '%s'", option->name,
                   (unsigned long long)option->least, (unsigned long long)option->most, value);
      return false;
    case RLK_OPTION_REAL:
      if (to_real(value, option->value)) return true;
      rlk_complain(command, ROWLOCK_UNUSABLE, "--%s takes a decimal number that is finite and not negative, not '%s'",
                   option->name, value);
      return false;
    case RLK_OPTION_LIST: {
      rlk_option_list_t* list = option->value;
      if (list->count < RLK_OPTION_LIST_MAX) {
        list->values[list->count++] = value;
        return true;
      }
      rlk_complain(command, ROWLOCK_UNUSABLE, "--%s is given more than %d times", option->name, RLK_OPTION_LIST_MAX);
      return false;
    }
  }
  return false;
}

/* Whether the option may be given again. The first of two values would be lost without a word. */
static bool may_repeat(const rlk_option_t* option) {
  return option->kind == RLK_OPTION_FLAG || option->kind == RLK_OPTION_LIST;
}

rlk_parsed_t rlk_options_parse(const rlk_command_t* command, const rlk_option_t* options, int argc, char** argv,
                               char*** out_operands) {
  struct option table[OPTIONS_MAX + 2] = {0};
  const size_t count = count_options(options);
  if (count > OPTIONS_MAX) abort();
  for (size_t i = 0; i < count; ++i) {
    table[i] = (struct option){.name = options[i].name,
                               .has_arg = options[i].kind == RLK_OPTION_FLAG ? no_argument : required_argument,
                               .val = FIRST_OPTION + (int)i};
  }
  table[count] = (struct option){.name = "help", .has_arg = no_argument, .val = HELP_OPTION};
  bool given[OPTIONS_MAX] = {false};
  optind = 0; /* glibc: start over, also between two calls in one process */
  opterr = 0;
  for (;;) {
    const int chosen = getopt_long(argc, argv, ":h", table, NULL);
    if (chosen == -1) break;
    if (chosen == HELP_OPTION || chosen == 'h') {
      print_help(command, options);
      return RLK_PARSED_HELP;
    }
    if (chosen == ':' || chosen == '?') {
      /* Inside "-xy" getopt still stands on the word: only the letter is known. */
      if (chosen == '?' && optopt != 0 && optopt < FIRST_OPTION) {
        rlk_complain(command, ROWLOCK_UNUSABLE, "unusable option '-%c'", optopt);
      } else {
        rlk_complain(command, ROWLOCK_UNUSABLE, chosen == ':' ? "'%s' needs a value" : "unusable option '%s'",
                     argv[optind - 1]);
      }
      fprintf(stderr, "'rowlock %s --help' lists the options\n", command->name);
      return RLK_PARSED_USAGE_ERROR;
    }
    const rlk_option_t* option = &options[chosen - FIRST_OPTION];
    if (given[chosen - FIRST_OPTION] && !may_repeat(option)) {
      rlk_complain(command, ROWLOCK_UNUSABLE, "--%s takes one value and is given twice", option->name);
      return RLK_PARSED_USAGE_ERROR;
    }
    if (!store(command, option, optarg)) return RLK_PARSED_USAGE_ERROR;
    given[chosen - FIRST_OPTION] = true;
  }
  *out_operands = argv + optind;
  return RLK_PARSED;
}

int rlk_options_exit_status(rlk_parsed_t parsed) {
  return rowlock_code_exit_status(parsed == RLK_PARSED_HELP ? ROWLOCK_OK : ROWLOCK_UNUSABLE);
}

int rlk_complain(const rlk_command_t* command, rowlock_code_t code, const char* format, ...) {
  fflush(stdout);
  fprintf(stderr, "rowlock %s: ", command->name);
  va_list arguments;
  va_start(arguments, format);
  char* message;
  const bool made = vasprintf(&message, format, arguments) >= 0;
  va_end(arguments);
  rlk_put_shown(stderr, made ? message : rowlock_code_meaning(ROWLOCK_NO_MEMORY));
  if (made) free(message);
  fputc('\n', stderr);
  return rowlock_code_exit_status(code);
}
