/* `rowlock rules --format json`: one document, stable keys. */
#include "harness/cli/json_output.h"
#include "harness/cli/rules_view.h"
#include "validator/plugin/doors.h"

static bool fill_rule(json_object* object, rlk_rule_t rule) {
  const rlk_rule_info_t* info = rlk_rule_info(rule);
  return rlk_json_member(object, "id", json_object_new_string(info->id)) &&
         rlk_json_member(object, "tier", json_object_new_string(rlk_tier_name(info->tier))) &&
         rlk_json_member(object, "class", json_object_new_string(rlk_class_name(info->class_))) &&
         rlk_json_member(object, "severity", json_object_new_string(rlk_severity_name(info->severity))) &&
         rlk_json_member(object, "message", json_object_new_string(info->message)) &&
         rlk_json_member(object, "source", json_object_new_string(info->source)) &&
         rlk_json_member(object, "why", json_object_new_string(info->why));
}

static bool fill_rules(json_object* root, const char* prefix) {
  json_object* list = json_object_new_array();
  if (!rlk_json_member(root, "rules", list)) return false;
  for (int rule = 0; rule < RLK_RULE_COUNT; ++rule) {
    if (!rlk_rule_has_prefix((rlk_rule_t)rule, prefix)) continue;
    json_object* object = json_object_new_object();
    if (!rlk_json_element(list, object) || !fill_rule(object, (rlk_rule_t)rule)) return false;
  }
  return true;
}

static bool fill_word_lists(json_object* root) {
  for (size_t list = 0; list < rlk_word_list_count(); ++list) {
    json_object* words = json_object_new_array();
    if (!rlk_json_member(root, rlk_word_list_name(list), words)) return false;
    const char* word;
    for (size_t i = 0; (word = rlk_word_list_at(list, i)) != NULL; ++i) {
      if (!rlk_json_element(words, json_object_new_string(word))) return false;
    }
  }
  return true;
}

static bool fill_door(json_object* object, const rlk_door_t* door) {
  json_object* gates = json_object_new_array();
  if (!rlk_json_member(object, "name", json_object_new_string(door->name)) ||
      !rlk_json_member(object, "level", json_object_new_string(rlk_level_name(door->level))) ||
      !rlk_json_member(object, "contract", json_object_new_boolean(door->contract)) ||
      !rlk_json_member(object, "gates", gates)) {
    return false;
  }
  for (size_t i = 0; i < door->gate_count; ++i) {
    if (!rlk_json_element(gates, json_object_new_string(door->gates[i].name))) return false;
  }
  return true;
}

static bool fill_doors(json_object* root) {
  json_object* list = json_object_new_array();
  if (!rlk_json_member(root, "doors", list)) return false;
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    json_object* object = json_object_new_object();
    if (!rlk_json_element(list, object) || !fill_door(object, rlk_door_info((rlk_door_id_t)door))) return false;
  }
  return true;
}

static int show(const rlk_command_t* command, bool (*fill)(json_object* root)) {
  json_object* root = json_object_new_object();
  const bool complete = root && fill(root);
  return rlk_json_print(command, root, complete);
}

static int show_rules(const rlk_command_t* command, const char* prefix) {
  json_object* root = json_object_new_object();
  const bool complete = root && fill_rules(root, prefix);
  return rlk_json_print(command, root, complete);
}

static int show_word_lists(const rlk_command_t* command) { return show(command, fill_word_lists); }
static int show_doors(const rlk_command_t* command) { return show(command, fill_doors); }

static int show_rule(const rlk_command_t* command, rlk_rule_t rule) {
  json_object* root = json_object_new_object();
  const bool complete = fill_rule(root, rule);
  return rlk_json_print(command, root, complete);
}

const rlk_rules_view_t rlk_rules_view_json = {show_rules, show_rule, show_word_lists, show_doors};
