#include "validator/plugin/judge.h"

#include <stdlib.h>
#include <string.h>

#include "validator/rules/text.h"

void rlk_judge_turn_to(rlk_judge_t* judge, const rlk_document_t* document, const char* path) {
  judge->document = document;
  judge->path = path;
  judge->path_hash = rlk_text_hash(path, strlen(path));
  judge->position.at = (rlk_mark_t){0};
  judge->position.mark_count = 0;
}

/* Asked of every refusal, whatever the list of findings still holds. */
static void take_note(rlk_judge_t* judge, rlk_rule_t rule, const rlk_slot_t* slots, size_t slot_count) {
  if (judge->noted || rlk_rule_info(rule)->severity != ROWLOCK_SEVERITY_NOTE) return;
  judge->noted = true;
  if (!judge->note) return;
  rlk_text_t text = rlk_text_over(judge->note, RLK_MESSAGE_SIZE);
  if (judge->path != judge->main_path) {
    rlk_text_put_shown(&text, judge->path, strlen(judge->path), 300);
    rlk_text_put(&text, ": ", 2);
  }
  char message[RLK_MESSAGE_SIZE];
  rlk_message_format(message, sizeof message, rlk_rule_info(rule)->message, slots, slot_count);
  rlk_text_put(&text, message, strlen(message));
}

/* Whether the report is to be made; it is a refusal then. */
static bool refuse(rlk_judge_t* judge, rlk_rule_t rule, const rlk_slot_t* slots, size_t slot_count) {
  if (judge->code || rule == judge->switched_off || (judge->refused && !judge->every_finding)) return false;
  judge->refused = true;
  take_note(judge, rule, slots, slot_count);
  return true;
}

static void report(rlk_judge_t* judge, rlk_rule_t rule, const rlk_node_t* at, const rlk_slot_t* slots,
                   size_t slot_count) {
  if (!refuse(judge, rule, slots, slot_count)) return;
  rlk_place_t place = {
      .path = judge->path, .path_hash = judge->path_hash, .json_pointer = "", .byte_offset = at->begin};
  bool done;
  judge->code = rlk_findings_add_again(judge->findings, rule, judge->door, &place, slots, slot_count, &done);
  if (judge->code || done) return;
  char* pointer = rlk_node_pointer(at);
  if (!pointer) {
    judge->code = ROWLOCK_NO_MEMORY;
    return;
  }
  place.json_pointer = pointer;
  rlk_position_move(&judge->position, judge->document->text, judge->document->length, at->begin);
  place.line = judge->position.at.lines + 1;
  place.column = judge->position.at.columns + 1;
  judge->code = rlk_findings_add(judge->findings, rule, judge->door, &place, slots, slot_count);
  free(pointer);
}

static bool is_of_this_pass(const rlk_judge_t* judge, rlk_rule_t rule) {
  const bool contract_pass = judge->door < 0;
  return (rlk_rule_info(rule)->tier == RLK_TIER_CONTRACT) == contract_pass;
}

void rlk_report(rlk_judge_t* judge, rlk_rule_t rule, const rlk_node_t* at, const rlk_slot_t* slots, size_t slot_count) {
  if (is_of_this_pass(judge, rule)) report(judge, rule, at, slots, slot_count);
}

void rlk_report_at(rlk_judge_t* judge, rlk_rule_t rule, const rlk_place_t* place, const rlk_slot_t* slots,
                   size_t slot_count) {
  if (!is_of_this_pass(judge, rule) || !refuse(judge, rule, slots, slot_count)) return;
  judge->code = rlk_findings_add(judge->findings, rule, judge->door, place, slots, slot_count);
}

void rlk_report_not_object(rlk_judge_t* judge, const rlk_node_t* root) {
  report(judge, RLK_RULE_JSON_NOT_OBJECT, root,
         RLK_SLOTS(rlk_slot_prose("kind", rlk_kind_phrase((rlk_kind_t)root->kind))));
}

void rlk_run_gates(rlk_judge_t* judge, const rlk_gate_t* gates, size_t count, const rlk_subject_t* subject) {
  for (size_t i = 0; i < count; ++i) {
    if (judge->code || judge->out_of_bounds || (judge->refused && !judge->every_finding)) return;
    gates[i].run(judge, subject);
  }
}

rlk_slot_t rlk_slot_bare(const rlk_judge_t* judge, const char* name, const rlk_node_t* node) {
  if (!node) return rlk_slot_prose(name, "(absent)"); /* the message's own quotes must not make a word of it */
  if (node->kind == RLK_STRING) return rlk_slot_text(name, node->text, node->text_length);
  return rlk_slot_json(name, judge->document->text + node->begin, node->end - node->begin);
}

rlk_slot_t rlk_slot_value(const rlk_judge_t* judge, const char* name, const rlk_node_t* node) {
  if (!node) return rlk_slot_prose(name, "absent");
  if (node->kind == RLK_STRING) return rlk_slot_quoted(name, node->text, node->text_length);
  return rlk_slot_bare(judge, name, node);
}

const rlk_node_t* rlk_expect(rlk_judge_t* judge, const rlk_node_t* object, const char* key,
                             const rlk_expectation_t* expectation) {
  const rlk_node_t* member;
  const rlk_lookup_t found = rlk_node_get(object, key, expectation->kind, &member);
  if (found == RLK_FOUND) return member;
  const rlk_rule_t rule = found == RLK_ABSENT ? expectation->absent : expectation->mistyped;
  if (rule != RLK_RULE_NONE) {
    rlk_report(judge, rule, member ? member : object,
               RLK_SLOTS(rlk_slot_prose("key", key), rlk_slot_value(judge, "value", member),
                         rlk_slot_prose("where", expectation->where ? expectation->where : ""),
                         rlk_slot_integer("index", expectation->index)));
  }
  return NULL;
}

rlk_word_t rlk_node_word(const rlk_node_t* node, rlk_vocabulary_t vocabulary) {
  if (!node || node->kind != RLK_STRING) return RLK_WORD_NONE;
  return rlk_word_find(vocabulary, node->text, node->text_length);
}

rlk_word_t rlk_member_word(const rlk_node_t* object, const char* key, rlk_vocabulary_t vocabulary) {
  return rlk_node_word(rlk_node_member(object, key), vocabulary);
}
