/* A row: a fixture, the outcome that each loader owes it, and why. The format is a superset of the one that the plugin
 * format's own corpus uses. A row is data: it is read strictly, so that a typo is a defect and not a missing check. */
#ifndef ROWLOCK_HARNESS_ROWS_ROW_H
#define ROWLOCK_HARNESS_ROWS_ROW_H

#include "harness/rows/defects.h"
#include "loader/artifact/proof.h"
#include "validator/plugin/doors.h"
#include "validator/wire/arena.h"

#define RLK_EXPECT_SUFFIX ".expect.json"
#define RLK_ROW_FILE_BYTES_MAX (1u << 20)
#define RLK_ROW_LOADERS_MAX 64
#define RLK_ROW_NUMBER_MAX 999999
/* Beside rows: deployments that they share, a folder each. */
#define RLK_DEPLOYMENTS_FOLDER "deployments"

/* RLK_ROW_LEVEL(ID, name, who judges it here: the DOORS of a level, LAUNCHERS, PROVERS of artifacts, or NOBODY) */
#define RLK_ROW_LEVELS(RLK_ROW_LEVEL)                 \
  RLK_ROW_LEVEL(SIDECAR, "sidecar", SIDECAR_DOORS)    \
  RLK_ROW_LEVEL(MANIFEST, "manifest", MANIFEST_DOORS) \
  RLK_ROW_LEVEL(PLACEMENT, "placement", LAUNCHERS)    \
  RLK_ROW_LEVEL(LAUNCH, "launch", LAUNCHERS)          \
  RLK_ROW_LEVEL(ARTIFACT, "artifact", PROVERS)        \
  RLK_ROW_LEVEL(GATE, "gate", LAUNCHERS)              \
  RLK_ROW_LEVEL(BUNDLE, "bundle", NOBODY)

typedef enum rlk_row_level_t {
#define RLK_ROW_LEVEL(ID, name, judges) RLK_ROW_LEVEL_##ID,
  RLK_ROW_LEVELS(RLK_ROW_LEVEL)
#undef RLK_ROW_LEVEL
      RLK_ROW_LEVEL_COUNT
} rlk_row_level_t;

/* The names of all levels, "sidecar|manifest", as options take them. */
#define RLK_ROW_LEVEL_CHOICE(ID, name, judges) "|" name
#define RLK_ROW_LEVEL_CHOICES (&(RLK_ROW_LEVELS(RLK_ROW_LEVEL_CHOICE))[1])

const char* rlk_row_level_name(rlk_row_level_t level);

/* Whether doors judge rows of the level, and those of which level. */
bool rlk_row_level_has_doors(rlk_row_level_t level, rlk_level_t* out_doors);

/* Whether rows of the level are launched: loaded, bound and planned, and but for PLACEMENT run. Rows of a level that
 * has neither are skipped and counted. */
bool rlk_row_level_is_launched(rlk_row_level_t level);

/* Whether rows of the level have the artifacts of their deployment proved, by the loader RLK_PROVER. Any other is a
 * door, and judges the gates alone. */
bool rlk_row_level_is_proved(rlk_row_level_t level);
#define RLK_PROVER "artifact_checks"

/* RLK_LAUNCHER(ID, name): the loaders of a launched row that launch. Any other is a door, and judges the gates alone.
 */
#define RLK_LAUNCHERS(RLK_LAUNCHER) \
  RLK_LAUNCHER(HOST, "host_launch") \
  RLK_LAUNCHER(DEVICE, "device_launch")

typedef enum rlk_launcher_t {
#define RLK_LAUNCHER(ID, name) RLK_LAUNCHER_##ID,
  RLK_LAUNCHERS(RLK_LAUNCHER)
#undef RLK_LAUNCHER
      RLK_LAUNCHER_COUNT
} rlk_launcher_t;

/* The launcher of that name, or RLK_LAUNCHER_COUNT. */
rlk_launcher_t rlk_launcher_find(const char* name);

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
  const char* fixture_path; /* the document that is opened; NULL at levels that nobody judges */
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
  /* Of rows that are launched or proved. */
  const char* deployment; /* folder/deployments/NAME, which several rows share; NULL: the row's own folder or file */
  bool is_sidecar;        /* the fixture is a sidecar that is launched alone */
  rlk_target_machine_t machine; /* where its artifacts are to go, or the device that it is about; zeros: any */
  /* Of launched rows alone. */
  const char* launch; /* the JSON text of the launch */
  size_t launch_length;
  uint32_t time_ms, memory_mib; /* of the process; zeros: defaults */
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
