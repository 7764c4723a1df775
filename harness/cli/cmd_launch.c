/* rowlock launch: loads, binds and runs a deployment by hand, in a process of its own. */
#define _GNU_SOURCE /* open_memstream, PATH_MAX */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cli/json_output.h"
#include "harness/cli/launch_text.h"
#include "harness/cli/launch_view.h"
#include "harness/cli/self.h"
#include "harness/launch/built.h"
#include "harness/launch/isolate.h"
#include "harness/launch/out_files.h"
#include "loader/checker.h"
#include "validator/rules/text.h"

typedef struct launch_command_t {
  const rlk_command_t* command;
  rlk_launch_wishes_t wishes;
  const char *out, *object, *built, *format;
  uint64_t device, threads, timeout_s, memory_mib;
  bool made_out; /* the folder was not there */
  rlk_out_files_t* files;
} launch_command_t;

#define NO_DEVICE UINT64_MAX

enum { TIMEOUT_S_MAX = RLK_LAUNCH_TIME_MS_MAX / 1000, LOG_LINE_SHOWN = 400 };

/* --- A launch that is refused ------------------------------------------------------------------------------------- */

/* What a driver's compiler said, or NULL. */
static const char* log_of(json_object* report) {
  json_object* log;
  const bool found = json_object_object_get_ex(report, "log", &log) && json_object_is_type(log, json_type_string);
  return found ? json_object_get_string(log) : NULL;
}

/* Beneath the complaint. */
static void show_log(json_object* report) {
  const char* log = log_of(report);
  for (const char* line = log ? log : ""; *line; line += strspn(line, "\r\n")) {
    const size_t length = strcspn(line, "\r\n");
    char shown[6 * LOG_LINE_SHOWN + 4];
    rlk_text_t text = rlk_text_over(shown, sizeof shown);
    rlk_text_put_shown(&text, line, length, LOG_LINE_SHOWN);
    fprintf(stderr, "  %s\n", shown);
    line += length;
  }
}

static int print_refusal(const launch_command_t* launch, rowlock_code_t code, const char* rule_id, const char* message,
                         json_object* report) {
  json_object* object = json_object_new_object();
  bool complete = rlk_json_member_text(object, "code", rowlock_code_name(code)) &&
                  rlk_json_member_text(object, "rule", rule_id) && rlk_json_member_text(object, "message", message);
  const char* log = log_of(report);
  if (log) complete = complete && rlk_json_member_text(object, "log", log);
  return rlk_json_print(launch->command, object, complete);
}

/* By a rule: a sentence, and JSON for scripts beside it. What cannot be used or done has the sentence alone. `report`,
 * of the process, may be NULL. */
static int refuse(const launch_command_t* launch, rowlock_code_t code, const char* rule_id, const char* message,
                  json_object* report) {
  const int status = rlk_complain(launch->command, code, "%s [%s]", message, rule_id);
  show_log(report);
  if (code != ROWLOCK_REJECTED || strcmp(launch->format, "json") != 0) return status;
  const int printed = print_refusal(launch, code, rule_id, message, report);
  return printed ? printed : status;
}

/* --- The launch --------------------------------------------------------------------------------------------------- */

/* A document is a sidecar or a manifest by what it holds. */
static int find_level(const launch_command_t* launch, const char* document, bool* out_is_sidecar) {
  rowlock_error_t err = {.message = ""};
  rowlock_checker_t* checker = NULL;
  rowlock_findings_t* findings = rowlock_findings_create();
  rowlock_code_t code = findings ? rowlock_checker_create(&checker, &err) : ROWLOCK_NO_MEMORY;
  if (!code) code = rlk_checker_open(checker, document, -1, findings, &err);
  if (!code) *out_is_sidecar = rlk_checker_level(checker) == RLK_LEVEL_SIDECAR;
  int status = 0;
  if (code == ROWLOCK_REJECTED) {
    const rowlock_finding_t* finding = rowlock_findings_at(findings, 0);
    char message[PATH_MAX + RLK_MESSAGE_SIZE + 64];
    snprintf(message, sizeof message, "'%s': line %u, column %u: %s", document, finding->line, finding->column,
             finding->message);
    status = refuse(launch, code, finding->rule_id, message, NULL);
  } else if (code) {
    status = rlk_complain(launch->command, code, "%s", err.message[0] ? err.message : rowlock_code_meaning(code));
  }
  rowlock_checker_destroy(checker);
  rowlock_findings_destroy(findings);
  return status;
}

static int open_out_files(launch_command_t* launch) {
  struct stat status;
  if (stat(launch->out, &status) != 0 || !S_ISDIR(status.st_mode)) {
    return rlk_complain(launch->command, ROWLOCK_UNUSABLE, "cannot write to '%s': it is no folder", launch->out);
  }
  rowlock_error_t err;
  const rowlock_code_t code = rlk_out_files_create(&launch->files, launch->out, &err);
  return code ? rlk_complain(launch->command, code, "%s", err.message) : 0;
}

/* Before the launch, which may take its time, and may lead the folder's path elsewhere. */
static int make_out_folder(launch_command_t* launch) {
  if (!launch->out) return 0;
  launch->made_out = mkdir(launch->out, 0777) == 0;
  const int error = launch->made_out ? 0 : errno;
  if (error == 0 || error == EEXIST) return open_out_files(launch);
  return rlk_complain(launch->command, ROWLOCK_UNUSABLE, "cannot make the folder '%s': %s", launch->out,
                      strerror(error));
}

/* A launch that was refused leaves nothing behind; what others put there keeps the folder. */
static void unmake_out_folder(launch_command_t* launch) {
  rlk_out_files_destroy(launch->files);
  launch->files = NULL;
  if (launch->made_out) rmdir(launch->out);
}

static int show(const launch_command_t* launch, json_object* report) {
  if (strcmp(launch->format, "json") == 0) return rlk_json_print(launch->command, json_object_get(report), true);
  rlk_launch_show(stdout, report, launch->out);
  return rowlock_code_exit_status(ROWLOCK_OK);
}

/* Outputs get their names last: a report that cannot be printed ends with a failure, too, which main tells of. */
static int show_and_place(const launch_command_t* launch, json_object* report) {
  rowlock_error_t err;
  rowlock_code_t code = launch->files ? rlk_out_files_make(launch->files, report, &err) : ROWLOCK_OK;
  if (code) return rlk_complain(launch->command, code, "%s", err.message);
  const int status = show(launch, report);
  if (status) return status;
  if (fflush(stdout) != 0 || ferror(stdout)) return rowlock_code_exit_status(ROWLOCK_INTERNAL);
  if (launch->files) code = rlk_out_files_place(launch->files, &err);
  return code ? rlk_complain(launch->command, code, "%s", err.message) : 0;
}

/* A signal that ends this program meanwhile waits, so that all outputs are there or none. */
static int finish(const launch_command_t* launch, json_object* report) {
  static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
  sigset_t held, before;
  sigemptyset(&held);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) sigaddset(&held, signals[i]);
  sigprocmask(SIG_BLOCK, &held, &before);
  const int status = show_and_place(launch, report);
  if (status) rlk_out_files_discard(launch->files);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return status;
}

static int launch_it(const launch_command_t* launch, const rlk_request_t* request, const rlk_isolation_t* isolation) {
  json_object* report;
  rlk_rule_t rule;
  rowlock_error_t err;
  const rowlock_code_t code = rlk_isolate(request, isolation, &report, &rule, &err);
  const rlk_launch_extent_t extent = rlk_launch_extent(report);
  int status = 0;
  if (code && rule != RLK_RULE_NONE) {
    status = refuse(launch, code, rlk_rule_info(rule)->id, err.message, report);
  } else if (code) {
    status = rlk_complain(launch->command, code, "%s", err.message);
  } else if (extent != RLK_LAUNCH_OF_ALL) {
    status = rlk_complain(launch->command, ROWLOCK_UNUSABLE, "%s: nothing was run",
                          extent == RLK_LAUNCH_OF_NO_PLUGIN ? "no plugin is enabled" : "there are no samples");
  } else {
    status = finish(launch, report);
  }
  json_object_put(report);
  return status;
}

/* A structure that is asked for and cannot run here is not left out: a launch is on the host or on a device. Names that
 * are none are refused where the launch is read. */
static int check_structures(const launch_command_t* launch) {
  const bool on_device = launch->device != NO_DEVICE;
  for (size_t i = 0; i < launch->wishes.structures.count; ++i) {
    const char* name = launch->wishes.structures.values[i];
    const rowlock_structure_t structure = rowlock_structure_find(name);
    const bool of_device = structure == ROWLOCK_STRUCTURE_DEVICE_KERNEL;
    if (of_device == on_device || structure == ROWLOCK_STRUCTURE_COUNT) continue;
    const char* why =
        of_device ? "runs on a device: say which with --device" : "does not run on a device: leave out --device";
    return rlk_complain(launch->command, ROWLOCK_UNUSABLE, "--structure %s %s", name, why);
  }
  return 0;
}

static int request_and_launch(launch_command_t* launch, const char* document) {
  char self[PATH_MAX], object_folder[PATH_MAX];
  bool is_sidecar = false;
  int status = check_structures(launch);
  if (!status) status = rlk_find_self(launch->command, self);
  if (!status) status = find_level(launch, document, &is_sidecar);
  char* text = NULL;
  size_t length = 0;
  rlk_launch_wishes_t wishes = launch->wishes;
  if (launch->device != NO_DEVICE && wishes.structures.count == 0) {
    wishes.structures = (rlk_option_list_t){.values = {"device_kernel"}, .count = 1};
  }
  if (!status) status = rlk_launch_text(launch->command, &wishes, &text, &length);
  if (!status) status = make_out_folder(launch);
  if (status) {
    unmake_out_folder(launch);
    free(text);
    return status;
  }
  const bool has_folder = rlk_built_folder(document, launch->built, object_folder);
  const rlk_request_t request = {.document = document,
                                 .is_sidecar = is_sidecar,
                                 .object_path = launch->object,
                                 .object_folder = has_folder ? object_folder : NULL,
                                 .files_anywhere = true,
                                 .on_device = launch->device != NO_DEVICE,
                                 .device_ordinal = (uint32_t)launch->device,
                                 .thread_count = (uint32_t)launch->threads,
                                 .launch = text,
                                 .launch_length = length};
  const rlk_isolation_t isolation = {.program = self,
                                     .time_ms = (uint32_t)launch->timeout_s * 1000,
                                     .memory_mib = (uint32_t)launch->memory_mib,
                                     .out_file = launch->files ? rlk_out_files_descriptor(launch->files) : NULL};
  status = launch_it(launch, &request, &isolation);
  if (status) unmake_out_folder(launch);
  rlk_out_files_destroy(launch->files);
  free(text);
  return status;
}

static int launch_main(const rlk_command_t* command, int argc, char** argv) {
  launch_command_t* launch = calloc(1, sizeof *launch);
  if (!launch) return rlk_complain(command, ROWLOCK_NO_MEMORY, "no memory");
  *launch = (launch_command_t){.command = command,
                               .device = NO_DEVICE,
                               .format = "text",
                               .timeout_s = RLK_LAUNCH_TIME_MS / 1000,
                               .memory_mib = RLK_LAUNCH_MEMORY_MIB,
                               .wishes = {.samples = RLK_LAUNCH_NO_SAMPLES}};
  rlk_launch_wishes_t* wishes = &launch->wishes;
  const rlk_option_t options[] = {
      RLK_NUMBER("n", &wishes->samples, "N", 0, INT64_MAX, "samples (default: as the inputs have)"),
      RLK_LIST("in", &wishes->inputs, "NAME=FILE.npy", "bind an array; also NAME=VALUE or NAME={...}: see above"),
      RLK_LIST("uniform", &wishes->uniforms, "NAME=VALUE", "bind a uniform; VALUE also as C writes it: 0x1.8p+1, nan"),
      RLK_LIST("table", &wishes->tables, "NAME=FILE.npy", "consolidate a table; also as for --in"),
      RLK_LIST("merge", &wishes->merge, "FILE", "load a second manifest, beside the first, after it"),
      RLK_LIST("enable", &wishes->enable, "ID", "enable a plugin that its manifest does not"),
      RLK_LIST("disable", &wishes->disable, "ID", "do not run this plugin"),
      RLK_LIST("structure", &wishes->structures, "NAME",
               "host_serial, host_team (the default) or device_kernel (with --device); each is run"),
      RLK_LIST("partition", &wishes->partitions, "BASE:COUNT", "run in partitions: one option each, in order"),
      RLK_NUMBER("tile", &wishes->tile, "N", 1, INT64_MAX, "samples of a tile of host_team (default: from the cache)"),
      RLK_NUMBER("device", &launch->device, "N", 0, UINT16_MAX, "on CUDA device N, by the structure device_kernel"),
      RLK_NUMBER("threads", &launch->threads, "N", 1, ROWLOCK_THREADS_MAX,
                 "of host_team (default: OMP_NUM_THREADS, or the processors)"),
      RLK_TEXT("out", &launch->out, "DIR", "write each output, as the first structure leaves it, to DIR/NAME.npy"),
      RLK_TEXT("object", &launch->object, "FILE", "the shared object, or on a device the artifact, of every plugin"),
      RLK_TEXT("built", &launch->built, "DIR", "where a build put the objects (default: bazel-bin of the workspace)"),
      RLK_NUMBER("timeout", &launch->timeout_s, "S", 1, TIMEOUT_S_MAX, "stop it after S seconds (default: 30)"),
      RLK_NUMBER("memory", &launch->memory_mib, "MIB", 1, RLK_LAUNCH_MEMORY_MIB_MAX,
                 "stop it when it and what it starts hold more (default: 4096)"),
      RLK_CHOICE("format", &launch->format, "text|json", "of the output (default: text)"),
      {0}};
  char** documents;
  const rlk_parsed_t parsed = rlk_options_parse(command, options, argc, argv, &documents);
  int status = 0;
  if (parsed != RLK_PARSED) {
    status = rlk_options_exit_status(parsed);
  } else if (!documents[0] || documents[1]) {
    status = rlk_complain(command, ROWLOCK_UNUSABLE, "name one manifest or sidecar");
  } else {
    status = request_and_launch(launch, documents[0]);
  }
  free(launch);
  return status;
}

const rlk_command_t rlk_command_launch = {
    .name = "launch",
    .arguments = "MANIFEST|SIDECAR",
    .summary = "Loads, binds and runs a deployment on the host or a device",
    .details =
        "The plugins run in declared order, in a process of their own, twice: from different memory, which "
        "must give the same bits. Outputs that no --in gives a first value are poisoned, and every element "
        "must be written; inputs must stay as they are, and nothing beside a buffer may be touched.\n"
        "VALUE fills an array with one number; {\"normal\": {\"seed\": 7}} and the like are what rows have, by "
        "schemas/row-v1.schema.json. A file whose name is a number is ./NAME.\n"
        "A sidecar is launched alone, NAME.sidecar.json from NAME.so, or on a device from NAME.ptx or as its format "
        "says. Objects are looked for beside their "
        "document, then where a build puts them (--built); --object names one for all.\n"
        "--format json prints one object: what was run, or of a launch that was refused (1) \"code\": \"REJECTED\", "
        "\"rule\" and \"message\", with the \"log\" of the driver's compiler if it had one. What ends with 2 or 3 "
        "prints none.\n"
        "Exit status: 0 it ran, 1 it was refused or did not do what it must, 2 unusable input, or nothing to run: "
        "no plugin that is enabled, or no samples (--n 0); 3 this machine or this version cannot do it. A launch that "
        "does not end with 0 writes no output.",
    .main = launch_main};
