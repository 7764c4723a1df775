#include "harness/check/shown.h"

#include <string.h>

#include "validator/rules/text.h"

void rlk_put_shown(FILE* out, const char* text) {
  char shown[RLK_SHOWN_SIZE];
  rlk_text_t escaped = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&escaped, text, strlen(text), RLK_SHOWN_MAX);
  fputs(shown, out);
}
