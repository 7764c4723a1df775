/* The argument proof: whether an artifact can be called the way its sidecar says, and run where it is to go. */
#ifndef ROWLOCK_LOADER_ARTIFACT_PROOF_H
#define ROWLOCK_LOADER_ARTIFACT_PROOF_H

#include "loader/artifact/block.h"
#include "loader/artifact/tables.h"
#include "validator/rules/findings.h"
#include "validator/wire/document.h"

/* Where the artifact is to go; zeros: anywhere. */
typedef struct rlk_target_machine_t {
  uint32_t driver; /* CUDA version that it is for: 124 is 12.4 */
  uint32_t sm;
} rlk_target_machine_t;

enum { RLK_SM_MAX = 999 };

/* Reads "12.4" as 124. False if it is no version. */
bool rlk_cuda_version_read(const char* text, uint32_t* out_version);

/* Told of each defect. `argument` is an index into arg_spec, or -1 if it is not about one. `slots` are borrowed. */
typedef struct rlk_proof_listener_t {
  void* context;
  rowlock_code_t (*report)(void* context, rlk_rule_t rule, int argument, const rlk_slot_t* slots, size_t slot_count);
  rowlock_code_t (*repeat)(void* context, const rowlock_error_t* err); /* what a rule has refused already */
  /* Told, right before `report`, of the whole tables that a rule's message shortens; may be NULL. They live until
   * that returns. */
  void (*compare)(void* context, const rlk_tables_t* tables);
} rlk_proof_listener_t;

/* In the messages of rules whose template ends in {tables}: what stands before each of the two, which are cut. */
#define RLK_TABLE_DUE "arg_spec: "
#define RLK_TABLE_FOUND "; artifact: "

/* Compares what the description implies with every module of the artifact. ROWLOCK_OK whatever was found; else what the
 * listener returned, or ROWLOCK_NO_MEMORY. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_prove(const rlk_description_t* description, const rlk_artifact_t* artifact,
                                            rlk_arena_t* arena, const rlk_proof_listener_t* listener,
                                            rowlock_error_t* err);

/* Whether the artifact is of the format; `where` says in a sentence who claims so. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_prove_format(const rlk_artifact_t* artifact, const char* where,
                                                   const rlk_node_t* format, const rlk_proof_listener_t* listener);

/* Whether the machine can run the artifact. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_prove_machine(const rlk_artifact_t* artifact, const rlk_target_machine_t* machine,
                                                    const rlk_proof_listener_t* listener);

/* "the cubin for sm_90a", "the PTX 8.4 for sm_75": a module in a sentence. */
void rlk_module_put(rlk_text_t* text, const rlk_module_t* module);

#endif
