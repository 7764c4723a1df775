/* A text and what the strict reader makes of it, for tests: no caller has to keep the parts together. */
#ifndef ROWLOCK_VALIDATOR_WIRE_READING_H
#define ROWLOCK_VALIDATOR_WIRE_READING_H

#include "validator/wire/reader.h"

typedef struct rlk_reading_t {
  rlk_arena_t arena;
  rowlock_findings_t* findings;
  rlk_document_t document;
  rowlock_code_t code;
} rlk_reading_t;

/* Reads `text` (borrowed) under `limits` (NULL: the defaults), all rules on. The caller deinits what it gets. */
rlk_reading_t rlk_reading_of(const char* text, size_t length, const rowlock_limits_t* limits);
void rlk_reading_deinit(rlk_reading_t* reading);

#endif
