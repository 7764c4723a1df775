/* The list of a corpus's defects (defects.def), each with the file, the line and what to do. */
#ifndef ROWLOCK_HARNESS_ROWS_DEFECTS_H
#define ROWLOCK_HARNESS_ROWS_DEFECTS_H

#include "validator/rules/findings.h"

typedef enum rlk_defect_t {
#define RLK_DEFECT(ID, ...) RLK_DEFECT_##ID,
#include "harness/rows/defects.def"
#undef RLK_DEFECT
  RLK_DEFECT_COUNT
} rlk_defect_t;

/* How many are kept; more are counted. */
#define RLK_DEFECTS_MAX 100

typedef struct rlk_defect_record_t {
  rlk_defect_t defect;
  char* text; /* "path:line:column: message [id]"; owned by the list */
} rlk_defect_record_t;

/* Zeroed is empty. */
typedef struct rlk_defects_t {
  rlk_defect_record_t records[RLK_DEFECTS_MAX];
  size_t count;
  uint64_t dropped;
  rowlock_code_t code; /* ROWLOCK_NO_MEMORY once a defect could not be kept */
} rlk_defects_t;

void rlk_defects_deinit(rlk_defects_t* defects);

/* Whether anything is wrong, a lack of memory included. */
bool rlk_defects_any(const rlk_defects_t* defects);

const char* rlk_defect_id(rlk_defect_t defect);
const char* rlk_defect_message(rlk_defect_t defect);

/* `line` 0: the file as a whole. A defect that is there with the same words is not added again. */
void rlk_defects_add(rlk_defects_t* defects, rlk_defect_t defect, const char* path, uint32_t line, uint32_t column,
                     const rlk_slot_t* slots, size_t slot_count);

#endif
