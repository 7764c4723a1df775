/* What row.c and row_launch.c share: reading a row, and the keys of rows that are launched or proved. */
#ifndef ROWLOCK_HARNESS_ROWS_ROW_LAUNCH_H
#define ROWLOCK_HARNESS_ROWS_ROW_LAUNCH_H

#include "harness/rows/row.h"
#include "validator/wire/document.h"

typedef struct rlk_row_reading_t {
  const rlk_document_t* document;
  const char* path;
  rlk_arena_t* arena;
  rlk_defects_t* defects;
  rlk_row_t* row;
  bool checks_nothing; /* the launch compares nothing */
  bool asks_bit_exact; /* and compares */
  bool names_device;   /* a structure of a device */
} rlk_row_reading_t;

void rlk_row_defect_at(rlk_row_reading_t* reading, rlk_defect_t defect, const rlk_node_t* at, const rlk_slot_t* slots,
                       size_t slot_count);
void rlk_row_bad_value(rlk_row_reading_t* reading, const char* key, const char* expected, const rlk_node_t* node);

/* A non-empty string without NULs, copied; reports anything else. */
const char* rlk_row_read_text(rlk_row_reading_t* reading, const char* key, const rlk_node_t* node);

/* FOLDER/STEM and the suffix; NULL when memory is short. */
const char* rlk_row_join(rlk_row_reading_t* reading, const char* folder, const char* stem, const char* suffix);

void rlk_row_read_deployment(rlk_row_reading_t* reading, const rlk_node_t* node);
void rlk_row_read_launch(rlk_row_reading_t* reading, const rlk_node_t* node);
void rlk_row_read_machine(rlk_row_reading_t* reading, const rlk_node_t* node);

/* Finds the document of a row that is launched or proved. */
void rlk_row_find_deployment(rlk_row_reading_t* reading);

/* Whether keys of launches are where they belong, and the gate can be asked of the deployment. */
void rlk_row_check_launch(rlk_row_reading_t* reading, const rlk_node_t* root);

#endif
