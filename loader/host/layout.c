#include "loader/host/layout.h"

#include <stdio.h>
#include <string.h>

#include "validator/rules/text.h"

static const struct {
  const char* name;
  uint64_t bytes;
} fields[RLK_LAYOUT_FIELD_COUNT] = {
#define RLK_LAYOUT_FIELD(ID, name, bytes) {name, bytes},
    RLK_LAYOUT_FIELDS(RLK_LAYOUT_FIELD)
#undef RLK_LAYOUT_FIELD
};

static rowlock_code_t refuse_length(uint64_t length, rowlock_error_t* err) {
  char names[128], found[32];
  rlk_text_t out = rlk_text_over(names, sizeof names);
  for (size_t i = 0; i < RLK_LAYOUT_FIELD_COUNT; ++i) rlk_text_printf(&out, "%s%s", i ? ", " : "", fields[i].name);
  snprintf(found, sizeof found, "%llu", (unsigned long long)length);
  return rlk_refuse(err, RLK_RULE_HOST_LAYOUT_LENGTH,
                    RLK_SLOTS(rlk_slot_prose("length", found), rlk_slot_integer("expected", RLK_LAYOUT_LENGTH),
                              rlk_slot_prose("fields", names)));
}

static rowlock_code_t refuse_field(size_t field, uint64_t value, rowlock_error_t* err) {
  char found[32];
  snprintf(found, sizeof found, "%llu", (unsigned long long)value);
  return rlk_refuse(err, RLK_RULE_HOST_LAYOUT_MISMATCH,
                    RLK_SLOTS(rlk_slot_prose("field", fields[field].name), rlk_slot_prose("value", found),
                              rlk_slot_integer("expected", (int64_t)fields[field].bytes)));
}

rowlock_code_t rlk_layout_compare(const void* bytes, uint64_t length, rowlock_error_t* err) {
  if (length != RLK_LAYOUT_LENGTH) return refuse_length(length, err);
  uint64_t sizes[RLK_LAYOUT_FIELD_COUNT] = {0};
  if (bytes) memcpy(sizes, bytes, sizeof sizes);
  for (size_t i = 0; i < RLK_LAYOUT_FIELD_COUNT; ++i) {
    if (sizes[i] != fields[i].bytes) return refuse_field(i, sizes[i], err);
  }
  return ROWLOCK_OK;
}

rowlock_code_t rlk_layout_check(const rlk_elf_t* elf, rowlock_error_t* err) {
  const rlk_elf_symbol_t symbol = rlk_elf_symbol(elf, RLK_LAYOUT_SYMBOL);
  switch (symbol.kind) {
    case RLK_ELF_DATA:
      return rlk_layout_compare(symbol.content, symbol.size, err);
    case RLK_ELF_ABSENT:
      return rlk_refuse(err, RLK_RULE_HOST_LAYOUT_ABSENT, RLK_SLOTS(rlk_slot_prose("hint", "")));
    case RLK_ELF_UNDEFINED:
      return rlk_refuse(err, RLK_RULE_HOST_LAYOUT_ABSENT,
                        RLK_SLOTS(rlk_slot_prose("hint", ": it refers to it and does not define it")));
    default:
      return rlk_refuse(err, RLK_RULE_HOST_LAYOUT_NOT_DATA,
                        RLK_SLOTS(rlk_slot_prose("kind", rlk_elf_kind_name(symbol.kind))));
  }
}
