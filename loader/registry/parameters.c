#include "loader/registry/parameters.h"

static const rlk_binding_info_t bindings[RLK_BINDING_COUNT] = {
#define RLK_BINDING(BINDING, PASSING, ELEMENTS, EXTENT, RULE, CALL)   \
  [ROWLOCK_BINDING_##BINDING] = {.passing = RLK_PASSING_##PASSING,    \
                                 .elements = RLK_ELEMENTS_##ELEMENTS, \
                                 .extent = RLK_EXTENT_##EXTENT,       \
                                 .unbound = RLK_RULE_##RULE,          \
                                 .call = (CALL)},
#include "loader/registry/parameters.def"
};

static const char* const binding_names[] = {
#define ROWLOCK_BINDING(ID, name) name,
    ROWLOCK_BINDINGS(ROWLOCK_BINDING)
#undef ROWLOCK_BINDING
};

static const struct {
  const char* name;
  size_t bytes;
} elements[] = {
#define ROWLOCK_ELEMENT(ID, name, bytes) {name, bytes},
    ROWLOCK_ELEMENTS(ROWLOCK_ELEMENT)
#undef ROWLOCK_ELEMENT
};

static const size_t passing_bytes[] = {
    [RLK_PASSING_GREF] = sizeof(rowlock_gref_t),
    [RLK_PASSING_HANDLE] = sizeof(rowlock_handle_t),
    [RLK_PASSING_INT_HANDLE] = sizeof(rowlock_int_handle_t),
    [RLK_PASSING_VALUE] = 0, /* the element's */
    [RLK_PASSING_INDEX] = sizeof(rowlock_index_t),
    [RLK_PASSING_NOTHING] = 0,
};

const rlk_binding_info_t* rlk_binding_info(rowlock_binding_t binding) { return &bindings[binding]; }

const char* rowlock_binding_name(rowlock_binding_t binding) { return binding_names[binding]; }
const char* rowlock_element_name(rowlock_element_t element) { return elements[element].name; }
size_t rowlock_element_bytes(rowlock_element_t element) { return elements[element].bytes; }

/* By word; what is no role, or no dtype of a mutable, is not there. */
static const struct {
  bool is_there, is_written;
  rowlock_binding_t binding;
} words[RLK_WORD_COUNT] = {
#define READ false
#define WRITTEN true
#define RLK_ROLE(ROLE, BINDING, ACCESS) [RLK_WORD_##ROLE] = {true, ACCESS, ROWLOCK_BINDING_##BINDING},
#define RLK_MUTABLE(DTYPE, BINDING) [RLK_WORD_##DTYPE] = {true, true, ROWLOCK_BINDING_##BINDING},
#include "loader/registry/parameters.def"
#undef READ
#undef WRITTEN
};

rowlock_binding_t rlk_role_binding(rlk_word_t role, rlk_word_t dtype) {
  const rlk_word_t word = role == RLK_WORD_MUTABLE ? dtype : role;
  return word != RLK_WORD_NONE && words[word].is_there ? words[word].binding : ROWLOCK_BINDING_NONE;
}

bool rlk_role_is_written(rlk_word_t role) { return role != RLK_WORD_NONE && words[role].is_written; }

rowlock_element_t rlk_binding_element(rowlock_binding_t binding, rlk_word_t scalar_type) {
  switch (bindings[binding].elements) {
    case RLK_ELEMENTS_INT64:
      return ROWLOCK_ELEMENT_INT64;
    case RLK_ELEMENTS_BOOL:
      return ROWLOCK_ELEMENT_BOOL;
    case RLK_ELEMENTS_REAL:
      break;
  }
  return scalar_type == RLK_WORD_FLOAT32 ? ROWLOCK_ELEMENT_FLOAT32 : ROWLOCK_ELEMENT_FLOAT64;
}

size_t rlk_parameter_bytes(rowlock_binding_t binding, rowlock_element_t element) {
  const rlk_passing_t passing = bindings[binding].passing;
  return passing == RLK_PASSING_VALUE ? rowlock_element_bytes(element) : passing_bytes[passing];
}
