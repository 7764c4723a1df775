/* Contract checks of a kernel sidecar: what its producer promised and no loader verifies (plugin facts, section 5).
 * Arguments and lists are here; declared slots, shapes and tables in contract_slots.c. */
#include <string.h>

#include "validator/plugin/contract.h"
#include "validator/plugin/gates.h"
#include "validator/rules/text.h"

/* --- Walking arg_spec --------------------------------------------------------------------------------------------- */

bool rlk_next_argument(const rlk_node_t* sidecar, rlk_argument_t* argument) {
  const rlk_node_t* arg_spec;
  const rlk_node_t* pair = argument->pair ? argument->pair->next : NULL;
  if (!argument->pair && rlk_node_get(sidecar, "arg_spec", RLK_ARRAY, &arg_spec) == RLK_FOUND) pair = arg_spec->first;
  for (; pair; pair = pair->next) {
    const rlk_node_t *role, *name;
    if (!rlk_arg_pair(pair, &role, &name)) continue;
    *argument = (rlk_argument_t){
        .pair = pair, .role = rlk_node_word(role, RLK_VOCABULARY_ARG_ROLE), .role_node = role, .name = name};
    return true;
  }
  return false;
}

bool rlk_same_text(const rlk_node_t* a, const rlk_node_t* b) {
  return a && b && a->kind == RLK_STRING && b->kind == RLK_STRING &&
         rlk_text_equal(a->text, a->text_length, b->text, b->text_length);
}

bool rlk_has_argument(const rlk_node_t* sidecar, rlk_word_t role) {
  for (rlk_argument_t argument = {0}; rlk_next_argument(sidecar, &argument);) {
    if (argument.role == role) return true;
  }
  return false;
}

bool rlk_index_arguments(rlk_judge_t* judge, const rlk_node_t* sidecar, rlk_word_t role, rlk_name_index_t* out_names) {
  const rlk_node_t* arg_spec;
  const bool any = rlk_node_get(sidecar, "arg_spec", RLK_ARRAY, &arg_spec) == RLK_FOUND;
  if (!rlk_name_index_init(out_names, judge, any ? arg_spec->count : 0)) return false;
  for (rlk_argument_t argument = {0}; rlk_next_argument(sidecar, &argument);) {
    if (role == RLK_WORD_NONE || argument.role == role) rlk_name_index_put(out_names, argument.name, argument.pair);
  }
  rlk_name_index_sort(out_names);
  return true;
}

bool rlk_is_comparable(rlk_judge_t* judge, const rlk_node_t* sidecar, const char* key) {
  const rlk_node_t* list = rlk_node_member(sidecar, key);
  if (!list || list->count <= judge->limits.entries) return true;
  rlk_report(judge, RLK_RULE_SIDECAR_LIST_TOO_LONG, list,
             RLK_SLOTS(rlk_slot_prose("key", key), rlk_slot_integer("count", list->count),
                       rlk_slot_integer("limit", judge->limits.entries)));
  return false;
}

/* --- Base --------------------------------------------------------------------------------------------------------- */

/* Which keys the format lists as always present, by variant. `kernel` and `arg_spec` are gates. */
static const struct {
  const char* key;
  bool vector, pure, descriptor;
} required_keys[] = {
    {"schema_version", false, false, true}, {"format", true, true, false},      {"pattern", true, true, false},
    {"aether_abi", true, true, false},      {"scalar_type", true, true, false}, {"vector_inputs", true, true, false},
    {"params", true, true, false},          {"per_sample", true, true, false},  {"vec_widths", true, true, false},
    {"buffers", true, true, false},         {"accumulate", true, false, false}, {"sink", true, false, false},
    {"mutables", false, true, false},
};

static void check_required_keys(rlk_judge_t* judge, const rlk_node_t* sidecar, rlk_word_t pattern) {
  const bool kernel = pattern == RLK_WORD_NONE; /* without a pattern: what both kernel variants share */
  for (size_t i = 0; i < sizeof required_keys / sizeof *required_keys; ++i) {
    const bool required = pattern == RLK_WORD_VECTOR         ? required_keys[i].vector
                          : pattern == RLK_WORD_PURE         ? required_keys[i].pure
                          : pattern == RLK_WORD_NEURAL_BLOCK ? required_keys[i].descriptor
                                                             : required_keys[i].vector && required_keys[i].pure;
    if (!required || rlk_node_member(sidecar, required_keys[i].key)) continue;
    rlk_report(judge, RLK_RULE_SIDECAR_REQUIRED_KEY, sidecar,
               RLK_SLOTS(rlk_slot_prose("pattern", kernel ? "kernel" : rlk_word_text(pattern)),
                         rlk_slot_prose("key", required_keys[i].key)));
  }
}

static void check_nul(rlk_judge_t* judge, const char* key, const rlk_node_t* name) {
  if (!name || name->kind != RLK_STRING || !memchr(name->text, '\0', name->text_length)) return;
  rlk_report(judge, RLK_RULE_SIDECAR_NAME_NUL, name,
             RLK_SLOTS(rlk_slot_prose("key", key), rlk_slot_value(judge, "value", name)));
}

static bool is_named(const rlk_node_t* node) { return node && node->kind == RLK_STRING && node->text_length > 0; }

void rlk_gate_contract_base(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* sidecar = subject->root;
  const rlk_node_t* version = rlk_node_member(sidecar, "schema_version");
  if (version && version->kind == RLK_NUMBER && version->number != RLK_NUMBER_OTHER &&
      (version->number == RLK_NUMBER_BIG_INTEGER ? version->text[0] == '-' : version->integer < 1)) {
    rlk_report(judge, RLK_RULE_SIDECAR_SCHEMA_VERSION_NOT_POSITIVE, version,
               RLK_SLOTS(rlk_slot_value(judge, "value", version)));
  }
  check_required_keys(judge, sidecar, rlk_member_word(sidecar, "pattern", RLK_VOCABULARY_PATTERN));
  const rlk_node_t* kernel = rlk_node_member(sidecar, "kernel");
  if (rlk_node_is_string(kernel, "") && !rlk_is_descriptor(sidecar)) {
    rlk_report(judge, RLK_RULE_SIDECAR_KERNEL_EMPTY, kernel, NULL, 0);
  }
  const rlk_node_t* format = rlk_node_member(sidecar, "format");
  if (format && rlk_node_word(format, RLK_VOCABULARY_ARTIFACT_FORMAT) == RLK_WORD_NONE) {
    rlk_report(
        judge, RLK_RULE_SIDECAR_FORMAT_UNKNOWN, format,
        RLK_SLOTS(rlk_slot_value(judge, "value", format), rlk_slot_words("known", RLK_VOCABULARY_ARTIFACT_FORMAT)));
  }
  const rlk_node_t* host_entry = rlk_present_member(sidecar, "host_entry");
  if (host_entry && !is_named(host_entry)) {
    rlk_report(judge, RLK_RULE_SIDECAR_HOST_ENTRY, host_entry, RLK_SLOTS(rlk_slot_value(judge, "value", host_entry)));
  }
  check_nul(judge, "kernel", kernel);
  check_nul(judge, "host_entry", host_entry);
}

/* --- Arguments ---------------------------------------------------------------------------------------------------- */

static void check_argument_names(rlk_judge_t* judge, const rlk_node_t* sidecar) {
  rlk_name_index_t names;
  if (!rlk_index_arguments(judge, sidecar, RLK_WORD_NONE, &names)) return;
  for (rlk_argument_t later = {0}; rlk_next_argument(sidecar, &later);) {
    check_nul(judge, "the name of an argument", later.name);
    const rlk_node_t* first = rlk_name_index_find(&names, later.name->text, later.name->text_length);
    if (first == later.pair) continue;
    rlk_report(judge, RLK_RULE_SIDECAR_ARG_NAME_DUPLICATE, later.name,
               RLK_SLOTS(rlk_slot_bare(judge, "value", later.name), rlk_slot_integer("first", first->index),
                         rlk_slot_integer("index", later.pair->index)));
  }
}

/* Each family's sink is the other's foreigner; the remaining roles are common ground. */
static void check_foreign_roles(rlk_judge_t* judge, const rlk_node_t* sidecar) {
  const rlk_word_t pattern = rlk_member_word(sidecar, "pattern", RLK_VOCABULARY_LAUNCHABLE_PATTERN);
  if (pattern == RLK_WORD_NONE) return;
  const rlk_word_t foreign = pattern == RLK_WORD_PURE ? RLK_WORD_OUT : RLK_WORD_MUTABLE;
  for (rlk_argument_t argument = {0}; rlk_next_argument(sidecar, &argument);) {
    if (argument.role != foreign) continue;
    rlk_report(judge, RLK_RULE_SIDECAR_ROLE_FOREIGN, argument.role_node,
               RLK_SLOTS(rlk_slot_bare(judge, "value", argument.role_node),
                         rlk_slot_prose("pattern", rlk_word_text(pattern))));
  }
}

/* A list's element as a name: the string itself, or in params the `name` of a typed one; NULL otherwise. */
static const rlk_node_t* element_name(const rlk_node_t* element) {
  const bool typed =
      element->kind == RLK_OBJECT && rlk_text_equal(element->parent->key, element->parent->key_length, "params", 6);
  const rlk_node_t* name = typed ? rlk_node_member(element, "name") : element;
  return name && name->kind == RLK_STRING ? name : NULL;
}

static bool agrees_in_order(const rlk_node_t* sidecar, const rlk_node_t* list, rlk_word_t role) {
  const rlk_node_t* element = list->first;
  for (rlk_argument_t argument = {0}; rlk_next_argument(sidecar, &argument);) {
    if (argument.role != role) continue;
    if (!element || !rlk_same_text(element_name(element), argument.name)) return false;
    element = element->next;
  }
  return !element;
}

/* Each argument of the role is in the list, which is no longer than they are many. */
static bool agrees_in_any_order(rlk_judge_t* judge, const rlk_node_t* sidecar, const rlk_node_t* list,
                                rlk_word_t role) {
  rlk_name_index_t names;
  if (!rlk_name_index_init(&names, judge, list->count)) return true; /* nobody hears of it any more */
  for (const rlk_node_t* element = list->first; element; element = element->next) {
    rlk_name_index_put(&names, element_name(element), element);
  }
  rlk_name_index_sort(&names);
  uint32_t count = 0;
  for (rlk_argument_t argument = {0}; rlk_next_argument(sidecar, &argument);) {
    if (argument.role != role) continue;
    ++count;
    if (!rlk_name_index_find(&names, argument.name->text, argument.name->text_length)) return false;
  }
  return count == list->count;
}

static void put_name(rlk_text_t* out, const rlk_node_t* name) {
  if (out->length > 0) rlk_text_put(out, ", ", 2);
  if (name) {
    rlk_text_put_shown(out, name->text, name->text_length, 40);
  } else {
    rlk_text_put(out, "?", 1);
  }
}

static void report_disagreement(rlk_judge_t* judge, const rlk_node_t* sidecar, const char* key, const rlk_node_t* list,
                                rlk_word_t role) {
  char listed[400], expected[400];
  rlk_text_t listed_text = rlk_text_over(listed, sizeof listed);
  rlk_text_t expected_text = rlk_text_over(expected, sizeof expected);
  for (const rlk_node_t* element = list ? list->first : NULL; element; element = element->next) {
    put_name(&listed_text, element_name(element));
  }
  for (rlk_argument_t argument = {0}; rlk_next_argument(sidecar, &argument);) {
    if (argument.role == role) put_name(&expected_text, argument.name);
  }
  rlk_report(
      judge, RLK_RULE_SIDECAR_LIST_DISAGREES, list ? list : sidecar,
      RLK_SLOTS(rlk_slot_prose("key", key), rlk_slot_text("value", listed, strlen(listed)),
                rlk_slot_prose("role", rlk_word_text(role)), rlk_slot_text("expected", expected, strlen(expected))));
}

/* The convenience lists repeat arg_spec by role; the two that fix a binding order must keep it. */
static const struct {
  const char* key;
  rlk_word_t role;
  bool ordered;
  bool pure_only; /* only a pure kernel promises it, and only when it has such arguments */
} convenience_lists[] = {
    {"vector_inputs", RLK_WORD_VEC_IN, true, false},
    {"matrix_inputs", RLK_WORD_MAT_IN, true, true},
    {"params", RLK_WORD_UNIFORM, false, false},
    {"per_sample", RLK_WORD_PER_SAMPLE, false, false},
};

static void check_convenience_lists(rlk_judge_t* judge, const rlk_node_t* sidecar) {
  const bool pure = rlk_member_word(sidecar, "pattern", RLK_VOCABULARY_PATTERN) == RLK_WORD_PURE;
  for (size_t i = 0; i < sizeof convenience_lists / sizeof *convenience_lists; ++i) {
    const char* key = convenience_lists[i].key;
    const rlk_word_t role = convenience_lists[i].role;
    const rlk_node_t* list = rlk_node_member(sidecar, key);
    if (!list) {
      if (pure && convenience_lists[i].pure_only && rlk_has_argument(sidecar, role)) {
        report_disagreement(judge, sidecar, key, NULL, role);
      }
      continue;
    }
    if (list->kind != RLK_ARRAY) {
      rlk_report(judge, RLK_RULE_SIDECAR_LIST_ELEMENT, list,
                 RLK_SLOTS(rlk_slot_prose("key", key), rlk_slot_prose("what", "the value"),
                           rlk_slot_value(judge, "value", list)));
      continue;
    }
    if (!rlk_is_comparable(judge, sidecar, key)) continue;
    bool names = true;
    for (const rlk_node_t* element = list->first; element; element = element->next) {
      if (element_name(element)) continue;
      names = false;
      char what[32];
      rlk_message_format(what, sizeof what, "element {index}", RLK_SLOTS(rlk_slot_integer("index", element->index)));
      rlk_report(
          judge, RLK_RULE_SIDECAR_LIST_ELEMENT, element,
          RLK_SLOTS(rlk_slot_prose("key", key), rlk_slot_prose("what", what), rlk_slot_value(judge, "value", element)));
    }
    if (!names) continue;
    const bool agrees = convenience_lists[i].ordered ? agrees_in_order(sidecar, list, role)
                                                     : agrees_in_any_order(judge, sidecar, list, role);
    if (!agrees) report_disagreement(judge, sidecar, key, list, role);
  }
}

void rlk_gate_contract_arguments(rlk_judge_t* judge, const rlk_subject_t* subject) {
  if (rlk_is_descriptor(subject->root) || !rlk_is_comparable(judge, subject->root, "arg_spec")) return;
  check_argument_names(judge, subject->root);
  check_foreign_roles(judge, subject->root);
  check_convenience_lists(judge, subject->root);
}

/* --- Extras ------------------------------------------------------------------------------------------------------- */

static void check_sink(rlk_judge_t* judge, const rlk_node_t* sidecar) {
  const rlk_node_t* accumulate = rlk_node_member(sidecar, "accumulate");
  if (accumulate && accumulate->kind != RLK_BOOLEAN) {
    rlk_report(judge, RLK_RULE_SIDECAR_ACCUMULATE, accumulate, RLK_SLOTS(rlk_slot_value(judge, "value", accumulate)));
  }
  const rlk_node_t* sink = rlk_node_member(sidecar, "sink");
  if (sink && !is_named(sink)) {
    rlk_report(judge, RLK_RULE_SIDECAR_SINK, sink, RLK_SLOTS(rlk_slot_value(judge, "value", sink)));
  }
  const bool vector = rlk_member_word(sidecar, "pattern", RLK_VOCABULARY_PATTERN) == RLK_WORD_VECTOR;
  if (vector && (accumulate || sink) && !rlk_has_argument(sidecar, RLK_WORD_OUT)) {
    rlk_report(judge, RLK_RULE_SIDECAR_SINK_WITHOUT_OUT, sink ? sink : accumulate, NULL, 0);
  }
}

static bool is_list_of_strings(const rlk_node_t* node) {
  if (!node || node->kind != RLK_ARRAY) return false;
  for (const rlk_node_t* element = node->first; element; element = element->next) {
    if (element->kind != RLK_STRING) return false;
  }
  return true;
}

static void check_derivative(rlk_judge_t* judge, const rlk_node_t* derivative) {
  const rlk_node_t* primal = rlk_node_member(derivative, "primal");
  const rlk_node_t* residuals = rlk_node_member(derivative, "residuals");
  const struct {
    const char* key;
    bool sound;
  } fields[] = {
      {"primal", !primal || primal->kind == RLK_STRING},
      {"wrt", is_list_of_strings(rlk_node_member(derivative, "wrt"))},
      {"residual_policy", rlk_node_is_string(rlk_node_member(derivative, "residual_policy"), "recompute")},
      {"residuals", residuals != NULL},
  };
  for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
    if (fields[i].sound) continue;
    const rlk_node_t* value = rlk_node_member(derivative, fields[i].key);
    rlk_report(judge, RLK_RULE_SIDECAR_DERIVATIVE_INCOMPLETE, value ? value : derivative,
               RLK_SLOTS(rlk_slot_prose("key", fields[i].key), rlk_slot_value(judge, "value", value)));
  }
}

static void report_launch(rlk_judge_t* judge, const char* key, const rlk_node_t* value) {
  rlk_report(judge, RLK_RULE_SIDECAR_LAUNCH, value,
             RLK_SLOTS(rlk_slot_prose("key", key), rlk_slot_value(judge, "value", value)));
}

static void check_launch(rlk_judge_t* judge, const rlk_node_t* launch) {
  if (launch->kind != RLK_OBJECT) {
    report_launch(judge, "the value", launch);
    return;
  }
  static const struct {
    const char* key;
    rlk_kind_t kind;
  } hints[] = {{"block", RLK_NUMBER}, {"shmem_bytes", RLK_NUMBER}, {"grid", RLK_OBJECT}};
  for (size_t i = 0; i < sizeof hints / sizeof *hints; ++i) {
    const rlk_node_t* hint = rlk_node_member(launch, hints[i].key);
    const bool sound =
        !hint || (hint->kind == hints[i].kind && (hint->kind != RLK_NUMBER || rlk_node_is_integer(hint)));
    if (!sound) report_launch(judge, hints[i].key, hint);
  }
}

void rlk_gate_contract_extras(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* sidecar = subject->root;
  const rlk_node_t* launch = rlk_node_member(sidecar, "launch");
  if (launch) check_launch(judge, launch);
  if (rlk_is_descriptor(sidecar)) return;
  check_sink(judge, sidecar);
  const rlk_node_t* derivative;
  if (rlk_node_get(sidecar, "derivative", RLK_OBJECT, &derivative) == RLK_FOUND) check_derivative(judge, derivative);
}
