#include "validator/wire/document.h"

#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"

bool rlk_text_equal(const char* a, size_t a_length, const char* b, size_t b_length) {
  return a_length == b_length && (a_length == 0 || (a[0] == b[0] && memcmp(a, b, a_length) == 0));
}

const rlk_node_t* rlk_node_member(const rlk_node_t* object, const char* key) {
  if (!object || object->kind != RLK_OBJECT) return NULL;
  const size_t length = strlen(key);
  for (const rlk_node_t* member = object->first; member; member = member->next) {
    if (rlk_text_equal(member->key, member->key_length, key, length)) return member;
  }
  return NULL;
}

rlk_lookup_t rlk_node_get(const rlk_node_t* object, const char* key, rlk_kind_t kind, const rlk_node_t** out_node) {
  const rlk_node_t* member = rlk_node_member(object, key);
  *out_node = member;
  if (!member) return RLK_ABSENT;
  return member->kind == kind ? RLK_FOUND : RLK_MISTYPED;
}

bool rlk_node_is_string(const rlk_node_t* node, const char* text) {
  return node && node->kind == RLK_STRING && rlk_text_equal(node->text, node->text_length, text, strlen(text));
}

bool rlk_node_is_integer(const rlk_node_t* node) {
  return node && node->kind == RLK_NUMBER && node->number == RLK_NUMBER_INTEGER;
}

bool rlk_node_is_empty(const rlk_node_t* node) {
  switch ((rlk_kind_t)node->kind) {
    case RLK_NULL:
      return true;
    case RLK_STRING:
      return node->text_length == 0;
    case RLK_ARRAY:
    case RLK_OBJECT:
      return node->count == 0;
    case RLK_BOOLEAN:
    case RLK_NUMBER:
      break;
  }
  return false;
}

const char* rlk_kind_phrase(rlk_kind_t kind) {
  static const char* const phrases[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
  return phrases[kind];
}

static void pass(rlk_mark_t* mark, const char* text, size_t offset) {
  for (; mark->offset < offset; ++mark->offset) {
    const unsigned char byte = (unsigned char)text[mark->offset];
    if (byte == '\n') {
      ++mark->lines;
      mark->columns = 0;
    } else if ((byte & 0xC0) != 0x80) { /* continuation bytes are part of a character */
      ++mark->columns;
    }
  }
}

void rlk_position_move(rlk_position_t* position, const char* text, size_t length, size_t offset) {
  if (offset > length) offset = length;
  const size_t part = length / RLK_POSITION_MARKS + 1;
  const size_t marked = offset / part;
  if (offset < position->at.offset) {
    position->at = marked < position->mark_count ? position->marks[marked] : (rlk_mark_t){0};
  }
  while (position->mark_count <= marked) {
    pass(&position->at, text, position->mark_count * part);
    position->marks[position->mark_count++] = position->at;
  }
  pass(&position->at, text, offset);
}

void rlk_text_position(const char* text, size_t length, size_t offset, uint32_t* out_line, uint32_t* out_column) {
  rlk_mark_t mark = {0};
  pass(&mark, text, offset < length ? offset : length);
  *out_line = mark.lines + 1;
  *out_column = mark.columns + 1;
}

/* One reference token of the pointer, with its slash. */
static void put_token(rlk_text_t* out, const rlk_node_t* node) {
  if (!node->key) {
    rlk_text_printf(out, "/%u", node->index);
    return;
  }
  rlk_text_put(out, "/", 1);
  for (uint32_t i = 0; i < node->key_length; ++i) {
    const char byte = node->key[i];
    if (byte == '~') {
      rlk_text_put(out, "~0", 2);
    } else if (byte == '/') {
      rlk_text_put(out, "~1", 2);
    } else if (byte == '\0') {
      rlk_text_put(out, "\\u0000", 6);
    } else {
      rlk_text_put(out, &byte, 1);
    }
  }
}

static size_t token_length(const rlk_node_t* node) {
  char none[1];
  rlk_text_t measure = rlk_text_over(none, sizeof none);
  put_token(&measure, node);
  return measure.length;
}

char* rlk_node_pointer(const rlk_node_t* node) {
  size_t length = 0;
  for (const rlk_node_t* at = node; at && at->parent; at = at->parent) length += token_length(at);
  char* pointer = malloc(length + 1);
  if (!pointer) return NULL;
  pointer[length] = '\0';
  /* From the leaf upwards, filled from the end: no recursion, whatever the depth. */
  for (const rlk_node_t* at = node; at && at->parent; at = at->parent) {
    const size_t token = token_length(at);
    const char behind = pointer[length];
    length -= token;
    rlk_text_t out = rlk_text_over(pointer + length, token + 1);
    put_token(&out, at);
    pointer[length + token] = behind;
  }
  return pointer;
}
