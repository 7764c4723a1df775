#include "harness/check/table.h"

#include <inttypes.h>
#include <string.h>

#include "harness/check/shown.h"
#include "validator/rules/text.h"

static const char cut_mark[] = "...", heading[] = "document";

enum { LEAST_COLUMNS = 5 };

static size_t count_columns(const char* text) {
  size_t columns = 0;
  for (; *text; ++text) columns += ((unsigned char)*text & 0xC0) != 0x80; /* continuation bytes take no column */
  return columns;
}

/* The end of a path says more than its beginning. */
static void set_path(rlk_table_row_t* row, const char* path) {
  char shown[RLK_SHOWN_SIZE];
  rlk_text_t escaped = rlk_text_over(shown, sizeof shown);
  rlk_text_put_shown(&escaped, path, strlen(path), RLK_SHOWN_MAX);
  size_t columns = count_columns(shown);
  const char* kept = shown;
  rlk_text_t out = rlk_text_over(row->path, sizeof row->path);
  if (columns > RLK_TABLE_PATH_COLUMNS) {
    const size_t tail = RLK_TABLE_PATH_COLUMNS - strlen(cut_mark);
    while (columns > tail) {
      do ++kept;
      while (((unsigned char)*kept & 0xC0) == 0x80);
      --columns;
    }
    rlk_text_put(&out, cut_mark, strlen(cut_mark));
  }
  rlk_text_put(&out, kept, strlen(kept));
  row->path_columns = (unsigned)count_columns(row->path);
}

static void keep_notable(rlk_table_t* table) {
  size_t kept = 0;
  for (size_t i = 0; i < table->count; ++i) {
    if (table->rows[i].is_notable) table->rows[kept++] = table->rows[i];
  }
  table->count = kept;
}

void rlk_table_add(rlk_table_t* table, const char* path, const rlk_table_row_t* row) {
  if (table->seen == RLK_TABLE_ROWS) keep_notable(table);
  ++table->seen;
  table->notable += row->is_notable;
  if (table->count == RLK_TABLE_ROWS || (table->seen > RLK_TABLE_ROWS && !row->is_notable)) return;
  rlk_table_row_t* added = &table->rows[table->count++];
  *added = *row;
  set_path(added, path);
}

/* Of the tier's column: its name is the heading. */
static int tier_width(rlk_tier_t tier) {
  const int length = (int)strlen(rlk_tier_name(tier));
  return length < LEAST_COLUMNS ? LEAST_COLUMNS : length;
}

static void print_row(const rlk_table_row_t* row, int width, FILE* out) {
  char doors[32] = "-";
  if (row->asked > 0) snprintf(doors, sizeof doors, "%d of %d", row->accepting, row->asked);
  fprintf(out, "%s%*s  %-8s  %-8s  %6s", row->path, width - (int)row->path_columns, "", row->kind, row->verdict, doors);
  for (int tier = 0; tier < RLK_TIER_COUNT; ++tier) {
    if (rlk_tier_is_of_files((rlk_tier_t)tier)) {
      fprintf(out, "  %*" PRIu64, tier_width((rlk_tier_t)tier), row->findings_of[tier]);
    }
  }
  fputc('\n', out);
}

static void print_heading(int width, FILE* out) {
  fprintf(out, "Doors that accept, of those that take such a document, and findings by tier:\n");
  fprintf(out, "%-*s  %-8s  %-8s  %6s", width, heading, "kind", "verdict", "doors");
  for (int tier = 0; tier < RLK_TIER_COUNT; ++tier) {
    if (rlk_tier_is_of_files((rlk_tier_t)tier)) {
      fprintf(out, "  %*s", tier_width((rlk_tier_t)tier), rlk_tier_name((rlk_tier_t)tier));
    }
  }
  fputc('\n', out);
}

void rlk_table_print(const rlk_table_t* table, FILE* out) {
  if (table->count == 0) return;
  int width = (int)sizeof heading - 1;
  for (size_t i = 0; i < table->count; ++i) {
    if ((int)table->rows[i].path_columns > width) width = (int)table->rows[i].path_columns;
  }
  print_heading(width, out);
  for (size_t i = 0; i < table->count; ++i) print_row(&table->rows[i], width, out);
  if (table->seen > RLK_TABLE_ROWS) {
    fprintf(out, "(of %" PRIu64 " documents, %zu of the %" PRIu64 " that need a look)\n", table->seen, table->count,
            table->notable);
  }
}
