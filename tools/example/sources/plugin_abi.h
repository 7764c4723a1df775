/* What a kernel's parameters look like in memory under the tags aether-abi/1 and aether-abi/2: passed by value, one
 * after the other in arg_spec order, on the device and on an x86-64 host alike. */
#ifndef PLUGIN_ABI_H
#define PLUGIN_ABI_H

#include <cstdint>

/* `out`, `vec_in`, `mat_in`, and a `mutable` of dtype vector or matrix. Strides are in elements: component c of sample
 * i is data[c * component_stride + i * sample_stride]. */
struct GRef {
  double* data;
  uint64_t samples;
  uint64_t component_stride;
  uint64_t sample_stride;
  int32_t device_type; /* as in DLPack: 1 CPU, 2 CUDA */
  int32_t device_id;

  __device__ double& at(uint64_t component, uint64_t sample) const {
    return data[component * component_stride + sample * sample_stride];
  }
};

/* Every other array: `per_sample`, `lookup` and a `mutable` of dtype float hold doubles, a `mutable` of dtype int holds
 * int64_t, `terminated` one byte a sample. */
template <typename Element>
struct Handle {
  Element* data;
  uint64_t samples;
  uint64_t stride;
  int32_t device_type;
  int32_t device_id;

  __device__ Element& at(uint64_t sample) const { return data[sample * stride]; }
};

typedef Handle<double> ScalarHandle;
typedef Handle<int64_t> IntHandle;
typedef Handle<uint8_t> MaskHandle;

/* `nsamples`. */
typedef uint32_t SampleCount;

/* The part of a run that one launch of an aether-abi/2 kernel covers: three parameters of their own, after the last
 * role. */
struct Partition {
  int64_t base;
  int64_t count;
  int64_t samples; /* of the whole run, whatever the part */
};

static_assert(sizeof(GRef) == 40, "GRef");
static_assert(sizeof(ScalarHandle) == 32 && sizeof(IntHandle) == 32 && sizeof(MaskHandle) == 32, "Handle");
static_assert(sizeof(SampleCount) == 4, "SampleCount");
static_assert(sizeof(Partition) == 24, "Partition");

/* Stands once in each aether-abi/2 artifact: a loader compares it with its own sizes before it binds anything. */
#define EXPORT_LAYOUT_SIZES                                                                                            \
  extern "C" __device__ const uint64_t eagle_layout_sizes[5] = {sizeof(GRef), sizeof(ScalarHandle), sizeof(IntHandle), \
                                                                sizeof(SampleCount), sizeof(Partition)};

/* One thread a sample. */
__device__ inline uint64_t thread_index() { return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; }

#endif
