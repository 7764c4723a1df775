/* Notes the fields of what it is passed, in the samples of its first partition. */
#include "corpus/host/kernel.cuh"

EXPORT_LAYOUT

template <typename T>
__device__ void note(double* noted, const T& handle) {
  const double fields[] = {(double)handle.samples, (double)handle.stride, 0, (double)handle.device_type,
                           (double)handle.device_id};
  for (int i = 0; i < 5; ++i) noted[i] = fields[i];
}

__device__ void note(double* noted, const View& view) {
  const double fields[] = {(double)view.samples, (double)view.component_stride, (double)view.sample_stride,
                           (double)view.device_type, (double)view.device_id};
  for (int i = 0; i < 5; ++i) noted[i] = fields[i];
}

DEVICE_KERNEL(View vector, View matrix, Scalars scalars, Scalars table, Scalars wide, Integers integers, Mask mask,
              Scalars noted, TRIPLE) {
  THIS_SAMPLE(i);
  integers.data[i] = n;
  if (i > 0) return;
  note(noted.data, vector);
  note(noted.data + 5, matrix);
  note(noted.data + 10, scalars);
  note(noted.data + 15, table);
  note(noted.data + 20, wide);
  note(noted.data + 25, integers);
  note(noted.data + 30, mask);
}
