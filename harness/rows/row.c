#define _GNU_SOURCE /* access */
#include "harness/rows/row.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/rows/row_launch.h"
#include "loader/files.h"
#include "validator/rules/text.h"
#include "validator/wire/reader.h"

/* --- Reading ------------------------------------------------------------------------------------------------------ */

typedef rlk_row_reading_t reading_t;

void rlk_row_defect_at(reading_t* reading, rlk_defect_t defect, const rlk_node_t* at, const rlk_slot_t* slots,
                       size_t slot_count) {
  uint32_t line, column;
  rlk_text_position(reading->document->text, reading->document->length, at->key ? at->key_begin : at->begin, &line,
                    &column);
  rlk_defects_add(reading->defects, defect, reading->path, line, column, slots, slot_count);
}

static rlk_slot_t shown(const reading_t* reading, const rlk_node_t* node) {
  return rlk_slot_json("value", reading->document->text + node->begin, node->end - node->begin);
}

void rlk_row_bad_value(reading_t* reading, const char* key, const char* expected, const rlk_node_t* node) {
  rlk_row_defect_at(reading, RLK_DEFECT_ROW_VALUE, node,
                    RLK_SLOTS(rlk_slot_prose("key", key), rlk_slot_prose("expected", expected), shown(reading, node)));
}

static char* copy_text(reading_t* reading, const char* text, size_t length) {
  char* copy = rlk_arena_alloc(reading->arena, length + 1);
  if (!copy) {
    reading->defects->code = ROWLOCK_NO_MEMORY;
    return NULL;
  }
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

/* A non-empty string without NULs, copied; reports anything else. */
const char* rlk_row_read_text(reading_t* reading, const char* key, const rlk_node_t* node) {
  const bool is_text = node->kind == RLK_STRING && node->text_length > 0;
  if (!is_text || memchr(node->text, '\0', node->text_length)) {
    rlk_row_bad_value(reading, key, is_text ? "a string without a NUL" : "a non-empty string", node);
    return NULL;
  }
  return copy_text(reading, node->text, node->text_length);
}

/* The index of the string among `choices` (NULL-terminated), or -1 with a defect. */
static int read_choice(reading_t* reading, const char* key, const rlk_node_t* node, const char* const* choices) {
  char expected[128];
  rlk_text_t text = rlk_text_over(expected, sizeof expected);
  for (int i = 0; choices[i]; ++i) {
    if (rlk_node_is_string(node, choices[i])) return i;
    rlk_text_printf(&text, "%s%s", i > 0 ? ", " : "one of ", choices[i]);
  }
  rlk_row_bad_value(reading, key, expected, node);
  return -1;
}

static rlk_rule_t read_rule(reading_t* reading, const rlk_node_t* node) {
  const char* id = rlk_row_read_text(reading, "rule", node);
  const rlk_rule_t rule = id ? rlk_rule_find(id) : RLK_RULE_NONE;
  if (id && rule == RLK_RULE_NONE) {
    rlk_row_defect_at(reading, RLK_DEFECT_ROW_RULE_UNKNOWN, node, RLK_SLOTS(rlk_slot_text("value", id, strlen(id))));
  }
  return rule;
}

/* expect, error_substring and rule of the row or of an override, over what `outcome` holds already. */
static void read_outcome(reading_t* reading, const rlk_node_t* object, const char* where, rlk_outcome_t* outcome) {
  static const char* const choices[] = {"accept", "reject", NULL};
  const rlk_node_t* expect = rlk_node_member(object, "expect");
  if (expect) outcome->reject = read_choice(reading, "expect", expect, choices) == 1;
  const rlk_node_t* substring = rlk_node_member(object, "error_substring");
  const rlk_node_t* rule = rlk_node_member(object, "rule");
  const rlk_slot_t where_slot = rlk_slot_prose("where", where);
  if (!outcome->reject) {
    if (substring && substring->kind != RLK_NULL) {
      rlk_row_defect_at(reading, RLK_DEFECT_ROW_SUBSTRING_UNUSED, substring, RLK_SLOTS(where_slot));
    }
    if (rule) rlk_row_defect_at(reading, RLK_DEFECT_ROW_RULE_UNUSED, rule, RLK_SLOTS(where_slot));
    *outcome = (rlk_outcome_t){.reject = false, .rule = RLK_RULE_NONE};
    return;
  }
  if (substring && substring->kind != RLK_NULL) {
    outcome->substring = rlk_row_read_text(reading, "error_substring", substring);
    outcome->rule = RLK_RULE_NONE; /* another message is another rule's, unless it says so */
  } else if (!outcome->substring) {
    rlk_row_defect_at(reading, RLK_DEFECT_ROW_SUBSTRING_MISSING, substring ? substring : object, RLK_SLOTS(where_slot));
  }
  if (rule) outcome->rule = read_rule(reading, rule);
}

static void read_loaders(reading_t* reading, const rlk_node_t* loaders) {
  rlk_row_t* row = reading->row;
  if (loaders->kind != RLK_ARRAY || loaders->count > RLK_ROW_LOADERS_MAX) {
    rlk_row_bad_value(reading, "loaders", "a list of at most 64 names", loaders);
    return;
  }
  if (loaders->count == 0) rlk_row_defect_at(reading, RLK_DEFECT_ROW_LOADERS_EMPTY, loaders, NULL, 0);
  row->loaders = rlk_arena_alloc(reading->arena, loaders->count * sizeof *row->loaders);
  if (!row->loaders) {
    reading->defects->code = ROWLOCK_NO_MEMORY;
    return;
  }
  for (const rlk_node_t* node = loaders->first; node; node = node->next) {
    const char* name = rlk_row_read_text(reading, "loaders", node);
    if (!name) continue;
    for (size_t i = 0; i < row->loader_count; ++i) {
      if (strcmp(row->loaders[i].name, name) == 0) {
        rlk_row_defect_at(reading, RLK_DEFECT_ROW_LOADER_REPEATED, node, RLK_SLOTS(rlk_slot_prose("loader", name)));
      }
    }
    rlk_level_t doors;
    const bool judged = rlk_row_level_has_doors(row->level, &doors);
    const bool known = rlk_door_find(name, RLK_LEVEL_SIDECAR) != RLK_DOOR_NONE ||
                       rlk_door_find(name, RLK_LEVEL_MANIFEST) != RLK_DOOR_NONE;
    if (judged && known && rlk_door_find(name, doors) == RLK_DOOR_NONE) {
      rlk_row_defect_at(
          reading, RLK_DEFECT_ROW_LOADER_LEVEL, node,
          RLK_SLOTS(rlk_slot_prose("loader", name), rlk_slot_prose("level", rlk_row_level_name(row->level))));
    }
    row->loaders[row->loader_count++] = (rlk_row_loader_t){.name = name, .expected = row->expected};
  }
}

static void read_overrides(reading_t* reading, const rlk_node_t* overrides) {
  rlk_row_t* row = reading->row;
  if (overrides->kind != RLK_OBJECT) {
    rlk_row_bad_value(reading, "overrides", "an object", overrides);
    return;
  }
  static const char* const keys[] = {"expect", "error_substring", "rule", NULL};
  for (const rlk_node_t* node = overrides->first; node; node = node->next) {
    if (node->kind != RLK_OBJECT || node->count == 0) {
      rlk_row_bad_value(reading, "an override", "an object that says something", node);
      continue;
    }
    for (const rlk_node_t* member = node->first; member; member = member->next) {
      bool known = false;
      for (int i = 0; keys[i]; ++i) known |= rlk_text_equal(member->key, member->key_length, keys[i], strlen(keys[i]));
      if (!known) {
        rlk_row_defect_at(reading, RLK_DEFECT_ROW_KEY_UNKNOWN, member,
                          RLK_SLOTS(rlk_slot_text("key", member->key, member->key_length),
                                    rlk_slot_prose("known", "expect, error_substring, rule")));
      }
    }
    rlk_row_loader_t* loader = NULL;
    for (size_t i = 0; i < row->loader_count; ++i) {
      const char* name = row->loaders[i].name;
      if (rlk_text_equal(node->key, node->key_length, name, strlen(name))) loader = &row->loaders[i];
    }
    if (!loader) {
      rlk_row_defect_at(reading, RLK_DEFECT_ROW_OVERRIDE_UNLISTED, node,
                        RLK_SLOTS(rlk_slot_text("loader", node->key, node->key_length)));
      continue;
    }
    loader->overridden = true;
    read_outcome(reading, node, "an override", &loader->expected);
  }
}

static void read_order(reading_t* reading, const rlk_node_t* order) {
  rlk_row_t* row = reading->row;
  if (order->kind != RLK_ARRAY || order->count != 2) {
    rlk_row_bad_value(reading, "order", "two rule ids", order);
    return;
  }
  row->order[0] = read_rule(reading, order->first);
  row->order[1] = read_rule(reading, order->first->next);
  row->has_order = true;
  if (!row->expected.reject || row->order[0] != row->expected.rule || row->order[0] == row->order[1]) {
    rlk_row_defect_at(reading, RLK_DEFECT_ROW_ORDER, order, NULL, 0);
  }
}

/* The limits by name: where they are kept, and whether they are of the process that a launched row runs in. That one
 * loads with the defaults: a limit of the reader would hold at the row's doors and not in the launch. */
static const struct {
  const char* key;
  size_t offset, size;
  bool of_process;
} limits[] = {
#define LIMIT(key, field, of_process) \
  { key, offsetof(rlk_row_t, field), sizeof((rlk_row_t*)0)->field, of_process }
    LIMIT("depth", limits.depth, false),   LIMIT("size_bytes", limits.size_bytes, false),
    LIMIT("values", limits.values, false), LIMIT("entries", limits.entries, false),
    LIMIT("time_ms", time_ms, true),       LIMIT("memory_mib", memory_mib, true),
#undef LIMIT
};
enum { LIMIT_COUNT = sizeof limits / sizeof *limits };

static void set_limit(rlk_row_t* row, int limit, int64_t value) {
  void* field = (char*)row + limits[limit].offset;
  if (limits[limit].size == sizeof(uint64_t)) {
    *(uint64_t*)field = (uint64_t)value;
  } else {
    *(uint32_t*)field = (uint32_t)value;
  }
}

static void report_level(reading_t* reading, const char* limit, const rlk_node_t* at) {
  char key[64];
  rlk_text_t text = rlk_text_over(key, sizeof key);
  rlk_text_printf(&text, "limits.%s", limit);
  rlk_row_defect_at(
      reading, RLK_DEFECT_ROW_KEY_LEVEL, at,
      RLK_SLOTS(rlk_slot_prose("key", key), rlk_slot_prose("level", rlk_row_level_name(reading->row->level))));
}

static void read_limit(reading_t* reading, const rlk_node_t* member) {
  const bool launched = rlk_row_level_is_launched(reading->row->level);
  char known[128];
  rlk_text_t names = rlk_text_over(known, sizeof known);
  for (int i = 0; i < LIMIT_COUNT; ++i) {
    const bool belongs = limits[i].of_process == launched;
    if (belongs) rlk_text_printf(&names, "%s%s", names.length > 0 ? ", " : "", limits[i].key);
    if (!rlk_text_equal(member->key, member->key_length, limits[i].key, strlen(limits[i].key))) continue;
    if (!belongs) {
      report_level(reading, limits[i].key, member);
    } else if (rlk_node_is_integer(member) && member->integer >= 1 && member->integer <= UINT32_MAX) {
      set_limit(reading->row, i, member->integer);
    } else {
      rlk_row_bad_value(reading, "a limit", "a positive integer", member);
    }
    return;
  }
  rlk_row_defect_at(reading, RLK_DEFECT_ROW_KEY_UNKNOWN, member,
                    RLK_SLOTS(rlk_slot_text("key", member->key, member->key_length), rlk_slot_prose("known", known)));
}

static void read_limits(reading_t* reading, const rlk_node_t* node) {
  if (node->kind != RLK_OBJECT || node->count == 0) {
    rlk_row_bad_value(reading, "limits", "an object with a limit", node);
    return;
  }
  for (const rlk_node_t* member = node->first; member; member = member->next) read_limit(reading, member);
}

/* --- The row's keys, each with its reader, in the order in which they depend on each other -------------------------
 */

static void read_row_number(reading_t* reading, const rlk_node_t* node) {
  const bool sound = rlk_node_is_integer(node) && node->integer >= 0 && node->integer <= RLK_ROW_NUMBER_MAX;
  if (!sound) {
    rlk_row_bad_value(reading, "row", "a row number", node);
  } else if ((uint32_t)node->integer != reading->row->number) {
    rlk_row_defect_at(reading, RLK_DEFECT_ROW_NUMBER_DISAGREES, node,
                      RLK_SLOTS(shown(reading, node), rlk_slot_integer("number", reading->row->number)));
  }
}

static void read_title(reading_t* reading, const rlk_node_t* node) {
  reading->row->title = rlk_row_read_text(reading, "title", node);
}

static void read_level(reading_t* reading, const rlk_node_t* node) {
  static const char* const choices[RLK_ROW_LEVEL_COUNT + 1] = {
#define RLK_ROW_LEVEL(ID, name, judges) name,
      RLK_ROW_LEVELS(RLK_ROW_LEVEL)
#undef RLK_ROW_LEVEL
  };
  const int level = read_choice(reading, "level", node, choices);
  if (level >= 0) reading->row->level = (rlk_row_level_t)level;
}

static void read_expect(reading_t* reading, const rlk_node_t* node) {
  read_outcome(reading, node->parent, "the row", &reading->row->expected);
}

static void read_schema(reading_t* reading, const rlk_node_t* node) {
  static const char* const choices[] = {"accept", "reject", "absent", NULL};
  const int choice = read_choice(reading, "schema", node, choices);
  if (choice >= 0) reading->row->schema = (rlk_row_schema_t)(RLK_SCHEMA_ACCEPT + choice);
}

static void read_twin(reading_t* reading, const rlk_node_t* node) {
  reading->row->twin = rlk_row_read_text(reading, "twin", node);
}

static bool is_blank(const char* text, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    if (!strchr(" \t\r\n", text[i])) return false; /* a NUL is found too, and says as little */
  }
  return true;
}

static void read_why(reading_t* reading, const rlk_node_t* node) {
  if (node->kind != RLK_ARRAY || node->count == 0) {
    rlk_row_bad_value(reading, "why", "a list of at least one line", node);
    return;
  }
  for (const rlk_node_t* line = node->first; line; line = line->next) {
    const bool blank = line->kind == RLK_STRING && is_blank(line->text, line->text_length);
    if (line->kind != RLK_STRING || blank)
      rlk_row_bad_value(reading, "a line of why", "a text that is not blank", line);
  }
  reading->row->why_count = node->count;
}

/* error_substring and rule are read with expect. */
static const struct {
  const char* key;
  bool required;
  void (*read)(reading_t*, const rlk_node_t*);
} keys[] = {
    {"row", true, read_row_number},
    {"title", true, read_title},
    {"level", true, read_level},
    {"expect", true, read_expect},
    {"error_substring", false, NULL},
    {"rule", false, NULL},
    {"loaders", true, read_loaders},
    {"overrides", false, read_overrides},
    {"schema", false, read_schema},
    {"twin", false, read_twin},
    {"order", false, read_order},
    {"limits", false, read_limits},
    {"why", true, read_why},
    {"deployment", false, rlk_row_read_deployment},
    {"launch", false, rlk_row_read_launch},
    {"machine", false, rlk_row_read_machine},
};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static void read_keys(reading_t* reading, const rlk_node_t* root) {
  char known[256];
  rlk_text_t names = rlk_text_over(known, sizeof known);
  for (int i = 0; i < KEY_COUNT; ++i) rlk_text_printf(&names, "%s%s", i > 0 ? ", " : "", keys[i].key);
  for (const rlk_node_t* member = root->first; member; member = member->next) {
    bool found = false;
    for (int i = 0; i < KEY_COUNT && !found; ++i) {
      found = rlk_text_equal(member->key, member->key_length, keys[i].key, strlen(keys[i].key));
    }
    if (!found) {
      rlk_row_defect_at(
          reading, RLK_DEFECT_ROW_KEY_UNKNOWN, member,
          RLK_SLOTS(rlk_slot_text("key", member->key, member->key_length), rlk_slot_prose("known", known)));
    }
  }
  for (int i = 0; i < KEY_COUNT; ++i) {
    const rlk_node_t* member = rlk_node_member(root, keys[i].key);
    if (member && keys[i].read) keys[i].read(reading, member);
    if (!member && keys[i].required) {
      rlk_row_defect_at(reading, RLK_DEFECT_ROW_KEY_MISSING, root, RLK_SLOTS(rlk_slot_prose("key", keys[i].key)));
    }
  }
}

/* --- The row's files ---------------------------------------------------------------------------------------------- */

const char* rlk_row_join(reading_t* reading, const char* folder, const char* stem, const char* suffix) {
  const size_t size = strlen(folder) + 1 + strlen(stem) + strlen(suffix) + 1;
  char* path = rlk_arena_alloc(reading->arena, size);
  if (!path) {
    reading->defects->code = ROWLOCK_NO_MEMORY;
    return NULL;
  }
  rlk_text_t text = rlk_text_over(path, size);
  rlk_text_put(&text, folder, strlen(folder));
  rlk_text_put(&text, "/", 1);
  rlk_text_put(&text, stem, strlen(stem));
  rlk_text_put(&text, suffix, strlen(suffix));
  return path;
}

/* FOLDER/STEM and the suffix, or NULL if no such file is there. */
static const char* find_file(reading_t* reading, const char* suffix) {
  const char* path = rlk_row_join(reading, reading->row->folder, reading->row->stem, suffix);
  return path && access(path, F_OK) == 0 ? path : NULL;
}

static void find_fixture(reading_t* reading) {
  rlk_row_t* row = reading->row;
  rlk_level_t doors;
  if (rlk_row_level_is_launched(row->level) || rlk_row_level_is_proved(row->level)) rlk_row_find_deployment(reading);
  if (!rlk_row_level_has_doors(row->level, &doors)) return;
  const bool manifest = doors == RLK_LEVEL_MANIFEST;
  const char* const file = manifest ? ".manifest.json" : ".sidecar.json";
  const char* const inside = manifest ? "/manifest.json" : "/sidecar.json";
  const char* const other = manifest ? ".sidecar.json" : ".manifest.json";
  const char* const path = find_file(reading, file);
  const char* const path_inside = find_file(reading, inside);
  row->fixture_path = path ? path : path_inside;
  /* Beside a folder the other document is a companion, which may stand for whatever lies outside of the folder. */
  const char* const second = path && path_inside ? inside : path && find_file(reading, other) ? other : NULL;
  if (row->fixture_path && !second) return;
  char expected[512];
  rlk_text_t text = rlk_text_over(expected, sizeof expected);
  rlk_text_printf(&text, "%s%s %s %s%s", row->stem, file, second ? "and" : "or", row->stem, second ? second : inside);
  rlk_defects_add(reading->defects, second ? RLK_DEFECT_ROW_FIXTURE_TWICE : RLK_DEFECT_ROW_FIXTURE_MISSING,
                  reading->path, 0, 0, RLK_SLOTS(rlk_slot_prose("expected", expected)));
}

/* Fills folder, stem, number and letter from the file's path. */
static bool name_row(reading_t* reading) {
  rlk_row_t* row = reading->row;
  const char* slash = strrchr(reading->path, '/');
  const char* base = slash ? slash + 1 : reading->path;
  const size_t length = strlen(base);
  const size_t suffix = strlen(RLK_EXPECT_SUFFIX);
  row->expect_path = copy_text(reading, reading->path, strlen(reading->path));
  row->folder = slash == reading->path ? copy_text(reading, "/", 1)
                : slash                ? copy_text(reading, reading->path, (size_t)(slash - reading->path))
                                       : copy_text(reading, ".", 1);
  row->stem = copy_text(reading, base, length > suffix ? length - suffix : length);
  if (!row->stem || !row->folder || !row->expect_path) return false;
  if (length > suffix && strcmp(base + length - suffix, RLK_EXPECT_SUFFIX) == 0 &&
      rlk_stem_parse(row->stem, &row->number, &row->letter)) {
    return true;
  }
  rlk_defects_add(reading->defects, RLK_DEFECT_ROW_STEM, reading->path, 0, 0,
                  RLK_SLOTS(rlk_slot_text("stem", row->stem, strlen(row->stem))));
  return false;
}

static void report_finding(reading_t* reading, rlk_defect_t defect, const rowlock_findings_t* findings) {
  const rowlock_finding_t* finding = rowlock_findings_at(findings, 0);
  rlk_defects_add(reading->defects, defect, reading->path, finding->line, finding->column,
                  RLK_SLOTS(rlk_slot_prose("problem", finding->message)));
}

static void read_text_of_row(reading_t* reading, const rlk_file_buffer_t* buffer, rowlock_findings_t* findings) {
  rlk_document_t document;
  rlk_arena_t nodes = {0};
  const rlk_read_options_t options = {
      .path = reading->path, .limits = rlk_limits_effective(NULL), .door = -1, .switched_off = RLK_RULE_NONE};
  const rowlock_code_t code = rlk_read(buffer->bytes, buffer->length, &options, &nodes, findings, &document);
  reading->document = &document;
  if (code == ROWLOCK_REJECTED) {
    report_finding(reading, RLK_DEFECT_ROW_NOT_JSON, findings);
  } else if (code) {
    reading->defects->code = code;
  } else if (document.root->kind != RLK_OBJECT) {
    rlk_row_bad_value(reading, "the row", "an object", document.root);
  } else {
    read_keys(reading, document.root);
    find_fixture(reading);
    rlk_row_check_launch(reading, document.root);
  }
  rlk_arena_deinit(&nodes);
  reading->document = NULL; /* it goes with this function */
}

rowlock_code_t rlk_row_read(const char* expect_path, rlk_arena_t* arena, rlk_defects_t* defects, rlk_row_t* out_row) {
  *out_row = (rlk_row_t){.expected = {.rule = RLK_RULE_NONE}};
  reading_t reading = {.path = expect_path, .arena = arena, .defects = defects, .row = out_row};
  if (!name_row(&reading)) return defects->code;
  rlk_file_buffer_t buffer = {0};
  rowlock_error_t err;
  const rowlock_code_t code = rlk_file_read(expect_path, RLK_ROW_FILE_BYTES_MAX, &buffer, &err);
  rowlock_findings_t* findings = rowlock_findings_create();
  if (!findings || code == ROWLOCK_NO_MEMORY) {
    defects->code = ROWLOCK_NO_MEMORY;
  } else if (code) {
    rlk_defects_add(defects, RLK_DEFECT_ROW_UNREADABLE, expect_path, 0, 0,
                    RLK_SLOTS(rlk_slot_text("problem", err.message, strlen(err.message))));
  } else if (buffer.length > RLK_ROW_FILE_BYTES_MAX) {
    rlk_defects_add(defects, RLK_DEFECT_ROW_UNREADABLE, expect_path, 0, 0,
                    RLK_SLOTS(rlk_slot_prose("problem", "a row's file is at most 1 MiB")));
  } else {
    read_text_of_row(&reading, &buffer, findings);
  }
  rowlock_findings_destroy(findings);
  rlk_file_buffer_deinit(&buffer);
  return defects->code;
}
