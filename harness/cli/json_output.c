#include "harness/cli/json_output.h"

#include <stdio.h>

bool rlk_json_put(json_object* object, const char* key, json_object* value) {
  if (value && object && json_object_object_add(object, key, value) == 0) return true;
  json_object_put(value);
  return false;
}

bool rlk_json_append(json_object* array, json_object* value) {
  if (value && array && json_object_array_add(array, value) == 0) return true;
  json_object_put(value);
  return false;
}

bool rlk_json_put_null(json_object* object, const char* key) {
  return object && json_object_object_add(object, key, NULL) == 0;
}

const char* rlk_json_text(json_object* root) {
  return json_object_to_json_string_ext(
      root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE);
}

int rlk_json_print(const rlk_command_t* command, json_object* root, bool complete) {
  const char* text = root && complete ? rlk_json_text(root) : NULL;
  if (text) puts(text);
  json_object_put(root);
  if (text) return rowlock_code_exit_status(ROWLOCK_OK);
  return rlk_complain(command, ROWLOCK_NO_MEMORY, "no memory for the output");
}
