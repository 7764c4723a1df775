#include "validator/wire/oracle_check.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"

/* Notes the difference at the node. Returns false, for the caller to return. */
static bool differ(const rlk_node_t* node, const char* what, rlk_text_t* difference) {
  char* pointer = rlk_node_pointer(node);
  rlk_text_printf(difference, "%s at '%s'", what, pointer ? pointer : "?");
  free(pointer);
  return false;
}

/* The copy is the number as a C string. */
static bool same_number(const rlk_node_t* node, struct json_object* other, const char* copy) {
  errno = 0;
  switch ((rlk_number_t)node->number) {
    case RLK_NUMBER_INTEGER:
      return json_object_is_type(other, json_type_int) && json_object_get_int64(other) == node->integer;
    case RLK_NUMBER_BIG_INTEGER: /* json-c stops at the end of its range, as strtoull and strtoll do */
      if (!json_object_is_type(other, json_type_int)) return false;
      return copy[0] == '-' ? json_object_get_int64(other) == strtoll(copy, NULL, 10)
                            : json_object_get_uint64(other) == strtoull(copy, NULL, 10);
    case RLK_NUMBER_OTHER:
      return json_object_is_type(other, json_type_double) && json_object_get_double(other) == strtod(copy, NULL);
  }
  return false;
}

static bool check_number(const rlk_node_t* node, struct json_object* other, rlk_text_t* difference) {
  char* copy = malloc(node->text_length + 1);
  if (!copy) return differ(node, "no memory to compare a number", difference);
  memcpy(copy, node->text, node->text_length);
  copy[node->text_length] = '\0';
  const bool same = same_number(node, other, copy);
  free(copy);
  return same || differ(node, "another number", difference);
}

static bool check_string(const rlk_node_t* node, struct json_object* other, rlk_text_t* difference) {
  const bool same = json_object_is_type(other, json_type_string) &&
                    rlk_text_equal(node->text, node->text_length, json_object_get_string(other),
                                   (size_t)json_object_get_string_len(other));
  return same || differ(node, "another string", difference);
}

static bool check_value(const rlk_node_t* node, struct json_object* other, rlk_text_t* difference);

static bool check_array(const rlk_node_t* node, struct json_object* other, rlk_text_t* difference) {
  if (!json_object_is_type(other, json_type_array) || json_object_array_length(other) != node->count) {
    return differ(node, "another array", difference);
  }
  for (const rlk_node_t* element = node->first; element; element = element->next) {
    if (!check_value(element, json_object_array_get_idx(other, element->index), difference)) return false;
  }
  return true;
}

static bool has_nul_in_key(const rlk_node_t* object) {
  for (const rlk_node_t* member = object->first; member; member = member->next) {
    if (memchr(member->key, '\0', member->key_length)) return true;
  }
  return false;
}

static bool check_object(const rlk_node_t* node, struct json_object* other, rlk_text_t* difference) {
  if (!json_object_is_type(other, json_type_object)) return differ(node, "no object", difference);
  if (has_nul_in_key(node)) return true;
  if (json_object_object_length(other) != (int)node->count) return differ(node, "another object", difference);
  const rlk_node_t* member = node->first;
  struct json_object_iterator at = json_object_iter_begin(other);
  const struct json_object_iterator end = json_object_iter_end(other);
  for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at), member = member->next) {
    const char* key = json_object_iter_peek_name(&at);
    if (!rlk_text_equal(member->key, member->key_length, key, strlen(key))) {
      return differ(member, "another key", difference);
    }
    if (!check_value(member, json_object_iter_peek_value(&at), difference)) return false;
  }
  return true;
}

static bool check_value(const rlk_node_t* node, struct json_object* other, rlk_text_t* difference) {
  switch ((rlk_kind_t)node->kind) {
    case RLK_NULL:
      return other == NULL || differ(node, "no null", difference);
    case RLK_BOOLEAN:
      return (json_object_is_type(other, json_type_boolean) && json_object_get_boolean(other) == node->boolean) ||
             differ(node, "another boolean", difference);
    case RLK_NUMBER:
      return check_number(node, other, difference);
    case RLK_STRING:
      return check_string(node, other, difference);
    case RLK_ARRAY:
      return check_array(node, other, difference);
    case RLK_OBJECT:
      return check_object(node, other, difference);
  }
  return differ(node, "a node of no kind", difference);
}

bool rlk_oracle_agrees(const rlk_document_t* document, uint32_t depth, char* difference, size_t capacity) {
  rlk_text_t out = rlk_text_over(difference, capacity);
  /* json-c counts the scalar inside the innermost container as a level, and sees the end of a number at a NUL only. */
  struct json_tokener* tokener = json_tokener_new_ex((int)depth + 1);
  char* text = malloc(document->length + 1);
  struct json_object* root = NULL;
  bool agrees = false;
  if (!tokener || !text) {
    rlk_text_printf(&out, "no memory for json-c");
    goto done;
  }
  memcpy(text, document->text, document->length);
  text[document->length] = '\0';
  json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
  root = json_tokener_parse_ex(tokener, text, (int)document->length + 1);
  const enum json_tokener_error problem = json_tokener_get_error(tokener);
  if (problem == json_tokener_success) {
    agrees = check_value(document->root, root, &out);
  } else {
    rlk_text_printf(&out, "json-c refuses it at byte %zu: %s", json_tokener_get_parse_end(tokener),
                    json_tokener_error_desc(problem));
  }
done:
  json_object_put(root);
  free(text);
  if (tokener) json_tokener_free(tokener);
  return agrees;
}
