/* A kernel that exports the layout array, one with a function that is called, and a device function of its own. */
extern "C" __device__ unsigned long long eagle_layout_sizes[5] = {40, 32, 32, 4, 24};

__device__ __noinline__ double square(double x) { return x * x; }

struct handle {
  unsigned long long words[4];
};

extern "C" __global__ void sums(handle out, double scale, unsigned flags, unsigned long long base,
                                unsigned long long count, unsigned long long samples) {
  if (flags && base + count <= samples) *reinterpret_cast<double*>(out.words[0]) = square(scale);
}

extern "C" __global__ void nothing() {}
