#include "validator/plugin/doors.h"

#include <string.h>

#include "validator/plugin/gates.h"

#define G(name) \
  { #name, rlk_gate_##name }
#define RLK_DOOR(ID, name, LEVEL, ...) static const rlk_gate_t gates_of_##ID[] = {__VA_ARGS__};
#define RLK_CHECKS(ID, name, LEVEL, ...) static const rlk_gate_t gates_of_##ID[] = {__VA_ARGS__};
#define RLK_ENTRY(ID, ...) static const rlk_gate_t entry_gates_of_##ID[] = {__VA_ARGS__};
#include "validator/plugin/doors.def"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const rlk_door_t doors[RLK_DOOR_COUNT] = {
#define RLK_DOOR(ID, name, LEVEL, ...) {name, RLK_LEVEL_##LEVEL, false, gates_of_##ID, COUNT(gates_of_##ID)},
#define RLK_CHECKS(ID, name, LEVEL, ...) {name, RLK_LEVEL_##LEVEL, true, gates_of_##ID, COUNT(gates_of_##ID)},
#include "validator/plugin/doors.def"
};
_Static_assert(RLK_DOOR_COUNT <= 32, "a finding's doors are a mask of 32 bits");

static const struct {
  const rlk_gate_t* gates;
  size_t count;
} entries[RLK_ENTRY_COUNT] = {
#define RLK_ENTRY(ID, ...) {entry_gates_of_##ID, COUNT(entry_gates_of_##ID)},
#include "validator/plugin/doors.def"
};

const rlk_door_t* rlk_door_info(rlk_door_id_t door) { return &doors[door]; }

rlk_door_id_t rlk_door_find(const char* name, rlk_level_t level) {
  for (int door = 0; door < RLK_DOOR_COUNT; ++door) {
    if (doors[door].level == level && strcmp(doors[door].name, name) == 0) return (rlk_door_id_t)door;
  }
  return RLK_DOOR_NONE;
}

rlk_door_id_t rlk_door_original(rlk_door_id_t door) {
  for (int other = 0; other < (int)door; ++other) {
    if (doors[other].level != doors[door].level || doors[other].contract != doors[door].contract ||
        doors[other].gate_count != doors[door].gate_count) {
      continue;
    }
    size_t same = 0;
    while (same < doors[door].gate_count && doors[other].gates[same].run == doors[door].gates[same].run) ++same;
    if (same == doors[door].gate_count) return (rlk_door_id_t)other;
  }
  return door;
}

const char* rlk_level_name(rlk_level_t level) { return level == RLK_LEVEL_SIDECAR ? "sidecar" : "manifest"; }

rowlock_code_t rlk_judge(rlk_judge_t* judge, rlk_door_id_t door, const rlk_document_t* document, const char* path) {
  rlk_judge_turn_to(judge, document, path);
  judge->main_path = path;
  judge->door = doors[door].contract ? -1 : (int)door;
  judge->refused = false;
  judge->noted = false;
  judge->out_of_bounds = false;
  judge->entry_bytes = 0;
  judge->code = ROWLOCK_OK;
  if (judge->entry_arena) rlk_arena_reset(judge->entry_arena);
  if (judge->set_arena) rlk_arena_reset(judge->set_arena);
  if (document->root->kind != RLK_OBJECT) {
    rlk_report_not_object(judge, document->root);
  } else {
    const rlk_subject_t subject = {.root = document->root};
    rlk_run_gates(judge, doors[door].gates, doors[door].gate_count, &subject);
  }
  if (judge->code) return judge->code;
  return judge->refused ? ROWLOCK_REJECTED : ROWLOCK_OK;
}

void rlk_run_entry_gates(rlk_judge_t* judge, rlk_entry_gates_t gates, const rlk_subject_t* subject) {
  rlk_run_gates(judge, entries[gates].gates, entries[gates].count, subject);
}
