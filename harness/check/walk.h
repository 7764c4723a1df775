/* The documents of a folder and the folders in it: what a deployment looks like on disk. Opens no document itself. */
#ifndef ROWLOCK_HARNESS_CHECK_WALK_H
#define ROWLOCK_HARNESS_CHECK_WALK_H

#include <stdbool.h>

#include "loader/rowlock.h"

/* What a file's name says it is. In each folder manifests come first, then the other files, then the folders in it,
 * each sorted by name; what may be either is visited as both. Hidden files, rows' *.expect.json and links to folders
 * are left out. */
typedef enum rlk_walk_name_t {
  RLK_WALK_MANIFEST, /* manifest.json, *.manifest.json */
  RLK_WALK_SIDECAR,  /* *.sidecar.json */
  RLK_WALK_BESIDE,  /* any other *.json, beside a manifest or in the folder that is walked: a sidecar, or something else
                     */
  RLK_WALK_UNNAMED, /* such a file in the folder that is walked, visited before the others: a manifest, or something
                       else */
} rlk_walk_name_t;

typedef struct rlk_walk_t rlk_walk_t;

typedef struct rlk_walk_visitor_t {
  void* context;
  /* `path` is valid during the call. A code other than OK ends the walk. */
  rowlock_code_t (*visit)(void* context, rlk_walk_t* walk, const char* path, rlk_walk_name_t name);
  /* Something of the folder cannot be looked at; the walk goes on with the rest. */
  rowlock_code_t (*problem)(void* context, const char* path, const char* sentence);
  bool visits_claimed; /* a claimed file is visited as a sidecar, by whatever name, instead of not at all */
} rlk_walk_visitor_t;

/* Zeros mean the defaults. */
typedef struct rlk_walk_limits_t {
  uint32_t depth; /* folders in folders; default 32 */
  uint32_t names; /* files and folders that are considered; default 200 000 */
} rlk_walk_limits_t;

/* Walks the folder. The first code of the visitor that is not OK, or ROWLOCK_NO_MEMORY. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_walk_folder(const char* folder, const rlk_walk_limits_t* limits,
                                                  const rlk_walk_visitor_t* visitor, rowlock_error_t* err);

/* Called while a manifest is visited: the file at this path, relative to the manifest, is a sidecar that it names. A
 * path that leads out of the manifest's folder, or nowhere, claims nothing. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_walk_claim(rlk_walk_t* walk, const char* path, size_t length);

#endif
