/* What to launch and how to judge it: the `launch` object of a row, which `rowlock launch` also makes of its options.
 *
 *   {"n": 1000, "inputs": {"mass": "mass.npy", "velocity": {"normal": {"seed": 7}}}, "uniforms": {"dt": 0.5},
 *    "structures": ["host_serial", "host_team"], "partitionings": ["whole", 3, [[0, 400], [400, 600]]],
 *    "gate": {"mode": "bit_exact"}, "compare": ["oracle", "split", "golden"], "golden": {"out": {"constant": 1}}} */
#ifndef ROWLOCK_HARNESS_LAUNCH_LAUNCH_H
#define ROWLOCK_HARNESS_LAUNCH_LAUNCH_H

#include "harness/gate/gate.h"
#include "harness/launch/operand.h"
#include "validator/wire/arena.h"
#include "validator/wire/document.h"

/* RLK_COMPARISON(ID, key in rows, what is compared with what). The runs of `repeats` are always compared. */
#define RLK_COMPARISONS(RLK_COMPARISON)                                                               \
  RLK_COMPARISON(GOLDEN, "golden", "every output with an array that the row gives")                   \
  RLK_COMPARISON(ORACLE, "oracle", "every structure and partitioning with one whole serial host run") \
  RLK_COMPARISON(SPLIT, "split", "every partitioning with one whole run under the same structure")    \
  RLK_COMPARISON(REBUILT, "rebuilt", "every run with one whole run of the deployment `rebuilt`")

typedef enum rlk_comparison_kind_t {
#define RLK_COMPARISON(ID, ...) RLK_COMPARISON_##ID,
  RLK_COMPARISONS(RLK_COMPARISON)
#undef RLK_COMPARISON
      RLK_COMPARISON_COUNT
} rlk_comparison_kind_t;

const char* rlk_comparison_name(rlk_comparison_kind_t kind);

enum {
  RLK_LAUNCH_NAMES_MAX = 4096,   /* operands, uniforms, ids: each list */
  RLK_LAUNCH_VALUES_MAX = 65536, /* of one `values` */
  RLK_LAUNCH_PARTITIONINGS_MAX = 64,
  RLK_LAUNCH_PARTITIONS_MAX = 65536, /* of one partitioning */
  RLK_LAUNCH_REPEATS = 2,
  RLK_LAUNCH_REPEATS_MAX = 1000,
};

/* One value bound to a uniform's name; several of one name are bound in turn. */
typedef struct rlk_uniform_value_t {
  const char* name;
  rlk_scalar_t value;
  int dtype; /* rlk_dtype_t, or RLK_OPERAND_UNSTATED: as declared */
} rlk_uniform_value_t;

typedef struct rlk_partitioning_t {
  uint64_t shares;                 /* equal ones, the first of them larger by one where it does not come out even; 0: */
  rowlock_partition_t* partitions; /* these; a sample count of -1 is the run's */
  size_t partition_count;
} rlk_partitioning_t;

/* Strings and lists live in the arena that the launch was read into. */
typedef struct rlk_launch_t {
  int64_t sample_count;                              /* ROWLOCK_SAMPLES_OF_BINDINGS when not said */
  rlk_operand_t *inputs, *tables, *golden, *results; /* results: golden folded values of mapreduce outputs */
  size_t input_count, table_count, golden_count, result_count;
  rlk_uniform_value_t* uniforms;
  size_t uniform_count;
  const char **merge, **enable, **disable; /* manifests beside the first; plugin ids */
  size_t merge_count, enable_count, disable_count;
  rowlock_structure_t structures[ROWLOCK_STRUCTURE_COUNT];
  size_t structure_count; /* at least 1 */
  rlk_partitioning_t* partitionings;
  size_t partitioning_count; /* at least 1 */
  int64_t tile_samples;      /* of host_team; 0: its own choice */
  uint32_t repeats;          /* runs of each configuration, from different memory: RLK_LAUNCH_REPEATS or more */
  const char* rebuilt;       /* the same plugins from other artifacts: a document beside the first; NULL: none */
  rlk_result_gate_t gate;
  bool has_gate;        /* it was stated: between host and device there is another default */
  uint32_t comparisons; /* bit i: rlk_comparison_kind_t */
} rlk_launch_t;

bool rlk_launch_compares(const rlk_launch_t* launch, rlk_comparison_kind_t kind);

/* Where the reader of a launch says what is wrong, and goes on. */
typedef struct rlk_launch_reader_t {
  rlk_arena_t* arena;
  void* context;
  void (*bad_value)(void* context, const rlk_node_t* at, const char* key, const char* expected);
  void (*unknown_key)(void* context, const rlk_node_t* at, const char* known);
} rlk_launch_reader_t;

/* Reads the object strictly. What is wrong goes to the reader's functions; the launch is usable only if nothing did.
 * ROWLOCK_OK with or without that; ROWLOCK_NO_MEMORY. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_launch_read(const rlk_launch_reader_t* reader, const rlk_node_t* object,
                                                  rlk_launch_t* out_launch);

#endif
