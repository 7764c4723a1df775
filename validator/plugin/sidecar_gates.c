/* The shared validator's gates, in its order (plugin facts, section 4). The descriptor clause is in descriptor_gates.c.
 */
#include <string.h>

#include "validator/plugin/gates.h"

bool rlk_is_descriptor(const rlk_node_t* sidecar) {
  return rlk_member_word(sidecar, "pattern", RLK_VOCABULARY_PATTERN) == RLK_WORD_NEURAL_BLOCK;
}

const rlk_node_t* rlk_present_member(const rlk_node_t* sidecar, const char* key) {
  const rlk_node_t* member = rlk_node_member(sidecar, key);
  if (!member || !rlk_is_descriptor(sidecar)) return member;
  /* An empty derivative is a derivative without its kind, on a descriptor too (plugin facts, section 7). */
  const bool absent = strcmp(key, "derivative") == 0 ? member->kind == RLK_NULL : rlk_node_is_empty(member);
  return absent ? NULL : member;
}

rlk_version_t rlk_version_of(const rlk_node_t* version) {
  if (version->kind != RLK_NUMBER || version->number == RLK_NUMBER_OTHER) return RLK_VERSION_NOT_INTEGER;
  const bool too_new = version->number == RLK_NUMBER_BIG_INTEGER ? version->text[0] != '-'
                                                                 : version->integer > RLK_SCHEMA_VERSION_CEILING;
  return too_new ? RLK_VERSION_TOO_NEW : RLK_VERSION_READ;
}

void rlk_gate_schema_version(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* version = rlk_node_member(subject->root, "schema_version");
  if (!version) return;
  const rlk_version_t state = rlk_version_of(version);
  if (state == RLK_VERSION_NOT_INTEGER) {
    rlk_report(judge, RLK_RULE_SIDECAR_SCHEMA_VERSION_NOT_INTEGER, version,
               RLK_SLOTS(rlk_slot_value(judge, "value", version)));
  } else if (state == RLK_VERSION_TOO_NEW) {
    rlk_report(
        judge, RLK_RULE_SIDECAR_SCHEMA_VERSION_TOO_NEW, version,
        RLK_SLOTS(rlk_slot_bare(judge, "value", version), rlk_slot_integer("ceiling", RLK_SCHEMA_VERSION_CEILING)));
  }
}

bool rlk_arg_pair(const rlk_node_t* pair, const rlk_node_t** out_role, const rlk_node_t** out_name) {
  if (pair->kind != RLK_ARRAY || pair->count != 2) return false;
  *out_role = pair->first;
  *out_name = pair->first->next;
  return (*out_role)->kind == RLK_STRING && (*out_name)->kind == RLK_STRING;
}

void rlk_check_arg_pair(rlk_judge_t* judge, const rlk_node_t* pair) {
  const rlk_slot_t index = rlk_slot_integer("index", pair->index);
  if (pair->kind != RLK_ARRAY || pair->count != 2) {
    rlk_report(judge, RLK_RULE_SIDECAR_ARG_PAIR_MALFORMED, pair,
               RLK_SLOTS(index, rlk_slot_value(judge, "value", pair)));
    return;
  }
  const rlk_node_t* role = pair->first;
  const rlk_node_t* name = role->next;
  if (role->kind != RLK_STRING) {
    rlk_report(judge, RLK_RULE_SIDECAR_ARG_ROLE_NOT_STRING, role,
               RLK_SLOTS(index, rlk_slot_value(judge, "value", role)));
  }
  if (name->kind != RLK_STRING) {
    rlk_report(judge, RLK_RULE_SIDECAR_ARG_NAME_NOT_STRING, name,
               RLK_SLOTS(index, rlk_slot_value(judge, "value", name)));
  }
}

/* `arg_spec` as an array; reports a value of another kind. Absence is another gate's business. */
static const rlk_node_t* arg_spec_array(rlk_judge_t* judge, const rlk_node_t* sidecar) {
  return rlk_expect(judge, sidecar, "arg_spec",
                    &(rlk_expectation_t){
                        .kind = RLK_ARRAY, .absent = RLK_RULE_NONE, .mistyped = RLK_RULE_SIDECAR_ARG_SPEC_NOT_ARRAY});
}

void rlk_gate_roles(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* arg_spec = arg_spec_array(judge, subject->root);
  if (!arg_spec) return;
  for (const rlk_node_t* pair = arg_spec->first; pair; pair = pair->next) {
    rlk_check_arg_pair(judge, pair);
    if (pair->kind != RLK_ARRAY || !pair->first || pair->first->kind != RLK_STRING) continue;
    if (rlk_node_word(pair->first, RLK_VOCABULARY_ARG_ROLE) == RLK_WORD_NONE) {
      rlk_report(
          judge, RLK_RULE_SIDECAR_ROLE_UNKNOWN, pair->first,
          RLK_SLOTS(rlk_slot_bare(judge, "value", pair->first), rlk_slot_words("known", RLK_VOCABULARY_ARG_ROLE)));
    }
  }
}

void rlk_gate_scalar_type(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* scalar_type =
      rlk_expect(judge, subject->root, "scalar_type",
                 &(rlk_expectation_t){
                     .kind = RLK_STRING, .absent = RLK_RULE_NONE, .mistyped = RLK_RULE_SIDECAR_SCALAR_TYPE_NOT_STRING});
  if (!scalar_type || scalar_type->text_length == 0) return; /* a sidecar from before scalar types is float64 */
  if (rlk_node_word(scalar_type, RLK_VOCABULARY_SCALAR_TYPE) == RLK_WORD_NONE) {
    rlk_report(
        judge, RLK_RULE_SIDECAR_SCALAR_TYPE_UNKNOWN, scalar_type,
        RLK_SLOTS(rlk_slot_bare(judge, "value", scalar_type), rlk_slot_words("known", RLK_VOCABULARY_SCALAR_TYPE)));
  }
}

void rlk_gate_pattern(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* pattern =
      rlk_expect(judge, subject->root, "pattern",
                 &(rlk_expectation_t){
                     .kind = RLK_STRING, .absent = RLK_RULE_NONE, .mistyped = RLK_RULE_SIDECAR_PATTERN_NOT_STRING});
  if (pattern && rlk_node_word(pattern, RLK_VOCABULARY_PATTERN) == RLK_WORD_NONE) {
    rlk_report(judge, RLK_RULE_SIDECAR_PATTERN_UNKNOWN, pattern,
               RLK_SLOTS(rlk_slot_bare(judge, "value", pattern), rlk_slot_words("known", RLK_VOCABULARY_PATTERN)));
  }
}

void rlk_gate_derivative(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* derivative = rlk_present_member(subject->root, "derivative");
  if (!derivative) return;
  if (derivative->kind != RLK_OBJECT) {
    rlk_report(judge, RLK_RULE_SIDECAR_DERIVATIVE_NOT_OBJECT, derivative,
               RLK_SLOTS(rlk_slot_value(judge, "value", derivative)));
    return;
  }
  const rlk_node_t* kind = rlk_node_member(derivative, "kind");
  if (rlk_node_word(kind, RLK_VOCABULARY_DERIVATIVE_KIND) == RLK_WORD_NONE) {
    rlk_report(judge, RLK_RULE_SIDECAR_DERIVATIVE_KIND, kind ? kind : derivative,
               RLK_SLOTS(rlk_slot_bare(judge, "value", kind), rlk_slot_words("known", RLK_VOCABULARY_DERIVATIVE_KIND)));
  }
  const rlk_node_t* residuals = rlk_node_member(derivative, "residuals");
  if (!residuals) return;
  if (residuals->kind != RLK_ARRAY) {
    rlk_report(judge, RLK_RULE_SIDECAR_DERIVATIVE_RESIDUALS_NOT_ARRAY, residuals,
               RLK_SLOTS(rlk_slot_value(judge, "value", residuals)));
  } else if (residuals->count > 0) {
    rlk_report(judge, RLK_RULE_SIDECAR_DERIVATIVE_RESIDUALS, residuals,
               RLK_SLOTS(rlk_slot_integer("count", residuals->count)));
  }
}

/* The member as a list of objects, each of which `visit` sees; reports what is neither. */
static void each_object(rlk_judge_t* judge, const rlk_node_t* sidecar, const char* key, rlk_rule_t not_array,
                        rlk_rule_t not_object, void (*visit)(rlk_judge_t*, const rlk_node_t*)) {
  const rlk_node_t* list = rlk_present_member(sidecar, key);
  if (!list) return;
  if (list->kind != RLK_ARRAY) {
    rlk_report(judge, not_array, list, RLK_SLOTS(rlk_slot_value(judge, "value", list)));
    return;
  }
  for (const rlk_node_t* element = list->first; element; element = element->next) {
    if (element->kind != RLK_OBJECT) {
      rlk_report(judge, not_object, element,
                 RLK_SLOTS(rlk_slot_integer("index", element->index), rlk_slot_value(judge, "value", element)));
    } else if (visit) {
      visit(judge, element);
    }
  }
}

static void check_buffer_kind(rlk_judge_t* judge, const rlk_node_t* buffer) {
  const rlk_node_t* kind = rlk_node_member(buffer, "kind");
  if (rlk_node_word(kind, RLK_VOCABULARY_BUFFER_KIND) != RLK_WORD_NONE) return;
  rlk_report(judge, RLK_RULE_SIDECAR_BUFFER_KIND, kind ? kind : buffer,
             RLK_SLOTS(rlk_slot_bare(judge, "name", rlk_node_member(buffer, "name")),
                       rlk_slot_bare(judge, "value", kind), rlk_slot_words("known", RLK_VOCABULARY_BUFFER_KIND)));
}

void rlk_gate_buffer_kinds(rlk_judge_t* judge, const rlk_subject_t* subject) {
  each_object(judge, subject->root, "buffers", RLK_RULE_SIDECAR_BUFFERS_NOT_ARRAY, RLK_RULE_SIDECAR_BUFFER_NOT_OBJECT,
              check_buffer_kind);
}

static void check_mutables_and_shapes(rlk_judge_t* judge, const rlk_node_t* sidecar,
                                      void (*visit)(rlk_judge_t*, const rlk_node_t*)) {
  each_object(judge, sidecar, "mutables", RLK_RULE_SIDECAR_MUTABLES_NOT_ARRAY, RLK_RULE_SIDECAR_MUTABLE_NOT_OBJECT,
              visit);
  const rlk_node_t* shapes = rlk_present_member(sidecar, "mat_shapes");
  if (shapes && shapes->kind != RLK_OBJECT) {
    rlk_report(judge, RLK_RULE_SIDECAR_MAT_SHAPES_NOT_OBJECT, shapes,
               RLK_SLOTS(rlk_slot_value(judge, "value", shapes)));
  }
}

static void require_kernel_and_arg_spec(rlk_judge_t* judge, const rlk_node_t* sidecar) {
  rlk_expect(judge, sidecar, "kernel",
             &(rlk_expectation_t){.kind = RLK_STRING,
                                  .absent = RLK_RULE_SIDECAR_KEY_MISSING,
                                  .mistyped = RLK_RULE_SIDECAR_KEY_NOT_STRING,
                                  .where = "the sidecar"});
  rlk_expect(
      judge, sidecar, "arg_spec",
      &(rlk_expectation_t){.kind = RLK_ARRAY, .absent = RLK_RULE_SIDECAR_ARG_SPEC_MISSING, .mistyped = RLK_RULE_NONE});
}

/* What every consumer of a kernel sidecar needs and the listed gates do not ask for. It comes last: only a document
 * that would be accepted otherwise is refused by it (plugin facts, section 7). */
void rlk_gate_kernel_structure(rlk_judge_t* judge, const rlk_subject_t* subject) {
  check_mutables_and_shapes(judge, subject->root, NULL);
  if (!rlk_is_descriptor(subject->root)) require_kernel_and_arg_spec(judge, subject->root);
}

/* --- Registry reading: the document becomes a structure before any gate looks at it ------------------------------- */

static void require_strings(rlk_judge_t* judge, const rlk_node_t* object, const char* list, const char* const* keys) {
  char where[64];
  rlk_message_format(where, sizeof where, "{list}[{index}]",
                     RLK_SLOTS(rlk_slot_prose("list", list), rlk_slot_integer("index", object->index)));
  for (; *keys; ++keys) {
    rlk_expect(judge, object, *keys,
               &(rlk_expectation_t){.kind = RLK_STRING,
                                    .absent = RLK_RULE_SIDECAR_KEY_MISSING,
                                    .mistyped = RLK_RULE_SIDECAR_KEY_NOT_STRING,
                                    .where = where});
  }
}

static void read_buffer(rlk_judge_t* judge, const rlk_node_t* buffer) {
  require_strings(judge, buffer, "buffers", (const char* const[]){"name", "kind", "dtype", NULL});
}

static void read_mutable(rlk_judge_t* judge, const rlk_node_t* mutable_) {
  require_strings(judge, mutable_, "mutables", (const char* const[]){"name", "dtype", NULL});
}

void rlk_gate_registry_reading(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* sidecar = subject->root;
  require_kernel_and_arg_spec(judge, sidecar);
  const rlk_node_t* arg_spec = arg_spec_array(judge, sidecar);
  for (const rlk_node_t* pair = arg_spec ? arg_spec->first : NULL; pair; pair = pair->next) {
    rlk_check_arg_pair(judge, pair);
  }
  each_object(judge, sidecar, "buffers", RLK_RULE_SIDECAR_BUFFERS_NOT_ARRAY, RLK_RULE_SIDECAR_BUFFER_NOT_OBJECT,
              read_buffer);
  check_mutables_and_shapes(judge, sidecar, read_mutable);
  const rlk_node_t* derivative = rlk_present_member(sidecar, "derivative");
  if (!derivative) return;
  if (derivative->kind != RLK_OBJECT) {
    rlk_report(judge, RLK_RULE_SIDECAR_DERIVATIVE_NOT_OBJECT, derivative,
               RLK_SLOTS(rlk_slot_value(judge, "value", derivative)));
  } else if (!rlk_node_member(derivative, "kind")) {
    rlk_report(judge, RLK_RULE_SIDECAR_KEY_MISSING, derivative,
               RLK_SLOTS(rlk_slot_prose("key", "kind"), rlk_slot_prose("where", "derivative, as derivative.kind")));
  }
}
