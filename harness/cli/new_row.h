/* Makes a row from a fixture and what the reference says of it. */
#ifndef ROWLOCK_HARNESS_CLI_NEW_ROW_H
#define ROWLOCK_HARNESS_CLI_NEW_ROW_H

#include "harness/cli/options.h"
#include "harness/cli/pin.h"
#include "harness/rows/row.h"

typedef struct rlk_new_row_request_t {
  const char* fixture; /* a sidecar or manifest, or a folder that holds one with its companions */
  const char* corpus;
  const char* family; /* a folder of the corpus; NULL: named after the level */
  const char* name;   /* what follows "row41a_" in the stem */
  const char* title;
  const char* number;               /* "41a"; NULL: one above the largest in use or retired */
  const char* twin;                 /* a stem, or NULL */
  const rlk_option_list_t* why;     /* at least one line */
  const rlk_option_list_t* loaders; /* empty: every door of the level */
} rlk_new_row_request_t;

typedef struct rlk_verdict_t {
  const char* loader;
  bool reject;
  rlk_rule_t rule; /* RLK_RULE_NONE on accept */
  char pin[RLK_PIN_MAX];
} rlk_verdict_t;

/* The row that was made. Zeroed is empty. */
typedef struct rlk_new_row_t {
  uint32_t number;
  char letter;
  char* stem;
  char* expect_path;
  char* fixture_path; /* a file or a folder */
  rlk_level_t level;
  rlk_verdict_t verdicts[RLK_ROW_LOADERS_MAX]; /* at least one */
  size_t verdict_count;
} rlk_new_row_t;

void rlk_new_row_deinit(rlk_new_row_t* row);

/* Writes the row's files, all or none, and overwrites nothing. ROWLOCK_UNUSABLE: the request cannot be met, `err` or,
 * when the corpus is malformed, `defects` say why. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_new_row_make(const rlk_new_row_request_t* request, rlk_new_row_t* out_row,
                                                   rlk_defects_t* defects, rowlock_error_t* err);

#endif
