/* The door table: which gates a document passes, in which order, at each entry point of a loader. */
#ifndef ROWLOCK_VALIDATOR_PLUGIN_DOORS_H
#define ROWLOCK_VALIDATOR_PLUGIN_DOORS_H

#include "validator/plugin/judge.h"

typedef enum rlk_door_id_t {
#define RLK_DOOR(ID, ...) RLK_DOOR_##ID,
#define RLK_CHECKS(ID, ...) RLK_DOOR_##ID,
#include "validator/plugin/doors.def"
  RLK_DOOR_COUNT,
  RLK_DOOR_NONE = RLK_DOOR_COUNT
} rlk_door_id_t;

typedef enum rlk_entry_gates_t {
#define RLK_ENTRY(ID, ...) RLK_ENTRY_##ID,
#include "validator/plugin/doors.def"
  RLK_ENTRY_COUNT
} rlk_entry_gates_t;

typedef struct rlk_door_t {
  const char* name;
  rlk_level_t level;
  bool contract; /* contract checks, not an entry point: they never decide at a door */
  const rlk_gate_t* gates;
  size_t gate_count;
} rlk_door_t;

const rlk_door_t* rlk_door_info(rlk_door_id_t door);

/* The door of that name at that level, or RLK_DOOR_NONE. */
rlk_door_id_t rlk_door_find(const char* name, rlk_level_t level);

/* The first door with the same gates in the same order: the door itself unless it is another's second name. */
rlk_door_id_t rlk_door_original(rlk_door_id_t door);

const char* rlk_level_name(rlk_level_t level);

/* Judges a document that was read already. ROWLOCK_OK accepted; ROWLOCK_REJECTED with findings; ROWLOCK_NO_MEMORY. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_judge(rlk_judge_t* judge, rlk_door_id_t door, const rlk_document_t* document,
                                            const char* path);

/* Runs an entry's gates on a sidecar within a manifest door. */
void rlk_run_entry_gates(rlk_judge_t* judge, rlk_entry_gates_t gates, const rlk_subject_t* subject);

#endif
