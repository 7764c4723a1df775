#include "loader/registry/declarations.h"

#include <string.h>

static rlk_slot_t slot_of(const rlk_declarations_t* declarations, const char* name, const rlk_node_t* node) {
  if (!node) return rlk_slot_prose(name, "absent");
  if (node->kind == RLK_STRING) return rlk_slot_quoted(name, node->text, node->text_length);
  return rlk_slot_json(name, declarations->sidecar->text + node->begin, node->end - node->begin);
}

rowlock_code_t rlk_refuse_declaration(const rlk_declarations_t* declarations, const char* what, rlk_slot_t name,
                                      const rlk_node_t* value, const char* expected) {
  const rlk_entry_t* entry = declarations->entry;
  return rlk_refuse(declarations->err, RLK_RULE_LOAD_DECLARATION,
                    RLK_SLOTS(rlk_slot_text("id", entry->id, entry->id_length), rlk_slot_prose("what", what), name,
                              slot_of(declarations, "value", value), rlk_slot_prose("expected", expected)));
}

static rowlock_code_t refuse(const rlk_declarations_t* declarations, const char* what, const rlk_node_t* name,
                             const rlk_node_t* value, const char* expected) {
  return rlk_refuse_declaration(declarations, what, rlk_slot_quoted("name", name->text, name->text_length), value,
                                expected);
}

/* A positive integer of 32 bits, else 0. */
static uint32_t positive(const rlk_node_t* node) {
  return node && rlk_node_is_integer(node) && node->integer > 0 && node->integer <= UINT32_MAX ? (uint32_t)node->integer
                                                                                               : 0;
}

/* Product of the extents, or RLK_UNDECLARED when they are no list of integers >= `least` or it does not fit. */
static int64_t product(const rlk_node_t* shape, int64_t least) {
  if (!shape || shape->kind != RLK_ARRAY) return RLK_UNDECLARED;
  int64_t total = 1;
  bool fits = true, empty = false; /* one zero extent makes the product 0, however large the others are */
  for (const rlk_node_t* extent = shape->first; extent; extent = extent->next) {
    if (!rlk_node_is_integer(extent) || extent->integer < least) return RLK_UNDECLARED;
    if (__builtin_mul_overflow(total, extent->integer, &total)) fits = false;
    if (extent->integer == 0) empty = true;
  }
  return empty ? 0 : fits ? total : RLK_UNDECLARED;
}

/* The member of an object in the sidecar that is named after the argument, which may hold NULs; NULL when there is
 * none.
 */
static rowlock_code_t find_member(const rlk_declarations_t* declarations, const char* key, const rlk_node_t* name,
                                  const rlk_node_t** out_member) {
  *out_member = NULL;
  const rlk_node_t* object = rlk_node_member(declarations->sidecar->root, key);
  if (!object) return ROWLOCK_OK;
  if (object->kind != RLK_OBJECT) return refuse(declarations, key, name, object, "an object");
  for (const rlk_node_t* member = object->first; member; member = member->next) {
    if (!rlk_text_equal(member->key, member->key_length, name->text, name->text_length)) continue;
    *out_member = member;
    break;
  }
  return ROWLOCK_OK;
}

/* The element of a list in the sidecar with that `name`; NULL when there is none. Two declarations of one name cannot
 * both hold. */
static rowlock_code_t find_element(const rlk_declarations_t* declarations, const char* key, const rlk_node_t* name,
                                   const rlk_node_t** out_element) {
  *out_element = NULL;
  const rlk_node_t *list, *other;
  if (rlk_node_get(declarations->sidecar->root, key, RLK_ARRAY, &list) != RLK_FOUND) return ROWLOCK_OK;
  for (const rlk_node_t* element = list->first; element; element = element->next) {
    if (rlk_node_get(element, "name", RLK_STRING, &other) != RLK_FOUND) continue;
    if (!rlk_text_equal(other->text, other->text_length, name->text, name->text_length)) continue;
    if (*out_element) return refuse(declarations, "a second declaration", name, element, "one");
    *out_element = element;
  }
  return ROWLOCK_OK;
}

static rowlock_code_t set_shape(const rlk_declarations_t* declarations, const rlk_node_t* name, const rlk_node_t* shape,
                                rlk_parameter_t* parameter) {
  const bool pair = shape->kind == RLK_ARRAY && shape->count == 2;
  const int64_t size = pair ? product(shape, 1) : RLK_UNDECLARED;
  if (size < 1 || size > UINT32_MAX) {
    return refuse(declarations, "the shape", name, shape, "[rows, columns] of positive integers");
  }
  parameter->rows = (uint32_t)shape->first->integer;
  parameter->columns = (uint32_t)shape->first->next->integer;
  if (parameter->width && parameter->width != (uint32_t)size) {
    return refuse(declarations, "the shape", name, shape, "one of as many components as its width");
  }
  parameter->width = (uint32_t)size;
  return ROWLOCK_OK;
}

rowlock_code_t rlk_declared_width(const rlk_declarations_t* declarations, const rlk_node_t* name,
                                  rlk_parameter_t* parameter) {
  const rlk_node_t* width;
  const rowlock_code_t code = find_member(declarations, "vec_widths", name, &width);
  if (code || !width) return code;
  if (!positive(width)) return refuse(declarations, "the width", name, width, "a positive integer");
  if (parameter->width && parameter->width != positive(width)) {
    return refuse(declarations, "the width in vec_widths", name, width, "the one that mutables declares");
  }
  parameter->width = positive(width);
  return ROWLOCK_OK;
}

rowlock_code_t rlk_declared_shape(const rlk_declarations_t* declarations, const rlk_node_t* name,
                                  rlk_parameter_t* parameter) {
  rowlock_code_t code = rlk_declared_width(declarations, name, parameter);
  if (code) return code;
  const rlk_node_t* shape;
  code = find_member(declarations, "mat_shapes", name, &shape);
  return code || !shape ? code : set_shape(declarations, name, shape, parameter);
}

static rowlock_code_t refuse_undeclared(const rlk_declarations_t* declarations, const rlk_node_t* name) {
  const rlk_entry_t* entry = declarations->entry;
  return rlk_refuse(
      declarations->err, RLK_RULE_LOAD_MUTABLE_UNDECLARED,
      RLK_SLOTS(rlk_slot_text("id", entry->id, entry->id_length), rlk_slot_text("name", name->text, name->text_length),
                rlk_slot_words("known", RLK_VOCABULARY_MUTABLE_DTYPE)));
}

rowlock_code_t rlk_declared_mutable(const rlk_declarations_t* declarations, const rlk_node_t* name,
                                    rlk_word_t* out_dtype, rlk_parameter_t* parameter) {
  const rlk_node_t *element, *dtype;
  const rowlock_code_t code = find_element(declarations, "mutables", name, &element);
  if (code) return code;
  *out_dtype = rlk_node_get(element, "dtype", RLK_STRING, &dtype) == RLK_FOUND
                   ? rlk_word_find(RLK_VOCABULARY_MUTABLE_DTYPE, dtype->text, dtype->text_length)
                   : RLK_WORD_NONE;
  if (*out_dtype == RLK_WORD_NONE) return refuse_undeclared(declarations, name);
  const rlk_node_t* width = rlk_node_member(element, "width");
  const bool scalar = *out_dtype == RLK_WORD_FLOAT || *out_dtype == RLK_WORD_INT;
  if (width && (!positive(width) || (scalar && positive(width) != 1))) {
    return refuse(declarations, "the width", name, width, scalar ? "1" : "a positive integer");
  }
  parameter->width = scalar ? 1 : positive(width);
  if (scalar) return ROWLOCK_OK;
  if (*out_dtype == RLK_WORD_VECTOR) return rlk_declared_width(declarations, name, parameter);
  const rlk_node_t* shape = rlk_node_member(element, "shape");
  return shape ? set_shape(declarations, name, shape, parameter) : ROWLOCK_OK;
}

rowlock_code_t rlk_declared_table(const rlk_declarations_t* declarations, const rlk_node_t* name,
                                  rlk_parameter_t* parameter) {
  const rlk_node_t* buffer;
  const rowlock_code_t code = find_element(declarations, "buffers", name, &buffer);
  if (code || !buffer) return code;
  const rlk_node_t* dtype = rlk_node_member(buffer, "dtype");
  if (dtype && !rlk_node_is_string(dtype, rlk_word_text(RLK_WORD_FLOAT))) {
    return refuse(declarations, "the dtype", name, dtype, "'float'");
  }
  const rlk_node_t* count = rlk_node_member(buffer, "count");
  if (count && !(rlk_node_is_integer(count) && count->integer >= 0)) {
    return refuse(declarations, "the count", name, count, "a number of elements");
  }
  const rlk_node_t* shape = rlk_node_member(buffer, "shape");
  parameter->table_shape = product(shape, 0);
  if (shape && parameter->table_shape < 0) {
    return refuse(declarations, "the shape", name, shape, "a list of extents");
  }
  parameter->table_count = count ? count->integer : parameter->table_shape;
  return ROWLOCK_OK;
}

rowlock_code_t rlk_declared_uniform(const rlk_declarations_t* declarations, const rlk_node_t* name,
                                    rlk_parameter_t* parameter) {
  parameter->is_int_too = parameter->element == ROWLOCK_ELEMENT_FLOAT64; /* a float32 is of another size */
  const rlk_node_t* schema = rlk_node_member(declarations->sidecar->root, "params_schema");
  if (!schema) return ROWLOCK_OK;
  if (!rlk_node_is_integer(schema) || schema->integer < 1 || schema->integer > 2) {
    return refuse(declarations, "the params_schema", name, schema, "1 or 2");
  }
  if (schema->integer == 1) return ROWLOCK_OK;
  const rlk_node_t *param, *dtype;
  const rowlock_code_t code = find_element(declarations, "params", name, &param);
  if (code || !param) return code;
  dtype = rlk_node_member(param, "dtype");
  const rlk_word_t word = dtype && dtype->kind == RLK_STRING
                              ? rlk_word_find(RLK_VOCABULARY_PARAM_DTYPE, dtype->text, dtype->text_length)
                              : RLK_WORD_NONE;
  if (word == RLK_WORD_NONE) return refuse(declarations, "the dtype", name, dtype, "'float' or 'int'");
  parameter->is_int_too = false;
  if (word == RLK_WORD_INT) parameter->element = ROWLOCK_ELEMENT_INT64;
  return ROWLOCK_OK;
}
