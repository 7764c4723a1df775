/* rowlock inspect: what artifacts hold, and whether one can be called as a sidecar says. Runs nothing of them. */
#define _GNU_SOURCE /* PATH_MAX */
#include <limits.h>
#include <string.h>

#include "harness/check/parameter_tables.h"
#include "harness/cli/inspect_view.h"
#include "harness/cli/machine_option.h"
#include "harness/json/json.h"
#include "loader/artifact/deployment.h"
#include "loader/host/elf.h"
#include "validator/rules/text.h"

enum { TABLE_INDENT = 4 };

typedef struct inspect_command_t {
  const rlk_command_t* command;
  const char *sidecar_path, *format, *driver;
  uint64_t sm;
  rlk_target_machine_t machine;
  rowlock_checker_t* checker;
  rlk_arena_t sidecar_arena, arena;
  rlk_description_t description; /* of the sidecar, if there is one */
  rlk_block_t block;
  const char* path; /* of the artifact in hand */
  json_object *artifacts, *findings, *errors;
  size_t finding_count;
  const rlk_tables_t* tables; /* of the finding that comes next, or NULL */
} inspect_command_t;

static bool is_json(const inspect_command_t* inspect) { return strcmp(inspect->format, "json") == 0; }

/* --- Findings ----------------------------------------------------------------------------------------------------- */

/* Of the finding that comes next. */
static void compare(void* context, const rlk_tables_t* tables) {
  inspect_command_t* inspect = context;
  inspect->tables = tables;
}

static rowlock_code_t tell(inspect_command_t* inspect, rlk_rule_t rule, const char* message) {
  const rlk_tables_t* tables = inspect->tables;
  inspect->tables = NULL;
  if (!is_json(inspect)) {
    fputs("  ", stdout);
    rlk_put_message(stdout, message, rule, tables, TABLE_INDENT);
    return ROWLOCK_OK;
  }
  json_object* finding = json_object_new_object();
  bool complete = rlk_json_member_text(finding, "path", inspect->path) &&
                  rlk_json_member_text(finding, "rule", rlk_rule_info(rule)->id) &&
                  rlk_json_member_text(finding, "message", message);
  if (tables) complete = complete && rlk_json_member(finding, "parameters", rlk_tables_to_json(tables));
  return rlk_json_element(inspect->findings, finding) && complete ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
}

static rowlock_code_t report(void* context, rlk_rule_t rule, int argument, const rlk_slot_t* slots, size_t slot_count) {
  (void)argument;
  char message[RLK_MESSAGE_SIZE];
  inspect_command_t* inspect = context;
  rlk_message_format(message, sizeof message, rlk_rule_info(rule)->message, slots, slot_count);
  inspect->finding_count += rlk_rule_info(rule)->severity != ROWLOCK_SEVERITY_NOTE;
  return tell(inspect, rule, message);
}

static rowlock_code_t repeat(void* context, const rowlock_error_t* err) {
  inspect_command_t* inspect = context;
  ++inspect->finding_count;
  return tell(inspect, rlk_rule_find(err->rule_id), err->message);
}

/* --- An artifact -------------------------------------------------------------------------------------------------- */

static rowlock_code_t show(inspect_command_t* inspect, const rlk_artifact_t* artifact) {
  if (is_json(inspect)) {
    json_object* object = rlk_inspect_to_json(inspect->path, artifact);
    return rlk_json_element(inspect->artifacts, object) ? ROWLOCK_OK : ROWLOCK_NO_MEMORY;
  }
  rlk_inspect_show(stdout, inspect->path, artifact);
  return ROWLOCK_OK;
}

/* The sidecar names what a device is given: a host object is launched in its place, whatever that is. */
static rowlock_code_t prove_format(const inspect_command_t* inspect, const rlk_artifact_t* artifact,
                                   const rlk_proof_listener_t* listener) {
  const rlk_node_t* format = rlk_node_member(rlk_checker_document(inspect->checker)->root, "format");
  if (artifact->kind == RLK_ARTIFACT_HOST || !format || format->kind != RLK_STRING) return ROWLOCK_OK;
  return rlk_prove_format(artifact, "the sidecar's format", format, listener);
}

/* Of a file that cannot be read: returns the exit status. */
static int give_up(const inspect_command_t* inspect, const char* path, rowlock_code_t code, const char* sentence) {
  json_object* object = json_object_new_object();
  const bool complete = rlk_json_member_text(object, "path", path) && rlk_json_member_text(object, "error", sentence);
  if (!rlk_json_element(inspect->errors, object) || !complete) code = ROWLOCK_NO_MEMORY;
  return rlk_complain(inspect->command, code, "%s", sentence);
}

/* Of one that a rule refuses: returns the exit status, without the finding that JSON has. */
static int refuse(inspect_command_t* inspect, const rowlock_error_t* err) {
  return repeat(inspect, err)
             ? rlk_complain(inspect->command, ROWLOCK_NO_MEMORY, "no memory to inspect '%s'", inspect->path)
             : 0;
}

/* Returns the exit status. */
static int inspect_artifact(inspect_command_t* inspect, const char* path) {
  const rlk_proof_listener_t listener = {.context = inspect, .report = report, .repeat = repeat, .compare = compare};
  rlk_artifact_t artifact;
  rowlock_error_t err;
  inspect->path = path;
  rlk_arena_reset(&inspect->arena);
  rowlock_code_t code = rlk_artifact_open(path, &inspect->arena, &artifact, &err);
  if (code == ROWLOCK_REJECTED && is_json(inspect)) return refuse(inspect, &err);
  if (code == ROWLOCK_REJECTED) {
    return rlk_complain(inspect->command, code, "'%s': %s [%s]", path, err.message, err.rule_id);
  }
  if (code) {
    char sentence[PATH_MAX + sizeof err.message];
    snprintf(sentence, sizeof sentence, "'%s': %s", path, err.message);
    return give_up(inspect, path, code, sentence);
  }
  code = show(inspect, &artifact);
  if (!code && inspect->sidecar_path) code = prove_format(inspect, &artifact, &listener);
  if (!code && inspect->sidecar_path) {
    code = rlk_prove(&inspect->description, &artifact, &inspect->arena, &listener, &err);
  }
  if (!code) code = rlk_prove_machine(&artifact, &inspect->machine, &listener);
  return code ? rlk_complain(inspect->command, code, "no memory to inspect '%s'", path) : 0;
}

static int read_sidecar(inspect_command_t* inspect) {
  rowlock_error_t err;
  inspect->path = inspect->sidecar_path;
  rowlock_code_t code = rowlock_checker_create(&inspect->checker, &err);
  if (!code) {
    code = rlk_sidecar_describe(inspect->checker, inspect->sidecar_path, NULL, &inspect->sidecar_arena,
                                &inspect->description, &err);
  }
  if (!code) code = rlk_block_of(&inspect->description, &inspect->sidecar_arena, &inspect->block, &err);
  if (code == ROWLOCK_UNUSABLE) return give_up(inspect, inspect->sidecar_path, code, err.message); /* has the path */
  if (code == ROWLOCK_REJECTED && is_json(inspect)) return refuse(inspect, &err);
  if (code) return rlk_complain(inspect->command, code, "'%s': %s", inspect->sidecar_path, err.message);
  if (!is_json(inspect)) {
    rlk_inspect_show_block(stdout, inspect->sidecar_path, inspect->description.kernel, &inspect->block);
  }
  return 0;
}

/* An artifact a line: names from outside may be of any bytes. */
static void print_json(const inspect_command_t* inspect) {
  json_object* const lists[] = {inspect->artifacts, inspect->findings, inspect->errors};
  static const char* const keys[] = {"{\"artifacts\":[", "],\n\"findings\":[", "],\n\"errors\":["};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    fputs(keys[i], stdout);
    for (size_t j = 0; j < json_object_array_length(lists[i]); ++j) {
      fputs(j > 0 ? ",\n" : "\n", stdout);
      rlk_json_write(stdout, json_object_array_get_idx(lists[i], j));
    }
  }
  puts("]}");
}

static int inspect_all(inspect_command_t* inspect, char* const* paths) {
  int status = rlk_machine_read(inspect->command, inspect->driver, inspect->sm, &inspect->machine);
  if (status) return status;
  inspect->artifacts = json_object_new_array();
  inspect->findings = json_object_new_array();
  inspect->errors = json_object_new_array();
  if (!inspect->artifacts || !inspect->findings || !inspect->errors) {
    return rlk_complain(inspect->command, ROWLOCK_NO_MEMORY, "no memory");
  }
  if (inspect->sidecar_path) status = read_sidecar(inspect);
  /* What a refused sidecar would have said of the artifacts is not known. */
  const bool goes_on = status == 0 && inspect->finding_count == 0;
  for (; goes_on && *paths; ++paths) {
    const int one = inspect_artifact(inspect, *paths);
    if (one > status) status = one;
  }
  const int refused = rowlock_code_exit_status(ROWLOCK_REJECTED);
  if (is_json(inspect)) print_json(inspect);
  return status == 0 && inspect->finding_count > 0 ? refused : status;
}

static int inspect_main(const rlk_command_t* command, int argc, char** argv) {
  inspect_command_t inspect = {.command = command, .format = "text"};
  const rlk_option_t options[] = {
      RLK_TEXT("sidecar", &inspect.sidecar_path, "FILE", "compare the artifacts with what this sidecar implies"),
      RLK_MACHINE_OPTIONS(&inspect.driver, &inspect.sm),
      RLK_CHOICE("format", &inspect.format, "text|json", "of the output"),
      {0}};
  char** paths;
  const rlk_parsed_t parsed = rlk_options_parse(command, options, argc, argv, &paths);
  int status = 0;
  if (parsed != RLK_PARSED) {
    status = rlk_options_exit_status(parsed);
  } else if (!paths[0]) {
    status = rlk_complain(command, ROWLOCK_UNUSABLE, "name an artifact: PTX, a cubin, a fatbin or a shared object");
  } else {
    status = inspect_all(&inspect, paths);
  }
  json_object_put(inspect.artifacts);
  json_object_put(inspect.findings);
  json_object_put(inspect.errors);
  rowlock_checker_destroy(inspect.checker);
  rlk_arena_deinit(&inspect.arena);
  rlk_arena_deinit(&inspect.sidecar_arena);
  return status;
}

#define RLK_ARTIFACT_LIMIT(ID, number, what) #number " " what ", "
#define ARTIFACT_LIMITS RLK_ARTIFACT_LIMITS(RLK_ARTIFACT_LIMIT)
#define NUMBER_TEXT(number) #number
#define TO_TEXT(number) NUMBER_TEXT(number)

const rlk_command_t rlk_command_inspect = {
    .name = "inspect",
    .arguments = "ARTIFACT...",
    .summary = "Shows what PTX, cubins, fatbins and shared objects hold, without running them",
    .details =
        "What a file is, is told from its bytes. For each entry: parameters with their offset, size and, "
        "where the container says it, alignment and type; the targets; the exported layout sizes; the lowest "
        "driver. Of an ELF shared object the exported symbols and the layout sizes alone can be read, and proved against a "
        "sidecar: what parameters its functions take is nowhere in the file.\n"
        "JSON has the lists artifacts, findings, of a refused sidecar too, and errors: files that cannot be read.\n"
        "An artifact with more than this is refused: " ARTIFACT_LIMITS TO_TEXT(RLK_ELF_DYNAMIC_MAX) " entries of a "
        "shared object's dynamic section.\n"
        "Exit status: 0 nothing found; 1 a finding: it cannot be called as the sidecar says, the machine cannot run "
        "it, it is damaged, beyond a limit or no artifact at all, or the sidecar is refused; 2 a file that cannot be "
        "read, or wrong usage; 3 out of memory.",
    .main = inspect_main};
