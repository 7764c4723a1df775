/* Gates that single sidecar doors add to the shared validator (plugin facts, sections 4 and 5). */
#include "validator/plugin/gates.h"

static const rlk_node_t* pattern_of(const rlk_subject_t* subject) { return rlk_node_member(subject->root, "pattern"); }

/* The known pattern of the sidecar; RLK_WORD_NONE for an absent one, and for what the shared validator has refused. */
static rlk_word_t pattern_word(const rlk_subject_t* subject) {
  return rlk_node_word(pattern_of(subject), RLK_VOCABULARY_PATTERN);
}

static void refuse_family(rlk_judge_t* judge, const rlk_subject_t* subject, rlk_rule_t rule) {
  const rlk_node_t* pattern = pattern_of(subject);
  const rlk_slot_t value = rule == RLK_RULE_SIDECAR_NOT_LAUNCHABLE ? rlk_slot_bare(judge, "value", pattern)
                                                                   : rlk_slot_value(judge, "value", pattern);
  rlk_report(judge, rule, pattern ? pattern : subject->root, RLK_SLOTS(value));
}

void rlk_gate_launch_certification(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_word_t pattern = pattern_word(subject);
  if (pattern != RLK_WORD_NONE && !rlk_word_is_in(pattern, RLK_VOCABULARY_LAUNCHABLE_PATTERN)) {
    refuse_family(judge, subject, RLK_RULE_SIDECAR_NOT_LAUNCHABLE);
  }
}

void rlk_gate_vector_launchable(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_word_t pattern = pattern_word(subject);
  if (pattern != RLK_WORD_NONE && pattern != RLK_WORD_VECTOR) {
    refuse_family(judge, subject, RLK_RULE_SIDECAR_NOT_LAUNCHABLE);
  }
}

/* Of a sidecar alone, another family is a sound document at the wrong door; in a set, it is a defect of the set. */
static void check_family(rlk_judge_t* judge, const rlk_subject_t* subject, rlk_word_t expected, rlk_rule_t alone) {
  const rlk_node_t* pattern = pattern_of(subject);
  if (pattern_word(subject) == expected) return;
  if (!subject->manifest) {
    refuse_family(judge, subject, alone);
    return;
  }
  rlk_report(judge, RLK_RULE_SIDECAR_FAMILY_DISAGREES, pattern ? pattern : subject->root,
             RLK_SLOTS(rlk_slot_value(judge, "value", pattern), rlk_slot_prose("expected", rlk_word_text(expected))));
}

void rlk_gate_is_vector(rlk_judge_t* judge, const rlk_subject_t* subject) {
  if (!pattern_of(subject)) return; /* this class takes an absent pattern for its own */
  check_family(judge, subject, RLK_WORD_VECTOR, RLK_RULE_SIDECAR_NOT_VECTOR);
}

void rlk_gate_is_pure(rlk_judge_t* judge, const rlk_subject_t* subject) {
  check_family(judge, subject, RLK_WORD_PURE, RLK_RULE_SIDECAR_NOT_PURE);
}

/* Absent or empty is missing; any value that is not a known tag, of whatever kind, was "built for" something else. */
static void check_abi_tag(rlk_judge_t* judge, const rlk_node_t* root, rlk_rule_t missing, rlk_rule_t unknown) {
  const rlk_node_t* tag = rlk_node_member(root, "aether_abi");
  if (rlk_node_word(tag, RLK_VOCABULARY_AETHER_ABI) != RLK_WORD_NONE) return;
  const bool empty = !tag || rlk_node_is_string(tag, "");
  rlk_report(judge, empty ? missing : unknown, tag ? tag : root,
             RLK_SLOTS(rlk_slot_value(judge, "value", tag), rlk_slot_words("known", RLK_VOCABULARY_AETHER_ABI)));
}

void rlk_gate_abi_tag(rlk_judge_t* judge, const rlk_subject_t* subject) {
  check_abi_tag(judge, subject->root, RLK_RULE_SIDECAR_ABI_TAG_MISSING, RLK_RULE_SIDECAR_ABI_TAG_UNKNOWN);
}

void rlk_gate_manifest_abi_tag(rlk_judge_t* judge, const rlk_subject_t* subject) {
  check_abi_tag(judge, subject->root, RLK_RULE_MANIFEST_ABI_TAG_MISSING, RLK_RULE_MANIFEST_ABI_TAG_UNKNOWN);
}

void rlk_gate_abi_generation(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* own = rlk_node_member(subject->root, "aether_abi");
  const rlk_word_t tag = rlk_node_word(own, RLK_VOCABULARY_AETHER_ABI);
  const rlk_word_t manifest = subject->set_tag;
  if (tag == RLK_WORD_NONE || manifest == RLK_WORD_NONE || tag == manifest) return;
  rlk_report(
      judge, RLK_RULE_SIDECAR_ABI_GENERATION, own,
      RLK_SLOTS(rlk_slot_prose("value", rlk_word_text(tag)), rlk_slot_prose("manifest", rlk_word_text(manifest))));
}

void rlk_gate_host_float64(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* scalar_type = rlk_node_member(subject->root, "scalar_type");
  const rlk_word_t word = rlk_node_word(scalar_type, RLK_VOCABULARY_SCALAR_TYPE);
  if (word == RLK_WORD_NONE || word == RLK_WORD_FLOAT64) return;
  rlk_report(judge, RLK_RULE_SIDECAR_HOST_FLOAT64_ONLY, scalar_type,
             RLK_SLOTS(rlk_slot_prose("value", rlk_word_text(word))));
}

/* --- The dispatching loader's classes ----------------------------------------------------------------------------- */

/* `kernel` and `arg_spec` are of the right kind where they are present: the shared validator has seen to it. */
void rlk_gate_loaded_keys(rlk_judge_t* judge, const rlk_subject_t* subject) {
  static const char* const lists[] = {"vector_inputs", "params"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    rlk_expect(judge, subject->root, lists[i],
               &(rlk_expectation_t){.kind = RLK_ARRAY,
                                    .absent = RLK_RULE_SIDECAR_KEY_MISSING,
                                    .mistyped = RLK_RULE_SIDECAR_KEY_NOT_ARRAY,
                                    .where = "the sidecar"});
  }
}

static void report_param(rlk_judge_t* judge, rlk_rule_t rule, const rlk_node_t* param, const rlk_node_t* value) {
  rlk_report(judge, rule, value,
             RLK_SLOTS(rlk_slot_integer("index", param->index), rlk_slot_value(judge, "value", value),
                       rlk_slot_words("known", RLK_VOCABULARY_PARAM_DTYPE)));
}

static void check_typed_param(rlk_judge_t* judge, const rlk_node_t* param) {
  const rlk_node_t *name, *dtype = rlk_node_member(param, "dtype");
  if (rlk_node_get(param, "name", RLK_STRING, &name) != RLK_FOUND || !dtype) {
    report_param(judge, RLK_RULE_SIDECAR_PARAM_NOT_OBJECT, param, param);
  } else if (rlk_node_word(dtype, RLK_VOCABULARY_PARAM_DTYPE) == RLK_WORD_NONE) {
    report_param(judge, RLK_RULE_SIDECAR_PARAM_DTYPE, param, dtype);
  }
}

void rlk_gate_params_schema(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* schema = rlk_node_member(subject->root, "params_schema");
  const bool known = !schema || (rlk_node_is_integer(schema) && (schema->integer == 1 || schema->integer == 2));
  if (!known) {
    rlk_report(judge, RLK_RULE_SIDECAR_PARAMS_SCHEMA, schema, RLK_SLOTS(rlk_slot_value(judge, "value", schema)));
    return;
  }
  const rlk_node_t* params = rlk_node_member(subject->root, "params");
  if (!params || params->kind != RLK_ARRAY) return;
  for (const rlk_node_t* param = params->first; param; param = param->next) {
    if (schema && schema->integer == 2) {
      check_typed_param(judge, param);
    } else if (param->kind != RLK_STRING) {
      report_param(judge, RLK_RULE_SIDECAR_PARAM_NOT_NAME, param, param);
    }
  }
}

void rlk_gate_terminated_readonly(rlk_judge_t* judge, const rlk_subject_t* subject) {
  rlk_expect(judge, subject->root, "terminated_readonly",
             &(rlk_expectation_t){
                 .kind = RLK_BOOLEAN, .absent = RLK_RULE_NONE, .mistyped = RLK_RULE_SIDECAR_TERMINATED_READONLY});
}

static bool is_positive(const rlk_node_t* node) { return rlk_node_is_integer(node) && node->integer >= 1; }

static void report_finish(rlk_judge_t* judge, rlk_rule_t rule, const rlk_node_t* finish, const char* key) {
  const rlk_node_t* value = rlk_node_member(finish, key);
  rlk_report(judge, rule, value ? value : finish, RLK_SLOTS(rlk_slot_value(judge, "value", value)));
}

void rlk_gate_finish(rlk_judge_t* judge, const rlk_subject_t* subject) {
  const rlk_node_t* finish =
      rlk_expect(judge, subject->root, "finish",
                 &(rlk_expectation_t){
                     .kind = RLK_OBJECT, .absent = RLK_RULE_NONE, .mistyped = RLK_RULE_SIDECAR_FINISH_NOT_OBJECT});
  if (!finish) return;
  const rlk_node_t* mask;
  if (rlk_node_get(finish, "mask", RLK_STRING, &mask) != RLK_FOUND || mask->text_length == 0) {
    report_finish(judge, RLK_RULE_SIDECAR_FINISH_MASK, finish, "mask");
  }
  if (!rlk_node_is_string(rlk_node_member(finish, "counter"), "finished_count")) {
    report_finish(judge, RLK_RULE_SIDECAR_FINISH_COUNTER, finish, "counter");
  }
  const rlk_node_t* steps = rlk_node_member(finish, "steps");
  if (rlk_node_is_string(steps, "auto")) {
    if (!is_positive(rlk_node_member(finish, "steps_max"))) {
      report_finish(judge, RLK_RULE_SIDECAR_FINISH_STEPS_MAX, finish, "steps_max");
    }
  } else if (!is_positive(steps)) {
    report_finish(judge, RLK_RULE_SIDECAR_FINISH_STEPS, finish, "steps");
  }
}
