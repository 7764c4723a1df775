/* The table at the end of `rowlock check`: bounded, so that thousands of documents leave what a person can read. */
#ifndef ROWLOCK_HARNESS_CHECK_TABLE_H
#define ROWLOCK_HARNESS_CHECK_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "validator/rules/rules.h"

enum { RLK_TABLE_ROWS = 50, RLK_TABLE_PATH_COLUMNS = 60 };

typedef struct rlk_table_row_t {
  char path[4 * RLK_TABLE_PATH_COLUMNS + 1]; /* as shown, cut at the left */
  unsigned path_columns;
  const char *kind, *verdict; /* static */
  int accepting, asked;       /* doors; `asked` leaves out those that do not take the kind */
  uint64_t findings_of[RLK_TIER_COUNT];
  bool is_notable; /* has findings, or could not be judged */
} rlk_table_row_t;

/* Zeroed is empty. */
typedef struct rlk_table_t {
  rlk_table_row_t rows[RLK_TABLE_ROWS];
  size_t count;
  uint64_t seen, notable;
} rlk_table_t;

/* Adds a row for `path`; the row's own path is set here. Past RLK_TABLE_ROWS documents only notable rows are kept. */
void rlk_table_add(rlk_table_t* table, const char* path, const rlk_table_row_t* row);

void rlk_table_print(const rlk_table_t* table, FILE* out);

#endif
