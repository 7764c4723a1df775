/* Where the objects are that a build made of the sources beside a document. */
#ifndef ROWLOCK_HARNESS_LAUNCH_BUILT_H
#define ROWLOCK_HARNESS_LAUNCH_BUILT_H

#include <limits.h>

#include "loader/rowlock.h"

/* Finds the folder and puts it into `out_folder`, which has room for PATH_MAX bytes; it need not exist. A build puts
 * what it makes at the source's path relative to the workspace (the nearest folder above with a WORKSPACE or
 * MODULE.bazel), below `built`, or below the workspace's bazel-bin if that is NULL. Outside of a workspace it is
 * `built` itself. Where the document is reached through a link, it stands in a build tool's tree of links, and what was
 * built is beside the link. False: there is no such folder. */
bool rlk_built_folder(const char* document_path, const char* built, char* out_folder);

#endif
