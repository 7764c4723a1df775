#include "loader/exec/placement.h"

#include <string.h>

#include "validator/rules/findings.h"
#include "validator/rules/text.h"

/* Which registry runs a structure. */
enum { NOWHERE, HOST, DEVICE };

static const struct {
  const char* name;
  int where;
} structures[ROWLOCK_STRUCTURE_COUNT] = {
#define ROWLOCK_STRUCTURE(ID, name, where) {name, where},
    ROWLOCK_STRUCTURES(ROWLOCK_STRUCTURE)
#undef ROWLOCK_STRUCTURE
};

const char* rowlock_structure_name(rowlock_structure_t structure) {
  return (unsigned)structure < ROWLOCK_STRUCTURE_COUNT ? structures[structure].name : "?";
}

rowlock_structure_t rowlock_structure_find(const char* name) {
  int structure = 0;
  while (structure < ROWLOCK_STRUCTURE_COUNT && strcmp(structures[structure].name, name) != 0) ++structure;
  return (rowlock_structure_t)structure;
}

/* Several processes or devices, of which each sees its own share. */
static bool is_distributed(rowlock_structure_t structure) {
  return structure == ROWLOCK_STRUCTURE_RANK_PARTITION || structure == ROWLOCK_STRUCTURE_DEVICE_GROUP;
}

static bool is_legacy(const rlk_description_t* plugin) { return plugin->tag == RLK_WORD_ABI_1; }

/* Without a manifest that says so, nothing is promised of a body: it may write anywhere. */
static bool may_write_across(const rlk_description_t* plugin) {
  return plugin->access == RLK_WORD_NONE || plugin->access == RLK_WORD_CROSS_SAMPLE_WRITE;
}

bool rlk_runs_whole(const rlk_description_t* plugin) { return is_legacy(plugin) || may_write_across(plugin); }

static bool is_whole(rlk_share_t share) { return share.partition_count == 1 && !share.is_part; }

static void put_share(rlk_text_t* text, rlk_share_t share) {
  if (share.is_part) {
    rlk_text_printf(text, "a part of the run");
  } else {
    rlk_text_printf(text, "%zu partition%s", share.partition_count, share.partition_count == 1 ? "" : "s");
  }
}

static rowlock_code_t refuse(const rlk_description_t* plugin, rlk_rule_t rule, rowlock_structure_t structure,
                             rlk_share_t share, rowlock_error_t* err) {
  char access[64], how[64];
  rlk_text_t text = rlk_text_over(access, sizeof access);
  if (plugin->access == RLK_WORD_NONE) {
    rlk_text_printf(&text, "declares no exec_access");
  } else {
    rlk_text_printf(&text, "is %s", rlk_word_text(plugin->access));
  }
  text = rlk_text_over(how, sizeof how);
  put_share(&text, share);
  return rlk_refuse(err, rule,
                    RLK_SLOTS(rlk_slot_text("id", plugin->id, strlen(plugin->id)),
                              rlk_slot_prose("structure", structures[structure].name), rlk_slot_prose("access", access),
                              rlk_slot_prose("share", how)));
}

rowlock_code_t rlk_placement_check(const rlk_description_t* plugin, rowlock_structure_t structure, rlk_share_t share,
                                   rowlock_error_t* err) {
  if (is_legacy(plugin)) {
    if (is_distributed(structure)) {
      return refuse(plugin, RLK_RULE_EXEC_LEGACY_STRUCTURE, structure, share, err);
    }
    return is_whole(share) ? ROWLOCK_OK : refuse(plugin, RLK_RULE_EXEC_WHOLE_VIEW, structure, share, err);
  }
  if (may_write_across(plugin) && (is_distributed(structure) || !is_whole(share))) {
    return refuse(plugin, RLK_RULE_EXEC_ILLEGAL_PLACEMENT, structure, share, err);
  }
  return ROWLOCK_OK;
}

rowlock_code_t rlk_structure_check(rowlock_structure_t structure, bool on_device, rowlock_error_t* err) {
  const int here = on_device ? DEVICE : HOST;
  if (structures[structure].where == here) return ROWLOCK_OK;
  char known[64];
  rlk_text_t list = rlk_text_over(known, sizeof known);
  for (size_t i = 0; i < ROWLOCK_STRUCTURE_COUNT; ++i) {
    if (structures[i].where == here) rlk_text_printf(&list, "%s%s", list.length ? ", " : "", structures[i].name);
  }
  (void)rlk_refuse(err, RLK_RULE_EXEC_STRUCTURE_UNAVAILABLE,
                   RLK_SLOTS(rlk_slot_prose("structure", structures[structure].name), rlk_slot_prose("known", known)));
  return ROWLOCK_UNAVAILABLE;
}
