#include "validator/wire/reading.h"

rlk_reading_t rlk_reading_of(const char* text, size_t length, const rowlock_limits_t* limits) {
  rlk_reading_t reading = {.findings = rowlock_findings_create(), .code = ROWLOCK_NO_MEMORY};
  const rlk_read_options_t options = {
      .path = "test.json", .limits = rlk_limits_effective(limits), .switched_off = RLK_RULE_NONE};
  if (reading.findings) {
    reading.code = rlk_read(text, length, &options, &reading.arena, reading.findings, &reading.document);
  }
  return reading;
}

void rlk_reading_deinit(rlk_reading_t* reading) {
  rowlock_findings_destroy(reading->findings);
  rlk_arena_deinit(&reading->arena);
}
