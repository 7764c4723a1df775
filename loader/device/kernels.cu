/* The loader's own kernels, compiled to PTX by tools/kernels/build_ptx.sh. Operators are those of plugin facts, section 6, as
 * loader/exec/fold.c has them: the bits are the same. */
#include <stdint.h>

enum { SUM, TIMES, MAX, LAND };

/* One thread a component goes through its samples in ascending order: the order is the contract, and atomics or trees
 * have another. */
template <typename T>
__device__ void fold(const T* partials, int64_t count, uint32_t width, uint32_t op, T least, T* out) {
  const uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= width) return;
  const T* at = partials + (int64_t)c * count;
  T a = op == SUM ? T(0) : op == MAX ? least : T(1);
  for (int64_t i = 0; i < count; ++i) {
    const T b = at[i];
    if (op == SUM) {
      a = a + b;
    } else if (op == TIMES) {
      a = a * b;
    } else if (op == MAX) {
      a = b > a ? b : a;
    } else {
      a = a != T(0) && b != T(0) ? T(1) : T(0);
    }
  }
  out[c] = a;
}

#define DEFINE_FOLD(name, type, least)                                                                         \
  extern "C" __global__ void name(const type* partials, int64_t count, uint32_t width, uint32_t op, type* out) { \
    fold<type>(partials, count, width, op, least, out);                                                        \
  }

DEFINE_FOLD(rowlock_fold_float64, double, __longlong_as_double((long long)0xFFF0000000000000ull))
DEFINE_FOLD(rowlock_fold_float32, float, __int_as_float((int)0xFF800000u))
DEFINE_FOLD(rowlock_fold_int64, int64_t, INT64_MIN)
