#include "validator/plugin/judge.h"

#include <stdlib.h>
#include <string.h>

void rlk_report(rlk_judge_t* judge, rlk_rule_t rule, const rlk_node_t* at, const rlk_slot_t* slots, size_t slot_count) {
  if (judge->code || rule == judge->switched_off || (judge->refused && !judge->every_finding)) return;
  judge->refused = true;
  rlk_place_t place = {.path = judge->path, .json_pointer = "", .byte_offset = at->begin};
  char* pointer = NULL;
  /* A full list only counts, and looking for a line takes as long as the document is. */
  if (rowlock_findings_count(judge->findings) < ROWLOCK_FINDINGS_MAX) {
    pointer = rlk_node_pointer(at);
    if (!pointer) {
      judge->code = ROWLOCK_NO_MEMORY;
      return;
    }
    place.json_pointer = pointer;
    rlk_position_move(&judge->position, judge->document->text, judge->document->length, at->begin);
    place.line = judge->position.lines + 1;
    place.column = judge->position.columns + 1;
  }
  judge->code = rlk_findings_add(judge->findings, rule, judge->door, &place, slots, slot_count);
  free(pointer);
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
