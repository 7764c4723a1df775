#define _GNU_SOURCE /* strdup */
#include "harness/rows/defects.h"

#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"

static const struct {
  const char *id, *message;
} table[RLK_DEFECT_COUNT] = {
#define RLK_DEFECT(ID, id, message) {id, message},
#include "harness/rows/defects.def"
#undef RLK_DEFECT
};

const char* rlk_defect_id(rlk_defect_t defect) { return table[defect].id; }
const char* rlk_defect_message(rlk_defect_t defect) { return table[defect].message; }

void rlk_defects_deinit(rlk_defects_t* defects) {
  for (size_t i = 0; i < defects->count; ++i) free(defects->records[i].text);
  *defects = (rlk_defects_t){0};
}

bool rlk_defects_any(const rlk_defects_t* defects) { return defects->count > 0 || defects->code != ROWLOCK_OK; }

void rlk_defects_add(rlk_defects_t* defects, rlk_defect_t defect, const char* path, uint32_t line, uint32_t column,
                     const rlk_slot_t* slots, size_t slot_count) {
  char message[2048], text[4096];
  rlk_message_format(message, sizeof message, table[defect].message, slots, slot_count);
  rlk_text_t out = rlk_text_over(text, sizeof text);
  rlk_text_put_shown(&out, path, strlen(path), 1024);
  if (line > 0) rlk_text_printf(&out, ":%u:%u", line, column);
  rlk_text_put(&out, ": ", 2);
  rlk_text_put(&out, message, strlen(message));
  rlk_text_printf(&out, " [%s]", table[defect].id);
  /* What rows share is found wrong once for each of them. */
  for (size_t i = 0; i < defects->count; ++i) {
    if (strcmp(defects->records[i].text, text) == 0) return;
  }
  if (defects->count == RLK_DEFECTS_MAX) {
    ++defects->dropped;
    return;
  }
  char* copy = strdup(text);
  if (!copy) {
    defects->code = ROWLOCK_NO_MEMORY;
    return;
  }
  defects->records[defects->count++] = (rlk_defect_record_t){.defect = defect, .text = copy};
}
