/* Notes the fields of what it is passed, in the samples of its first call. */
#include "corpus/host/kernel.h"

enum { FIELDS = 5, STRUCTS = 7 };

EXPORT_LAYOUT
ENTRY_V2 {
  const view_t *vector = params[0], *matrix = params[1];
  const scalars_t *scalars = params[2], *table = params[3], *wide = params[4], *noted = params[7];
  const integers_t* integers = params[5];
  const mask_t* mask = params[6];
  const REAL fields[STRUCTS][FIELDS] = {
      {vector->samples, vector->component_stride, vector->sample_stride, vector->device_type, vector->device_id},
      {matrix->samples, matrix->component_stride, matrix->sample_stride, matrix->device_type, matrix->device_id},
      {scalars->samples, scalars->stride, 0, scalars->device_type, scalars->device_id},
      {table->samples, table->stride, 0, table->device_type, table->device_id},
      {wide->samples, wide->stride, 0, wide->device_type, wide->device_id},
      {integers->samples, integers->stride, 0, integers->device_type, integers->device_id},
      {mask->samples, mask->stride, 0, mask->device_type, mask->device_id},
  };
  EACH_SAMPLE(i) integers->data[i] = n;
  for (int i = 0; base == 0 && count > 0 && i < STRUCTS * FIELDS; ++i) noted->data[i] = fields[i / FIELDS][i % FIELDS];
}
