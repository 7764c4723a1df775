#include "harness/check/parameter_tables.h"

#include <string.h>

#include "harness/check/shown.h"
#include "harness/json/json.h"
#include "loader/artifact/proof.h"
#include "validator/rules/text.h"

/* A name that is wider than its column moves what follows: it is not cut. */
enum { LEAST_NAME_COLUMNS = sizeof "arg_spec" - 1, MOST_NAME_COLUMNS = 40, NUMBER_COLUMNS = 26 };

/* --- Text --------------------------------------------------------------------------------------------------------- */

static size_t count_columns(const char* text) {
  size_t columns = 0;
  for (; *text; ++text) columns += ((unsigned char)*text & 0xC0) != 0x80;
  return columns;
}

/* The name as it is shown, "-" where there is none. */
static const char* show_name(const rlk_artifact_parameter_t* parameter, char out[RLK_SHOWN_SIZE]) {
  rlk_text_t text = rlk_text_over(out, RLK_SHOWN_SIZE);
  const char* name = parameter->name ? parameter->name : "-";
  rlk_text_put_shown(&text, name, strlen(name), RLK_SHOWN_MAX);
  return out;
}

static size_t name_columns(const rlk_parameter_list_t* list) {
  size_t most = LEAST_NAME_COLUMNS;
  for (size_t i = 0; i < list->count; ++i) {
    char shown[RLK_SHOWN_SIZE];
    const size_t columns = count_columns(show_name(&list->parameters[i], shown));
    if (columns > most) most = columns;
  }
  return most < MOST_NAME_COLUMNS ? most : MOST_NAME_COLUMNS;
}

/* One side of a line, filled up to `columns` of the name; all blank past the end of the list. */
static void put_side(FILE* out, const rlk_parameter_list_t* list, size_t ordinal, size_t columns) {
  size_t written = 0;
  if (ordinal < list->count) {
    char shown[RLK_SHOWN_SIZE];
    const rlk_artifact_parameter_t* parameter = &list->parameters[ordinal];
    written = count_columns(show_name(parameter, shown));
    fprintf(out, "%4zu %9u %9u  %s", ordinal, parameter->offset, parameter->bytes, shown);
  } else if (columns > 0) {
    fprintf(out, "%*s", NUMBER_COLUMNS, "");
  }
  if (written < columns) fprintf(out, "%*s", (int)(columns - written), "");
}

static void put_heading(FILE* out, size_t columns, int indent) {
  fprintf(out, "%*s  %-*s | artifact\n", indent, "", NUMBER_COLUMNS + (int)columns, "arg_spec");
  fprintf(out, "%*s  %4s %9s %9s  %-*s | %4s %9s %9s  %s\n", indent, "", "#", "offset", "bytes", (int)columns, "name",
          "#", "offset", "bytes", "name");
}

static void put_tables(FILE* out, const rlk_tables_t* tables, int indent) {
  const rlk_parameter_list_t *due = &tables->due, *found = &tables->found;
  const size_t columns = name_columns(due), count = due->count > found->count ? due->count : found->count;
  put_heading(out, columns, indent);
  for (size_t i = 0; i < count; ++i) {
    fprintf(out, "%*s%c ", indent, "", rlk_tables_agree(tables, i) ? ' ' : '*');
    put_side(out, due, i, columns);
    fputs(i < found->count ? " | " : " |", out);
    put_side(out, found, i, 0);
    fputc('\n', out);
  }
  fprintf(out, "%*s%c %4s %9s %9u  %-*s | %4s %9s %9u\n", indent, "", due->bytes == found->bytes ? ' ' : '*', "", "",
          due->bytes, (int)columns, "", "", "", found->bytes);
}

void rlk_put_message(FILE* out, const char* message, rlk_rule_t rule, const rlk_tables_t* tables, int indent) {
  char cut[RLK_MESSAGE_SIZE];
  snprintf(cut, sizeof cut, "%s", message);
  char* lists = tables ? strstr(cut, "; " RLK_TABLE_DUE) : NULL;
  if (lists) *lists = '\0';
  rlk_put_shown(out, cut);
  fprintf(out, " [%s]\n", rlk_rule_info(rule)->id);
  if (lists) put_tables(out, tables, indent);
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

json_object* rlk_parameter_to_json(const rlk_artifact_parameter_t* parameter) {
  json_object* object = json_object_new_object();
  bool complete = rlk_json_member_number(object, "offset", parameter->offset) &&
                  rlk_json_member_number(object, "bytes", parameter->bytes);
  if (parameter->alignment > 0) complete = complete && rlk_json_member_number(object, "align", parameter->alignment);
  if (parameter->type) complete = complete && rlk_json_member_text(object, "type", parameter->type);
  if (parameter->name) complete = complete && rlk_json_member_text(object, "name", parameter->name);
  if (complete) return object;
  json_object_put(object);
  return NULL;
}

static bool put_list(json_object* object, const char* key, const rlk_parameter_list_t* list) {
  json_object* side = json_object_new_object();
  if (!rlk_json_member(object, key, side)) return false;
  json_object* parameters = json_object_new_array();
  bool complete = rlk_json_member(side, "parameters", parameters);
  for (size_t i = 0; i < list->count && complete; ++i) {
    complete = rlk_json_element(parameters, rlk_parameter_to_json(&list->parameters[i]));
  }
  return complete && rlk_json_member_number(side, "bytes", list->bytes);
}

json_object* rlk_tables_to_json(const rlk_tables_t* tables) {
  json_object* object = json_object_new_object();
  if (put_list(object, "arg_spec", &tables->due) && put_list(object, "artifact", &tables->found)) return object;
  json_object_put(object);
  return NULL;
}
