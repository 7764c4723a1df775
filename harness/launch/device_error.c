#include "harness/launch/device_error.h"

#include <string.h>

#include "validator/rules/findings.h"
#include "validator/rules/text.h"

enum { PLUGINS_SHOWN = 4, NAME_SHOWN = 40, PATH_SHOWN = 160 };

static void put_quoted(rlk_text_t* text, const char* words, const char* shown, size_t most) {
  rlk_text_printf(text, "%s'", words);
  rlk_text_put_shown(text, shown, strlen(shown), most);
  rlk_text_put(text, "'", 1);
}

/* "ran plugin 'drag', artifact 'drag.ptx'" or "ran the plugins 'first', 'second' and 3 more". */
static void put_plugins(rlk_text_t* text, const rowlock_registry_t* registry) {
  size_t count = 0;
  rowlock_plugin_t last = {.id = "?", .object_path = "?"};
  char list[PLUGINS_SHOWN * (6 * NAME_SHOWN + 16)];
  rlk_text_t names = rlk_text_over(list, sizeof list);
  for (size_t i = 0; i < rowlock_registry_plugin_count(registry); ++i) {
    const rowlock_plugin_t plugin = rowlock_registry_plugin_at(registry, i);
    if (!plugin.enabled) continue;
    if (count < PLUGINS_SHOWN) put_quoted(&names, count > 0 ? ", " : "", plugin.id, NAME_SHOWN);
    last = plugin;
    ++count;
  }
  if (count == 1) {
    put_quoted(text, "it ran plugin ", last.id, NAME_SHOWN);
    rlk_text_printf(text, ", artifact '");
    rlk_text_put_shown_end(text, last.object_path, strlen(last.object_path), PATH_SHOWN);
    rlk_text_printf(text, "'");
    return;
  }
  rlk_text_printf(text, "it ran the plugins %s", list);
  if (count > PLUGINS_SHOWN) rlk_text_printf(text, " and %zu more", count - PLUGINS_SHOWN);
}

rowlock_code_t rlk_judge_device_error(const rowlock_registry_t* registry, const char* when, rowlock_code_t code,
                                      const rowlock_error_t* problem, rowlock_error_t* err) {
  char plugins[2048] = "";
  rlk_text_t text = rlk_text_over(plugins, sizeof plugins);
  put_plugins(&text, registry);
  if (code != ROWLOCK_INTERNAL) return rlk_fail(err, code, "%s %s; %s", problem->message, when, plugins);
  return rlk_refuse(err, RLK_RULE_VERDICT_DEVICE_ERROR,
                    RLK_SLOTS(rlk_slot_prose("when", when), rlk_slot_prose("problem", problem->message),
                              rlk_slot_prose("plugins", plugins)));
}
