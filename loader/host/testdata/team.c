/* A v1 plugin with its own threads. */
#include <stdint.h>

void drift_host(void* const* params, int32_t n);
void drift_host(void* const* params, int32_t n) {
  double* const values = params[0];
#pragma omp parallel for num_threads(3)
  for (int32_t i = 0; i < n; ++i) values[i] += 1;
}
