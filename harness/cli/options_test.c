/* The parser of command lines, with a command that only records. */
#include "harness/cli/options.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <string.h>

static const rlk_command_t command = {.name = "try", .arguments = "[PATH...]", .summary = "Tries", .details = "More."};

/* What a command line came to. */
typedef struct line_t {
  bool flag;
  const char *text, *choice;
  uint64_t number;
  double real;
  rlk_option_list_t list;
  char** operands;
  rlk_parsed_t parsed;
} line_t;

enum { WORDS_MAX = 200, LEAST = 2, MOST = 9 };

/* Parses the words, one space between two, after the command's name. */
static line_t parse(const char* words) {
  static char text[4096];
  static char* argv[WORDS_MAX + 2];
  int argc = 0;
  argv[argc++] = (char*)"try";
  const size_t length = strlen(words);
  cr_assert(lt(sz, length, sizeof text));
  memcpy(text, words, length + 1);
  for (char* word = strtok(text, " "); word; word = strtok(NULL, " ")) {
    cr_assert(lt(int, argc, WORDS_MAX));
    argv[argc++] = word;
  }
  argv[argc] = NULL;
  line_t line = {.text = "none", .choice = "none", .number = 77, .real = -1};
  const rlk_option_t options[] = {
      RLK_FLAG("flag", &line.flag, "is set"),
      RLK_TEXT("text", &line.text, "TEXT", "is kept"),
      RLK_NUMBER("number", &line.number, "N", LEAST, MOST, "is counted"),
      RLK_REAL("real", &line.real, "X", "is measured"),
      RLK_CHOICE("choice", &line.choice, "one|two|three", "is chosen"),
      RLK_LIST("list", &line.list, "ITEM", "is collected"),
      {0},
  };
  line.parsed = rlk_options_parse(&command, options, argc, argv, &line.operands);
  return line;
}

static void expect_operands(const char* words, const char* due) {
  char got[256] = "";
  const line_t line = parse(words);
  cr_assert(eq(int, line.parsed, RLK_PARSED), "%s", words);
  for (char** operand = line.operands; *operand; ++operand) {
    strncat(got, *operand, sizeof got - strlen(got) - 1);
    strncat(got, ";", sizeof got - strlen(got) - 1);
  }
  cr_expect(eq(str, got, (char*)due), "of %s", words);
}

/* The complaint must be all that is on stderr, so each case of a usage error is a test of its own. */
static void expect_usage_error(const char* words, const char* complaint) {
  const line_t line = parse(words);
  cr_expect(eq(int, line.parsed, RLK_PARSED_USAGE_ERROR), "%s", words);
  fflush(stderr);
  cr_expect_stderr_eq_str(complaint);
}
#define SEE_HELP "'rowlock try --help' lists the options\n"

static void redirect(void) {
  cr_redirect_stdout();
  cr_redirect_stderr();
}

/* --- Kinds -------------------------------------------------------------------------------------------------------- */

Test(options, leave_what_is_not_given) {
  const line_t line = parse("");
  cr_expect(eq(int, line.parsed, RLK_PARSED));
  cr_expect(not(line.flag));
  cr_expect(eq(str, (char*)line.text, "none"));
  cr_expect(eq(str, (char*)line.choice, "none"));
  cr_expect(eq(u64, line.number, 77));
  cr_expect(eq(dbl, line.real, -1));
  cr_expect(eq(sz, line.list.count, 0));
  cr_expect(zero(ptr, line.operands[0]));
}

Test(options, take_a_value_of_each_kind) {
  const line_t line = parse("--flag --text words --number 5 --real 0.5 --choice two --list a");
  cr_assert(eq(int, line.parsed, RLK_PARSED));
  cr_expect(line.flag);
  cr_expect(eq(str, (char*)line.text, "words"));
  cr_expect(eq(u64, line.number, 5));
  cr_expect(eq(dbl, line.real, 0.5));
  cr_expect(eq(str, (char*)line.choice, "two"));
  cr_assert(eq(sz, line.list.count, 1));
  cr_expect(eq(str, (char*)line.list.values[0], "a"));
}

Test(options, take_a_value_behind_an_equals_sign) {
  const line_t line = parse("--text=a=b --number=5 --real=2 --choice=three --list=--flag");
  cr_assert(eq(int, line.parsed, RLK_PARSED));
  cr_expect(eq(str, (char*)line.text, "a=b"));
  cr_expect(eq(u64, line.number, 5));
  cr_expect(eq(dbl, line.real, 2));
  cr_expect(eq(str, (char*)line.choice, "three"));
  cr_expect(eq(str, (char*)line.list.values[0], "--flag"));
  cr_expect(not(line.flag));
}

Test(options, take_a_flag_twice) {
  const line_t line = parse("--flag --flag");
  cr_assert(eq(int, line.parsed, RLK_PARSED));
  cr_expect(line.flag);
}

Test(options, collect_a_list_in_order) {
  const line_t line = parse("--list c --flag --list a --list c");
  cr_assert(eq(sz, line.list.count, 3));
  cr_expect(eq(str, (char*)line.list.values[0], "c"));
  cr_expect(eq(str, (char*)line.list.values[1], "a"));
  cr_expect(eq(str, (char*)line.list.values[2], "c"));
}

/* --- Bounds ------------------------------------------------------------------------------------------------------- */

Test(number, is_taken_at_its_bounds) {
  cr_expect(eq(u64, parse("--number 2").number, LEAST));
  cr_expect(eq(u64, parse("--number 9").number, MOST));
  cr_expect(eq(u64, parse("--number 007").number, 7));
}

Test(number, is_refused_beyond_its_bounds_and_when_it_is_none, .init = redirect) {
  static const char* const words[] = {
      "--number 1",  "--number 10", "--number=",    "--number -3", "--number +3",
      "--number 3x", "--number 3.", "--number 0x3", "--number x",  "--number 18446744073709551619"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    const line_t line = parse(words[i]);
    cr_expect(eq(int, line.parsed, RLK_PARSED_USAGE_ERROR), "%s", words[i]);
    cr_expect(eq(u64, line.number, 77), "%s", words[i]);
  }
}

Test(number, is_taken_up_to_the_largest_of_64_bits, .init = redirect) {
  uint64_t number = 0;
  const rlk_option_t options[] = {RLK_NUMBER("number", &number, "N", 0, UINT64_MAX, ""), {0}};
  char** operands;
  char* largest[] = {(char*)"try", (char*)"--number=18446744073709551615", NULL};
  cr_expect(eq(int, rlk_options_parse(&command, options, 2, largest, &operands), RLK_PARSED));
  cr_expect(eq(u64, number, UINT64_MAX));
  char* larger[] = {(char*)"try", (char*)"--number=18446744073709551616", NULL};
  cr_expect(eq(int, rlk_options_parse(&command, options, 2, larger, &operands), RLK_PARSED_USAGE_ERROR));
}

Test(number, says_its_bounds, .init = redirect) {
  expect_usage_error("--number 10", "rowlock try: --number takes a whole number from 2 to 9, not '10'\n");
}

Test(real, is_a_decimal_number) {
  static const struct {
    const char* words;
    double value;
  } numbers[] = {{"--real 0", 0},
                 {"--real 0.0e7", 0},
                 {"--real 007", 7},
                 {"--real 0.25", 0.25},
                 {"--real 1e-9", 1e-9},
                 {"--real 1.5E+3", 1500},
                 {"--real 1e300", 1e300},
                 {"--real 1.7976931348623157e308", 0x1.fffffffffffffp+1023},
                 {"--real 5e-324", 0x1p-1074}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    const line_t line = parse(numbers[i].words);
    cr_expect(eq(int, line.parsed, RLK_PARSED), "%s", numbers[i].words);
    cr_expect(eq(dbl, line.real, numbers[i].value), "%s", numbers[i].words);
  }
}

Test(real, is_refused_when_it_is_none_or_negative_or_beyond_all_numbers, .init = redirect) {
  static const char* const words[] = {
      "--real=",    "--real -1",  "--real -0",  "--real +1",      "--real .5",    "--real 5.",     "--real 1.5.5",
      "--real 1e",  "--real 1e+", "--real 1e-", "--real 1e5x",    "--real 1,5",   "--real 0x1p3",  "--real inf",
      "--real nan", "--real e5",  "--real 1_0", "--real 1.8e308", "--real 1e999", "--real 1e-400", "--real 0.1e-999",
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    const line_t line = parse(words[i]);
    cr_expect(eq(int, line.parsed, RLK_PARSED_USAGE_ERROR), "%s", words[i]);
    cr_expect(eq(dbl, line.real, -1), "%s", words[i]);
  }
}

Test(real, says_what_it_takes, .init = redirect) {
  expect_usage_error("--real 1.x",
                     "rowlock try: --real takes a decimal number that is finite and not negative, not '1.x'\n");
}

Test(choice, is_a_whole_word_of_its_list, .init = redirect) {
  static const char* const words[] = {"--choice=",        "--choice=on", "--choice=ones", "--choice=One",
                                      "--choice=one|two", "--choice=|",  "--choice=|two", "--choice=two|"};
  cr_expect(eq(str, (char*)parse("--choice one").choice, "one"));
  cr_expect(eq(str, (char*)parse("--choice three").choice, "three"));
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    const line_t line = parse(words[i]);
    cr_expect(eq(int, line.parsed, RLK_PARSED_USAGE_ERROR), "%s", words[i]);
    cr_expect(eq(str, (char*)line.choice, "none"), "%s", words[i]);
  }
}

Test(choice, says_its_list, .init = redirect) {
  expect_usage_error("--choice four", "rowlock try: --choice takes one of one|two|three, not 'four'\n");
}

static const char* repeated(size_t count) {
  static const char each[] = "--list x ";
  static char words[(RLK_OPTION_LIST_MAX + 1) * sizeof each];
  cr_assert(le(sz, count, RLK_OPTION_LIST_MAX + 1));
  for (size_t i = 0; i < count; ++i) memcpy(words + i * (sizeof each - 1), each, sizeof each);
  return words;
}

Test(list, takes_64_values) {
  const line_t line = parse(repeated(RLK_OPTION_LIST_MAX));
  cr_expect(eq(int, line.parsed, RLK_PARSED));
  cr_expect(eq(sz, line.list.count, RLK_OPTION_LIST_MAX));
}

Test(list, refuses_the_65th, .init = redirect) {
  expect_usage_error(repeated(RLK_OPTION_LIST_MAX + 1), "rowlock try: --list is given more than 64 times\n");
}

/* --- What is no option -------------------------------------------------------------------------------------------- */

Test(usage, refuses_an_unknown_option, .init = redirect) {
  expect_usage_error("--text a --other b", "rowlock try: unusable option '--other'\n" SEE_HELP);
}

Test(usage, refuses_an_unknown_letter, .init = redirect) {
  expect_usage_error("a -x", "rowlock try: unusable option '-x'\n" SEE_HELP);
}

Test(usage, names_the_unknown_letter_of_several, .init = redirect) {
  expect_usage_error("a -xy", "rowlock try: unusable option '-x'\n" SEE_HELP);
}

Test(usage, refuses_an_option_without_its_value, .init = redirect) {
  expect_usage_error("a --text", "rowlock try: '--text' needs a value\n" SEE_HELP);
}

Test(usage, refuses_a_value_for_a_flag, .init = redirect) {
  expect_usage_error("--flag=yes", "rowlock try: unusable option '--flag=yes'\n" SEE_HELP);
}

Test(usage, refuses_a_second_text, .init = redirect) {
  expect_usage_error("--text a --text=a", "rowlock try: --text takes one value and is given twice\n");
}

Test(usage, refuses_a_second_number, .init = redirect) {
  expect_usage_error("--number 3 --flag --number 4", "rowlock try: --number takes one value and is given twice\n");
}

Test(usage, refuses_a_second_choice, .init = redirect) {
  expect_usage_error("--choice one --choice one", "rowlock try: --choice takes one value and is given twice\n");
}

Test(usage, refuses_a_second_real, .init = redirect) {
  expect_usage_error("--real 1 --real 2", "rowlock try: --real takes one value and is given twice\n");
}

Test(usage, shows_a_value_harmlessly, .init = redirect) {
  expect_usage_error("--choice \x1B[2J\x9B\xE2\x80\xAE",
                     "rowlock try: --choice takes one of one|two|three, not '\\u001B[2J\\x9B\\u202E'\n");
}

Test(usage, shows_an_unknown_letter_harmlessly, .init = redirect) {
  expect_usage_error("-f\x9B", "rowlock try: unusable option '-f'\n" SEE_HELP);
}

Test(usage, exits_with_2) { cr_expect(eq(int, rlk_options_exit_status(RLK_PARSED_USAGE_ERROR), 2)); }

/* --- Operands ----------------------------------------------------------------------------------------------------- */

Test(operands, may_stand_between_options) {
  expect_operands("a --flag b --text --flag c --list=x", "a;b;c;");
  expect_operands("a b", "a;b;");
  expect_operands("--flag", "");
}

Test(operands, may_be_a_dash) { expect_operands("- --flag", "-;"); }

Test(operands, are_all_words_behind_two_dashes) {
  expect_operands("a -- --flag --", "a;--flag;--;");
  expect_operands("--", "");
  cr_expect(not(parse("-- --flag").flag));
}

Test(operands, stand_in_their_own_row_each_time) {
  expect_operands("a --flag b", "a;b;");
  expect_operands("c --text t d", "c;d;");
}

/* --- Help --------------------------------------------------------------------------------------------------------- */

Test(help, shows_every_option_with_its_argument, .init = redirect) {
  cr_expect(eq(int, parse("--help").parsed, RLK_PARSED_HELP));
  fflush(stdout);
  cr_expect_stdout_eq_str(
      "Usage: rowlock try [OPTION...] [PATH...]\n\nTries.\nMore.\n\nOptions:\n"
      "  --flag                     is set\n"
      "  --text TEXT                is kept\n"
      "  --number N                 is counted\n"
      "  --real X                   is measured\n"
      "  --choice one|two|three     is chosen\n"
      "  --list ITEM                is collected\n"
      "  --help                     print this and exit\n");
  cr_expect_stderr_eq_str("");
}

Test(help, is_short_too, .init = redirect) { cr_expect(eq(int, parse("a -h b").parsed, RLK_PARSED_HELP)); }

Test(help, exits_with_0) { cr_expect(eq(int, rlk_options_exit_status(RLK_PARSED_HELP), 0)); }

Test(complain, names_the_command_and_returns_the_exit_status, .init = redirect) {
  cr_expect(eq(int, rlk_complain(&command, ROWLOCK_REJECTED, "%d %s", 3, "things"), 1));
  fflush(stderr);
  cr_expect_stderr_eq_str("rowlock try: 3 things\n");
}
