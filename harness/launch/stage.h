/* A launch that is being performed, in the pieces that perform.c puts together. */
#ifndef ROWLOCK_HARNESS_LAUNCH_STAGE_H
#define ROWLOCK_HARNESS_LAUNCH_STAGE_H

#include <limits.h>
#include <openssl/evp.h>

#include "harness/launch/judge_run.h"
#include "harness/launch/perform.h"

enum { RLK_WHEN_SIZE = 128 };

typedef struct rlk_stage_t {
  const rlk_performance_t* performance;
  const rlk_launch_t* launch;
  rowlock_device_t* device; /* NULL: the host */
  rowlock_registry_t* registry;
  rlk_folder_t* folder;
  rlk_operand_source_t source;
  rlk_buffers_t buffers;
  rowlock_partition_t* partitions; /* of the configuration that is being run */
  uint32_t run_number;             /* over all configurations: each has other poison and other red zones */
  rlk_outputs_t first;             /* of the first run of a configuration */
  rlk_outputs_t oracle, whole, golden, rebuilt;
  rlk_outputs_t before;                  /* a part */
  rlk_outputs_t early;                   /* of the first run of all, in parts */
  const rlk_partitioning_t* early_split; /* NULL: there was none */
  rowlock_structure_t early_structure;
  rlk_outputs_t kept;              /* of the first configuration, to be written */
  char rebuilt_document[PATH_MAX]; /* "" where the launch names none */
  EVP_MD_CTX* digest;
  json_object* runs;
  const char* loose;
  bool is_another; /* what a stage is compared with */
  bool asked_another;
  rowlock_error_t* err;
} rlk_stage_t;

/* What begins now. */
void rlk_stage_tell(const rlk_stage_t* stage, const char* what);

/* Loads and binds. The stage, which has its performance, launch and error, is to be deinitialised in any case. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_stage_prepare(rlk_stage_t* stage);
void rlk_stage_deinit(rlk_stage_t* stage);

/* --- One configuration: a structure with a partitioning, configuration.c ------------------------------------------ */

bool rlk_is_whole(const rlk_partitioning_t* partitioning);

/* How the registry is to be run; the partitions are the stage's, until the next call. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_stage_options(rlk_stage_t* stage, rowlock_structure_t structure,
                                                    const rlk_partitioning_t* partitioning, rowlock_run_options_t* out);

/* "under host_team, 3 partitions" */
void rlk_put_when(char when[RLK_WHEN_SIZE], rowlock_structure_t structure, const rowlock_run_options_t* options);

/* From fresh poison, and judged by its conduct. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_run_once(rlk_stage_t* stage, const rowlock_run_options_t* options,
                                               const char* when, bool as_graph, rowlock_run_report_t* out_report);

/* All runs of a configuration, or its plan alone. Its outputs are in the buffers then. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_run_configuration(rlk_stage_t* stage, rowlock_structure_t structure,
                                                        const rlk_partitioning_t* partitioning,
                                                        char when[RLK_WHEN_SIZE]);

/* The first part, one in the middle and the last, each alone, of one plugin after the other: its inputs are what the
 * runs before have left. Whether it stays in its share and does the whole of it is the same for every part. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_run_parts(rlk_stage_t* stage, rowlock_structure_t structure,
                                                const rlk_partitioning_t* partitioning);

/* --- The report, stage_report.c ----------------------------------------------------------------------------------- */

/* What rlk_perform reports of a launch that passed, and of one that did not; the caller puts it. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_stage_report(rlk_stage_t* stage, json_object** out_report);
json_object* rlk_stage_log(const rlk_stage_t* stage);

#endif
