/* The artifacts of a deployment against its sidecars: what contract checks say of documents, said of what they name. */
#ifndef ROWLOCK_LOADER_ARTIFACT_DEPLOYMENT_H
#define ROWLOCK_LOADER_ARTIFACT_DEPLOYMENT_H

#include "loader/artifact/proof.h"
#include "loader/checker.h"

/* Of all artifacts of one deployment together. */
#define RLK_DEPLOYMENT_ARTIFACT_BYTES_MAX (UINT64_C(1) << 30)

/* Zeroed is the default. */
typedef struct rlk_deployment_options_t {
  rlk_target_machine_t machine;
  const char* built_folder; /* where an artifact is that is not beside the manifest; may be NULL */
  /* What to do about an artifact that cannot be read, which is a defect then, at the end of its message; so is a
   * sidecar against which nothing can be proved. NULL: that is left to the check that says so. */
  const char* remedy;
  rlk_tables_keeper_t* tables; /* filled in with those of the findings; may be NULL */
} rlk_deployment_options_t;

/* Proves every entry of the manifest that `checker` has open: format, entry, parameters and layout of its artifact, and
 * whether the machine runs it; and symbol and layout of the host object that is launched in its place, NAME.so beside
 * it, where there is one. Entries whose artifact cannot be opened, or whose sidecar cannot be read, are left to the
 * checks that say so (but see `remedy`); of a sidecar that is refused otherwise than `findings` has it from a door,
 * it is a finding that the artifact is not proved. Findings are noted as contract checks are. ROWLOCK_OK whatever was
 * found; ROWLOCK_NO_MEMORY. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_deployment_prove(const rowlock_checker_t* checker,
                                                       const rlk_deployment_options_t* options,
                                                       rowlock_findings_t* findings, rowlock_error_t* err);

/* Reads the artifact at `path`. ROWLOCK_REJECTED by a rule, ROWLOCK_UNUSABLE: it cannot be read. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_artifact_open(const char* path, rlk_arena_t* arena, rlk_artifact_t* out_artifact,
                                                    rowlock_error_t* err);

/* Describes the kernel sidecar at `path`, in `arena`. The string `id` is what the plugin is called in messages, or
 * NULL. ROWLOCK_REJECTED: a gate refuses it, or a declaration is such that no parameter follows from it. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_sidecar_describe(rowlock_checker_t* checker, const char* path,
                                                       const rlk_node_t* id, rlk_arena_t* arena,
                                                       rlk_description_t* out_description, rowlock_error_t* err);

#endif
