/* rowlock compare: a gate by hand, on two .npy files. */
#include <string.h>

#include "harness/cli/json_output.h"
#include "harness/gate/comparison_json.h"
#include "harness/gate/comparison_text.h"
#include "harness/gate/npy.h"

enum { SHOWN_MAX = 1024 };

typedef struct compare_command_t {
  const rlk_command_t* command;
  const char *got_path, *want_path;
  bool json;
  rlk_result_gate_t gate;
  rlk_array_t got, want;
  rlk_comparison_t comparison;
} compare_command_t;

/* A path as a terminal can take it. */
typedef struct shown_t {
  char text[6 * SHOWN_MAX + 4];
} shown_t;

static const char* show(const char* path, shown_t* out) {
  rlk_text_t text = rlk_text_over(out->text, sizeof out->text);
  rlk_text_put_shown(&text, path, strlen(path), SHOWN_MAX);
  return out->text;
}

static int complain_of(const rlk_command_t* command, rowlock_code_t code, const char* path, const char* problem) {
  shown_t shown;
  return rlk_complain(command, code, "'%s': %s", show(path, &shown), problem);
}

static int show_json(const compare_command_t* compare) {
  json_object* root = rlk_comparison_to_json(&compare->comparison);
  const bool complete = rlk_json_member_text(root, "got_path", compare->got_path) &&
                        rlk_json_member_text(root, "want_path", compare->want_path);
  return rlk_json_print(compare->command, root, complete);
}

static int show_text(const compare_command_t* compare) {
  char buffer[RLK_COMPARISON_TEXT_SIZE];
  rlk_text_t text = rlk_text_over(buffer, sizeof buffer);
  rlk_comparison_put(&text, &compare->comparison, "\n  ");
  puts(buffer);
  return rowlock_code_exit_status(ROWLOCK_OK);
}

static int read_and_compare(compare_command_t* compare) {
  const rlk_command_t* command = compare->command;
  rowlock_error_t err;
  rowlock_code_t code = rlk_npy_read(compare->got_path, &compare->got, &err);
  if (code) return complain_of(command, code, compare->got_path, err.message);
  code = rlk_npy_read(compare->want_path, &compare->want, &err);
  if (code) return complain_of(command, code, compare->want_path, err.message);
  code = rlk_compare(&compare->got, &compare->want, &compare->gate, &compare->comparison, &err);
  if (code) return rlk_complain(command, code, "%s", err.message);
  const int status = compare->json ? show_json(compare) : show_text(compare);
  if (status) return status;
  return rowlock_code_exit_status(compare->comparison.outcome == RLK_OUTCOME_EQUAL ? ROWLOCK_OK : ROWLOCK_REJECTED);
}

/* Values that no option can have. */
#define REAL_NOT_GIVEN (-1.0)
#define ULP_NOT_GIVEN UINT64_MAX

/* What the command line may ask for; settings as their words. */
typedef struct wishes_t {
  const char *mode, *format;
  double atol, rtol;
  uint64_t ulp;
  const char* settings[RLK_POLICY_COUNT];
} wishes_t;

static wishes_t defaults(void) {
  wishes_t wishes = {.mode = rlk_gate_mode_name(RLK_GATE_BIT_EXACT),
                     .format = "text",
                     .atol = REAL_NOT_GIVEN,
                     .rtol = REAL_NOT_GIVEN,
                     .ulp = ULP_NOT_GIVEN};
  for (int i = 0; i < RLK_POLICY_COUNT; ++i) wishes.settings[i] = rlk_policy_setting((rlk_policy_t)i, false);
  return wishes;
}

static rlk_result_gate_t to_gate(const wishes_t* wishes) {
  const bool band = strcmp(wishes->mode, rlk_gate_mode_name(RLK_GATE_BAND)) == 0;
  rlk_result_gate_t gate = {.mode = band ? RLK_GATE_BAND : RLK_GATE_BIT_EXACT,
                            .atol = wishes->atol,
                            .rtol = wishes->rtol,
                            .ulp = wishes->ulp};
  if (wishes->atol != REAL_NOT_GIVEN) gate.bounds |= RLK_BOUND_ATOL;
  if (wishes->rtol != REAL_NOT_GIVEN) gate.bounds |= RLK_BOUND_RTOL;
  if (wishes->ulp != ULP_NOT_GIVEN) gate.bounds |= RLK_BOUND_ULP;
  for (int i = 0; i < RLK_POLICY_COUNT; ++i) {
    if (strcmp(wishes->settings[i], rlk_policy_setting((rlk_policy_t)i, true)) == 0) gate.relaxed |= 1U << i;
  }
  return gate;
}

static int run(const rlk_command_t* command, int argc, char** argv) {
  wishes_t wishes = defaults();
  const rlk_option_t options[] = {
      RLK_CHOICE("mode", &wishes.mode, "bit_exact|band",
                 "equal bits, or within any of the bounds (default: bit_exact)"),
      RLK_REAL("atol", &wishes.atol, "A", "band: admits |got - want| <= A + R * |want|"),
      RLK_REAL("rtol", &wishes.rtol, "R", "band: see --atol; of the two, one that is not given counts as 0"),
      RLK_NUMBER("ulp", &wishes.ulp, "N", 0, RLK_GATE_ULP_MAX, "band: also admits what is at most N values away"),
#define RLK_POLICY(id, name, exact, relaxed, help) \
  RLK_CHOICE(name, &wishes.settings[RLK_POLICY_##id], exact "|" relaxed, help " (default: " exact ")"),
      RLK_POLICIES(RLK_POLICY)
#undef RLK_POLICY
          RLK_CHOICE("format", &wishes.format, "text|json", "of the output (default: text)"),
      {0},
  };
  char** paths;
  const rlk_parsed_t parsed = rlk_options_parse(command, options, argc, argv, &paths);
  if (parsed != RLK_PARSED) return rlk_options_exit_status(parsed);
  if (!paths[0] || !paths[1] || paths[2]) {
    return rlk_complain(command, ROWLOCK_UNUSABLE, "name two files: what was computed, and what is due");
  }
  compare_command_t compare = {.command = command,
                               .got_path = paths[0],
                               .want_path = paths[1],
                               .json = strcmp(wishes.format, "json") == 0,
                               .gate = to_gate(&wishes)};
  rowlock_error_t err;
  const rowlock_code_t code = rlk_gate_check(&compare.gate, &err);
  if (code) return rlk_complain(command, code, "%s", err.message);
  const int status = read_and_compare(&compare);
  rlk_array_deinit(&compare.got);
  rlk_array_deinit(&compare.want);
  return status;
}

const rlk_command_t rlk_command_compare = {
    .name = "compare",
    .arguments = "GOT.npy WANT.npy",
    .summary = "Compares two arrays as a launch gate does, and shows the worst element",
    .details =
        "GOT was computed and WANT is due; both are .npy files of float64, float32, int64 or bool.\n"
        "An infinity must meet the same infinity, a NaN a NaN, and a bool the same bool, in either mode.\n"
        "A band that is a thousand times wider than what was seen is called loose.\n"
        "Exit status: 0 equal under the gate, 1 an element, the shape or the dtype differs,\n"
        "2 a file cannot be used or wrong usage, 3 out of memory.",
    .main = run,
};
