/* The registry behind rowlock_registry_t: plugins in declared order, the names they declare, what is bound to them. */
#ifndef ROWLOCK_LOADER_REGISTRY_REGISTRY_H
#define ROWLOCK_LOADER_REGISTRY_REGISTRY_H

#include <sys/types.h>

#include "loader/host/object.h"
#include "loader/registry/packing.h"
#include "validator/plugin/doors.h"

/* When bindings were found sound last, and for how many samples. Zeroed: never. */
typedef struct rlk_sound_t {
  uint64_t generation; /* of the registry */
  int64_t sample_count;
  bool of_bindings; /* an argument says how many samples there are */
} rlk_sound_t;

/* A loaded plugin. Lives in its batch's arena and never moves. */
typedef struct rlk_plugin_t {
  rlk_description_t description;
  rlk_host_object_t object; /* is never closed: a thread runtime may live in it */
  void *module, *function;  /* of a device: its backend's */
  const char* object_path;
  bool is_enabled, is_ptx_fallback;
  rlk_packing_t packing;
  rlk_sound_t sound; /* its own bindings, asked for it alone */
} rlk_plugin_t;

/* What one call loaded. */
typedef struct rlk_batch_t rlk_batch_t;
struct rlk_batch_t {
  rlk_batch_t* next;
  rlk_arena_t arena;
};

/* What a registry on a device does in place of what one on the host does: the names, bindings and checks are the same.
 * `context` is the registry's. */
typedef struct rlk_backend_t {
  rlk_door_id_t manifest_door;
  rowlock_code_t (*open)(void* context, rlk_plugin_t* plugin, rowlock_error_t* err);
  void (*close)(void* context, rlk_plugin_t* plugin);
  /* Replaces the table's data on the host by data on the device; `replaced` is what is there and goes then. */
  rowlock_code_t (*upload)(void* context, const char* name, rlk_bound_t* table, const rlk_bound_t* replaced,
                           rowlock_error_t* err);
  void (*forget)(void* context, const rlk_bound_t* table);
  int64_t partition_samples_max; /* in one launch */
  /* Launches the packed body for one partition. */
  rowlock_code_t (*launch)(void* context, rlk_plugin_t* plugin, const rowlock_partition_t* partition, void* stream,
                           rowlock_error_t* err);
  rowlock_code_t (*fold)(void* context, const rlk_plugin_t* plugin, const rlk_bound_t* partials, int64_t sample_count,
                         const rlk_bound_t* result, void* stream, rowlock_error_t* err);
  const char* (*compiler_log)(const void* context);
  void (*destroy)(void* context);
} rlk_backend_t;

struct rowlock_registry_t {
  const rlk_backend_t* backend; /* NULL: the host */
  void* context;                /* of the backend */
  rlk_batch_t* batches;
  rlk_plugin_t** plugins;
  size_t plugin_count;
  rlk_names_t names;
  bool is_enabled;
  pid_t owner;           /* the process that made it: one that is forked has no OpenMP workers, and cannot get any */
  uint64_t level2_bytes; /* of this machine's cache, by which tiles are cut; 0: not asked yet */
  uint64_t generation;   /* counts what changes plugins or bindings; starts at 1 */
  rlk_sound_t sound;     /* the bindings of all enabled plugins */
};

/* Says of which plugin the problem is, and where its object or artifact is. Returns `code`. */
rowlock_code_t rlk_plugin_fail(rowlock_error_t* err, rowlock_code_t code, const rlk_plugin_t* plugin,
                               const rowlock_error_t* problem);

/* The plugin of that id, or NULL. */
rlk_plugin_t* rlk_registry_find(const rowlock_registry_t* registry, const char* id);

/* Refuses an id that none has, and says which there are. */
rowlock_code_t rlk_registry_refuse_unknown(const rowlock_registry_t* registry, const char* id, rowlock_error_t* err);

/* Whether the parameter's name is bound, in its own way and, of a folded output, as a result. */
const rlk_bound_t* rlk_registry_bound(const rowlock_registry_t* registry, const rlk_parameter_t* parameter);
const rlk_bound_t* rlk_registry_result(const rowlock_registry_t* registry, const rlk_parameter_t* parameter);

#endif
