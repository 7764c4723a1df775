#define _GNU_SOURCE /* open_memstream */
/* Reports as a process may send them: of the wrong types, and of words that a terminal would obey. */
#include "harness/cli/launch_view.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"

static char* show(const char* text) {
  json_object* report = json_tokener_parse(text);
  char* shown = NULL;
  size_t length;
  FILE* out = open_memstream(&shown, &length);
  rlk_launch_show(out, report, "folder");
  cr_assert_eq(fclose(out), 0);
  json_object_put(report);
  return shown;
}

static rlk_launch_extent_t extent(const char* text) {
  json_object* report = json_tokener_parse(text);
  const rlk_launch_extent_t found = rlk_launch_extent(report);
  json_object_put(report);
  return found;
}

Test(launch_view, what_is_of_another_type_is_not_there) {
  static const char* const reports[] = {
      "null",
      "5",
      "\"report\"",
      "[]",
      "[{}]",
      "{}",
      "{\"runs\": 5, \"outputs\": {}, \"sha256\": []}",
      "{\"runs\": null, \"outputs\": null, \"note\": null}",
      "{\"runs\": [null, 5, [], {\"structure\": 7, \"plugins\": \"1\", \"calls\": {}}]}",
      "{\"outputs\": [null, 7, {\"name\": 1, \"as\": [], \"dtype\": {}, \"shape\": 7}]}",
      "{\"outputs\": [{\"shape\": [null, \"x\", {}]}]}",
  };
  for (size_t i = 0; i < sizeof reports / sizeof *reports; ++i) {
    char* shown = show(reports[i]);
    cr_expect_not_null(strstr(shown, "the same bits: SHA-256 \n"), "%s: %s", reports[i], shown);
    free(shown);
    extent(reports[i]);
  }
}

Test(launch_view, nothing_is_sent_that_a_terminal_would_obey) {
#define HOSTILE "\"\\u001b[2J\\u009b\\u202e\\n\""
  char* shown = show("{\"runs\": [{\"structure\": " HOSTILE "}], \"note\": " HOSTILE ", \"sha256\": " HOSTILE
                     ", \"outputs\": [{\"name\": " HOSTILE ", \"as\": " HOSTILE ", \"dtype\": " HOSTILE "}]}");
  cr_expect_null(strpbrk(shown, "\x1b\xc2\xe2"), "%s", shown);
  size_t count = 0;
  for (const char* at = shown; (at = strstr(at, "\\u001B[2J\\u009B\\u202E\\u000A")); ++at) ++count;
  cr_expect_eq(count, 7, "%s", shown); /* the name of the output is in that of its file, too */
  free(shown);
}

Test(launch_view, what_a_column_holds_is_bounded) {
  char report[20000];
  rlk_text_t text = rlk_text_over(report, sizeof report);
  rlk_text_printf(&text, "{\"runs\": [{\"structure\": \"");
  for (int i = 0; i < 4000; ++i) rlk_text_put(&text, "\x7F", 1);
  rlk_text_printf(&text, "\"}], \"outputs\": [{\"name\": \"o\", \"shape\": [1");
  for (int i = 0; i < 1000; ++i) rlk_text_printf(&text, ",123456789");
  rlk_text_printf(&text, "]}]}");
  cr_assert_lt(text.length, sizeof report);
  char* shown = show(report);
  cr_expect_lt(strlen(shown), 4000);
  free(shown);
}

Test(launch_view, a_run_of_nothing_is_told_apart) {
  cr_expect_eq(extent("{\"runs\": [{\"plugins\": 2, \"samples\": 3}]}"), RLK_LAUNCH_OF_ALL);
  cr_expect_eq(extent("{\"runs\": [{\"plugins\": 2, \"samples\": 0}]}"), RLK_LAUNCH_OF_NO_SAMPLE);
  cr_expect_eq(extent("{\"runs\": [{\"plugins\": 0, \"samples\": 0}]}"), RLK_LAUNCH_OF_NO_PLUGIN);
  cr_expect_eq(extent("{\"runs\": [{\"plugins\": 1, \"samples\": 1}, {\"plugins\": 0, \"samples\": 1}]}"),
               RLK_LAUNCH_OF_NO_PLUGIN);
}
