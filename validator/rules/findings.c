#include "validator/rules/findings.h"

#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"

typedef struct record_t {
  rowlock_finding_t finding;
  rlk_rule_t rule;
  char* strings; /* one block: message, path and pointer, each with its NUL */
} record_t;

struct rowlock_findings_t {
  record_t* records;
  size_t count, capacity;
  uint64_t dropped;
};

rowlock_findings_t* rowlock_findings_create(void) { return calloc(1, sizeof(rowlock_findings_t)); }

void rowlock_findings_clear(rowlock_findings_t* findings) {
  for (size_t i = 0; i < findings->count; ++i) free(findings->records[i].strings);
  findings->count = 0;
  findings->dropped = 0;
}

void rowlock_findings_destroy(rowlock_findings_t* findings) {
  if (!findings) return;
  rowlock_findings_clear(findings);
  free(findings->records);
  free(findings);
}

size_t rowlock_findings_count(const rowlock_findings_t* findings) { return findings->count; }
uint64_t rowlock_findings_dropped(const rowlock_findings_t* findings) { return findings->dropped; }
const rowlock_finding_t* rowlock_findings_at(const rowlock_findings_t* findings, size_t index) {
  return &findings->records[index].finding;
}
rlk_rule_t rlk_findings_rule(const rowlock_findings_t* findings, size_t index) { return findings->records[index].rule; }

rlk_slot_t rlk_slot_text(const char* name, const char* text, size_t length) {
  return (rlk_slot_t){.name = name, .kind = RLK_SLOT_TEXT, .text = text, .length = length};
}
rlk_slot_t rlk_slot_json(const char* name, const char* text, size_t length) {
  return (rlk_slot_t){.name = name, .kind = RLK_SLOT_JSON, .text = text, .length = length};
}
rlk_slot_t rlk_slot_quoted(const char* name, const char* text, size_t length) {
  return (rlk_slot_t){.name = name, .kind = RLK_SLOT_QUOTED, .text = text, .length = length};
}
rlk_slot_t rlk_slot_prose(const char* name, const char* text) {
  return (rlk_slot_t){.name = name, .kind = RLK_SLOT_PROSE, .text = text, .length = strlen(text)};
}
rlk_slot_t rlk_slot_integer(const char* name, int64_t value) {
  return (rlk_slot_t){.name = name, .kind = RLK_SLOT_INTEGER, .integer = value};
}
rlk_slot_t rlk_slot_words(const char* name, rlk_vocabulary_t words) {
  return (rlk_slot_t){.name = name, .kind = RLK_SLOT_WORDS, .words = words};
}

/* How many of the bytes are JSON's blanks before the first that is not. */
static size_t blank_length(const char* text, size_t length) {
  size_t at = 0;
  while (at < length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) ++at;
  return at;
}

/* JSON text on one line: a line break and the blanks after it become one blank. No string holds a raw line break. */
static void put_json(rlk_text_t* out, const char* text, size_t length) {
  char line[RLK_SLOT_TEXT_MAX + 8];
  size_t written = 0;
  for (size_t at = 0; at < length && written < sizeof line;) {
    const size_t blanks = text[at] == '\n' || text[at] == '\r' ? blank_length(text + at, length - at) : 0;
    if (blanks > 0) {
      line[written++] = ' ';
      at += blanks;
    } else {
      line[written++] = text[at++];
    }
  }
  rlk_text_put_shown(out, line, written, RLK_SLOT_TEXT_MAX);
}

static void write_slot(rlk_text_t* out, const rlk_slot_t* slot) {
  switch (slot->kind) {
    case RLK_SLOT_TEXT:
      rlk_text_put_shown(out, slot->text, slot->length, RLK_SLOT_TEXT_MAX);
      break;
    case RLK_SLOT_JSON:
      put_json(out, slot->text, slot->length);
      break;
    case RLK_SLOT_QUOTED:
      rlk_text_put(out, "'", 1);
      rlk_text_put_shown(out, slot->text, slot->length, RLK_SLOT_TEXT_MAX);
      rlk_text_put(out, "'", 1);
      break;
    case RLK_SLOT_PROSE:
      rlk_text_put(out, slot->text, slot->length);
      break;
    case RLK_SLOT_INTEGER:
      rlk_text_printf(out, "%lld", (long long)slot->integer);
      break;
    case RLK_SLOT_WORDS: {
      const char* separator = "";
      for (rlk_word_t word = rlk_word_next(slot->words, RLK_WORD_NONE); word != RLK_WORD_NONE;
           word = rlk_word_next(slot->words, word)) {
        rlk_text_printf(out, "%s%s", separator, rlk_word_text(word));
        separator = ", ";
      }
      break;
    }
  }
}

size_t rlk_message_format(char* buffer, size_t capacity, const char* message, const rlk_slot_t* slots,
                          size_t slot_count) {
  rlk_text_t out = rlk_text_over(buffer, capacity);
  while (*message) {
    const char* open = strchr(message, '{');
    const char* close = open ? strchr(open, '}') : NULL;
    if (!close) {
      rlk_text_put(&out, message, strlen(message));
      break;
    }
    rlk_text_put(&out, message, (size_t)(open - message));
    const size_t name_length = (size_t)(close - open) - 1;
    const rlk_slot_t* found = NULL;
    for (size_t i = 0; i < slot_count && !found; ++i) {
      if (strlen(slots[i].name) == name_length && memcmp(slots[i].name, open + 1, name_length) == 0) found = &slots[i];
    }
    if (found) {
      write_slot(&out, found);
    } else {
      rlk_text_put(&out, open, name_length + 2);
    }
    message = close + 1;
  }
  return out.length;
}

static bool reserve(rowlock_findings_t* findings) {
  if (findings->count < findings->capacity) return true;
  const size_t capacity = findings->capacity ? 2 * findings->capacity : 8;
  record_t* records = realloc(findings->records, capacity * sizeof *records);
  if (!records) return false;
  findings->records = records;
  findings->capacity = capacity;
  return true;
}

static record_t* find_equal(rowlock_findings_t* findings, rlk_rule_t rule, const rlk_place_t* place,
                            const char* message) {
  for (size_t i = 0; i < findings->count; ++i) {
    record_t* record = &findings->records[i];
    if (record->rule == rule && record->finding.byte_offset == place->byte_offset &&
        strcmp(record->finding.message, message) == 0 && strcmp(record->finding.path, place->path) == 0) {
      return record;
    }
  }
  return NULL;
}

static rowlock_code_t add(rowlock_findings_t* findings, rlk_rule_t rule, uint32_t doors, const rlk_place_t* place,
                          const char* message) {
  const rlk_rule_info_t* info = rlk_rule_info(rule);
  record_t* equal = find_equal(findings, rule, place, message);
  if (equal) {
    equal->finding.doors |= doors;
    return ROWLOCK_OK;
  }
  if (findings->count == ROWLOCK_FINDINGS_MAX) {
    ++findings->dropped;
    return ROWLOCK_OK;
  }
  if (!reserve(findings)) return ROWLOCK_NO_MEMORY;
  const size_t message_size = strlen(message) + 1;
  const size_t path_size = strlen(place->path) + 1;
  const size_t pointer_size = strlen(place->json_pointer) + 1;
  char* strings = malloc(message_size + path_size + pointer_size);
  if (!strings) return ROWLOCK_NO_MEMORY;
  findings->records[findings->count++] = (record_t){
      .finding = {.rule_id = info->id,
                  .severity = info->severity,
                  .message = memcpy(strings, message, message_size),
                  .path = memcpy(strings + message_size, place->path, path_size),
                  .json_pointer = memcpy(strings + message_size + path_size, place->json_pointer, pointer_size),
                  .byte_offset = place->byte_offset,
                  .line = place->line,
                  .column = place->column,
                  .doors = doors},
      .rule = rule,
      .strings = strings,
  };
  return ROWLOCK_OK;
}

rowlock_code_t rlk_findings_add(rowlock_findings_t* findings, rlk_rule_t rule, int door, const rlk_place_t* place,
                                const rlk_slot_t* slots, size_t slot_count) {
  char message[2048];
  rlk_message_format(message, sizeof message, rlk_rule_info(rule)->message, slots, slot_count);
  return add(findings, rule, door < 0 ? 0 : UINT32_C(1) << door, place, message);
}

rowlock_code_t rlk_findings_copy(rowlock_findings_t* findings, const rowlock_findings_t* from, size_t index) {
  const record_t* record = &from->records[index];
  const rlk_place_t place = {.path = record->finding.path,
                             .json_pointer = record->finding.json_pointer,
                             .byte_offset = record->finding.byte_offset,
                             .line = record->finding.line,
                             .column = record->finding.column};
  return add(findings, record->rule, record->finding.doors, &place, record->finding.message);
}

rowlock_code_t rlk_refuse(rowlock_error_t* err, rlk_rule_t rule, const rlk_slot_t* slots, size_t slot_count) {
  if (err) {
    const rlk_rule_info_t* info = rlk_rule_info(rule);
    rlk_message_format(err->message, sizeof err->message, info->message, slots, slot_count);
    err->rule_id = info->id;
  }
  return ROWLOCK_REJECTED;
}
