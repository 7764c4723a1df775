#include "loader/registry/packing.h"

rowlock_code_t rlk_packing_init(rlk_packing_t* packing, rlk_arena_t* arena, size_t count) {
  *packing = (rlk_packing_t){.device_type = ROWLOCK_DEVICE_CPU};
  packing->values = rlk_arena_alloc(arena, (count ? count : 1) * sizeof *packing->values);
  packing->params = rlk_arena_alloc(arena, (count + RLK_PACKING_TRIPLE) * sizeof *packing->params);
  if (!packing->values || !packing->params) return ROWLOCK_NO_MEMORY;
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
  packing->generation = generation;
  packing->sample_count = sample_count;
}
