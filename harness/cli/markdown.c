#include "harness/cli/markdown.h"

#include <string.h>

/* Characters that start markup wherever they stand, and those that do so only at the start of a line. */
#define ANYWHERE "\\`*_[]<>|&~$"
#define AT_START "#+-=:"

static void put_marked(FILE* out, const char* text, size_t length, const char* special) {
  for (size_t i = 0; i < length; ++i) {
    if (strchr(special, text[i])) fputc('\\', out);
    fputc(text[i], out);
  }
}

void rlk_markdown_put_text(FILE* out, const char* text) {
  /* "1." and "1)" open a numbered list. */
  const size_t digits = strspn(text, "0123456789");
  fwrite(text, 1, digits, out);
  text += digits;
  const size_t start = *text ? 1 : 0;
  put_marked(out, text, start, digits > 0 ? ANYWHERE ".)" : ANYWHERE AT_START);
  put_marked(out, text + start, strlen(text + start), ANYWHERE);
}

static size_t longest_run(const char* text, char character) {
  size_t longest = 0, run = 0;
  for (; *text; ++text) {
    run = *text == character ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}

void rlk_markdown_put_code(FILE* out, const char* text, bool in_table) {
  /* A fence longer than any in the text ends the span. One space beside it is taken off again, unless all is space. */
  const size_t fence = longest_run(text, '`') + 1;
  const size_t length = strlen(text);
  const bool blank = strspn(text, " ") == length;
  const bool padded =
      !blank && (text[0] == '`' || text[0] == ' ' || text[length - 1] == '`' || text[length - 1] == ' ');
  for (size_t i = 0; i < fence; ++i) fputc('`', out);
  if (padded) fputc(' ', out);
  put_marked(out, text, length, in_table ? "|" : "");
  if (padded) fputc(' ', out);
  for (size_t i = 0; i < fence; ++i) fputc('`', out);
}
