/* Text put into Markdown (CommonMark with the tables of GitHub) so that it is shown as it is. */
#ifndef ROWLOCK_HARNESS_CLI_MARKDOWN_H
#define ROWLOCK_HARNESS_CLI_MARKDOWN_H

#include <stdbool.h>
#include <stdio.h>

/* Prose without line breaks: nothing in it starts markup, at the start of a line, in a table or elsewhere. */
void rlk_markdown_put_text(FILE* out, const char* text);

/* A code span, for text without line breaks that must not be changed by a letter. A cell of a table needs its bars
 * marked, and only a cell does. */
void rlk_markdown_put_code(FILE* out, const char* text, bool in_table);

#endif
