#include "harness/cli/expectation.h"

#include <string.h>

bool rlk_expectation_put_outcome(json_object* object, const rlk_verdict_t* verdict) {
  if (!verdict->reject) return rlk_json_member(object, "expect", json_object_new_string("accept"));
  return rlk_json_member(object, "expect", json_object_new_string("reject")) &&
         rlk_json_member(object, "error_substring", json_object_new_string(verdict->pin)) &&
         rlk_json_member(object, "rule", json_object_new_string(rlk_rule_info(verdict->rule)->id));
}

static bool put_list(json_object* object, const char* key, const rlk_option_list_t* lines) {
  json_object* list = json_object_new_array();
  if (!rlk_json_member(object, key, list)) return false;
  for (size_t i = 0; i < lines->count; ++i) {
    if (!rlk_json_element(list, json_object_new_string(lines->values[i]))) return false;
  }
  return true;
}

static bool put_loaders(json_object* object, const rlk_new_row_t* row) {
  json_object* list = json_object_new_array();
  if (!rlk_json_member(object, "loaders", list)) return false;
  for (size_t i = 0; i < row->verdict_count; ++i) {
    if (!rlk_json_element(list, json_object_new_string(row->verdicts[i].loader))) return false;
  }
  return true;
}

/* Whether the loader owes what the row says: the same rule, told of the same value. */
static bool is_same(const rlk_verdict_t* verdict, const rlk_verdict_t* first) {
  return verdict->rule == first->rule && (!verdict->reject || strcmp(verdict->pin, first->pin) == 0);
}

static bool put_overrides(json_object* object, const rlk_new_row_t* row) {
  json_object* overrides = NULL;
  for (size_t i = 1; i < row->verdict_count; ++i) {
    const rlk_verdict_t* verdict = &row->verdicts[i];
    if (is_same(verdict, &row->verdicts[0])) continue;
    if (!overrides) {
      overrides = json_object_new_object();
      if (!rlk_json_member(object, "overrides", overrides)) return false;
    }
    json_object* override = json_object_new_object();
    if (!rlk_json_member(overrides, verdict->loader, override) || !rlk_expectation_put_outcome(override, verdict)) {
      return false;
    }
  }
  return true;
}

static bool fill(json_object* object, const rlk_new_row_request_t* request, const rlk_new_row_t* row) {
  return rlk_json_member(object, "row", json_object_new_int64(row->number)) &&
         rlk_json_member(object, "title", json_object_new_string(request->title)) &&
         rlk_json_member(object, "level", json_object_new_string(rlk_level_name(row->level))) &&
         rlk_expectation_put_outcome(object, &row->verdicts[0]) &&
         /* Spelled out as in the plugin format's own corpus; an override does without. */
         (row->verdicts[0].reject || rlk_json_member_null(object, "error_substring")) && put_loaders(object, row) &&
         put_overrides(object, row) &&
         (!request->twin || rlk_json_member(object, "twin", json_object_new_string(request->twin))) &&
         put_list(object, "why", request->why);
}

json_object* rlk_expectation(const rlk_new_row_request_t* request, const rlk_new_row_t* row) {
  json_object* object = json_object_new_object();
  if (fill(object, request, row)) return object;
  json_object_put(object);
  return NULL;
}
