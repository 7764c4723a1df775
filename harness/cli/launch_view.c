#include "harness/cli/launch_view.h"

#include <inttypes.h>
#include <string.h>

#include "harness/check/shown.h"
#include "validator/rules/text.h"

/* A report comes from another process: what is not of the type that is due is as if it were absent. */
static json_object* member(json_object* object, const char* key, json_type type) {
  json_object* value;
  const bool found = json_object_object_get_ex(object, key, &value) && json_object_is_type(value, type);
  return found ? value : NULL;
}

static const char* text(json_object* object, const char* key) {
  json_object* string = member(object, key, json_type_string);
  return string ? json_object_get_string(string) : "";
}

static uint64_t number(json_object* object, const char* key) {
  json_object* integer = member(object, key, json_type_int);
  return integer ? json_object_get_uint64(integer) : 0;
}

static json_object* list(json_object* object, const char* key, size_t* out_length) {
  json_object* array = member(object, key, json_type_array);
  *out_length = array ? json_object_array_length(array) : 0;
  return array;
}

rlk_launch_extent_t rlk_launch_extent(json_object* report) {
  size_t count;
  json_object* runs = list(report, "runs", &count);
  rlk_launch_extent_t extent = RLK_LAUNCH_OF_ALL;
  for (size_t i = 0; i < count && extent == RLK_LAUNCH_OF_ALL; ++i) {
    json_object* run = json_object_array_get_idx(runs, i);
    if (number(run, "plugins") == 0) extent = RLK_LAUNCH_OF_NO_PLUGIN;
    if (number(run, "plugins") > 0 && number(run, "samples") == 0) extent = RLK_LAUNCH_OF_NO_SAMPLE;
  }
  return extent;
}

enum { TEXT_SHOWN = 200, COLUMN_SIZE = 6 * TEXT_SHOWN + 4 };

/* The member's text at least so wide, as a terminal may have it. */
static void show_text(FILE* out, json_object* object, const char* key, int width) {
  char column[COLUMN_SIZE];
  rlk_text_t shown = rlk_text_over(column, sizeof column);
  rlk_text_put_shown(&shown, text(object, key), strlen(text(object, key)), TEXT_SHOWN);
  fprintf(out, "%-*s", width, column);
}

static void show_runs(FILE* out, json_object* report) {
  size_t count;
  json_object* runs = list(report, "runs", &count);
  fprintf(out, "%-16s %10s %12s %8s %8s %8s\n", "structure", "partitions", "samples", "plugins", "calls", "threads");
  for (size_t i = 0; i < count; ++i) {
    json_object* run = json_object_array_get_idx(runs, i);
    show_text(out, run, "structure", 16);
    fprintf(out, " %10" PRIu64 " %12" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n", number(run, "partitions"),
            number(run, "samples"), number(run, "plugins"), number(run, "calls"), number(run, "threads"));
  }
}

static void put_shape(rlk_text_t* out, json_object* output) {
  size_t rank;
  json_object* shape = list(output, "shape", &rank);
  for (size_t i = 0; i < rank; ++i) {
    json_object* extent = json_object_array_get_idx(shape, i);
    const bool is_number = json_object_is_type(extent, json_type_int);
    rlk_text_printf(out, "%s%" PRIu64, i > 0 ? " x " : "", is_number ? json_object_get_uint64(extent) : 0);
  }
}

static void show_output(FILE* out, json_object* output, const char* out_folder) {
  char shape[128], name[512];
  rlk_text_t extents = rlk_text_over(shape, sizeof shape), shown = rlk_text_over(name, sizeof name);
  put_shape(&extents, output);
  rlk_text_put_shown(&shown, text(output, "name"), strlen(text(output, "name")), 60);
  fprintf(out, "%-20s ", name);
  show_text(out, output, "as", 12);
  fputc(' ', out);
  show_text(out, output, "dtype", 8);
  fprintf(out, " %-18s", shape);
  if (out_folder) {
    const bool is_result = strcmp(text(output, "as"), "result") == 0;
    fputc(' ', out);
    rlk_put_shown(out, out_folder);
    fprintf(out, "/%s%s.npy", name, is_result ? ".result" : "");
  }
  fputc('\n', out);
}

void rlk_launch_show(FILE* out, json_object* report, const char* out_folder) {
  size_t count;
  json_object* outputs = list(report, "outputs", &count);
  show_runs(out, report);
  if (count > 0) {
    fprintf(out, "\n%-20s %-12s %-8s %-18s%s\n", "output", "as", "dtype", "shape", out_folder ? " file" : "");
  }
  for (size_t i = 0; i < count; ++i) show_output(out, json_object_array_get_idx(outputs, i), out_folder);
  if (*text(report, "note")) {
    fputc('\n', out);
    rlk_put_shown(out, text(report, "note"));
    fputc('\n', out);
  }
  fputs("\nTwo runs from different memory gave the same bits: SHA-256 ", out);
  rlk_put_shown(out, text(report, "sha256"));
  fputc('\n', out);
}
