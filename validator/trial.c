#define _GNU_SOURCE /* memmem */
#include "validator/trial.h"

#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"
#include "validator/wire/oracle_check.h"

/* Notes the first problem. Returns false, for the caller to return. */
static bool broken(rlk_trial_t* trial, const char* what, const char* detail) {
  if (trial->problem[0]) return false;
  rlk_text_t out = rlk_text_over(trial->problem, sizeof trial->problem);
  rlk_text_put(&out, what, strlen(what));
  rlk_text_put(&out, ": ", 2);
  rlk_text_put(&out, detail, strlen(detail));
  return false;
}

/* --- A finding ---------------------------------------------------------------------------------------------------- */

static bool is_printable(const char* text) {
  const size_t length = strlen(text);
  for (size_t at = 0, step; at < length; at += step) {
    step = rlk_utf8_length(text + at, length - at);
    const unsigned char byte = (unsigned char)text[at];
    const bool c1 = step == 2 && byte == 0xC2 && (unsigned char)text[at + 1] < 0xA0;
    if (step == 0 || byte < 0x20 || byte == 0x7F || c1) return false;
  }
  return true;
}

/* The text of the file that the finding names. */
static bool find_text(const rlk_trial_t* trial, const char* path, const char** out_text, size_t* out_length) {
  const rlk_judging_t* judging = &trial->judging;
  *out_text = judging->document.text;
  *out_length = judging->document.length;
  if (strcmp(path, "main.json") == 0) return true;
  for (size_t i = 0; i < judging->file_count; ++i) {
    if (strcmp(judging->files[i].path, path) != 0) continue;
    *out_text = judging->files[i].text;
    *out_length = judging->files[i].length;
    return true;
  }
  return false;
}

/* Counted byte by byte, unlike rlk_text_position. */
static bool is_right_place(const char* text, size_t length, const rowlock_finding_t* finding) {
  if (finding->byte_offset > length) return false;
  uint32_t line = 1, column = 1;
  for (size_t at = 0; at < finding->byte_offset; ++at) {
    if (text[at] == '\n') {
      ++line;
      column = 1;
    } else if (((unsigned char)text[at] & 0xC0) != 0x80) {
      ++column;
    }
  }
  return finding->line == line && finding->column == column;
}

/* A slot that nothing fills stays in the message as it is in the table. The document may have that very text, and where
 * it has escapes, there is no telling. */
static bool has_unfilled_slot(const char* format, const char* message, const char* text, size_t length) {
  if (memmem(text, length, "\\u", 2)) return false;
  for (const char* open = strchr(format, '{'); open; open = strchr(open + 1, '{')) {
    const size_t slot = (size_t)(strchr(open, '}') - open) + 1;
    if (memmem(message, strlen(message), open, slot) && !memmem(text, length, open, slot)) return true;
  }
  return false;
}

static bool check_finding(rlk_trial_t* trial, const rowlock_finding_t* finding, rlk_rule_t rule) {
  const rlk_rule_info_t* info = rlk_rule_info(rule);
  const char* text;
  size_t length;
  if (rlk_rule_find(finding->rule_id) != rule) return broken(trial, "a finding of an unknown rule", finding->rule_id);
  ++trial->fired[rule];
  if (finding->severity != info->severity) return broken(trial, "another severity", finding->rule_id);
  if (!find_text(trial, finding->path, &text, &length)) return broken(trial, "in no file", finding->path);
  if (!is_right_place(text, length, finding)) return broken(trial, "a wrong place", finding->message);
  /* Where a text is no JSON there may be no value, also when the contract checks say so of a kernel. */
  const bool at_value = info->class_ == RLK_CLASS_READING || rule == RLK_RULE_MANIFEST_KERNEL_REFUSED ||
                        (finding->byte_offset < length && strchr("{[\"-0123456789tfn", text[finding->byte_offset]));
  if (!at_value) return broken(trial, "no value at the place", finding->message);
  if (!finding->message[0] || !is_printable(finding->message)) return broken(trial, "unprintable", finding->rule_id);
  if (finding->json_pointer[0] != '\0' && finding->json_pointer[0] != '/') {
    return broken(trial, "no JSON pointer", finding->json_pointer);
  }
  if (has_unfilled_slot(info->message, finding->message, text, length)) {
    return broken(trial, "an unfilled slot", finding->message);
  }
  return true;
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static bool check_reading(rlk_trial_t* trial, rowlock_code_t code) {
  const rowlock_findings_t* findings = trial->judging.findings;
  const size_t count = rowlock_findings_count(findings);
  if (code == ROWLOCK_OK) {
    char difference[256];
    if (count != 0) return broken(trial, "a finding in what was read", rowlock_findings_at(findings, 0)->message);
    return rlk_oracle_agrees(&trial->judging.document, trial->judging.limits.depth, difference, sizeof difference) ||
           broken(trial, "json-c disagrees", difference);
  }
  if (code != ROWLOCK_REJECTED) return broken(trial, "reading ended with", rowlock_code_name(code));
  if (count != 1) return broken(trial, "reading refused", "without just one finding");
  const rlk_rule_t rule = rlk_findings_rule(findings, 0);
  if (rlk_rule_info(rule)->class_ != RLK_CLASS_READING)
    return broken(trial, "no reading rule", rlk_rule_info(rule)->id);
  return check_finding(trial, rowlock_findings_at(findings, 0), rule);
}

/* --- Judging ------------------------------------------------------------------------------------------------------ */

/* What the door says when the first failure decides, for comparison. */
typedef struct verdict_t {
  rowlock_code_t code;
  rlk_rule_t rule;
  uint64_t byte_offset;
} verdict_t;

/* The tier decides which pass reports a rule; that a document is no object comes before both. */
static bool is_of_tier(const rlk_door_t* door, rlk_rule_t rule) {
  return rule == RLK_RULE_JSON_NOT_OBJECT ||
         rlk_rule_info(rule)->tier == (door->contract ? RLK_TIER_CONTRACT : RLK_TIER_GATE);
}

static bool run_door(rlk_trial_t* trial, rlk_door_id_t id, bool every_finding, verdict_t* out_verdict) {
  rlk_judging_t* judging = &trial->judging;
  const rlk_door_t* door = rlk_door_info(id);
  rowlock_findings_clear(judging->findings);
  judging->every_finding = every_finding;
  const rowlock_code_t code = rlk_judging_run(judging, id);
  const size_t count = rowlock_findings_count(judging->findings);
  *out_verdict = (verdict_t){.code = code, .rule = RLK_RULE_NONE};
  if (code != ROWLOCK_OK && code != ROWLOCK_REJECTED) return broken(trial, door->name, rowlock_code_name(code));
  if ((code == ROWLOCK_OK) != (count == 0)) return broken(trial, door->name, "code and findings disagree");
  if (!every_finding && count > 1) return broken(trial, door->name, "went on after the first failure");
  for (size_t i = 0; i < count; ++i) {
    const rowlock_finding_t* finding = rowlock_findings_at(judging->findings, i);
    const rlk_rule_t rule = rlk_findings_rule(judging->findings, i);
    const uint32_t doors = door->contract ? 0 : UINT32_C(1) << id;
    if (finding->doors != doors) return broken(trial, door->name, "another door's finding");
    if (!is_of_tier(door, rule)) return broken(trial, door->name, "a rule of another tier");
    if (!check_finding(trial, finding, rule)) return false;
  }
  if (count == 0) return true;
  out_verdict->rule = rlk_findings_rule(judging->findings, 0);
  out_verdict->byte_offset = rowlock_findings_at(judging->findings, 0)->byte_offset;
  return true;
}

static bool check_door(rlk_trial_t* trial, rlk_door_id_t door) {
  verdict_t first, every;
  if (!run_door(trial, door, false, &first) || !run_door(trial, door, true, &every)) return false;
  trial->accepted += first.code == ROWLOCK_OK;
  const bool same = first.code == every.code && first.rule == every.rule && first.byte_offset == every.byte_offset;
  return same || broken(trial, rlk_door_info(door)->name, "the first of every finding is not the first");
}

/* --- The whole ---------------------------------------------------------------------------------------------------- */

bool rlk_trial_init(rlk_trial_t* trial) {
  *trial = (rlk_trial_t){0};
  return rlk_judging_init(&trial->judging) == ROWLOCK_OK;
}

void rlk_trial_deinit(rlk_trial_t* trial) { rlk_judging_deinit(&trial->judging); }

static bool try_copy(rlk_trial_t* trial, const char* copy, size_t length) {
  rowlock_findings_clear(trial->judging.findings);
  const rowlock_code_t code = rlk_judging_read(&trial->judging, copy, length);
  if (!check_reading(trial, code)) return false;
  if (code != ROWLOCK_OK) return true;
  ++trial->read;
  for (rlk_door_id_t door = 0; door < RLK_DOOR_COUNT; ++door) {
    if (!check_door(trial, door)) return false;
  }
  return true;
}

bool rlk_trial_holds(rlk_trial_t* trial, const char* text, size_t length) {
  /* With nothing behind it, so that a sanitizer sees a read beyond its end. */
  char* copy = malloc(length > 0 ? length : 1);
  if (!copy) return broken(trial, "no memory", "for a copy");
  if (length > 0) memcpy(copy, text, length);
  ++trial->texts;
  trial->bytes += length;
  const bool holds = try_copy(trial, copy, length);
  free(copy);
  return holds;
}
