/* rowlock version: what this program is, reads and was built with, and which driver and devices it finds. Nothing of
 * the machine it was built on, and no date: the same sources give the same words on the same machine. */
#define _GNU_SOURCE /* PATH_MAX */
#include <json-c/json.h>
#include <limits.h>
#include <string.h>

#include "harness/check/shown.h"
#include "harness/cli/json_output.h"
#include "harness/cli/options.h"
#include "loader/device/device.h"
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

/* --- The machine -------------------------------------------------------------------------------------------------- */

/* What this process finds: the driver, or why there is none, and how many devices that can be described. */
typedef struct machine_t {
  const rlk_driver_t* driver; /* NULL: none */
  uint32_t device_count;
  const char* loading;     /* of functions; NULL where the driver does not say, or sees no device */
  rowlock_error_t problem; /* of the driver, or of the devices that it does not tell of */
} machine_t;

static void find_machine(machine_t* machine) {
  *machine = (machine_t){.problem = {.message = ""}};
  if (rlk_driver_get(&machine->driver, &machine->problem)) return;
  if (rowlock_device_count(&machine->device_count, &machine->problem)) machine->device_count = 0;
  if (machine->device_count > 0) machine->loading = rlk_driver_loading(machine->driver);
}

static rowlock_code_t describe(machine_t* machine, uint32_t ordinal, rowlock_device_t* out_device) {
  return rlk_device_describe(machine->driver, ordinal, out_device, &machine->problem);
}

static void put_line(const char* label, const char* text) {
  printf("%-15s", label);
  rlk_put_shown(stdout, text);
  putchar('\n');
}

static void show_machine(void) {
  machine_t machine;
  char line[PATH_MAX + 64], label[32];
  find_machine(&machine);
  if (!machine.driver) {
    put_line("driver", machine.problem.message);
    return;
  }
  const uint32_t version = machine.driver->version;
  snprintf(line, sizeof line, "CUDA %u.%u, %s", version / 10, version % 10, machine.driver->path);
  put_line("driver", line);
  if (machine.loading) put_line("loading", machine.loading);
  for (uint32_t i = 0; i < machine.device_count; ++i) {
    rowlock_device_t device;
    const rowlock_code_t code = describe(&machine, i, &device);
    snprintf(label, sizeof label, "device %u", i);
    snprintf(line, sizeof line, "%s, sm_%u, %llu MiB", device.name, device.sm,
             (unsigned long long)(device.memory_bytes >> 20));
    put_line(label, code ? machine.problem.message : line);
  }
  if (machine.device_count == 0) put_line("devices", machine.problem.message[0] ? machine.problem.message : "none");
}

static bool put_device(json_object* devices, machine_t* machine, uint32_t ordinal) {
  rowlock_device_t device;
  json_object* object = json_object_new_object();
  if (!rlk_json_element(devices, object) || !rlk_json_member_number(object, "ordinal", ordinal)) return false;
  if (describe(machine, ordinal, &device)) return rlk_json_member_text(object, "problem", machine->problem.message);
  return rlk_json_member_text(object, "name", device.name) && rlk_json_member_number(object, "sm", device.sm) &&
         rlk_json_member_number(object, "memory_bytes", device.memory_bytes);
}

static bool put_machine(json_object* root) {
  machine_t machine;
  find_machine(&machine);
  json_object *driver = json_object_new_object(), *devices = json_object_new_array();
  bool complete = rlk_json_member(root, "driver", driver);
  complete = rlk_json_member(root, "devices", devices) && complete;
  if (!complete) return false;
  if (!machine.driver) return rlk_json_member_text(driver, "problem", machine.problem.message);
  char cuda[32];
  snprintf(cuda, sizeof cuda, "%u.%u", machine.driver->version / 10, machine.driver->version % 10);
  complete = rlk_json_member_text(driver, "path", machine.driver->path) && rlk_json_member_text(driver, "cuda", cuda);
  if (machine.loading) complete = rlk_json_member_text(driver, "loading", machine.loading) && complete;
  if (machine.problem.message[0]) {
    complete = rlk_json_member_text(driver, "problem", machine.problem.message) && complete;
  }
  for (uint32_t i = 0; i < machine.device_count && complete; ++i) complete = put_device(devices, &machine, i);
  return complete;
}

/* --- The program -------------------------------------------------------------------------------------------------- */

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
  show_machine();
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
  const bool complete =
      rlk_json_member(root, "rowlock", json_object_new_string(rowlock_version())) && put_schema_versions(root) &&
      put_abi_tags(root) && rlk_json_member(root, "row_format", json_object_new_int(ROW_FORMAT_VERSION)) &&
      rlk_json_member(root, "rules", json_object_new_int(RLK_RULE_COUNT)) &&
      rlk_json_member(root, "doors", json_object_new_int(count_doors())) &&
      rlk_json_member(root, "json_c", json_object_new_string(json_c_version())) &&
      rlk_json_member(root, "compiler", json_object_new_string(COMPILER)) && put_build(root) && put_machine(root);
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
    .summary = "Tells the version, what it reads, how it was built and which devices are here",
    .details = "",
    .main = run,
};
