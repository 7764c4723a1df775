/* A plugin that takes FUNCTION from another library. */
#include <stdint.h>

#ifndef FUNCTION
#define FUNCTION stand_in_threads
#endif

int FUNCTION(void);

void drift_host(void* const* params, int32_t n);
void drift_host(void* const* params, int32_t n) {
  (void)n;
  *(int64_t*)params[0] = FUNCTION();
}
