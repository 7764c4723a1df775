/* A plugin's arguments as its entry takes them: the addresses of packed values, at the same place in every run. */
#ifndef ROWLOCK_LOADER_REGISTRY_PACKING_H
#define ROWLOCK_LOADER_REGISTRY_PACKING_H

#include "loader/registry/names.h"

typedef union rlk_packed_t {
  rowlock_gref_t gref;
  rowlock_handle_t handle;
  rowlock_int_handle_t int_handle;
  double float64;
  float float32;
  int64_t int64;
  rowlock_index_t index;
} rlk_packed_t;

typedef struct rlk_packing_t {
  rlk_packed_t* values;              /* `params` stand behind them in one block */
  void* kept;                        /* a copy of the values and their addresses, as they were packed */
  void** params;                     /* params[i] is the address of values[i]; room for the triple behind them */
  rowlock_device_type_t device_type; /* where the data is */
  int32_t device_id;                 /* of that type, by its ordinal */
  uint64_t generation;               /* of the bindings that are packed; 0: none */
  int64_t sample_count;
  uint64_t bytes_per_sample; /* of all buffers that are as long as the run */
} rlk_packing_t;

enum { RLK_PACKING_TRIPLE = 3 };

/* Makes room for `count` arguments in `arena`, whose data will be on the host. */
ROWLOCK_MUST_CHECK rowlock_code_t rlk_packing_init(rlk_packing_t* packing, rlk_arena_t* arena, size_t count);

/* Packs the bindings of that generation for a run of `sample_count`, unless they are packed already. Every argument is
 * bound and was checked: this cannot fail. */
void rlk_packing_update(rlk_packing_t* packing, const rlk_description_t* description, const rlk_names_t* names,
                        uint64_t generation, int64_t sample_count);

/* Compares the packed block of `count` arguments with what was packed and restores it: a body has its address, and it
 * is packed once for many calls. Returns the first argument that differed, or `count`. */
size_t rlk_packing_mend(rlk_packing_t* packing, size_t count);

#endif
