#define _GNU_SOURCE /* open_memstream */
#include "harness/check/table.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static rlk_table_t table;

static void add(const char* path, uint64_t findings) {
  rlk_table_add(&table, path,
                &(rlk_table_row_t){.kind = "sidecar",
                                   .verdict = "accepted",
                                   .accepting = 4,
                                   .asked = 5,
                                   .findings_of[RLK_TIER_CONTRACT] = findings,
                                   .is_notable = findings > 0});
}

/* The table as it is printed; the caller frees it. */
static char* print(void) {
  char* text;
  size_t size;
  FILE* out = open_memstream(&text, &size);
  cr_assert(out != NULL);
  rlk_table_print(&table, out);
  fclose(out);
  return text;
}

static size_t count_lines(const char* text) {
  size_t lines = 0;
  for (; *text; ++text) lines += *text == '\n';
  return lines;
}

Test(table, is_aligned_by_what_is_seen) {
  add("\xC3\xA9.json", 0);
  add("long.json", 12);
  char* text = print();
  cr_expect(eq(str, text,
               (char*)"Doors that accept, of those that take such a document, and findings by tier:\n"
                      "document   kind      verdict    doors   gate  contract  artifact  launch\n"
                      "\xC3\xA9.json     sidecar   accepted  4 of 5      0         0         0       0\n"
                      "long.json  sidecar   accepted  4 of 5      0        12         0       0\n"));
  free(text);
}

Test(table, is_nothing_without_documents) {
  char* text = print();
  cr_expect(eq(str, text, (char*)""));
  free(text);
}

Test(table, fifty_documents_are_all_shown_of_more_those_with_findings) {
  for (int i = 0; i < RLK_TABLE_ROWS; ++i) add(i == 3 ? "three" : "other", i == 3);
  char* text = print();
  cr_expect(eq(sz, count_lines(text), 2 + RLK_TABLE_ROWS));
  free(text);
  add("more", 0);
  add("last", 1);
  text = print();
  cr_expect(eq(sz, count_lines(text), 2 + 2 + 1), "%s", text);
  cr_expect(strstr(text, "\nthree ") && strstr(text, "\nlast "), "%s", text);
  cr_expect(strstr(text, "(of 52 documents, 2 of the 2 that need a look)\n") != NULL, "%s", text);
  free(text);
}

Test(table, is_bounded_when_every_document_has_findings) {
  for (int i = 0; i < 3 * RLK_TABLE_ROWS; ++i) add("bad", 1);
  char* text = print();
  cr_expect(eq(sz, count_lines(text), 2 + RLK_TABLE_ROWS + 1));
  cr_expect(strstr(text, "(of 150 documents, 50 of the 150 that need a look)\n") != NULL, "%s", text);
  free(text);
}

Test(table, a_long_path_keeps_its_end) {
  char path[2 * RLK_TABLE_PATH_COLUMNS + 2] = "";
  for (int i = 0; i < 2 * RLK_TABLE_PATH_COLUMNS; ++i) path[i] = "\xC3\xA9"[i % 2];
  add(path, 0);
  cr_expect(eq(str, table.rows[0].path, path));
  memmove(path + 1, path, strlen(path) + 1);
  path[0] = 'x';
  add(path, 0);
  cr_expect(strncmp(table.rows[1].path, "...\xC3\xA9", 5) == 0, "%s", table.rows[1].path);
  cr_expect(eq(uint, table.rows[1].path_columns, RLK_TABLE_PATH_COLUMNS));
}

Test(table, a_path_cannot_control_the_terminal) {
  add("\x1B[2J\x9B\n", 0);
  cr_expect(eq(str, table.rows[0].path, (char*)"\\u001B[2J\\x9B\\u000A"));
}
