#include "loader/registry/packing.h"

#include <string.h>

/* Of the values and their addresses. The triple behind them is a device's to write. */
static size_t kept_bytes(size_t count) { return count * (sizeof(rlk_packed_t) + sizeof(void*)); }

rowlock_code_t rlk_packing_init(rlk_packing_t* packing, rlk_arena_t* arena, size_t count) {
  *packing = (rlk_packing_t){.device_type = ROWLOCK_DEVICE_CPU};
  const size_t size = kept_bytes(count) + RLK_PACKING_TRIPLE * sizeof *packing->params;
  packing->values = rlk_arena_alloc(arena, size);
  packing->kept = rlk_arena_alloc(arena, size);
  if (!packing->values || !packing->kept) return ROWLOCK_NO_MEMORY;
  memset(packing->values, 0, size);
  packing->params = (void**)&packing->values[count];
  for (size_t i = 0; i < count; ++i) packing->params[i] = &packing->values[i];
  return ROWLOCK_OK;
}

static void pack_uniform(const rlk_bound_t* bound, rlk_packed_t* out) {
  switch (bound->element) {
    case ROWLOCK_ELEMENT_FLOAT32:
      out->float32 = bound->value.float32;
      break;
    case ROWLOCK_ELEMENT_INT64:
      out->int64 = bound->value.int64;
      break;
    default:
      out->float64 = bound->value.float64;
      break;
  }
}

/* Extents carry the sample count of the run; a table's or wide buffer's its own length. */
static void pack_one(const rlk_packing_t* packing, rowlock_binding_t binding, const rlk_bound_t* bound,
                     int64_t sample_count, rlk_packed_t* out) {
  const int32_t device_type = (int32_t)packing->device_type, device_id = packing->device_id;
  switch (rlk_binding_info(binding)->passing) {
    case RLK_PASSING_GREF:
      out->gref = (rowlock_gref_t){.data = bound->data,
                                   .samples = (uint64_t)sample_count,
                                   .component_stride = (uint64_t)sample_count,
                                   .sample_stride = 1,
                                   .device_type = device_type,
                                   .device_id = device_id};
      break;
    case RLK_PASSING_HANDLE:
      out->handle = (rowlock_handle_t){.data = bound->data,
                                       .samples = bound->count,
                                       .stride = 1,
                                       .device_type = device_type,
                                       .device_id = device_id};
      break;
    case RLK_PASSING_INT_HANDLE:
      out->int_handle = (rowlock_int_handle_t){.data = bound->data,
                                               .samples = bound->count,
                                               .stride = 1,
                                               .device_type = device_type,
                                               .device_id = device_id};
      break;
    case RLK_PASSING_VALUE:
      pack_uniform(bound, out);
      break;
    case RLK_PASSING_INDEX:
      out->index = (rowlock_index_t)sample_count;
      break;
    case RLK_PASSING_NOTHING:
      break;
  }
}

void rlk_packing_update(rlk_packing_t* packing, const rlk_description_t* description, const rlk_names_t* names,
                        uint64_t generation, int64_t sample_count) {
  if (packing->generation == generation && packing->sample_count == sample_count) return;
  packing->bytes_per_sample = 0;
  for (size_t i = 0; i < description->parameter_count; ++i) {
    const rlk_parameter_t* parameter = &description->parameters[i];
    const rlk_bound_t* bound = &names->entries[parameter->bound].bound;
    pack_one(packing, parameter->binding, bound, sample_count, &packing->values[i]);
    if (rlk_binding_info(parameter->binding)->extent != RLK_EXTENT_SAMPLES) continue;
    packing->bytes_per_sample += bound->width * rowlock_element_bytes(bound->element);
  }
  memcpy(packing->kept, packing->values, kept_bytes(description->parameter_count));
  packing->generation = generation;
  packing->sample_count = sample_count;
}

/* Byte for byte: what a narrow value leaves open of its place was copied with it. */
static bool is_same(const void* packed, const void* kept) { return memcmp(packed, kept, sizeof(rlk_packed_t)) == 0; }

size_t rlk_packing_mend(rlk_packing_t* packing, size_t count) {
  if (memcmp(packing->values, packing->kept, kept_bytes(count)) == 0) return count;
  const rlk_packed_t* values = packing->kept;
  void* const* params = (void* const*)&values[count];
  size_t i = 0;
  while (is_same(&packing->values[i], &values[i]) && packing->params[i] == params[i]) ++i;
  memcpy(packing->values, packing->kept, kept_bytes(count));
  return i;
}
