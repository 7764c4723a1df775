#include "validator/wire/reader.h"

#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"
#include "validator/wire/parser.h"

rowlock_limits_t rlk_limits_effective(const rowlock_limits_t* limits) {
  rowlock_limits_t effective = limits ? *limits : (rowlock_limits_t){0};
  if (effective.depth == 0) effective.depth = RLK_DEFAULT_DEPTH;
  if (effective.size_bytes == 0) effective.size_bytes = RLK_DEFAULT_SIZE_BYTES;
  if (effective.size_bytes > RLK_LARGEST_SIZE_BYTES) effective.size_bytes = RLK_LARGEST_SIZE_BYTES;
  if (effective.values == 0) effective.values = RLK_DEFAULT_VALUES;
  if (effective.entries == 0) effective.entries = RLK_DEFAULT_ENTRIES;
  return effective;
}

bool rlk_parser_is_off(const rlk_parser_t* parser, rlk_rule_t rule) { return parser->options->switched_off == rule; }

bool rlk_parser_no_memory(rlk_parser_t* parser) {
  parser->code = ROWLOCK_NO_MEMORY;
  return false;
}

/* The value being read, or else the container that is open. */
static const rlk_node_t* current_node(const rlk_parser_t* parser) {
  const rlk_node_t* last = parser->last;
  return last && last->end == 0 && last->parent == parser->container ? last : parser->container;
}

bool rlk_parser_fail(rlk_parser_t* parser, rlk_rule_t rule, size_t offset, const rlk_slot_t* slots, size_t slot_count) {
  parser->code = ROWLOCK_REJECTED;
  /* What cannot be read on stays refused: of such a rule a test only sees that nothing is said any more. The rules that
   * can be gone without are not asked at all when they are off. */
  if (rlk_parser_is_off(parser, rule)) return false;
  char* pointer = rlk_node_pointer(current_node(parser));
  if (!pointer) return rlk_parser_no_memory(parser);
  rlk_place_t place = {.path = parser->options->path, .json_pointer = pointer, .byte_offset = offset};
  rlk_text_position(parser->text, parser->length, offset, &place.line, &place.column);
  const rowlock_code_t code =
      rlk_findings_add(parser->findings, rule, parser->options->door, &place, slots, slot_count);
  free(pointer);
  if (code) parser->code = code;
  return false;
}

/* What stands at `at`, in words: "'x'", "a comment", "byte 0xC3". */
static void describe(const rlk_parser_t* parser, rlk_text_t* out) {
  const char* at = parser->text + parser->at;
  const size_t left = parser->length - parser->at;
  if (left >= 2 && at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
    rlk_text_printf(out, "a comment");
  } else if (*at == '\'') {
    rlk_text_printf(out, "a single quote");
  } else if (*at == '\0') {
    rlk_text_printf(out, "a NUL byte");
  } else if (rlk_utf8_length(at, left) == 0) {
    rlk_text_printf(out, "byte 0x%02X", (unsigned char)*at);
  } else {
    rlk_text_put(out, "'", 1);
    rlk_text_put_shown(out, at, rlk_utf8_length(at, left), 4);
    rlk_text_put(out, "'", 1);
  }
}

bool rlk_parser_unexpected(rlk_parser_t* parser, const char* expected) {
  if (parser->at >= parser->length) {
    return rlk_parser_fail(parser, RLK_RULE_JSON_TRUNCATED, parser->length,
                           RLK_SLOTS(rlk_slot_prose("expected", expected)));
  }
  char found[32];
  rlk_text_t out = rlk_text_over(found, sizeof found);
  describe(parser, &out);
  return rlk_parser_fail(parser, RLK_RULE_JSON_SYNTAX, parser->at,
                         RLK_SLOTS(rlk_slot_prose("found", found), rlk_slot_prose("expected", expected)));
}

static void skip_blank(rlk_parser_t* parser) {
  const char* text = parser->text;
  const size_t length = parser->length;
  size_t at = parser->at;
  while (at < length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) ++at;
  parser->at = at;
}

static bool at_byte(const rlk_parser_t* parser, char byte) {
  return parser->at < parser->length && parser->text[parser->at] == byte;
}

/* --- Duplicate keys ----------------------------------------------------------------------------------------------- */

static int compare_keys(const void* left, const void* right) {
  const rlk_node_t* a = *(rlk_node_t* const*)left;
  const rlk_node_t* b = *(rlk_node_t* const*)right;
  if (a->key_length != b->key_length) return a->key_length < b->key_length ? -1 : 1;
  const int order = memcmp(a->key, b->key, a->key_length);
  if (order != 0) return order;
  return a->index < b->index ? -1 : a->index > b->index;
}

static bool same_key(const rlk_node_t* a, const rlk_node_t* b) {
  return rlk_text_equal(a->key, a->key_length, b->key, b->key_length);
}

/* The earliest member whose key stood before, and that one in `*out_first`. Sorting keeps it n log n for keys that were
 * chosen to collide; small objects are compared pair by pair. */
static bool find_duplicate(rlk_parser_t* parser, const rlk_node_t* object, const rlk_node_t** out_first,
                           rlk_node_t** out_again) {
  enum { COMPARED_IN_PAIRS = 24 };
  *out_first = NULL;
  *out_again = NULL;
  if (object->count <= COMPARED_IN_PAIRS) {
    for (rlk_node_t* again = object->first; again; again = again->next) {
      for (const rlk_node_t* first = object->first; first != again; first = first->next) {
        if (!same_key(first, again)) continue;
        *out_first = first;
        *out_again = again;
        return true;
      }
    }
    return true;
  }
  rlk_node_t** members = malloc(object->count * sizeof *members);
  if (!members) return rlk_parser_no_memory(parser);
  uint32_t count = 0;
  for (rlk_node_t* member = object->first; member; member = member->next) members[count++] = member;
  qsort(members, count, sizeof *members, compare_keys);
  for (uint32_t i = 1; i < count; ++i) {
    if (same_key(members[i - 1], members[i]) && (!*out_again || members[i]->index < (*out_again)->index)) {
      *out_first = members[i - 1];
      *out_again = members[i];
    }
  }
  free(members);
  return true;
}

static bool check_duplicates(rlk_parser_t* parser, const rlk_node_t* object) {
  const rlk_node_t* first;
  rlk_node_t* again;
  if (!find_duplicate(parser, object, &first, &again)) return false;
  if (!again || rlk_parser_is_off(parser, RLK_RULE_JSON_DUPLICATE_KEY)) return true;
  uint32_t first_line, first_column, line, column;
  rlk_text_position(parser->text, parser->length, first->key_begin, &first_line, &first_column);
  rlk_text_position(parser->text, parser->length, again->key_begin, &line, &column);
  parser->container = again; /* the pointer names the member, not its object */
  return rlk_parser_fail(
      parser, RLK_RULE_JSON_DUPLICATE_KEY, again->key_begin,
      RLK_SLOTS(rlk_slot_text("key", again->key, again->key_length), rlk_slot_integer("first_line", first_line),
                rlk_slot_integer("first_column", first_column), rlk_slot_integer("first_offset", first->key_begin),
                rlk_slot_integer("line", line), rlk_slot_integer("column", column),
                rlk_slot_integer("offset", again->key_begin)));
}

/* --- Structure ---------------------------------------------------------------------------------------------------- */

static rlk_node_t* add_node(rlk_parser_t* parser) {
  const uint32_t limit = parser->options->limits.values;
  if (parser->values == limit && !rlk_parser_is_off(parser, RLK_RULE_JSON_VALUES)) {
    rlk_parser_fail(parser, RLK_RULE_JSON_VALUES, parser->at, RLK_SLOTS(rlk_slot_integer("limit", limit)));
    return NULL;
  }
  rlk_node_t* node = rlk_arena_alloc(parser->arena, sizeof *node);
  if (!node) {
    rlk_parser_no_memory(parser);
    return NULL;
  }
  ++parser->values;
  *node = (rlk_node_t){.parent = parser->container, .begin = (uint32_t)parser->at};
  if (parser->container) {
    node->index = parser->container->count++;
    if (parser->last) {
      parser->last->next = node;
    } else {
      parser->container->first = node;
    }
  }
  parser->last = node;
  return node;
}

/* At a member's key: adds the member's node, whose value follows. NULL on failure. */
static rlk_node_t* read_key(rlk_parser_t* parser) {
  if (!at_byte(parser, '"')) {
    rlk_parser_unexpected(parser, "a key in double quotes");
    return NULL;
  }
  const size_t key_begin = parser->at;
  rlk_string_t key;
  if (!rlk_scan_string(parser, &key)) return NULL;
  rlk_node_t* member = add_node(parser);
  if (!member) return NULL;
  member->key = key.bytes;
  member->key_length = key.length;
  member->key_begin = (uint32_t)key_begin;
  skip_blank(parser);
  if (!at_byte(parser, ':')) {
    rlk_parser_unexpected(parser, "':' after the key");
    return NULL;
  }
  ++parser->at;
  skip_blank(parser);
  member->begin = (uint32_t)parser->at;
  return member;
}

static bool open_container(rlk_parser_t* parser, rlk_node_t* node, rlk_kind_t kind) {
  const uint32_t limit = parser->options->limits.depth;
  if (parser->depth == limit && !rlk_parser_is_off(parser, RLK_RULE_JSON_DEPTH)) {
    return rlk_parser_fail(parser, RLK_RULE_JSON_DEPTH, parser->at, RLK_SLOTS(rlk_slot_integer("limit", limit)));
  }
  ++parser->depth;
  ++parser->at;
  node->kind = (uint8_t)kind;
  parser->container = node;
  parser->last = NULL;
  return true;
}

static bool close_container(rlk_parser_t* parser) {
  rlk_node_t* closed = parser->container;
  if (closed->kind == RLK_OBJECT && !check_duplicates(parser, closed)) return false;
  ++parser->at;
  closed->end = (uint32_t)parser->at;
  parser->last = closed;
  parser->container = closed->parent;
  --parser->depth;
  return true;
}

static bool read_scalar(rlk_parser_t* parser, rlk_node_t* node) {
  if (parser->at >= parser->length) return rlk_parser_unexpected(parser, "a value");
  const char byte = parser->text[parser->at];
  bool read;
  if (byte == '"') {
    rlk_string_t string;
    read = rlk_scan_string(parser, &string);
    if (read) {
      node->kind = RLK_STRING;
      node->text = string.bytes;
      node->text_length = string.length;
    }
  } else if ((byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.') {
    read = rlk_scan_number(parser, node);
  } else if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_') {
    read = rlk_scan_literal(parser, node);
  } else {
    return rlk_parser_unexpected(parser, "a value");
  }
  node->end = (uint32_t)parser->at;
  return read;
}

/* After a value: closes what ends here. Sets `*out_more` when the innermost container goes on with another value. */
static bool after_value(rlk_parser_t* parser, rlk_node_t** out_member, bool* out_more) {
  *out_member = NULL;
  *out_more = false;
  while (parser->container) {
    const bool in_object = parser->container->kind == RLK_OBJECT;
    skip_blank(parser);
    if (at_byte(parser, ',')) {
      ++parser->at;
      skip_blank(parser);
      *out_more = true;
      if (in_object) *out_member = read_key(parser);
      return !in_object || *out_member;
    }
    if (!at_byte(parser, in_object ? '}' : ']')) {
      return rlk_parser_unexpected(parser, in_object ? "',' or '}'" : "',' or ']'");
    }
    if (!close_container(parser)) return false;
  }
  return true;
}

static bool read_values(rlk_parser_t* parser, rlk_node_t** out_root) {
  rlk_node_t* member = NULL;
  bool more = true;
  while (more) {
    skip_blank(parser);
    rlk_node_t* node = member ? member : add_node(parser);
    if (!node) return false;
    if (!node->parent) *out_root = node;
    const bool object = at_byte(parser, '{');
    if (object || at_byte(parser, '[')) {
      if (!open_container(parser, node, object ? RLK_OBJECT : RLK_ARRAY)) return false;
      skip_blank(parser);
      if (!at_byte(parser, object ? '}' : ']')) {
        member = object ? read_key(parser) : NULL;
        if (object && !member) return false;
        continue;
      }
    } else if (!read_scalar(parser, node)) {
      return false;
    }
    if (!after_value(parser, &member, &more)) return false;
  }
  return true;
}

/* --- The whole document ------------------------------------------------------------------------------------------- */

static bool check_byte_order_mark(rlk_parser_t* parser) {
  static const struct {
    const char* bytes;
    size_t length;
    const char *encoding, *shown;
  } marks[] = {{"\xEF\xBB\xBF", 3, "UTF-8", "EF BB BF"},
               {"\xFF\xFE\0\0", 4, "UTF-32 little-endian", "FF FE 00 00"},
               {"\xFF\xFE", 2, "UTF-16 little-endian", "FF FE"},
               {"\xFE\xFF", 2, "UTF-16 big-endian", "FE FF"}};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i) {
    if (parser->length < marks[i].length || memcmp(parser->text, marks[i].bytes, marks[i].length) != 0) continue;
    if (rlk_parser_is_off(parser, RLK_RULE_JSON_BYTE_ORDER_MARK)) {
      parser->at = marks[i].length;
      return true;
    }
    return rlk_parser_fail(
        parser, RLK_RULE_JSON_BYTE_ORDER_MARK, 0,
        RLK_SLOTS(rlk_slot_prose("encoding", marks[i].encoding), rlk_slot_prose("bytes", marks[i].shown)));
  }
  return true;
}

/* No JSON text begins so: the first line of a pointer is enough. */
static bool check_lfs_pointer(rlk_parser_t* parser) {
  static const char* const starts[] = {"version https://git-lfs",
                                       "version https://hawser"}; /* as it was called first */
  if (rlk_parser_is_off(parser, RLK_RULE_JSON_LFS_POINTER)) return true;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i) {
    const size_t length = strlen(starts[i]);
    if (parser->length < length || memcmp(parser->text, starts[i], length) != 0) continue;
    return rlk_parser_fail(parser, RLK_RULE_JSON_LFS_POINTER, 0, NULL, 0);
  }
  return true;
}

static bool read_document(rlk_parser_t* parser, rlk_node_t** out_root) {
  const uint64_t limit = parser->options->limits.size_bytes;
  if (parser->length > limit && !rlk_parser_is_off(parser, RLK_RULE_JSON_SIZE)) {
    return rlk_parser_fail(parser, RLK_RULE_JSON_SIZE, 0, RLK_SLOTS(rlk_slot_integer("limit", (int64_t)limit)));
  }
  if (!check_byte_order_mark(parser) || !check_lfs_pointer(parser)) return false;
  skip_blank(parser);
  if (parser->at == parser->length) return rlk_parser_fail(parser, RLK_RULE_JSON_EMPTY, 0, NULL, 0);
  if (!read_values(parser, out_root)) return false;
  skip_blank(parser);
  if (parser->at < parser->length && !rlk_parser_is_off(parser, RLK_RULE_JSON_TRAILING)) {
    char found[32];
    rlk_text_t out = rlk_text_over(found, sizeof found);
    describe(parser, &out);
    return rlk_parser_fail(parser, RLK_RULE_JSON_TRAILING, parser->at, RLK_SLOTS(rlk_slot_prose("found", found)));
  }
  return true;
}

rowlock_code_t rlk_read(const char* text, size_t length, const rlk_read_options_t* options, rlk_arena_t* arena,
                        rowlock_findings_t* findings, rlk_document_t* out_document) {
  rlk_parser_t parser = {
      .text = text, .length = length, .options = options, .arena = arena, .findings = findings, .code = ROWLOCK_OK};
  rlk_node_t* root = NULL;
  *out_document = (rlk_document_t){.text = text, .length = length};
  if (read_document(&parser, &root)) out_document->root = root;
  return parser.code;
}
