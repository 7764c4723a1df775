/* rowlock version: what this program is, reads and was built with. Nothing of the machine it was built on, and no date:
 * the same sources give the same words. */
#include <json-c/json.h>
#include <string.h>

#include "harness/cli/json_output.h"
#include "harness/cli/options.h"
#include "validator/plugin/doors.h"
#include "validator/rules/rules.h"
#include "validator/rules/vocabulary.h"

enum { ROW_FORMAT_VERSION = 1 }; /* schemas/row-v1.schema.json */

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#if defined(__x86_64__)
#define MACHINE "x86_64"
#elif defined(__aarch64__)
#define MACHINE "aarch64"
#else
#define MACHINE "another machine"
#endif

#if defined(__OPTIMIZE__)
#define OPTIMISED true
#else
#define OPTIMISED false
#endif

#if defined(NDEBUG)
#define ASSERTIONS false
#else
#define ASSERTIONS true
#endif

static int count_doors(void) {
  int count = 0;
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) count += !rlk_door_info((rlk_door_id_t)door)->contract;
  return count;
}

static int show_text(void) {
  printf("rowlock        %s\n", rowlock_version());
  printf("plugin schema ");
  for (int version = 1; version <= RLK_SCHEMA_VERSION_CEILING; ++version) printf(" %d", version);
  printf("\nABI tags      ");
  for (rlk_word_t tag = rlk_word_next(RLK_VOCABULARY_AETHER_ABI, RLK_WORD_NONE); tag != RLK_WORD_NONE;
       tag = rlk_word_next(RLK_VOCABULARY_AETHER_ABI, tag)) {
    printf(" %s", rlk_word_text(tag));
  }
  printf("\nrow format     %d\n", ROW_FORMAT_VERSION);
  printf("rules          %d\n", RLK_RULE_COUNT);
  printf("doors          %d\n", count_doors());
  printf("json-c         %s\n", json_c_version());
  printf("compiler       %s\n", COMPILER);
  printf("build          %s, %s, %s\n", MACHINE, OPTIMISED ? "optimised" : "not optimised",
         ASSERTIONS ? "with assertions" : "without assertions");
  return rowlock_code_exit_status(ROWLOCK_OK);
}

static bool put_schema_versions(json_object* root) {
  json_object* versions = json_object_new_array();
  if (!rlk_json_member(root, "plugin_schema", versions)) return false;
  for (int version = 1; version <= RLK_SCHEMA_VERSION_CEILING; ++version) {
    if (!rlk_json_element(versions, json_object_new_int(version))) return false;
  }
  return true;
}

static bool put_abi_tags(json_object* root) {
  json_object* tags = json_object_new_array();
  if (!rlk_json_member(root, "aether_abi", tags)) return false;
  for (rlk_word_t tag = rlk_word_next(RLK_VOCABULARY_AETHER_ABI, RLK_WORD_NONE); tag != RLK_WORD_NONE;
       tag = rlk_word_next(RLK_VOCABULARY_AETHER_ABI, tag)) {
    if (!rlk_json_element(tags, json_object_new_string(rlk_word_text(tag)))) return false;
  }
  return true;
}

static bool put_build(json_object* root) {
  json_object* build = json_object_new_object();
  return rlk_json_member(root, "build", build) && rlk_json_member(build, "machine", json_object_new_string(MACHINE)) &&
         rlk_json_member(build, "optimised", json_object_new_boolean(OPTIMISED)) &&
         rlk_json_member(build, "assertions", json_object_new_boolean(ASSERTIONS));
}

static int show_json(const rlk_command_t* command) {
  json_object* root = json_object_new_object();
  const bool complete = rlk_json_member(root, "rowlock", json_object_new_string(rowlock_version())) &&
                        put_schema_versions(root) && put_abi_tags(root) &&
                        rlk_json_member(root, "row_format", json_object_new_int(ROW_FORMAT_VERSION)) &&
                        rlk_json_member(root, "rules", json_object_new_int(RLK_RULE_COUNT)) &&
                        rlk_json_member(root, "doors", json_object_new_int(count_doors())) &&
                        rlk_json_member(root, "json_c", json_object_new_string(json_c_version())) &&
                        rlk_json_member(root, "compiler", json_object_new_string(COMPILER)) && put_build(root);
  return rlk_json_print(command, root, complete);
}

static int run(const rlk_command_t* command, int argc, char** argv) {
  const char* format = "text";
  const rlk_option_t options[] = {RLK_CHOICE("format", &format, "text|json", "of the output (default: text)"), {0}};
  char** operands;
  const rlk_parsed_t parsed = rlk_options_parse(command, options, argc, argv, &operands);
  if (parsed != RLK_PARSED) return rlk_options_exit_status(parsed);
  if (operands[0]) return rlk_complain(command, ROWLOCK_UNUSABLE, "takes no argument, not '%s'", operands[0]);
  return strcmp(format, "json") == 0 ? show_json(command) : show_text();
}

const rlk_command_t rlk_command_version = {
    .name = "version",
    .arguments = "",
    .summary = "Tells the version, what it reads and how it was built",
    .details = "",
    .main = run,
};
