#include <string.h>

#include "harness/rows/row.h"
#include "validator/rules/text.h"

/* Who judges a level. */
enum {
  SIDECAR_DOORS = RLK_LEVEL_SIDECAR,
  MANIFEST_DOORS = RLK_LEVEL_MANIFEST,
  NOBODY = -1,
  LAUNCHERS = -2,
  PROVERS = -3
};

static const struct {
  const char* name;
  int judges;
} levels[RLK_ROW_LEVEL_COUNT] = {
#define RLK_ROW_LEVEL(ID, name, judges) {name, judges},
    RLK_ROW_LEVELS(RLK_ROW_LEVEL)
#undef RLK_ROW_LEVEL
};

const char* rlk_row_level_name(rlk_row_level_t level) { return levels[level].name; }

bool rlk_row_level_has_doors(rlk_row_level_t level, rlk_level_t* out_doors) {
  if (levels[level].judges < 0) return false;
  *out_doors = (rlk_level_t)levels[level].judges;
  return true;
}

bool rlk_row_level_is_launched(rlk_row_level_t level) { return levels[level].judges == LAUNCHERS; }

bool rlk_row_level_is_proved(rlk_row_level_t level) { return levels[level].judges == PROVERS; }

rlk_launcher_t rlk_launcher_find(const char* name) {
  static const char* const names[] = {
#define RLK_LAUNCHER(ID, name) name,
      RLK_LAUNCHERS(RLK_LAUNCHER)
#undef RLK_LAUNCHER
  };
  for (int i = 0; i < RLK_LAUNCHER_COUNT; ++i) {
    if (strcmp(names[i], name) == 0) return (rlk_launcher_t)i;
  }
  return RLK_LAUNCHER_COUNT;
}

bool rlk_stem_parse(const char* stem, uint32_t* out_number, char* out_letter) {
  if (strncmp(stem, "row", 3) != 0) return false;
  const char* at = stem + 3;
  uint32_t number = 0;
  const char* digits = at;
  for (; *at >= '0' && *at <= '9'; ++at) {
    number = number * 10 + (uint32_t)(*at - '0');
    if (number > RLK_ROW_NUMBER_MAX) return false;
  }
  if (at == digits) return false;
  *out_number = number;
  *out_letter = '\0';
  if (*at >= 'a' && *at <= 'z') *out_letter = *at++;
  if (*at++ != '_' || !*at) return false;
  for (; *at; ++at) {
    if (!((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || *at == '_')) return false;
  }
  return true;
}

const char* rlk_row_label(uint32_t number, char letter, char out[16]) {
  rlk_text_t text = rlk_text_over(out, 16);
  rlk_text_printf(&text, "%u", number);
  if (letter) rlk_text_put(&text, &letter, 1);
  return out;
}
