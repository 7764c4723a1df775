/* Contract checks of what a sidecar declares: mutables, vector widths, matrix shapes, lookup tables. */
#include "validator/plugin/contract.h"
#include "validator/plugin/gates.h"

const rlk_node_t* rlk_next_named(const rlk_node_t* sidecar, const char* key, const rlk_node_t* element,
                                 const rlk_node_t** out_name) {
  const rlk_node_t* list;
  if (element) {
    element = element->next;
  } else if (rlk_node_get(sidecar, key, RLK_ARRAY, &list) == RLK_FOUND) {
    element = list->first;
  }
  for (; element; element = element->next) {
    if (rlk_node_get(element, "name", RLK_STRING, out_name) == RLK_FOUND) return element;
  }
  return NULL;
}

/* The elements of `sidecar[key]` by their names; false without memory. */
static bool index_named(rlk_judge_t* judge, const rlk_node_t* sidecar, const char* key, rlk_name_index_t* out_names) {
  const rlk_node_t *list, *name, *element = NULL;
  const bool any = rlk_node_get(sidecar, key, RLK_ARRAY, &list) == RLK_FOUND;
  if (!rlk_name_index_init(out_names, judge, any ? list->count : 0)) return false;
  while ((element = rlk_next_named(sidecar, key, element, &name)) != NULL) rlk_name_index_put(out_names, name, element);
  rlk_name_index_sort(out_names);
  return true;
}

static bool index_members(rlk_judge_t* judge, const rlk_node_t* object, rlk_name_index_t* out_names) {
  const bool any = object && object->kind == RLK_OBJECT;
  if (!rlk_name_index_init(out_names, judge, any ? object->count : 0)) return false;
  for (const rlk_node_t* member = any ? object->first : NULL; member; member = member->next) {
    rlk_name_index_put_key(out_names, member);
  }
  rlk_name_index_sort(out_names);
  return true;
}

static const rlk_node_t* find(const rlk_name_index_t* names, const rlk_node_t* name) {
  return rlk_name_index_find(names, name->text, name->text_length);
}

static bool is_positive(const rlk_node_t* node) { return rlk_node_is_integer(node) && node->integer >= 1; }

/* Product of an array of integers >= `least`; -1 when it is not one or does not fit. */
static int64_t product(const rlk_node_t* shape, int64_t least) {
  if (!shape || shape->kind != RLK_ARRAY) return -1;
  int64_t total = 1;
  bool fits = true, empty = false; /* one zero extent makes the product 0, however large the others are */
  for (const rlk_node_t* extent = shape->first; extent; extent = extent->next) {
    if (!rlk_node_is_integer(extent) || extent->integer < least) return -1;
    if (__builtin_mul_overflow(total, extent->integer, &total)) fits = false;
    if (extent->integer == 0) empty = true;
  }
  return empty ? 0 : fits ? total : -1;
}

static int64_t matrix_size(const rlk_node_t* shape) {
  return shape && shape->kind == RLK_ARRAY && shape->count == 2 ? product(shape, 1) : -1;
}

/* Declared names: each once, each an argument of the role, and each such argument declared. */
static void check_declarations(rlk_judge_t* judge, const rlk_node_t* sidecar, const char* key, rlk_word_t role,
                               rlk_rule_t duplicate, rlk_rule_t unused, rlk_rule_t undeclared) {
  rlk_name_index_t declared, bound;
  if (!index_named(judge, sidecar, key, &declared) || !rlk_index_arguments(judge, sidecar, role, &bound)) return;
  const rlk_node_t *name, *element = NULL;
  while ((element = rlk_next_named(sidecar, key, element, &name)) != NULL) {
    const rlk_node_t* first = find(&declared, name);
    if (first != element) {
      rlk_report(judge, duplicate, name,
                 RLK_SLOTS(rlk_slot_bare(judge, "name", name), rlk_slot_integer("first", first->index),
                           rlk_slot_integer("index", element->index)));
    }
    if (!find(&bound, name)) rlk_report(judge, unused, name, RLK_SLOTS(rlk_slot_bare(judge, "name", name)));
  }
  for (rlk_argument_t argument = {0}; rlk_next_argument(sidecar, &argument);) {
    if (argument.role == role && !find(&declared, argument.name)) {
      rlk_report(judge, undeclared, argument.name, RLK_SLOTS(rlk_slot_bare(judge, "name", argument.name)));
    }
  }
}

/* An element's key that must be there and of `kind`. */
static const rlk_node_t* field(rlk_judge_t* judge, const rlk_node_t* element, const char* key, rlk_kind_t kind,
                               rlk_rule_t rule) {
  return rlk_expect(judge, element, key,
                    &(rlk_expectation_t){.kind = kind, .absent = rule, .mistyped = rule, .index = element->index});
}

static const rlk_node_t* list_of(const rlk_node_t* sidecar, const char* key) {
  const rlk_node_t* list;
  return rlk_node_get(sidecar, key, RLK_ARRAY, &list) == RLK_FOUND ? list->first : NULL;
}

/* --- Mutables ----------------------------------------------------------------------------------------------------- */

static void report_shape(rlk_judge_t* judge, const rlk_node_t* mutable_, const rlk_node_t* name, const char* expected) {
  const rlk_node_t* shape = rlk_node_member(mutable_, "shape");
  rlk_report(judge, RLK_RULE_SIDECAR_MUTABLE_SHAPE, shape ? shape : mutable_,
             RLK_SLOTS(rlk_slot_bare(judge, "name", name), rlk_slot_value(judge, "value", shape),
                       rlk_slot_prose("expected", expected)));
}

/* Width of the mutable against its dtype: 1 for a scalar, rows times columns for a matrix, vec_widths for a vector. */
static void check_width(rlk_judge_t* judge, const rlk_name_index_t* widths, const rlk_node_t* mutable_,
                        const rlk_node_t* name, rlk_word_t dtype) {
  const rlk_node_t* width = field(judge, mutable_, "width", RLK_NUMBER, RLK_RULE_SIDECAR_MUTABLE_FIELD);
  if (!width) return;
  int64_t due = -1;
  if (dtype == RLK_WORD_FLOAT || dtype == RLK_WORD_INT) due = 1;
  if (dtype == RLK_WORD_MATRIX) due = matrix_size(rlk_node_member(mutable_, "shape"));
  if (dtype == RLK_WORD_VECTOR) {
    const rlk_node_t* declared = find(widths, name);
    if (is_positive(declared)) due = declared->integer;
  }
  if (is_positive(width) && (due < 0 || width->integer == due)) return;
  rlk_report(judge, RLK_RULE_SIDECAR_MUTABLE_WIDTH, width,
             RLK_SLOTS(rlk_slot_bare(judge, "name", name), rlk_slot_prose("dtype", rlk_word_text(dtype)),
                       rlk_slot_value(judge, "value", width),
                       due < 0 ? rlk_slot_prose("expected", "a positive integer") : rlk_slot_integer("expected", due)));
}

static void check_mutable(rlk_judge_t* judge, const rlk_name_index_t* widths, const rlk_node_t* mutable_) {
  const rlk_node_t* name = field(judge, mutable_, "name", RLK_STRING, RLK_RULE_SIDECAR_MUTABLE_FIELD);
  const rlk_node_t* dtype = field(judge, mutable_, "dtype", RLK_STRING, RLK_RULE_SIDECAR_MUTABLE_FIELD);
  if (!name || !dtype) return;
  const rlk_word_t word = rlk_node_word(dtype, RLK_VOCABULARY_MUTABLE_DTYPE);
  if (word == RLK_WORD_NONE) {
    rlk_report(judge, RLK_RULE_SIDECAR_MUTABLE_DTYPE, dtype,
               RLK_SLOTS(rlk_slot_bare(judge, "name", name), rlk_slot_value(judge, "value", dtype),
                         rlk_slot_words("known", RLK_VOCABULARY_MUTABLE_DTYPE)));
    return;
  }
  const rlk_node_t* shape = rlk_node_member(mutable_, "shape");
  if (word == RLK_WORD_MATRIX && matrix_size(shape) < 0) {
    report_shape(judge, mutable_, name, "a matrix has [rows, columns] of positive integers");
  } else if (word != RLK_WORD_MATRIX && shape) {
    report_shape(judge, mutable_, name, "only a matrix has one");
  }
  check_width(judge, widths, mutable_, name, word);
  const rlk_node_t* value = rlk_node_member(mutable_, "default");
  if (value && value->kind != RLK_NUMBER && value->kind != RLK_NULL) {
    rlk_report(judge, RLK_RULE_SIDECAR_MUTABLE_DEFAULT, value,
               RLK_SLOTS(rlk_slot_bare(judge, "name", name), rlk_slot_value(judge, "value", value)));
  }
}

void rlk_gate_contract_mutables(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* sidecar = subject->root;
  if (rlk_is_descriptor(sidecar)) return;
  /* Each vector mutable is looked up among the widths. */
  const bool comparable =
      rlk_is_comparable(judge, sidecar, "mutables") && rlk_is_comparable(judge, sidecar, "vec_widths");
  rlk_name_index_t widths;
  if (!comparable || !index_members(judge, rlk_node_member(sidecar, "vec_widths"), &widths)) return;
  for (const rlk_node_t* mutable_ = list_of(sidecar, "mutables"); mutable_; mutable_ = mutable_->next) {
    if (mutable_->kind == RLK_OBJECT) check_mutable(judge, &widths, mutable_);
  }
  if (rlk_is_comparable(judge, sidecar, "arg_spec")) {
    check_declarations(judge, sidecar, "mutables", RLK_WORD_MUTABLE, RLK_RULE_SIDECAR_MUTABLE_DUPLICATE,
                       RLK_RULE_SIDECAR_MUTABLE_UNUSED, RLK_RULE_SIDECAR_MUTABLE_UNDECLARED);
  }
}

/* --- vec_widths and mat_shapes ------------------------------------------------------------------------------------ */

typedef enum argument_shape_t { SCALAR_ARGUMENT, VECTOR_ARGUMENT, MATRIX_ARGUMENT } argument_shape_t;

/* What is looked up again and again while shapes are compared. */
typedef struct shapes_t {
  rlk_name_index_t arguments, mutables;
} shapes_t;

static argument_shape_t argument_shape(const shapes_t* shapes, rlk_word_t role, const rlk_node_t* name) {
  if (role == RLK_WORD_OUT || role == RLK_WORD_VEC_IN) return VECTOR_ARGUMENT;
  if (role == RLK_WORD_MAT_IN) return MATRIX_ARGUMENT;
  if (role != RLK_WORD_MUTABLE) return SCALAR_ARGUMENT;
  const rlk_word_t dtype = rlk_member_word(find(&shapes->mutables, name), "dtype", RLK_VOCABULARY_MUTABLE_DTYPE);
  return dtype == RLK_WORD_VECTOR ? VECTOR_ARGUMENT : dtype == RLK_WORD_MATRIX ? MATRIX_ARGUMENT : SCALAR_ARGUMENT;
}

/* The shape of the argument that the member is named after; SCALAR_ARGUMENT when there is none. */
static argument_shape_t shape_by_key(const shapes_t* shapes, const rlk_node_t* member) {
  const rlk_node_t *role, *name;
  const rlk_node_t* pair = rlk_name_index_find(&shapes->arguments, member->key, member->key_length);
  if (!pair || !rlk_arg_pair(pair, &role, &name)) return SCALAR_ARGUMENT;
  return argument_shape(shapes, rlk_node_word(role, RLK_VOCABULARY_ARG_ROLE), name);
}

static void report_member(rlk_judge_t* judge, rlk_rule_t rule, const rlk_node_t* member) {
  rlk_report(judge, rule, member,
             RLK_SLOTS(rlk_slot_text("name", member->key, member->key_length), rlk_slot_value(judge, "value", member)));
}

static void check_vec_widths(rlk_judge_t* judge, const rlk_node_t* sidecar, const shapes_t* shapes,
                             const rlk_node_t* widths) {
  rlk_name_index_t names;
  if (!index_members(judge, widths, &names)) return;
  for (const rlk_node_t* member = widths->first; member; member = member->next) {
    if (!is_positive(member)) report_member(judge, RLK_RULE_SIDECAR_VEC_WIDTH_INVALID, member);
    /* A matrix is a vector of rows times columns components: its width may be given too. */
    if (shape_by_key(shapes, member) == SCALAR_ARGUMENT) {
      report_member(judge, RLK_RULE_SIDECAR_VEC_WIDTH_UNUSED, member);
    }
  }
  for (rlk_argument_t argument = {0}; rlk_next_argument(sidecar, &argument);) {
    if (argument_shape(shapes, argument.role, argument.name) == VECTOR_ARGUMENT && !find(&names, argument.name)) {
      rlk_report(judge, RLK_RULE_SIDECAR_VEC_WIDTH_MISSING, widths,
                 RLK_SLOTS(rlk_slot_bare(judge, "name", argument.name)));
    }
  }
}

/* Only a pure kernel promises the key; where it stands, it names every matrix argument. */
static void check_mat_shapes(rlk_judge_t* judge, const rlk_node_t* sidecar, const shapes_t* shapes,
                             const rlk_node_t* declared) {
  const bool pure = rlk_member_word(sidecar, "pattern", RLK_VOCABULARY_PATTERN) == RLK_WORD_PURE;
  rlk_name_index_t names;
  if (!index_members(judge, declared, &names)) return;
  for (const rlk_node_t* member = declared ? declared->first : NULL; member; member = member->next) {
    if (matrix_size(member) < 0) report_member(judge, RLK_RULE_SIDECAR_MAT_SHAPE_INVALID, member);
    if (shape_by_key(shapes, member) != MATRIX_ARGUMENT) {
      report_member(judge, RLK_RULE_SIDECAR_MAT_SHAPE_UNUSED, member);
    }
  }
  for (rlk_argument_t argument = {0}; rlk_next_argument(sidecar, &argument);) {
    if (argument.role == RLK_WORD_MAT_IN && (declared ? !find(&names, argument.name) : pure)) {
      rlk_report(judge, RLK_RULE_SIDECAR_MAT_SHAPE_MISSING, declared ? declared : argument.pair,
                 RLK_SLOTS(rlk_slot_bare(judge, "name", argument.name)));
    }
  }
}

void rlk_gate_contract_shapes(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* sidecar = subject->root;
  if (rlk_is_descriptor(sidecar)) return;
  static const char* const compared[] = {"arg_spec", "mutables", "vec_widths", "mat_shapes"};
  for (size_t i = 0; i < sizeof compared / sizeof *compared; ++i) {
    if (!rlk_is_comparable(judge, sidecar, compared[i])) return;
  }
  shapes_t shapes;
  if (!rlk_index_arguments(judge, sidecar, RLK_WORD_NONE, &shapes.arguments) ||
      !index_named(judge, sidecar, "mutables", &shapes.mutables)) {
    return;
  }
  const rlk_node_t* widths =
      rlk_expect(judge, sidecar, "vec_widths",
                 &(rlk_expectation_t){
                     .kind = RLK_OBJECT, .absent = RLK_RULE_NONE, .mistyped = RLK_RULE_SIDECAR_VEC_WIDTHS_NOT_OBJECT});
  if (widths) check_vec_widths(judge, sidecar, &shapes, widths);
  const rlk_node_t* declared;
  if (rlk_node_get(sidecar, "mat_shapes", RLK_OBJECT, &declared) != RLK_MISTYPED) {
    check_mat_shapes(judge, sidecar, &shapes, declared);
  }
}

/* --- Buffers ------------------------------------------------------------------------------------------------------ */

int64_t rlk_buffer_count(const rlk_node_t* buffer) {
  const rlk_node_t* count = rlk_node_member(buffer, "count");
  return rlk_node_is_integer(count) ? count->integer : -1;
}

static void check_buffer(rlk_judge_t* judge, const rlk_node_t* buffer) {
  const rlk_node_t* name = field(judge, buffer, "name", RLK_STRING, RLK_RULE_SIDECAR_BUFFER_FIELD);
  const rlk_node_t* dtype = field(judge, buffer, "dtype", RLK_STRING, RLK_RULE_SIDECAR_BUFFER_FIELD);
  if (dtype && rlk_node_word(dtype, RLK_VOCABULARY_BUFFER_DTYPE) == RLK_WORD_NONE) {
    rlk_report(judge, RLK_RULE_SIDECAR_BUFFER_DTYPE, dtype,
               RLK_SLOTS(rlk_slot_bare(judge, "name", name), rlk_slot_value(judge, "value", dtype),
                         rlk_slot_words("known", RLK_VOCABULARY_BUFFER_DTYPE)));
  }
  const rlk_node_t* shape = field(judge, buffer, "shape", RLK_ARRAY, RLK_RULE_SIDECAR_BUFFER_FIELD);
  const rlk_node_t* count = field(judge, buffer, "count", RLK_NUMBER, RLK_RULE_SIDECAR_BUFFER_FIELD);
  if (!shape || !count) return;
  const int64_t elements = product(shape, 0);
  const rlk_slot_t index = rlk_slot_integer("index", buffer->index);
  if (elements < 0) {
    rlk_report(judge, RLK_RULE_SIDECAR_BUFFER_FIELD, shape,
               RLK_SLOTS(index, rlk_slot_prose("key", "shape"), rlk_slot_value(judge, "value", shape)));
  } else if (!rlk_node_is_integer(count)) {
    rlk_report(judge, RLK_RULE_SIDECAR_BUFFER_FIELD, count,
               RLK_SLOTS(index, rlk_slot_prose("key", "count"), rlk_slot_value(judge, "value", count)));
  } else if (count->integer != elements) {
    rlk_report(judge, RLK_RULE_SIDECAR_BUFFER_COUNT, count,
               RLK_SLOTS(rlk_slot_bare(judge, "name", name), rlk_slot_integer("value", count->integer),
                         rlk_slot_integer("expected", elements)));
  }
}

void rlk_gate_contract_buffers(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* sidecar = subject->root;
  if (rlk_is_descriptor(sidecar)) return;
  for (const rlk_node_t* buffer = list_of(sidecar, "buffers"); buffer; buffer = buffer->next) {
    if (buffer->kind == RLK_OBJECT) check_buffer(judge, buffer);
  }
  if (rlk_is_comparable(judge, sidecar, "buffers") && rlk_is_comparable(judge, sidecar, "arg_spec")) {
    check_declarations(judge, sidecar, "buffers", RLK_WORD_LOOKUP, RLK_RULE_SIDECAR_BUFFER_DUPLICATE,
                       RLK_RULE_SIDECAR_BUFFER_UNUSED, RLK_RULE_SIDECAR_BUFFER_UNDECLARED);
  }
}
