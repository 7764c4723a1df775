#include "loader/registry/declared_names.h"

#include <string.h>

#include "validator/rules/nearest.h"
#include "validator/rules/text.h"

enum { LISTED_MAX = 8, SHOWN_MAX = 32 };

typedef struct listed_t {
  const char* names[LISTED_MAX];
  size_t distances[LISTED_MAX];
  size_t count, more;
} listed_t;

static void offer(listed_t* listed, const char* name, size_t distance) {
  size_t at = listed->count;
  while (at > 0 && listed->distances[at - 1] > distance) --at;
  listed->more += listed->count == LISTED_MAX;
  if (at == LISTED_MAX) return;
  if (listed->count < LISTED_MAX) ++listed->count;
  for (size_t i = listed->count - 1; i > at; --i) {
    listed->names[i] = listed->names[i - 1];
    listed->distances[i] = listed->distances[i - 1];
  }
  listed->names[at] = name;
  listed->distances[at] = distance;
}

void rlk_list_declared_names(const rlk_names_t* names, const char* text, char* out, size_t capacity) {
  listed_t listed = {0};
  for (size_t i = 0; i < names->count; ++i) {
    const rlk_name_t* entry = &names->entries[i];
    if (rlk_names_next_of(names, entry->text, NULL) != entry) continue; /* another way to bind the same name */
    offer(&listed, entry->text, rlk_edit_distance(text, entry->text));
  }
  rlk_text_t list = rlk_text_over(out, capacity);
  for (size_t i = 0; i < listed.count; ++i) {
    if (i > 0) rlk_text_printf(&list, ", ");
    rlk_text_put_shown(&list, listed.names[i], strlen(listed.names[i]), SHOWN_MAX);
  }
  if (listed.count == 0) rlk_text_printf(&list, "nothing");
  if (listed.more > 0) rlk_text_printf(&list, " and %zu more", listed.more);
}

void rlk_describe_declared_name(const rlk_names_t* names, const char* text, char* out, size_t capacity) {
  rlk_text_t words = rlk_text_over(out, capacity);
  for (const rlk_name_t* entry = rlk_names_next_of(names, text, NULL); entry;
       entry = rlk_names_next_of(names, text, entry)) {
    if (words.length > 0) rlk_text_printf(&words, ", and ");
    rlk_text_printf(&words, "%s of plugin '", rlk_word_text(entry->declared->role));
    const char* id = entry->declared->description->id;
    rlk_text_put_shown(&words, id, strlen(id), SHOWN_MAX);
    const char* call = rlk_binding_info(entry->binding)->call;
    if (call) {
      rlk_text_printf(&words, "', for %s", call);
    } else {
      rlk_text_printf(&words, "', which each run passes itself: its sample count");
    }
  }
}
