/* rowlock check: judges documents and folders of documents. */
#include <string.h>

#include "harness/check/check.h"
#include "harness/cli/machine_option.h"

static const struct {
  const char* name;
  rlk_check_report_t* (*create)(FILE* out);
} formats[] = {
    {"text", rlk_check_text_report_create},
    {"json", rlk_check_json_report_create},
    {"sarif", rlk_check_sarif_report_create},
};

static rlk_check_report_t* create_report(const char* format) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
    if (strcmp(formats[i].name, format) == 0) return formats[i].create(stdout);
  }
  return NULL;
}

static void complain(void* context, rowlock_code_t code, const char* sentence) {
  rlk_complain(context, code, "%s", sentence);
}

static int run(const rlk_command_t* command, int argc, char** argv) {
  const char *door = NULL, *tier = "all", *format = "text", *driver = NULL;
  uint64_t sm = 0;
  rlk_target_machine_t machine;
  const rlk_option_t options[] = {
      RLK_TEXT("door", &door, "NAME", "ask this door alone, which stops at the first gate that refuses"),
      RLK_CHOICE("tier", &tier, "gate|all", "what loaders refuse, or also what producers promise (default: all)"),
      RLK_MACHINE_OPTIONS(&driver, &sm),
      RLK_CHOICE("format", &format, "text|json|sarif", "of the output (default: text)"),
      {0},
  };
  char** paths;
  const rlk_parsed_t parsed = rlk_options_parse(command, options, argc, argv, &paths);
  if (parsed != RLK_PARSED) return rlk_options_exit_status(parsed);
  if (!paths[0]) return rlk_complain(command, ROWLOCK_UNUSABLE, "name a document or a folder to check");
  const int unreadable = rlk_machine_read(command, driver, sm, &machine);
  if (unreadable) return unreadable;
  rlk_check_report_t* report = create_report(format);
  if (!report) return rlk_complain(command, ROWLOCK_NO_MEMORY, "no memory for a report");
  const rlk_check_options_t check = {.door = door,
                                     .gates_only = strcmp(tier, "gate") == 0,
                                     .machine = machine,
                                     .report = report,
                                     .complain = complain,
                                     .context = (void*)command};
  const int status = rlk_check_run(&check, paths);
  report->destroy(report);
  return status;
}

const rlk_command_t rlk_command_check = {
    .name = "check",
    .arguments = "PATH...",
    .summary = "Judges sidecars, manifests with the files that they name, and artifacts",
    .details =
        "A PATH is a document, an artifact (a file called *.ptx, *.cubin, *.fatbin or *.so, or whose content is one) "
        "or a "
        "folder. "
        "Of a folder and the folders in it these are judged: manifest.json, *.manifest.json, *.sidecar.json, beside "
        "a manifest any other *.json that has arg_spec or kernel, and in the folder itself any *.json that has "
        "arg_spec, kernel or plugins. Sidecars and artifacts that a manifest names are judged with it, sidecars by "
        "themselves at a sidecar's door; so is the host object that is launched in an artifact's place, NAME.so beside "
        "NAME.ptx, of which symbol and layout alone can be proved. Hidden files, *.expect.json, links to folders and "
        "artifacts that nothing "
        "names are left out.\n"
        "Every door of a document's level is asked, and every finding reported. A door that does not take a "
        "sound document's kind does not count against it.\n"
        "Exit status: 0 nothing found, 1 a finding, 2 a path that cannot be judged or wrong usage, 3 out of "
        "memory.",
    .main = run,
};
