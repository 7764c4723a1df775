/* Where the host object of a plugin is: the format names device artifacts only (rowlock_load_options_t says the order).
 */
#ifndef ROWLOCK_LOADER_REGISTRY_OBJECT_PATH_H
#define ROWLOCK_LOADER_REGISTRY_OBJECT_PATH_H

#include <limits.h>

#include "loader/files.h"
#include "loader/registry/plugin.h"

/* The object of a manifest's entry, whose artifact is at that path relative to `folder`. `out_path` has room for
 * PATH_MAX bytes. ROWLOCK_REJECTED by a load rule. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_object_of_entry(const rowlock_load_options_t* options, rlk_folder_t* folder,
                                                      const rlk_entry_t* entry, const rlk_node_t* artifact,
                                                      char* out_path, rowlock_error_t* err);

/* The entry's artifact itself, which a device loads: beside the manifest, or below `object_folder`; `object_path`, if
 * it is given. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_artifact_of_entry(const rowlock_load_options_t* options, rlk_folder_t* folder,
                                                        const rlk_entry_t* entry, const rlk_node_t* artifact,
                                                        char* out_path, rowlock_error_t* err);

/* The artifact of a plugin that is loaded on a device by its sidecar alone: named as the sidecar's format is, or, where
 * it has none of the format's words, as the first of them that is there. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_artifact_of_sidecar(const rowlock_load_options_t* options,
                                                          const char* sidecar_path, rlk_word_t format,
                                                          const rlk_entry_t* entry, char* out_path,
                                                          rowlock_error_t* err);

/* The object of a plugin that is loaded by its sidecar alone. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_object_of_sidecar(const rowlock_load_options_t* options, const char* sidecar_path,
                                                        const rlk_entry_t* entry, char* out_path, rowlock_error_t* err);

#endif
