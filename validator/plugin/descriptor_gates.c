/* The descriptor clause of the shared validator: neural_block (plugin schema, 'The neural_block descriptor'). */
#include <string.h>

#include "validator/plugin/gates.h"
#include "validator/rules/text.h"

static const int64_t integer_bound = INT64_C(1) << 32;

static void check_identity(rlk_judge_t* judge, const rlk_node_t* descriptor) {
  const rlk_node_t* kernel = rlk_node_member(descriptor, "kernel");
  if (!kernel || kernel->kind != RLK_STRING || kernel->text_length == 0) {
    rlk_report(judge, RLK_RULE_NEURAL_KERNEL_EMPTY, kernel ? kernel : descriptor,
               RLK_SLOTS(rlk_slot_value(judge, "value", kernel)));
  }
  const rlk_node_t* scalar_type = rlk_node_member(descriptor, "scalar_type");
  if (rlk_node_word(scalar_type, RLK_VOCABULARY_DESCRIPTOR_SCALAR_TYPE) == RLK_WORD_NONE) {
    rlk_report(judge, RLK_RULE_NEURAL_SCALAR_TYPE, scalar_type ? scalar_type : descriptor,
               RLK_SLOTS(rlk_slot_words("known", RLK_VOCABULARY_DESCRIPTOR_SCALAR_TYPE),
                         rlk_slot_value(judge, "value", scalar_type)));
  }
  const rlk_node_t* arg_spec = rlk_node_member(descriptor, "arg_spec");
  if (!arg_spec) {
    rlk_report(judge, RLK_RULE_NEURAL_ARG_SPEC_MISSING, descriptor, NULL, 0);
  } else if (arg_spec->kind == RLK_ARRAY && arg_spec->count > 0) { /* another kind was refused as malformed */
    rlk_report(judge, RLK_RULE_NEURAL_ARG_SPEC_POPULATED, arg_spec,
               RLK_SLOTS(rlk_slot_integer("count", arg_spec->count)));
  }
}

/* The field's value if it is an integer of its range; reports it otherwise. */
static const rlk_node_t* check_integer(rlk_judge_t* judge, const rlk_node_t* descriptor, rlk_word_t field) {
  const rlk_node_t* value = rlk_node_member(descriptor, rlk_word_text(field));
  if (!value) return NULL;
  const bool may_be_zero = field == RLK_WORD_PARAM_WIDTH;
  if (rlk_node_is_integer(value) && value->integer >= (may_be_zero ? 0 : 1) && value->integer < integer_bound) {
    return value;
  }
  rlk_report(judge, may_be_zero ? RLK_RULE_NEURAL_NEGATIVE : RLK_RULE_NEURAL_NOT_POSITIVE, value,
             RLK_SLOTS(rlk_slot_prose("field", rlk_word_text(field)), rlk_slot_value(judge, "value", value)));
  return NULL;
}

static void check_fields(rlk_judge_t* judge, const rlk_node_t* descriptor) {
  for (rlk_word_t field = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_REQUIRED, RLK_WORD_NONE); field != RLK_WORD_NONE;
       field = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_REQUIRED, field)) {
    if (!rlk_node_member(descriptor, rlk_word_text(field))) {
      rlk_report(judge, RLK_RULE_NEURAL_FIELD_MISSING, descriptor,
                 RLK_SLOTS(rlk_slot_prose("field", rlk_word_text(field))));
    }
  }
  const rlk_node_t *output_width = NULL, *state_width = NULL;
  for (rlk_word_t field = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_INTEGER, RLK_WORD_NONE); field != RLK_WORD_NONE;
       field = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_INTEGER, field)) {
    const rlk_node_t* value = check_integer(judge, descriptor, field);
    if (field == RLK_WORD_OUTPUT_WIDTH) output_width = value;
    if (field == RLK_WORD_STATE_WIDTH) state_width = value;
  }
  if (output_width && state_width && output_width->integer > state_width->integer) {
    rlk_report(judge, RLK_RULE_NEURAL_OUTPUT_WIDER, output_width,
               RLK_SLOTS(rlk_slot_integer("output_width", output_width->integer),
                         rlk_slot_integer("state_width", state_width->integer)));
  }
  const rlk_node_t* policy = rlk_node_member(descriptor, "scatter_policy");
  if (policy && rlk_node_word(policy, RLK_VOCABULARY_SCATTER_POLICY) == RLK_WORD_NONE) {
    rlk_report(
        judge, RLK_RULE_NEURAL_SCATTER_POLICY, policy,
        RLK_SLOTS(rlk_slot_value(judge, "value", policy), rlk_slot_words("known", RLK_VOCABULARY_SCATTER_POLICY)));
  }
}

static void check_unknown_keys(rlk_judge_t* judge, const char* leg, const rlk_node_t* reference) {
  char names[128];
  rlk_text_t keys = rlk_text_over(names, sizeof names);
  for (const rlk_node_t* member = reference->first; member; member = member->next) {
    if (rlk_text_equal(member->key, member->key_length, "kind", 4) ||
        rlk_text_equal(member->key, member->key_length, "kernel", 6)) {
      continue;
    }
    if (keys.length > 0) rlk_text_put(&keys, ", ", 2);
    rlk_text_put_shown(&keys, member->key, member->key_length, 32);
    if (keys.length + 40 > sizeof names) break; /* enough to act on */
  }
  if (keys.length > 0) {
    rlk_report(judge, RLK_RULE_NEURAL_EXEC_UNKNOWN_KEYS, reference,
               RLK_SLOTS(rlk_slot_prose("leg", leg), rlk_slot_prose("keys", names)));
  }
}

static void check_exec_reference(rlk_judge_t* judge, const char* leg, const rlk_node_t* reference) {
  const rlk_slot_t leg_slot = rlk_slot_prose("leg", leg);
  if (reference->kind != RLK_OBJECT) {
    rlk_report(judge, RLK_RULE_NEURAL_EXEC_NOT_OBJECT, reference,
               RLK_SLOTS(leg_slot, rlk_slot_value(judge, "value", reference)));
    return;
  }
  const rlk_node_t* kind = rlk_node_member(reference, "kind");
  if (rlk_node_word(kind, RLK_VOCABULARY_EXEC_REFERENCE_KIND) == RLK_WORD_NONE) {
    rlk_report(judge, RLK_RULE_NEURAL_EXEC_KIND, kind ? kind : reference,
               RLK_SLOTS(leg_slot, rlk_slot_value(judge, "value", kind),
                         rlk_slot_words("known", RLK_VOCABULARY_EXEC_REFERENCE_KIND)));
  }
  check_unknown_keys(judge, leg, reference);
  const rlk_node_t* kernel = rlk_node_member(reference, "kernel");
  if (!kernel || kernel->kind != RLK_STRING || kernel->text_length == 0) {
    rlk_report(judge, RLK_RULE_NEURAL_EXEC_KERNEL_EMPTY, kernel ? kernel : reference,
               RLK_SLOTS(leg_slot, rlk_slot_value(judge, "value", kernel)));
  }
}

void rlk_gate_descriptor(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* descriptor = subject->root;
  if (!rlk_is_descriptor(descriptor)) return;
  check_identity(judge, descriptor);
  check_fields(judge, descriptor);
  for (rlk_word_t leg = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_EXEC, RLK_WORD_NONE); leg != RLK_WORD_NONE;
       leg = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_EXEC, leg)) {
    const rlk_node_t* reference = rlk_node_member(descriptor, rlk_word_text(leg));
    if (reference) check_exec_reference(judge, rlk_word_text(leg), reference);
  }
  for (rlk_word_t field = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_FORBIDDEN, RLK_WORD_NONE); field != RLK_WORD_NONE;
       field = rlk_word_next(RLK_VOCABULARY_DESCRIPTOR_FORBIDDEN, field)) {
    const rlk_node_t* member = rlk_node_member(descriptor, rlk_word_text(field));
    if (member && !rlk_node_is_empty(member)) {
      rlk_report(judge, RLK_RULE_NEURAL_FORBIDDEN_FIELD, member,
                 RLK_SLOTS(rlk_slot_prose("field", rlk_word_text(field))));
    }
  }
}
