#include "validator/rules/findings.h"

#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"

typedef struct record_t {
  rowlock_finding_t finding;
  rlk_rule_t rule;
  uint64_t place; /* hash of rule, path and offset */
  char* strings;  /* one block: message, path and pointer, each with its NUL */
} record_t;

enum { BUCKETS = 2048, LEAST_DROPPED_SLOTS = 4096 };
_Static_assert(ROWLOCK_FINDINGS_MAX <= BUCKETS / 2, "a search for a finding ends at an empty bucket");

struct rowlock_findings_t {
  record_t* records;
  size_t count, capacity;
  uint16_t buckets[BUCKETS]; /* 1 + index of a record, by its place; 0 is empty */
  uint64_t* dropped_slots;   /* which defects were dropped, as hashes: a second door that sees one must not count it */
  size_t dropped_capacity;   /* a power of two, or 0 */
  uint64_t dropped;
};

rowlock_findings_t* rowlock_findings_create(void) { return calloc(1, sizeof(rowlock_findings_t)); }

void rowlock_findings_clear(rowlock_findings_t* findings) {
  for (size_t i = 0; i < findings->count; ++i) free(findings->records[i].strings);
  if (findings->count > 0) memset(findings->buckets, 0, sizeof findings->buckets);
  free(findings->dropped_slots);
  findings->dropped_slots = NULL;
  findings->dropped_capacity = 0;
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

/* --- Equal findings ----------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  hash = (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
  return hash ^ hash >> 32;
}

uint64_t rlk_text_hash(const char* text, size_t length) {
  uint64_t hash = length, word;
  for (; length >= sizeof word; text += sizeof word, length -= sizeof word) {
    memcpy(&word, text, sizeof word);
    hash = mix(hash, word);
  }
  word = 0;
  memcpy(&word, text, length);
  return mix(hash, word);
}

static uint64_t place_hash(rlk_rule_t rule, const rlk_place_t* place) {
  const uint64_t path = place->path_hash ? place->path_hash : rlk_text_hash(place->path, strlen(place->path));
  return mix(mix((uint64_t)rule, place->byte_offset), path);
}

/* The next record of that place from the bucket on, which is moved behind it; NULL at the end. */
static record_t* next_there(rowlock_findings_t* findings, uint64_t place, size_t* bucket) {
  while (findings->buckets[*bucket]) {
    record_t* record = &findings->records[findings->buckets[*bucket] - 1];
    *bucket = (*bucket + 1) % BUCKETS;
    if (record->place == place) return record;
  }
  return NULL;
}

static bool any_there(rowlock_findings_t* findings, uint64_t place) {
  size_t bucket = place % BUCKETS;
  return next_there(findings, place, &bucket) != NULL;
}

static record_t* find_equal(rowlock_findings_t* findings, rlk_rule_t rule, const rlk_place_t* place,
                            const char* message) {
  const uint64_t hash = place_hash(rule, place);
  size_t bucket = hash % BUCKETS;
  record_t* record;
  while ((record = next_there(findings, hash, &bucket)) != NULL) {
    if (record->rule == rule && record->finding.byte_offset == place->byte_offset &&
        strcmp(record->finding.message, message) == 0 && strcmp(record->finding.path, place->path) == 0) {
      return record;
    }
  }
  return NULL;
}

static void put_in_bucket(rowlock_findings_t* findings, size_t index) {
  size_t bucket = findings->records[index].place % BUCKETS;
  while (findings->buckets[bucket]) bucket = (bucket + 1) % BUCKETS;
  findings->buckets[bucket] = (uint16_t)(index + 1);
}

/* --- Dropped findings --------------------------------------------------------------------------------------------- */

/* What tells two defects apart, as their messages would: more of a text than is shown makes no difference. */
static uint64_t defect_hash(rlk_rule_t rule, const rlk_place_t* place, const rlk_slot_t* slots, size_t slot_count) {
  uint64_t hash = place_hash(rule, place);
  for (size_t i = 0; i < slot_count; ++i) {
    const size_t shown = slots[i].length < RLK_SLOT_TEXT_MAX ? slots[i].length : RLK_SLOT_TEXT_MAX;
    hash = mix(hash, slots[i].text ? rlk_text_hash(slots[i].text, shown) : (uint64_t)slots[i].integer);
  }
  return hash ? hash : 1;
}

/* The defect's slot, or the empty one that is due to it. */
static uint64_t* dropped_slot(uint64_t* slots, size_t capacity, uint64_t defect) {
  size_t at = (size_t)defect & (capacity - 1);
  while (slots[at] && slots[at] != defect) at = (at + 1) & (capacity - 1);
  return &slots[at];
}

static bool grow_dropped(rowlock_findings_t* findings) {
  const size_t capacity = findings->dropped_capacity ? 2 * findings->dropped_capacity : LEAST_DROPPED_SLOTS;
  uint64_t* slots = calloc(capacity, sizeof *slots);
  if (!slots) return false;
  for (size_t i = 0; i < findings->dropped_capacity; ++i) {
    const uint64_t defect = findings->dropped_slots[i];
    if (defect) *dropped_slot(slots, capacity, defect) = defect;
  }
  free(findings->dropped_slots);
  findings->dropped_slots = slots;
  findings->dropped_capacity = capacity;
  return true;
}

static rowlock_code_t drop(rowlock_findings_t* findings, uint64_t defect) {
  if (findings->dropped == ROWLOCK_FINDINGS_DROPPED_MAX) return ROWLOCK_OK;
  if (findings->dropped >= findings->dropped_capacity / 2 && !grow_dropped(findings)) return ROWLOCK_NO_MEMORY;
  uint64_t* slot = dropped_slot(findings->dropped_slots, findings->dropped_capacity, defect);
  if (!*slot) ++findings->dropped;
  *slot = defect;
  return ROWLOCK_OK;
}

/* --- Adding ------------------------------------------------------------------------------------------------------- */

static rowlock_code_t keep(rowlock_findings_t* findings, rlk_rule_t rule, uint32_t doors, const rlk_place_t* place,
                           const char* message) {
  const rlk_rule_info_t* info = rlk_rule_info(rule);
  if (!reserve(findings)) return ROWLOCK_NO_MEMORY;
  const size_t message_size = strlen(message) + 1;
  const size_t path_size = strlen(place->path) + 1;
  const size_t pointer_size = strlen(place->json_pointer) + 1;
  char* strings = malloc(message_size + path_size + pointer_size);
  if (!strings) return ROWLOCK_NO_MEMORY;
  findings->records[findings->count] = (record_t){
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
      .place = place_hash(rule, place),
      .strings = strings,
  };
  put_in_bucket(findings, findings->count++);
  return ROWLOCK_OK;
}

static uint32_t mask_of(int door) { return door < 0 ? 0 : UINT32_C(1) << door; }

rowlock_code_t rlk_findings_add_again(rowlock_findings_t* findings, rlk_rule_t rule, int door, const rlk_place_t* place,
                                      const rlk_slot_t* slots, size_t slot_count, bool* out_done) {
  *out_done = true;
  if (any_there(findings, place_hash(rule, place))) {
    char message[RLK_MESSAGE_SIZE];
    rlk_message_format(message, sizeof message, rlk_rule_info(rule)->message, slots, slot_count);
    record_t* equal = find_equal(findings, rule, place, message);
    if (equal) {
      equal->finding.doors |= mask_of(door);
      return ROWLOCK_OK;
    }
  }
  if (findings->count == ROWLOCK_FINDINGS_MAX) return drop(findings, defect_hash(rule, place, slots, slot_count));
  *out_done = false;
  return ROWLOCK_OK;
}

rowlock_code_t rlk_findings_add(rowlock_findings_t* findings, rlk_rule_t rule, int door, const rlk_place_t* place,
                                const rlk_slot_t* slots, size_t slot_count) {
  bool done;
  const rowlock_code_t code = rlk_findings_add_again(findings, rule, door, place, slots, slot_count, &done);
  if (code || done) return code;
  char message[RLK_MESSAGE_SIZE];
  rlk_message_format(message, sizeof message, rlk_rule_info(rule)->message, slots, slot_count);
  return keep(findings, rule, mask_of(door), place, message);
}

rowlock_code_t rlk_findings_copy(rowlock_findings_t* findings, const rowlock_findings_t* from, size_t index) {
  const record_t* record = &from->records[index];
  const rowlock_finding_t* finding = &record->finding;
  const rlk_place_t place = {.path = finding->path,
                             .json_pointer = finding->json_pointer,
                             .byte_offset = finding->byte_offset,
                             .line = finding->line,
                             .column = finding->column};
  record_t* equal = find_equal(findings, record->rule, &place, finding->message);
  if (equal) {
    equal->finding.doors |= finding->doors;
    return ROWLOCK_OK;
  }
  if (findings->count == ROWLOCK_FINDINGS_MAX) {
    const rlk_slot_t whole = rlk_slot_prose("message", finding->message);
    return drop(findings, defect_hash(record->rule, &place, &whole, 1));
  }
  return keep(findings, record->rule, finding->doors, &place, finding->message);
}

rowlock_code_t rlk_findings_repeat(rowlock_findings_t* findings, const rowlock_error_t* err, int door,
                                   const rlk_place_t* place) {
  const rlk_rule_t rule = rlk_rule_find(err->rule_id);
  record_t* equal = find_equal(findings, rule, place, err->message);
  if (equal) {
    equal->finding.doors |= mask_of(door);
    return ROWLOCK_OK;
  }
  if (findings->count == ROWLOCK_FINDINGS_MAX) {
    const rlk_slot_t whole = rlk_slot_prose("message", err->message);
    return drop(findings, defect_hash(rule, place, &whole, 1));
  }
  return keep(findings, rule, mask_of(door), place, err->message);
}

void rlk_findings_add_door(rowlock_findings_t* findings, int from, int to) {
  for (size_t i = 0; i < findings->count; ++i) {
    uint32_t* doors = &findings->records[i].finding.doors;
    if (*doors & mask_of(from)) *doors |= mask_of(to);
  }
}

rowlock_code_t rlk_refuse(rowlock_error_t* err, rlk_rule_t rule, const rlk_slot_t* slots, size_t slot_count) {
  if (err) {
    const rlk_rule_info_t* info = rlk_rule_info(rule);
    rlk_message_format(err->message, sizeof err->message, info->message, slots, slot_count);
    err->rule_id = info->id;
  }
  return ROWLOCK_REJECTED;
}
