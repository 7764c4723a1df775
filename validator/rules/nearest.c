#include "validator/rules/nearest.h"

#include <stdint.h>
#include <string.h>

#include "validator/rules/text.h"

enum { TEXT_MAX = 64 };

size_t rlk_edit_distance(const char* a, const char* b) {
  const size_t a_length = strlen(a), b_length = strlen(b);
  if (a_length > TEXT_MAX || b_length > TEXT_MAX) return SIZE_MAX;
  /* row[j] is the distance of the part of `a` up to i to that of `b` up to j. */
  size_t row[TEXT_MAX + 1];
  for (size_t j = 0; j <= b_length; ++j) row[j] = j;
  for (size_t i = 1; i <= a_length; ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_length; ++j) {
      size_t best = diagonal + (a[i - 1] != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[b_length];
}

static void forget(rlk_nearest_t* nearest, size_t index) {
  --nearest->count;
  for (size_t i = index; i < nearest->count; ++i) {
    nearest->names[i] = nearest->names[i + 1];
    nearest->distances[i] = nearest->distances[i + 1];
  }
}

void rlk_nearest_offer(rlk_nearest_t* nearest, const char* name, const char* spelling) {
  const size_t distance = rlk_edit_distance(nearest->text, spelling);
  if (distance > 1 + strlen(spelling) / 6) return;
  for (size_t i = 0; i < nearest->count; ++i) {
    if (strcmp(nearest->names[i], name) != 0) continue;
    if (nearest->distances[i] <= distance) return;
    forget(nearest, i);
    break;
  }
  size_t at = nearest->count;
  while (at > 0 && nearest->distances[at - 1] > distance) --at;
  if (at == RLK_NEAREST_MAX) return;
  if (nearest->count == RLK_NEAREST_MAX) --nearest->count;
  for (size_t i = nearest->count++; i > at; --i) {
    nearest->names[i] = nearest->names[i - 1];
    nearest->distances[i] = nearest->distances[i - 1];
  }
  nearest->names[at] = name;
  nearest->distances[at] = distance;
}

bool rlk_nearest_list(const rlk_nearest_t* nearest, char* out, size_t capacity) {
  rlk_text_t text = rlk_text_over(out, capacity);
  for (size_t i = 0; i < nearest->count; ++i) rlk_text_printf(&text, "%s%s", i > 0 ? ", " : "", nearest->names[i]);
  return nearest->count > 0;
}
