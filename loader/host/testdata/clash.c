/* A plugin that exports a function of its own, as one does whose author did not think of `static`. Built with several
 * values of HELPER_VALUE, and so with one name for several functions. */
#include <stdint.h>

#ifndef HELPER_VALUE
#define HELPER_VALUE 0
#endif

int64_t helper(void);
__attribute__((noinline)) int64_t helper(void) { return HELPER_VALUE; }

void drift_host(void* const* params, int32_t n);
void drift_host(void* const* params, int32_t n) {
  (void)n;
  *(int64_t*)params[0] = helper();
}
