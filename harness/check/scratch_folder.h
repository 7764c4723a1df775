/* For tests: a folder of their own, which is the working folder while they run. */
#ifndef ROWLOCK_HARNESS_CHECK_SCRATCH_FOLDER_H
#define ROWLOCK_HARNESS_CHECK_SCRATCH_FOLDER_H

#include "loader/rowlock.h"

/* `.init` and `.fini` of a suite. */
void rlk_scratch_enter(void);
void rlk_scratch_leave(void);

/* Writes a file; the folders of its path are made. */
void rlk_scratch_write(const char* path, const char* text);
void rlk_scratch_printf(const char* path, const char* format, ...) ROWLOCK_PRINTF(2, 3);

/* A vector sidecar that every door takes but that for pure plugins. */
#define RLK_SCRATCH_SIDECAR_WITH(scalar_type)                                                                    \
  "{\"format\": \"cubin\", \"schema_version\": 1, \"pattern\": \"vector\", \"aether_abi\": \"aether-abi/1\",\n"  \
  " \"scalar_type\": \"" scalar_type                                                                             \
  "\", \"kernel\": \"drag\", \"vector_inputs\": [], \"params\": [], \"per_sample\": [],\n"                       \
  " \"accumulate\": true, \"sink\": \"outVec-scratch\", \"vec_widths\": {\"out\": 3}, \"arg_spec\": [[\"out\", " \
  "\"out\"]],\n \"buffers\": []}\n"
#define RLK_SCRATCH_SIDECAR RLK_SCRATCH_SIDECAR_WITH("float64")

/* A manifest of that pattern, its entries and more of its keys (", \"key\": 1") as text; and such an entry. */
#define RLK_SCRATCH_MANIFEST(pattern, entries, more)                                                               \
  "{\"schema_version\": 1, \"pattern\": \"" pattern "\", \"aether_abi\": \"aether-abi/1\", \"plugins\": [" entries \
  "]" more "}\n"
#define RLK_SCRATCH_ENTRY(id, sidecar)                                                                       \
  "{\"id\": \"" id "\", \"order\": 0, \"enabled\": true, \"artifact\": \"a.cubin\", \"sidecar\": \"" sidecar \
  "\", \"format\": \"cubin\"}"

#endif
