#include "loader/host/entry.h"

#include <stdio.h>
#include <string.h>

#include "validator/rules/nearest.h"
#include "validator/rules/text.h"

enum {
  SHOWN_ENTRIES = 6,
  SHOWN_BYTES = 40,   /* of a name that is not the one asked for */
  COMPARED_BYTES = 64 /* longer names are not compared for likeness */
};

static bool ends_in_suffix(const char* name) {
  const size_t length = strlen(name), suffix = sizeof RLK_ENTRY_SUFFIX - 1;
  return length > suffix && strcmp(name + length - suffix, RLK_ENTRY_SUFFIX) == 0;
}

/* --- What may have been meant ------------------------------------------------------------------------------------- */

/* The function whose name is close, or would be with the suffix of entries; NULL if none is. */
static const char* nearest_function(const rlk_elf_t* elf, const char* name) {
  rlk_nearest_t nearest = {.text = name};
  rlk_elf_symbol_t symbol;
  for (size_t cursor = 0; rlk_elf_next_symbol(elf, &cursor, &symbol);) {
    if (symbol.kind != RLK_ELF_FUNCTION) continue;
    rlk_nearest_offer(&nearest, symbol.name, symbol.name);
    char with_suffix[COMPARED_BYTES + sizeof RLK_ENTRY_SUFFIX];
    const int length = snprintf(with_suffix, sizeof with_suffix, "%s" RLK_ENTRY_SUFFIX, symbol.name);
    if (length < (int)sizeof with_suffix) rlk_nearest_offer(&nearest, symbol.name, with_suffix);
  }
  return nearest.count > 0 ? nearest.names[0] : NULL;
}

/* A function whose name is this one as C++ mangles it (_Z, perhaps scopes, the length, the name); else NULL. */
static const char* mangled_function(const rlk_elf_t* elf, const char* name) {
  char with_length[COMPARED_BYTES + 32];
  const size_t length = strlen(name);
  if (length > COMPARED_BYTES) return NULL;
  snprintf(with_length, sizeof with_length, "%zu%s", length, name);
  rlk_elf_symbol_t symbol;
  for (size_t cursor = 0; rlk_elf_next_symbol(elf, &cursor, &symbol);) {
    if (symbol.kind == RLK_ELF_FUNCTION && strncmp(symbol.name, "_Z", 2) == 0 && strstr(symbol.name, with_length)) {
      return symbol.name;
    }
  }
  return NULL;
}

/* --- Messages ----------------------------------------------------------------------------------------------------- */

static void put_name(rlk_text_t* out, const char* name) {
  rlk_text_put(out, "'", 1);
  rlk_text_put_shown(out, name, strlen(name), SHOWN_BYTES);
  rlk_text_put(out, "'", 1);
}

/* "its entries: 'a_host', 'b_host' and 3 more" */
static void put_entries(const rlk_elf_t* elf, rlk_text_t* out) {
  size_t count = 0;
  rlk_elf_symbol_t symbol;
  for (size_t cursor = 0; rlk_elf_next_symbol(elf, &cursor, &symbol);) {
    if (symbol.kind != RLK_ELF_FUNCTION || !ends_in_suffix(symbol.name) || count++ >= SHOWN_ENTRIES) continue;
    rlk_text_printf(out, "%s", count == 1 ? "its entries: " : ", ");
    put_name(out, symbol.name);
  }
  if (count == 0) rlk_text_printf(out, "none of its functions ends in " RLK_ENTRY_SUFFIX);
  if (count > SHOWN_ENTRIES) rlk_text_printf(out, " and %zu more", count - SHOWN_ENTRIES);
}

/* ", but ...", with what may be wrong, or nothing. */
static void put_hint(const rlk_elf_t* elf, const char* name, rlk_text_t* out) {
  const char* other = mangled_function(elf, name);
  if (other) {
    rlk_text_printf(out, ", but ");
    put_name(out, other);
    rlk_text_printf(out, ", its C++ name: declare it extern \"C\"");
  } else if (rlk_elf_has_local_function(elf, name)) {
    rlk_text_printf(out, " for others: it is there, but static or hidden");
  } else if ((other = nearest_function(elf, name)) != NULL) {
    rlk_text_printf(out, ", but ");
    put_name(out, other);
  }
}

static rlk_slot_t slot_name(const char* name) { return rlk_slot_quoted("name", name, strlen(name)); }

rowlock_code_t rlk_entry_check(const rlk_elf_t* elf, const char* name, rowlock_error_t* err) {
  const rlk_elf_kind_t kind = rlk_elf_symbol(elf, name).kind;
  if (kind == RLK_ELF_FUNCTION) return ROWLOCK_OK;
  if (kind != RLK_ELF_ABSENT && kind != RLK_ELF_UNDEFINED) {
    return rlk_refuse(err, RLK_RULE_HOST_ENTRY_NOT_FUNCTION,
                      RLK_SLOTS(slot_name(name), rlk_slot_prose("kind", rlk_elf_kind_name(kind))));
  }
  char hint_text[160], entries_text[320];
  rlk_text_t hint = rlk_text_over(hint_text, sizeof hint_text);
  rlk_text_t entries = rlk_text_over(entries_text, sizeof entries_text);
  put_hint(elf, name, &hint);
  put_entries(elf, &entries);
  return rlk_refuse(
      err, kind == RLK_ELF_ABSENT ? RLK_RULE_HOST_ENTRY_ABSENT : RLK_RULE_HOST_ENTRY_UNDEFINED,
      RLK_SLOTS(slot_name(name), rlk_slot_prose("hint", hint_text), rlk_slot_prose("entries", entries_text)));
}
