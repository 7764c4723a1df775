/* A row: a fixture, the outcome that each loader owes it, and why. The format is a superset of the one that the plugin
 * format's own corpus uses. A row is data: it is read strictly, so that a typo is a defect and not a missing check. */
#ifndef ROWLOCK_HARNESS_ROWS_ROW_H
#define ROWLOCK_HARNESS_ROWS_ROW_H

#include "harness/rows/defects.h"
#include "validator/plugin/doors.h"
#include "validator/wire/arena.h"

#define RLK_EXPECT_SUFFIX ".expect.json"
#define RLK_ROW_FILE_BYTES_MAX (1u << 20)
#define RLK_ROW_LOADERS_MAX 64

/* RLK_ROW_LEVEL(ID, name, level of the doors that judge it here, or NONE) */
#define RLK_ROW_LEVELS(RLK_ROW_LEVEL)           \
  RLK_ROW_LEVEL(SIDECAR, "sidecar", SIDECAR)    \
  RLK_ROW_LEVEL(MANIFEST, "manifest", MANIFEST) \
  RLK_ROW_LEVEL(PLACEMENT, "placement", NONE)   \
  RLK_ROW_LEVEL(LAUNCH, "launch", NONE)         \
  RLK_ROW_LEVEL(ARTIFACT, "artifact", NONE)     \
  RLK_ROW_LEVEL(GATE, "gate", NONE)             \
  RLK_ROW_LEVEL(BUNDLE, "bundle", NONE)

typedef enum rlk_row_level_t {
#define RLK_ROW_LEVEL(ID, name, doors) RLK_ROW_LEVEL_##ID,
  RLK_ROW_LEVELS(RLK_ROW_LEVEL)
#undef RLK_ROW_LEVEL
      RLK_ROW_LEVEL_COUNT
} rlk_row_level_t;

/* The names of all levels, "sidecar|manifest", as options take them. */
#define RLK_ROW_LEVEL_CHOICE(ID, name, doors) "|" name
#define RLK_ROW_LEVEL_CHOICES (&(RLK_ROW_LEVELS(RLK_ROW_LEVEL_CHOICE))[1])

const char* rlk_row_level_name(rlk_row_level_t level);

/* Whether this version judges rows of the level; others are skipped and counted. */
bool rlk_row_level_is_judged(rlk_row_level_t level, rlk_level_t* out_doors);

/* What a loader owes the fixture. */
typedef struct rlk_outcome_t {
  bool reject;
  const char* substring; /* of the message; NULL on accept */
  rlk_rule_t rule;       /* of the reference; RLK_RULE_NONE: any */
} rlk_outcome_t;

typedef struct rlk_row_loader_t {
  const char* name;
  rlk_outcome_t expected;
  bool overridden;
} rlk_row_loader_t;

typedef enum rlk_row_schema_t {
  RLK_SCHEMA_UNSTATED,
  RLK_SCHEMA_ACCEPT,
  RLK_SCHEMA_REJECT,
  RLK_SCHEMA_ABSENT
} rlk_row_schema_t;

/* Strings live in the arena that the row was read into. */
typedef struct rlk_row_t {
  const char* stem;         /* "row41a_role_capital" */
  const char* folder;       /* of its files: "corpus/sidecar", without a trailing slash */
  const char* expect_path;  /* folder/stem.expect.json */
  const char* fixture_path; /* the document that a door opens; NULL at levels that are not judged */
  uint32_t number;
  char letter; /* '\0' for none */
  const char* title;
  rlk_row_level_t level;
  rlk_outcome_t expected; /* before overrides */
  rlk_row_loader_t* loaders;
  size_t loader_count;
  rlk_row_schema_t schema;
  const char* twin; /* stem, or NULL */
  bool has_order;   /* the fixture has two faults, and the row locks which is reported */
  rlk_rule_t order[2];
  rowlock_limits_t limits; /* zeros: defaults */
  size_t why_count;
} rlk_row_t;

/* Splits "row41a_role_capital"; false when the stem is malformed. The number is below 1 000 000. */
bool rlk_stem_parse(const char* stem, uint32_t* out_number, char* out_letter);

/* "41a" into `out`, which has room for 16 bytes. */
const char* rlk_row_label(uint32_t number, char letter, char out[16]);

/* Reads one row file. Defects are added to `defects`, each with its line; the row is usable only if none was. The
 * fixture is looked up beside it. ROWLOCK_OK with or without defects; ROWLOCK_NO_MEMORY. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_row_read(const char* expect_path, rlk_arena_t* arena, rlk_defects_t* defects,
                                               rlk_row_t* out_row);

#endif
