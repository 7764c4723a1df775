#include "harness/cli/launch_view.h"

#include <inttypes.h>
#include <string.h>

#include "harness/check/shown.h"
#include "validator/rules/text.h"

static json_object* member(json_object* object, const char* key) {
  json_object* value = NULL;
  json_object_object_get_ex(object, key, &value);
  return value;
}

static const char* text(json_object* object, const char* key) {
  const char* string = json_object_get_string(member(object, key));
  return string ? string : "";
}

static uint64_t number(json_object* object, const char* key) { return json_object_get_uint64(member(object, key)); }

bool rlk_launch_ran(json_object* report) {
  json_object* runs = member(report, "runs");
  for (size_t i = 0; i < json_object_array_length(runs); ++i) {
    if (number(json_object_array_get_idx(runs, i), "plugins") == 0) return false;
  }
  return true;
}

static void show_runs(FILE* out, json_object* runs) {
  fprintf(out, "%-16s %10s %12s %8s %8s %8s\n", "structure", "partitions", "samples", "plugins", "calls", "threads");
  for (size_t i = 0; i < json_object_array_length(runs); ++i) {
    json_object* run = json_object_array_get_idx(runs, i);
    fprintf(out, "%-16s %10" PRIu64 " %12" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n", text(run, "structure"),
            number(run, "partitions"), number(run, "samples"), number(run, "plugins"), number(run, "calls"),
            number(run, "threads"));
  }
}

static void show_output(FILE* out, json_object* output, const char* out_folder) {
  char shape[128], name[512];
  rlk_text_t extents = rlk_text_over(shape, sizeof shape), shown = rlk_text_over(name, sizeof name);
  json_object* list = member(output, "shape");
  for (size_t i = 0; i < json_object_array_length(list); ++i) {
    rlk_text_printf(&extents, "%s%" PRIu64, i > 0 ? " x " : "",
                    json_object_get_uint64(json_object_array_get_idx(list, i)));
  }
  rlk_text_put_shown(&shown, text(output, "name"), strlen(text(output, "name")), 60);
  fprintf(out, "%-20s %-12s %-8s %-18s", name, text(output, "as"), text(output, "dtype"), shape);
  if (out_folder) {
    const bool is_result = strcmp(text(output, "as"), "result") == 0;
    fputc(' ', out);
    rlk_put_shown(out, out_folder);
    fprintf(out, "/%s%s.npy", name, is_result ? ".result" : "");
  }
  fputc('\n', out);
}

void rlk_launch_show(FILE* out, json_object* report, const char* out_folder) {
  show_runs(out, member(report, "runs"));
  json_object* outputs = member(report, "outputs");
  if (json_object_array_length(outputs) > 0) {
    fprintf(out, "\n%-20s %-12s %-8s %-18s%s\n", "output", "as", "dtype", "shape", out_folder ? " file" : "");
  }
  for (size_t i = 0; i < json_object_array_length(outputs); ++i) {
    show_output(out, json_object_array_get_idx(outputs, i), out_folder);
  }
  if (*text(report, "note")) fprintf(out, "\n%s\n", text(report, "note"));
  fprintf(out, "\nTwo runs from different memory gave the same bits: SHA-256 %s\n", text(report, "sha256"));
}
