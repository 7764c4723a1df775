/* Uses a function that no library has. */
#include <stdint.h>

void nowhere_defined(void* const* params);

void drift_host(void* const* params, int32_t n);
void drift_host(void* const* params, int32_t n) {
  (void)n;
  nowhere_defined(params);
}
