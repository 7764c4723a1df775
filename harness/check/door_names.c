#include "harness/check/door_names.h"

#include "harness/json/json.h"
#include "validator/plugin/doors.h"

json_object* rlk_door_names(uint32_t doors, bool* complete) {
  json_object* names = json_object_new_array();
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    if (!(doors & UINT32_C(1) << door)) continue;
    *complete &= rlk_json_element(names, json_object_new_string(rlk_door_info((rlk_door_id_t)door)->name));
  }
  return names;
}
