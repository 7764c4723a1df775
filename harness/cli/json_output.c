#include "harness/cli/json_output.h"

#include <stdio.h>

const char* rlk_json_text(json_object* root) {
  return json_object_to_json_string_ext(
      root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);
}

int rlk_json_print(const rlk_command_t* command, json_object* root, bool complete) {
  const char* text = root && complete ? rlk_json_text(root) : NULL;
  if (text) {
    rlk_json_write_safely(stdout, text);
    putchar('\n');
  }
  json_object_put(root);
  if (text) return rowlock_code_exit_status(ROWLOCK_OK);
  return rlk_complain(command, ROWLOCK_NO_MEMORY, "no memory for the output");
}
