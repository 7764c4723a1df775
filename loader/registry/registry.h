/* The registry behind rowlock_registry_t: plugins in declared order, the names they declare, what is bound to them. */
#ifndef ROWLOCK_LOADER_REGISTRY_REGISTRY_H
#define ROWLOCK_LOADER_REGISTRY_REGISTRY_H

#include "loader/host/object.h"
#include "loader/registry/packing.h"

/* A loaded plugin. Lives in its batch's arena and never moves. */
typedef struct rlk_plugin_t {
  rlk_description_t description;
  rlk_host_object_t object; /* is never closed: a thread runtime may live in it */
  const char* object_path;
  bool is_enabled;
  rlk_packing_t packing;
} rlk_plugin_t;

/* What one call loaded. */
typedef struct rlk_batch_t rlk_batch_t;
struct rlk_batch_t {
  rlk_batch_t* next;
  rlk_arena_t arena;
};

struct rowlock_registry_t {
  rlk_batch_t* batches;
  rlk_plugin_t** plugins;
  size_t plugin_count;
  rlk_names_t names;
  bool is_enabled;
  uint64_t level2_bytes; /* of this machine's cache, by which tiles are cut; 0: not asked yet */
  uint64_t generation;   /* counts what changes plugins or bindings; starts at 1 */
  /* The last generation whose bindings were found sound, and for how many samples; 0: none. */
  uint64_t sound_generation;
  int64_t sound_sample_count;
  bool sound_of_bindings; /* an argument says how many samples there are */
};

/* The plugin of that id, or NULL. */
rlk_plugin_t* rlk_registry_find(const rowlock_registry_t* registry, const char* id);

/* Whether the parameter's name is bound, in its own way and, of a folded output, as a result. */
const rlk_bound_t* rlk_registry_bound(const rowlock_registry_t* registry, const rlk_parameter_t* parameter);
const rlk_bound_t* rlk_registry_result(const rowlock_registry_t* registry, const rlk_parameter_t* parameter);

#endif
